//! Typed memory: where the numbers of a buffer lie, and what they are called.

mod members;

pub use self::members::{Types, Walk, numbers, scalar};

use crate::element::{Element, Scalar};
use crate::failure::{Failure, Result};
use std::str::FromStr;
use std::sync::Arc;

/// `TYPE[N]`, where N may be a product such as 512*512.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    pub element: Element,
    pub count: usize,
}

/// A count: a number, or a product such as 512*512.
pub fn product(count: &str, of: &str) -> Result<usize> {
    let mut factors = count.split('*').map(|f| f.trim().parse::<usize>().ok());
    factors
        .try_fold(1usize, |product, f| product.checked_mul(f?))
        .filter(|&n| n > 0)
        .ok_or_else(|| Failure::usage(format!("`{of}`: the count is a number or a product such as 512*512")))
}

impl FromStr for Shape {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Shape> {
        let (name, count) = match text.strip_suffix(']').and_then(|t| t.split_once('[')) {
            Some((name, count)) => (name, count),
            None => (text, "1"),
        };
        let count = product(count, text)?;
        let element: Element = name.trim().parse()?;
        if element.bytes().checked_mul(count).is_none_or(|bytes| bytes > u32::MAX as usize) {
            return Err(Failure::usage(format!("`{text}` is over 4 GiB, more than a buffer descriptor's range")));
        }
        Ok(Shape { element, count })
    }
}

/// A number of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    pub offset: usize,
    pub scalar: Scalar,
}

/// Where the numbers of a buffer lie: those of its head, then elements of equal form, each `stride` bytes from the last.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct View {
    pub head: Vec<Leaf>,
    /// Of the first element.
    pub at: usize,
    /// Within an element.
    pub element: Vec<Leaf>,
    pub stride: usize,
    pub count: usize,
    /// Of the whole buffer.
    pub bytes: usize,
    /// As a table shows it: `vec3[4]`.
    pub label: String,
    /// The types that the numbers are parts of, where they are known.
    pub types: Option<Arc<Types>>,
}

impl From<Shape> for View {
    fn from(shape: Shape) -> View {
        let Element { scalar, lanes } = shape.element;
        let leaf = |n| Leaf { offset: n * scalar.bytes(), scalar };
        let label = format!("{}[{}]", shape.element, shape.count);
        let (stride, bytes) = (shape.element.bytes(), shape.element.bytes() * shape.count);
        let element = (0..lanes).map(leaf).collect();
        View { head: Vec::new(), at: 0, element, stride, count: shape.count, bytes, label, types: None }
    }
}

impl View {
    /// How many numbers there are.
    pub fn scalars(&self) -> usize {
        self.head.len() + self.count * self.element.len()
    }

    /// The numbers in order, the head's first.
    pub fn leaves(&self) -> impl Iterator<Item = Leaf> + '_ {
        self.head.iter().copied().chain(self.rows().flatten())
    }

    /// The elements' numbers.
    pub fn rows(&self) -> impl Iterator<Item = impl Iterator<Item = Leaf> + '_> + '_ {
        (0..self.count).map(move |n| {
            let at = self.at + n * self.stride;
            self.element.iter().map(move |l| Leaf { offset: at + l.offset, ..*l })
        })
    }

    /// What the `n`th number is called: `velocity.y` of an element, a member of the head.
    pub fn member(&self, n: usize) -> Option<String> {
        let types = self.types.as_deref()?;
        match n.checked_sub(self.head.len()) {
            None => types.member(n, true),
            Some(n) => types.member(n % self.element.len().max(1), false),
        }
    }

    /// The type of all numbers, if it is one.
    pub fn uniform(&self) -> Option<Scalar> {
        let mut all = self.head.iter().chain(&self.element).map(|l| l.scalar);
        let first = all.next()?;
        all.all(|s| s == first).then_some(first)
    }
}
