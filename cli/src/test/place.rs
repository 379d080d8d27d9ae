//! Where in a file something stands, and what a misspelled word may have been.

use std::ops::Range;
use std::path::Path;
use wavepipe::failure::Failure;

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

/// The one of the names that is spelled most like `name`, if it is near.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let far = |other: &str| distance(name, other);
    let best = names.into_iter().min_by_key(|other| far(other))?;
    (far(best) <= name.chars().count().max(3) / 3).then_some(best)
}

/// How many letters have to be left out, put in, changed or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_near_names() {
        assert_eq!(line_column("a\nbé c\n", 6), (2, 4));
        assert_eq!(line_column("", 5), (1, 1));
        let names = ["values", "file", "cpu", "relative"];
        assert_eq!(nearest("valeus", names), Some("values"));
        assert_eq!(nearest("relativ", names), Some("relative"));
        assert_eq!(nearest("cup", names), Some("cpu"));
        assert_eq!(nearest("buffer", names), None);
    }
}
