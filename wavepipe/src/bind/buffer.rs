//! A buffer as it was given, held against the block that the shader has there.

use super::form::{Form, Tail, describe};
use crate::data::Input;
use crate::element::{Element, Scalar};
use crate::failure::{Failure, Result};
use crate::view::{Leaf, Shape, View};
use wavepipe_runtime::compiler::spirv::Block;

/// What the user says of a buffer.
pub struct Typed<'a> {
    pub element: Option<Element>,
    pub count: Option<usize>,
    pub input: &'a Input,
}

/// Where the numbers of the buffer lie. `who` is the resource, for messages.
pub fn view(block: &Block, typed: &Typed<'_>, who: &str) -> Result<View> {
    let Some(form) = Form::of(block) else {
        return raw(block, typed, who);
    };
    let is = || format!("{who} is {} in the shader", describe(block, &form));
    let view = match typed.element {
        Some(element) => with_type(&form, element, typed, &is)?,
        None => without_type(&form, typed, &is)?,
    };
    check_size(&form, &view, &is)?;
    Ok(view)
}

/// A buffer that no shader sees: `u32` if no type is said.
pub fn plain(element: Option<Element>, count: Option<usize>, input: &Input) -> Result<View> {
    let element = element.unwrap_or(Element { scalar: Scalar::U32, lanes: 1 });
    let count = count.or_else(|| input.count().map(|n| n.div_ceil(element.lanes)));
    let count = count.ok_or_else(|| Failure::usage("how many are there? Give the number in brackets, as in u32[3]"))?;
    Ok(View::from(shape(element, count)?))
}

/// A block of too many members to tell: bytes, as many as it takes.
fn raw(block: &Block, typed: &Typed<'_>, who: &str) -> Result<View> {
    let Some(element) = typed.element else {
        let message = format!("{who} is a block of too many members: give its type, such as u8[{}]", block.bytes);
        return Err(Failure::usage(message));
    };
    let view = View::from(shape(element, typed.count.unwrap_or(1))?);
    if view.bytes < block.bytes as usize {
        let message = format!("{who} takes {} bytes, {} has {}", block.bytes, view.label, view.bytes);
        return Err(Failure::usage(message));
    }
    Ok(view)
}

fn shape(element: Element, count: usize) -> Result<Shape> {
    format!("{element}[{count}]").parse()
}

/// What the numbers of the shader are and those of the type are not, if so.
fn unlike(form: &Form, element: Element) -> Option<Scalar> {
    let is = element.scalar;
    form.scalars().find(|s| s.bytes() != is.bytes() || s.is_float() != is.is_float())
}

fn with_type(form: &Form, element: Element, typed: &Typed<'_>, is: &dyn Fn() -> String) -> Result<View> {
    let count = typed.count.unwrap_or(1);
    let plain = View::from(shape(element, count)?);
    let written = &plain.label;
    // Bytes are bytes.
    if element.scalar.bytes() == 1 {
        return Ok(plain);
    }
    if let Some(other) = unlike(form, element) {
        let message = format!(
            "{}; {written} would be taken for the bits of {}: leave the type out, or give u8[N] for plain bytes",
            is(),
            other.name()
        );
        return Err(Failure::usage(message));
    }
    match &form.tail {
        // The same elements, as far from each other as the shader has them.
        Some(tail) if form.head.is_empty() && tail.element.len() == element.lanes => {
            let own: Vec<Leaf> = tail.element.iter().map(|l| Leaf { scalar: element.scalar, ..*l }).collect();
            // Numbers of another sign are no longer what the shader's members are.
            let types = (own == tail.element).then(|| form.types());
            Ok(View { types, element: own, ..elements(form, tail, count, written.clone()) })
        }
        _ if form.dense() || element.lanes == 1 => Ok(plain),
        _ => {
            let message = format!("{}: {written} has its numbers elsewhere; leave the type out", is());
            Err(Failure::usage(message))
        }
    }
}

/// The view of a block's head and `count` elements of its tail.
fn elements(form: &Form, tail: &Tail, count: usize, label: String) -> View {
    let bytes = tail.at.saturating_add(tail.stride.saturating_mul(count));
    let (head, element, types) = (form.head.clone(), tail.element.clone(), Some(form.types()));
    View { head, at: tail.at, element, stride: tail.stride, count, bytes, label, types }
}

fn without_type(form: &Form, typed: &Typed<'_>, is: &dyn Fn() -> String) -> Result<View> {
    let Some(tail) = &form.tail else {
        if typed.count.is_some_and(|n| n != 1) {
            return Err(Failure::usage(format!("{}, which has no number of elements", is())));
        }
        // Not an array: one element that is all of it.
        let label = match &form.head[..] {
            [one] => one.scalar.name().to_owned(),
            many => format!("{} numbers", many.len()),
        };
        let (element, stride) = (form.head.clone(), form.least);
        let types = Some(form.types());
        return Ok(View { head: Vec::new(), at: 0, element, stride, count: 1, bytes: form.least, label, types });
    };
    let count = match (typed.count, tail.n) {
        (Some(given), Some(n)) if given != n => {
            return Err(Failure::usage(format!("{}, not {given} elements", is())));
        }
        (_, Some(n)) => n,
        (Some(given), None) => given,
        (None, None) => derived(form, tail, typed.input, is)?,
    };
    let label = match form.head.len() {
        0 => format!("{}[{count}]", tail.ty),
        1 => format!("1 number and {}[{count}]", tail.ty),
        n => format!("{n} numbers and {}[{count}]", tail.ty),
    };
    Ok(elements(form, tail, count, label))
}

/// As many elements as the input has.
fn derived(form: &Form, tail: &Tail, input: &Input, is: &dyn Fn() -> String) -> Result<usize> {
    let whole = |has: usize, head: usize, each: usize, what: &str| match has.checked_sub(head) {
        Some(rest) if rest > 0 && each > 0 && rest.is_multiple_of(each) => Ok(rest / each),
        _ => {
            let head = if head > 0 { format!("{head} and ") } else { String::new() };
            Err(Failure::usage(format!("{}: {has} {what} are not {head}some times {each}", is())))
        }
    };
    match input {
        Input::Bytes(bytes, _) => whole(bytes.len(), tail.at, tail.stride, "bytes"),
        Input::Picture(picture, _) => Ok(picture.rgba.len() / 4),
        _ => match input.count() {
            Some(n) => whole(n, form.head.len(), tail.element.len(), "numbers"),
            None => {
                let message = format!("{}: how many are there? Give the number in brackets, as in KEY=[64]", is());
                Err(Failure::usage(message))
            }
        },
    }
}

fn check_size(form: &Form, view: &View, is: &dyn Fn() -> String) -> Result<()> {
    if view.bytes > u32::MAX as usize {
        return Err(Failure::usage(format!("{}: {} is over 4 GiB", is(), view.label)));
    }
    if view.bytes < form.least {
        let message = format!("{}, {} bytes at least; {} has {}", is(), form.least, view.label, view.bytes);
        return Err(Failure::usage(message));
    }
    let tail = form.tail.as_ref().filter(|t| t.n.is_none() && t.stride > 0);
    match tail.map(|t| ((view.bytes - t.at) / t.stride, (view.bytes - t.at) % t.stride)) {
        Some((n, rest)) if rest > 0 => {
            let message = format!("{}: {} has {n} whole elements and {rest} bytes", is(), view.label);
            Err(Failure::usage(message))
        }
        _ => Ok(()),
    }
}

/// Whether a buffer that another dispatch has laid out is large enough for this block, too.
pub fn fits(block: &Block, bytes: usize, who: &str) -> Result<()> {
    let least = Form::of(block).map_or(block.bytes as usize, |form| form.least);
    if bytes < least {
        return Err(Failure::usage(format!("{who} takes {least} bytes, the buffer that is bound there has {bytes}")));
    }
    Ok(())
}
