//! Texts of shaders as modules, and their mistakes at their places.

use crate::asked::{Language, Shading};
use serde::Serialize;
use std::sync::Arc;
use wavepipe::{Failure, Shader};

/// What is wrong with a text, and where.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// From 1 on; 0 where nothing is known.
    pub line: u32,
    /// From 1 on; 0: the whole line.
    pub column: u32,
    pub message: String,
}

/// What messages and line tables call the text.
pub fn name(language: Language) -> &'static str {
    match language {
        Language::Wgsl => "shader.wgsl",
        Language::Glsl => "shader.comp",
    }
}

/// Whether a file that a line table names is the text.
pub fn is_own(file: &str, language: Language) -> bool {
    file.ends_with(name(language))
}

/// The shader of a text.
pub fn open(shading: &Shading) -> Result<Arc<Shader>, Mistake> {
    let shader = match shading.language {
        Language::Wgsl => Shader::wgsl(&shading.source),
        Language::Glsl => Shader::glsl(&shading.source),
    };
    shader.map(Arc::new).map_err(|e| mistake(&e, shading.language))
}

/// What glslc calls a text that it is given.
const FED: &str = "<stdin>";

/// What a failure says, and which place of the text it names.
pub fn mistake(failure: &Failure, language: Language) -> Mistake {
    let text = failure.to_string();
    let name = name(language);
    let (line, column) = place(&text, name).or_else(|| place(&text, FED)).unwrap_or((0, 0));
    Mistake { line, column, message: sentence(&text, name) }
}

/// A message in a line, without the drawing of the text and the place, which are where the mark stands anyway.
fn sentence(text: &str, name: &str) -> String {
    let placed = |l: &&str| [name, FED].iter().any(|n| l.strip_prefix(n).is_some_and(|rest| rest.starts_with(':')));
    let first = text.lines().find(|l| placed(l) && !l.ends_with(':')).or(text.lines().next()).unwrap_or_default();
    let first = [name, FED].iter().fold(first, |l, n| l.strip_prefix(n).unwrap_or(l));
    let first = first.trim_start_matches(|c: char| ":0123456789 ".contains(c)).trim_start_matches("error: ");
    let notes = text.lines().filter_map(|l| l.trim_start().strip_prefix("= "));
    // What stands behind the mark in the drawing.
    let label = text.lines().filter(|l| l.contains('│') && l.contains('^')).find_map(|l| {
        let mark = l.split_once('^').map(|(_, rest)| rest.trim_start_matches('^').trim())?;
        (!mark.is_empty() && !mark.starts_with("naga::")).then_some(mark)
    });
    let more: Vec<&str> = label.into_iter().chain(notes).filter(|m| !first.contains(m)).collect();
    if more.is_empty() { first.to_owned() } else { format!("{first}: {}", more.join("; ")) }
}

/// The last `NAME:LINE` or `NAME:LINE:COLUMN` of a message: notes of the innermost cause come last.
fn place(text: &str, name: &str) -> Option<(u32, u32)> {
    let after = |part: &str| {
        let mut numbers = part.strip_prefix(':')?.splitn(3, |c: char| !c.is_ascii_digit());
        let line = numbers.next()?.parse().ok()?;
        Some((line, numbers.next().and_then(|n| n.parse().ok()).unwrap_or(0)))
    };
    text.match_indices(name).filter_map(|(at, _)| after(&text[at + name.len()..])).last()
}
