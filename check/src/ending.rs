//! How the names of test files end.

pub const TOML: &str = ".test.toml";
pub const AMBER: &str = ".amber";
pub const VKRUNNER: &str = ".shader_test";
