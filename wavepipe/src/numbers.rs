//! Rust's numbers as those of a shader: which types are numbers, and which are memory.

use crate::contents::Contents;
use crate::data::Input;
use crate::element::{Element, Scalar};
use crate::failure::{Failure, Result};
use crate::npy::Array;
use crate::view::{Leaf, View};
use bytemuck::{AnyBitPattern, NoUninit};
use half::f16;
use std::any::TypeId;

/// Scalars and arrays of them that are taken for scalars, vectors and matrices.
fn row<T: 'static>(scalar: Scalar) -> [(TypeId, Element); 7] {
    let of = |id, lanes| (id, Element { scalar, lanes });
    [
        of(TypeId::of::<T>(), 1),
        of(TypeId::of::<[T; 1]>(), 1),
        of(TypeId::of::<[T; 2]>(), 2),
        of(TypeId::of::<[T; 3]>(), 3),
        of(TypeId::of::<[T; 4]>(), 4),
        of(TypeId::of::<[T; 9]>(), 9),
        of(TypeId::of::<[T; 16]>(), 16),
    ]
}

/// What a Rust type is in a shader; `None`: memory, as a structure is.
fn element<T: 'static>() -> Option<Element> {
    let rows = [
        row::<u8>(Scalar::U8),
        row::<i8>(Scalar::I8),
        row::<u16>(Scalar::U16),
        row::<i16>(Scalar::I16),
        row::<f16>(Scalar::F16),
        row::<u32>(Scalar::U32),
        row::<i32>(Scalar::I32),
        row::<f32>(Scalar::F32),
        row::<u64>(Scalar::U64),
        row::<i64>(Scalar::I64),
        row::<f64>(Scalar::F64),
    ];
    rows.iter().flatten().find(|(id, _)| *id == TypeId::of::<T>()).map(|(_, element)| *element)
}

/// Where inputs of a program come from, for messages.
const FROM: &str = "what the test gives";

/// Numbers in order, or bytes as they lie in memory. An image has `sides`, column first.
pub(crate) fn input<T: NoUninit + 'static>(data: &[T], sides: Option<&[u32]>) -> Input {
    let bytes = bytemuck::cast_slice::<T, u8>(data).to_vec();
    // Bytes of a buffer are its memory, whatever the shader has there; those of an image are channels.
    let typed = element::<T>().filter(|e| e.scalar != Scalar::U8 || sides.is_some());
    let array = typed.and_then(|Element { scalar, .. }| {
        let count = bytes.len() / scalar.bytes();
        let mut shape: Vec<usize> = sides.unwrap_or(&[]).iter().rev().map(|n| *n as usize).collect();
        let texels: usize = shape.iter().product();
        match sides {
            None => shape = vec![count],
            Some(_) if texels > 0 && count.is_multiple_of(texels) && count > texels => shape.push(count / texels),
            Some(_) => {}
        }
        Array::new(shape, scalar, bytes.clone())
    });
    match array {
        Some(array) => Input::Array(array, FROM.to_owned()),
        None => Input::Bytes(bytes, FROM.to_owned()),
    }
}

/// Whether numbers that a program gives are of the type that a buffer has, and not only convertible.
pub(crate) fn same_type(input: &Input, view: &View) -> Result<()> {
    let Input::Array(array, _) = input else { return Ok(()) };
    match view.leaves().find(|l| !like(l.scalar, array.scalar)) {
        None => Ok(()),
        Some(other) => {
            let (has, given) = (other.scalar.name(), array.scalar.name());
            Err(Failure::usage(format!("{} has numbers of type {has}, and {given} is given", view.label)))
        }
    }
}

/// Of the same width, and both floats or both integers.
fn like(a: Scalar, b: Scalar) -> bool {
    a.bytes() == b.bytes() && a.is_float() == b.is_float()
}

/// What a resource holds as Rust's numbers: one behind the other, without the padding that the shader's layout has between
/// them. Of a type that is no number: the bytes as they are.
pub(crate) fn read<T: AnyBitPattern + NoUninit + 'static>(contents: &Contents) -> Result<Vec<T>> {
    let view = &contents.view;
    let bytes = match element::<T>() {
        None => contents.bytes.clone(),
        Some(element) => {
            if !view.leaves().all(|l| like(l.scalar, element.scalar)) {
                return Err(Failure::usage(format!("{} cannot be read as {element}", view.label)));
            }
            let of = |l: Leaf| &contents.bytes[l.offset..l.offset + l.scalar.bytes()];
            view.leaves().flat_map(of).copied().collect()
        }
    };
    let size = size_of::<T>();
    if size == 0 || !bytes.len().is_multiple_of(size) {
        let message = format!("{} has {} bytes, which are not whole times {size}", view.label, bytes.len());
        return Err(Failure::usage(message));
    }
    Ok(bytes.chunks_exact(size).map(bytemuck::pod_read_unaligned).collect())
}

/// The value of a push constant or of a specialization constant.
pub trait Value {
    /// As it is written on a command line: numbers parted by commas.
    fn text(&self) -> String;
}

macro_rules! values {
    ($($ty:ty)*) => {
        $(impl Value for $ty {
            fn text(&self) -> String {
                self.to_string()
            }
        })*
    };
}

values!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 bool f16 str);

impl<T: Value + ?Sized> Value for &T {
    fn text(&self) -> String {
        (**self).text()
    }
}

impl<T: Value, const N: usize> Value for [T; N] {
    fn text(&self) -> String {
        self.iter().map(Value::text).collect::<Vec<_>>().join(",")
    }
}
