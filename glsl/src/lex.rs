//! Words, numbers and signs of a text, each with its line. Comments and joined lines are gone behind this.

use std::rc::Rc;

/// Binary operators, loosest first; each binds to the left.
pub const LEVELS: &[&[&str]] = &[
    &["||"],
    &["^^"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Word,
    Number,
    Sign,
    /// Without its quotes.
    Text,
    End,
}

#[derive(Clone, Debug)]
pub struct Token {
    pub kind: Kind,
    pub text: Rc<str>,
    /// Of the list of files.
    pub file: u16,
    pub line: u32,
    /// Nothing stands in front of it on its line.
    pub first: bool,
    /// White space stands in front of it.
    pub spaced: bool,
}

/// Longest first.
const SIGNS: &[&str] = &[
    "<<=", ">>=", "##", "++", "--", "<=", ">=", "==", "!=", "&&", "||", "^^", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
    "^=", "<<", ">>",
];

/// The tokens of `source`, or the line of what begins none.
pub fn tokens(source: &str, file: u16) -> Result<Vec<Token>, (u32, String)> {
    let bytes = source.as_bytes();
    let (mut at, mut line, mut first, mut spaced, mut out) = (0, 1, true, false, Vec::new());
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    while at < bytes.len() {
        let rest = &bytes[at..];
        let digit = |n: usize| rest.get(n).is_some_and(u8::is_ascii_digit);
        let (kind, length) = match rest {
            [b'\\', b'\n', ..] => {
                (at, line) = (at + 2, line + 1);
                continue;
            }
            [b'\\', b'\r', b'\n', ..] => {
                (at, line) = (at + 3, line + 1);
                continue;
            }
            [b'\n', ..] => {
                (at, line, first) = (at + 1, line + 1, true);
                continue;
            }
            [b'/', b'/', ..] => {
                at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                continue;
            }
            [b'/', b'*', ..] => {
                let end = source[at + 2..].find("*/").ok_or((line, "a comment has no end".to_owned()))?;
                line += source[at..at + 2 + end].matches('\n').count() as u32;
                (at, spaced) = (at + end + 4, true);
                continue;
            }
            [b, ..] if b.is_ascii_whitespace() => {
                (at, spaced) = (at + 1, true);
                continue;
            }
            [b'"', ..] => {
                let mut end = 1;
                while rest.get(end).is_some_and(|b| *b != b'"' && *b != b'\n') {
                    end += if rest[end] == b'\\' { 2 } else { 1 };
                }
                if rest.get(end) != Some(&b'"') {
                    return Err((line, "a string has no end".to_owned()));
                }
                (Kind::Text, end + 1)
            }
            [b, ..] if b.is_ascii_digit() || *b == b'.' && digit(1) => {
                let hex = rest.len() > 1 && rest[0] == b'0' && matches!(rest[1], b'x' | b'X');
                let mut end = 1;
                while let Some(&b) = rest.get(end) {
                    let sign = matches!(b, b'+' | b'-') && !hex && matches!(rest[end - 1], b'e' | b'E');
                    if !(word(b) || b == b'.' || sign) {
                        break;
                    }
                    end += 1;
                }
                (Kind::Number, end)
            }
            [b, ..] if word(*b) => (Kind::Word, rest.iter().take_while(|b| word(**b)).count()),
            _ => {
                let sign = SIGNS.iter().find(|s| rest.starts_with(s.as_bytes()));
                let one = source[at..].chars().next().map_or(1, char::len_utf8);
                if one > 1 || rest[0].is_ascii_control() {
                    let what = source[at..].chars().next().unwrap_or_default();
                    return Err((line, format!("`{}` begins nothing", what.escape_default())));
                }
                (Kind::Sign, sign.map_or(1, |s| s.len()))
            }
        };
        let text = &source[at..at + length];
        let text = if kind == Kind::Text { &text[1..length - 1] } else { text };
        out.push(Token { kind, text: text.into(), file, line, first, spaced });
        (at, first, spaced) = (at + length, false, false);
    }
    Ok(out)
}
