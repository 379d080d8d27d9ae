//! GLSL for the built-in front end, naga's, which knows no specialization: a constant is given its value in the text, so
//! that it can be the length of an array and a side of the work-group, as in SPIR-V. Offsets of lines stay what they are.

use super::constants::{Constant, Value};
use wavepipe_runtime::compiler::spirv::ScalarKind;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Token<'a> {
    pub text: &'a str,
    pub start: usize,
}

/// Words, numbers and single signs; comments and white space are left out.
pub fn tokens(source: &str) -> Vec<Token<'_>> {
    let bytes = source.as_bytes();
    let (mut at, mut out) = (0, Vec::new());
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'.';
    while at < bytes.len() {
        let rest = &source[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else if bytes[at].is_ascii_whitespace() {
            at += 1;
        } else {
            let length = bytes[at..].iter().take_while(|b| word(**b)).count();
            let length = length.max(rest.chars().next().map_or(1, char::len_utf8));
            out.push(Token { text: &source[at..at + length], start: at });
            at += length;
        }
    }
    out
}

/// A piece of the text, and what stands there instead.
type Edit = (std::ops::Range<usize>, String);

/// `layout(constant_id = N) const TYPE NAME = …;`
struct Declared<'a> {
    id: u32,
    ty: &'a str,
    name: &'a str,
    /// `layout(constant_id = N)`
    layout: std::ops::Range<usize>,
    /// What stands between `=` and `;`.
    value: std::ops::Range<usize>,
}

fn declared<'a>(source: &'a str, tokens: &[Token<'a>]) -> Vec<Declared<'a>> {
    let mut out = Vec::new();
    for (n, window) in tokens.windows(10).enumerate() {
        let texts: Vec<&str> = window.iter().map(|t| t.text).collect();
        let &["layout", "(", "constant_id", "=", id, ")", "const", ty, name, "="] = &texts[..] else { continue };
        let end = tokens[n..].iter().find(|t| t.text == ";").map_or(source.len(), |t| t.start);
        let Ok(id) = id.parse() else { continue };
        let layout = window[0].start..window[5].start + 1;
        out.push(Declared { id, ty, name, layout, value: window[9].start + 1..end });
    }
    out
}

/// `local_size_x_id = N` with the comma behind it or before it: its axis, N and where it stands.
fn sides<'a>(tokens: &[Token<'a>]) -> Vec<(&'a str, u32, std::ops::Range<usize>)> {
    let axis = |text: &'a str| text.strip_suffix("_id").filter(|t| t.starts_with("local_size_"));
    let side = |w: &[Token<'a>]| {
        let (axis, id) = (axis(w[0].text)?, w[2].text.parse().ok()?);
        (w[1].text == "=").then_some((axis, id, w[0].start..w[2].start + w[2].text.len()))
    };
    tokens.windows(3).filter_map(side).collect()
}

fn kind(ty: &str) -> Option<(Option<ScalarKind>, u32)> {
    Some(match ty {
        "bool" => (None, 4),
        "int" => (Some(ScalarKind::Signed), 4),
        "uint" => (Some(ScalarKind::Unsigned), 4),
        "float" => (Some(ScalarKind::Float), 4),
        "double" => (Some(ScalarKind::Float), 8),
        _ => return None,
    })
}

/// The specialization constants that a text declares.
pub fn constants(source: &str) -> Vec<Constant> {
    let tokens = tokens(source);
    let mut out: Vec<Constant> = Vec::new();
    for d in declared(source, &tokens) {
        let Some((kind, size)) = kind(d.ty) else { continue };
        out.push(Constant { id: Some(d.id), name: d.name.to_owned(), kind, size, needed: false });
    }
    for (axis, id, _) in sides(&tokens) {
        if out.iter().all(|c| c.id != Some(id)) {
            let (name, kind) = (axis.to_owned(), Some(ScalarKind::Unsigned));
            out.push(Constant { id: Some(id), name, kind, size: 4, needed: false });
        }
    }
    out
}

/// The text with its specialization constants set: those of `values`, the others as declared.
pub fn specialize(source: &str, values: &[(Constant, Value)]) -> String {
    let tokens = tokens(source);
    let given = |id: u32| values.iter().find(|(c, _)| c.id == Some(id)).map(|(c, v)| v.literal(c));
    let declared = declared(source, &tokens);
    let mut edits: Vec<Edit> = Vec::new();
    for d in &declared {
        let spaces = source[d.layout.clone()].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        edits.push((d.layout.clone(), spaces));
        edits.extend(given(d.id).map(|value| (d.value.clone(), format!(" {value}"))));
    }
    for (axis, id, place) in sides(&tokens) {
        let constant = declared.iter().find(|d| d.id == id).map(|d| d.name.to_owned());
        // A side that is given both ways has the one as the default of the other.
        let plain =
            tokens.iter().position(|t| t.text == axis).filter(|&n| tokens.get(n + 1).is_some_and(|t| t.text == "="));
        let default = plain.and_then(|n| tokens.get(n + 2)).map_or("1", |t| t.text).to_owned();
        let value = constant.or_else(|| given(id)).unwrap_or(default);
        match plain.map(|n| &tokens[n + 2]) {
            Some(number) => {
                edits.push((number.start..number.start + number.text.len(), value));
                edits.push((with_comma(source, place), String::new()));
            }
            None => edits.push((place, format!("{axis} = {value}"))),
        }
    }
    edits.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    let mut out = source.to_owned();
    for (place, text) in edits {
        out.replace_range(place, &text);
    }
    out
}

/// A qualifier's place, widened by the comma that parts it from the next or the last.
fn with_comma(source: &str, place: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let (before, behind) = (&source[..place.start], &source[place.end..]);
    let spaces = behind.len() - behind.trim_start().len();
    if behind.trim_start().starts_with(',') {
        return place.start..place.end + spaces + 1;
    }
    let before = before.trim_end();
    before.strip_suffix(',').map_or(before.len(), str::len)..place.end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(source: &str, values: &[(u32, &str)]) -> String {
        let constants = constants(source);
        let find = |id| constants.iter().find(|c: &&Constant| c.id == Some(id)).unwrap().clone();
        let values: Vec<_> =
            values.iter().map(|&(id, text)| (find(id), Value::parse(&find(id), text).unwrap())).collect();
        specialize(source, &values)
    }

    #[test]
    fn constants_are_set_in_the_text() {
        let source = "layout(constant_id = 3) const uint N = A + 1; // layout(constant_id = 4) const uint M = 1;\n";
        assert_eq!(constants(source).iter().map(|c| (c.id, c.name.as_str())).collect::<Vec<_>>(), [(Some(3), "N")]);
        assert!(set(source, &[]).contains("const uint N = A + 1; //"), "{}", set(source, &[]));
        assert!(set(source, &[(3, "7")]).contains("const uint N = 7u; //"), "{}", set(source, &[(3, "7")]));
        assert!(!set(source, &[]).split("//").next().unwrap().contains("layout"));
    }

    #[test]
    fn sides_of_the_work_group_are_set() {
        let both = "layout(local_size_x = 256, local_size_x_id = 0) in;";
        assert_eq!(set(both, &[]), "layout(local_size_x = 256) in;");
        assert_eq!(set(both, &[(0, "64")]), "layout(local_size_x = 64u) in;");
        let by_name = "layout(constant_id = 0) const uint T = 8; layout(local_size_x_id = 0, local_size_y_id = 0) in;";
        assert!(set(by_name, &[]).ends_with("layout(local_size_x = T, local_size_y = T) in;"), "{}", set(by_name, &[]));
        assert_eq!(set("layout(local_size_x_id = 2) in;", &[]), "layout(local_size_x = 1) in;");
    }
}
