//! What the tests of `wavepipe test` run.

mod mistakes;
mod reports;
mod scripts;
mod shaders;
mod structures;

pub use mistakes::MISTAKES;
pub use reports::REPORTS;
pub use scripts::SCRIPTS;
pub use shaders::SHADERS;
pub use structures::STRUCTURES;

/// Name, files, exit code, and the report but for how long it took: `…` in a line, and a line with `⋮`, are what is not held.
pub type Report = (&'static str, &'static [(&'static str, &'static str)], i32, &'static str);

/// Files in folders, with six cases.
pub const LISTED: &[(&str, &str)] = &[
    ("deep/er/add.amber", "#!amber\n"),
    (
        "deep/er/many.test.toml",
        "shader = '../../double.wgsl'
buffer = [{ name = 'x', values = [1] }, { name = 'y', type = '[1]' }]
expect = [{ name = 'y', values = [2] }]
matrix = { wave = [32, 64] }
[[test]]
name = 'a'
[[test]]
name = 'b'
",
    ),
    ("double.test.toml", "fault = {}\n"),
    (".hidden/no.test.toml", "fault = {}\n"),
    ("target/no.test.toml", "fault = {}\n"),
];
