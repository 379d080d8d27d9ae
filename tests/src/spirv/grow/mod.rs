//! Modules that grow along one axis each: nesting, length, width, the depth and the size of types. Each is a function of its
//! size; all are valid, so a compiler owes each a program or a refusal by name, with work in proportion.

mod data;
mod flow;
mod sketch;
mod width;

pub use sketch::Sketch;

/// One way to grow.
pub struct Axis {
    pub name: &'static str,
    pub module: fn(u32) -> Vec<u32>,
    /// Largest size that means anything, for axes whose modules stay small.
    pub most: u32,
}

/// All of them.
pub fn axes() -> impl Iterator<Item = &'static Axis> {
    [flow::AXES, width::AXES, data::AXES].into_iter().flatten()
}

const fn axis(name: &'static str, module: fn(u32) -> Vec<u32>) -> Axis {
    Axis { name, module, most: u32::MAX }
}

const fn up_to(most: u32, name: &'static str, module: fn(u32) -> Vec<u32>) -> Axis {
    Axis { name, module, most }
}
