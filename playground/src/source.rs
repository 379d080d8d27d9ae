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

/// The shader of a text.
pub fn open(shading: &Shading) -> Result<Arc<Shader>, Mistake> {
    let shader = match shading.language {
        Language::Wgsl => Shader::wgsl(&shading.source),
        Language::Glsl => Shader::glsl(&shading.source),
    };
    shader.map(Arc::new).map_err(|e| mistake(&e, shading.language))
}

/// What a failure says, and which place of the text it names.
pub fn mistake(failure: &Failure, language: Language) -> Mistake {
    let text = failure.to_string();
    let name = name(language);
    let (line, column) = place(&text, name).unwrap_or((0, 0));
    // A front end's own drawing of the text is where the mark stands anyway.
    let sentence = text.lines().next().unwrap_or("");
    let sentence = sentence
        .strip_prefix(name)
        .map_or(sentence, |rest| rest.trim_start_matches(|c: char| ":0123456789 ".contains(c)));
    let notes = text.lines().filter_map(|l| l.split_once("= note: ").map(|(_, note)| note));
    let label = text.lines().filter(|l| l.contains('│')).find_map(|l| {
        let mark = l.trim_start_matches(|c: char| !matches!(c, '^' | '-')).trim_start_matches(['^', '-']).trim();
        (l.contains('^') && !mark.is_empty()).then(|| mark.to_owned())
    });
    let more: Vec<String> =
        label.into_iter().chain(notes.map(str::to_owned)).filter(|m| !sentence.contains(m)).collect();
    let message = if more.is_empty() { sentence.to_owned() } else { format!("{sentence}: {}", more.join("; ")) };
    Mistake { line, column, message }
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
