//! Arrays of arrays in GLSL for the built-in front end. `float a[2][3]` has two arrays of three; naga reads the sizes of one list
//! the wrong way round, and makes three arrays of two. So they are handed to it the wrong way round: in declarations, of types
//! and of names; what an expression indexes stays. The text's length stays, and so do the offsets of its lines.

use super::glsl::{Token, tokens};
use std::ops::Range;

/// Words that an expression may follow, so that a name behind them declares nothing.
const NO_TYPES: &[&str] = &["return", "else", "do", "case", "in", "out", "inout"];

fn is_word(token: &Token<'_>) -> bool {
    token.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// The lists `[…]` that begin at token `n`, as ranges of tokens.
fn lists(tokens: &[Token<'_>], mut n: usize) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    while tokens.get(n).is_some_and(|t| t.text == "[") {
        let mut depth = 0;
        let end = tokens[n..].iter().position(|t| {
            depth += i32::from(t.text == "[") - i32::from(t.text == "]");
            depth == 0
        });
        let Some(end) = end else { break };
        out.push(n..n + end + 1);
        n += end + 1;
    }
    out
}

/// Whether token `n` is a name that is declared there: behind a type, or behind another name of the same declaration.
fn declares(tokens: &[Token<'_>], n: usize) -> bool {
    let Some(before) = n.checked_sub(1).map(|n| &tokens[n]) else { return false };
    match before.text {
        "]" => true,
        "," => {
            // Back over what stands between commas, to the first name of the list.
            let mut depth = 0;
            for back in (0..n).rev() {
                match tokens[back].text {
                    ")" | "]" | "}" => depth += 1,
                    "(" | "[" | "{" if depth == 0 => return false,
                    "(" | "[" | "{" => depth -= 1,
                    ";" if depth == 0 => return false,
                    _ if depth == 0 && is_word(&tokens[back]) && back > 0 => {
                        let before = &tokens[back - 1];
                        if is_word(before) && !NO_TYPES.contains(&before.text) || before.text == "]" {
                            return true;
                        }
                    }
                    _ => {}
                }
            }
            false
        }
        text => is_word(before) && !NO_TYPES.contains(&text),
    }
}

/// The text with the sizes of each list of a declaration turned round.
pub fn turned(source: &str) -> String {
    let tokens = tokens(source);
    let mut out = String::with_capacity(source.len());
    let mut copied = 0;
    for n in (0..tokens.len()).filter(|n| is_word(&tokens[*n])) {
        let lists = lists(&tokens, n + 1);
        let [first, .., last] = &lists[..] else { continue };
        // Behind the lists of a type comes what it is the type of, or what one is made of.
        let of_type = tokens.get(last.end).is_some_and(|t| is_word(t) || t.text == "(");
        if !of_type && !declares(&tokens, n) {
            continue;
        }
        let end = |list: &Range<usize>| tokens[list.end - 1].start + 1;
        out.push_str(&source[copied..tokens[first.start].start]);
        // What stands between two lists stays between them.
        for (turned, (n, list)) in lists.iter().rev().zip(lists.iter().enumerate()) {
            out.push_str(&source[tokens[turned.start].start..end(turned)]);
            let next = lists.get(n + 1).map_or(end(list), |next| tokens[next.start].start);
            out.push_str(&source[end(list)..next]);
        }
        copied = end(last);
    }
    out.push_str(&source[copied..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_turned_where_they_are_declared() {
        for (source, wanted) in [
            ("shared uint s[2][64];", "shared uint s[64][2];"),
            ("buffer B { uint data[][4]; };", "buffer B { uint data[4][]; };"),
            ("float a[1][N + 1] [3], b, c[4][5];", "float a[3][N + 1] [1], b, c[5][4];"),
            ("uint[2][3] t(uint[4] x[5][6]) {", "uint[3][2] t(uint[4] x[6][5]) {"),
            (
                "const int[2][3] k = int[2][3](int[3](1, 2, 3), p[0][1]);",
                "const int[3][2] k = int[3][2](int[3](1, 2, 3), p[0][1]);",
            ),
            ("f(in float a[2][3], float b[4][5]);", "f(in float a[3][2], float b[5][4]);"),
            ("s[0][l] = s[1][x[2][3]]; return s[0][1];", "s[0][l] = s[1][x[2][3]]; return s[0][1];"),
            (
                "g(a[0][1], b[2][3]); if (x) y[0][1] = 1; else y[1][0] = 2;",
                "g(a[0][1], b[2][3]); if (x) y[0][1] = 1; else y[1][0] = 2;",
            ),
            ("int i = f(a[0][1], b[2][3]), j[1][2];", "int i = f(a[0][1], b[2][3]), j[2][1];"),
            ("// uint s[2][64];\nuint s[2];", "// uint s[2][64];\nuint s[2];"),
        ] {
            assert_eq!(turned(source), wanted);
        }
    }
}
