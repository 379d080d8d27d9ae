//! The tests of this folder as one program, a module for each file: what they link is linked once.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod step;

#[cfg(any(target_arch = "aarch64", all(target_arch = "x86_64", feature = "cranelift")))]
mod clif;
mod expansions;
mod hoisted;
#[cfg(target_arch = "x86_64")]
mod x86;
