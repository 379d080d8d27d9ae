//! Tests of compute shaders: a shader runs as AMD RDNA machine code on an emulated Radeon, where everything that it does is
//! looked at, and what it wrote is compared with what was wanted. No GPU, no driver and no other program is needed.
//!
//! ```
//! use wavepipe::{Checks, Shader};
//!
//! # fn main() -> wavepipe::Result<()> {
//! let scale = Shader::wgsl("
//!     @group(0) @binding(0) var<storage> x: array<f32>;
//!     @group(0) @binding(1) var<storage, read_write> y: array<f32>;
//!     override factor: f32 = 2;
//!     @compute @workgroup_size(64)
//!     fn main(@builtin(global_invocation_id) id: vec3u) {
//!         if id.x < arrayLength(&y) { y[id.x] = x[id.x] * factor; }
//!     }")?;
//! scale
//!     .test()
//!     .buffer("x", &[1f32, 2., 3.])
//!     .zeroed("y", 3)
//!     .spec("factor", 0.5)
//!     .wave(64)
//!     .check(Checks::ALL)
//!     .run()?
//!     .expect("y", &[0.5f32, 1., 1.5])
//!     .ulp(1)?;
//! # Ok(())
//! # }
//! ```
//!
//! A `#[test]` function gives `wavepipe::Result<()>`. What fails it is printed as text:
//!
//! ```
//! # fn main() -> wavepipe::Result<()> {
//! # let shader = wavepipe::Shader::wgsl("
//! #     @group(0) @binding(0) var<storage, read_write> y: array<f32>;
//! #     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { y[id.x] = f32(id.x); }")?;
//! let ran = shader.test().zeroed("y", 64).run()?;
//! let failure = ran.expect("y", &[0f32; 64]).exactly().err().unwrap().to_string();
//! assert!(failure.starts_with("\
//! y: 63 of 64 numbers are not as wanted (f32[64], exactly)
//!   element 1, byte 4: got 1, wanted 0, 1065353216 ULP apart"));
//! # Ok(())
//! # }
//! ```
//!
//! - [`Shader`] is GLSL, WGSL or SPIR-V, from a text or a file; [`Shader::test`] begins a [`Test`].
//! - [`Test::run`] holds what is given against what the shader declares, runs it, and fails on [findings](Ran::findings).
//! - [`Ran`] has what it wrote, and [`Ran::expect`] compares; [`expect::Mismatch`] is what is printed.
//!
//! The rooms below are what the `wavepipe` program is made of as well: job files ([`job`]), typed memory ([`view`], [`element`],
//! [`texel`]), files ([`data`], [`npy`], [`picture`], [`contents`]), plans ([`bind`]) and devices ([`work`]), what the clock
//! counted ([`profile`]) and the page that it makes ([`sheet`]), and
//! machines that are held ([`held`]), to be looked at by [`inspect`].

pub mod again;
pub mod bind;
pub mod contents;
pub mod course;
pub mod data;
pub mod element;
pub mod expect;
pub mod failure;
pub mod files;
pub mod findings;
pub mod held;
pub mod job;
pub mod npy;
mod numbers;
pub mod picture;
pub mod profile;
mod quiet;
mod ran;
pub mod shader;
pub mod sheet;
pub mod standing;
mod test;
#[doc(hidden)]
pub mod tested;
pub mod texel;
pub mod view;
pub mod work;

pub use expect::{Mismatch, Tolerance};
pub use failure::{Failure, Result};
pub use numbers::Value;
pub use quiet::quietly;
pub use ran::{Expectation, Kernel, Ran};
pub use shader::Shader;
pub use test::{DEFAULT_CHECKS, Test};
pub use wavepipe_inspect as inspect;
pub use wavepipe_runtime::GuestChecks as Checks;
