//! Where in a file something stands, and what is wrong there.

use std::ops::Range;
use std::path::Path;
use wavepipe::failure::Failure;
pub use wavepipe_runtime::hw::spelling::nearest;

/// Line and column of a byte, from 1.
pub fn line_column(text: &str, byte: usize) -> (u32, u32) {
    let before = &text[..byte.min(text.len())];
    let line = before.matches('\n').count() as u32 + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() as u32 + 1;
    (line, column)
}

/// `FILE:LINE:COLUMN: …`
pub fn wrong_at(path: &Path, text: &str, span: &Range<usize>, message: &str) -> Failure {
    let (line, column) = line_column(text, span.start);
    Failure::usage(format!("{}:{line}:{column}: {message}", path.display()))
}

/// What serde says of a file, in our words: of a name that it does not know, the near one.
pub fn of_toml(path: &Path, text: &str, error: &toml::de::Error) -> Failure {
    wrong_at(path, text, &error.span().unwrap_or(0..0), &in_our_words(error))
}

/// The same without its place.
pub fn in_our_words(error: &toml::de::Error) -> String {
    let said = error.message().trim_end();
    let quoted: Vec<&str> = said.split('`').skip(1).step_by(2).collect();
    match (said.starts_with("unknown field") || said.starts_with("unknown variant"), &quoted[..]) {
        (true, [name, known @ ..]) if !known.is_empty() => {
            let near = nearest(name, known.iter().copied());
            let near = near.map_or(String::new(), |near| format!(" Did you mean `{near}`?"));
            format!("there is no `{name}` here.{near} There are: {}", known.join(", "))
        }
        _ => said.to_owned(),
    }
}
