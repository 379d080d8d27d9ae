//! AmberScript's words: parted by blanks, `#` begins a comment, a backslash at a line's end goes on with the next line.

use super::Stop;

pub struct Words<'a> {
    text: &'a str,
    at: usize,
    /// From 1.
    line: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word<'a> {
    pub text: &'a str,
    pub line: u32,
}

impl<'a> Words<'a> {
    pub fn new(text: &'a str) -> Words<'a> {
        Words { text, at: 0, line: 1 }
    }

    pub fn line(&self) -> u32 {
        self.line
    }

    pub fn wrong(&self, message: impl Into<String>) -> Stop {
        Stop::Wrong(self.line, message.into())
    }

    /// Skips blanks and comments; with `stay`, not past the end of the line.
    fn skip(&mut self, stay: bool) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'\n' if stay => return,
                b'\n' => {
                    self.line += 1;
                    self.at += 1;
                }
                b'\\' if self.text[self.at + 1..].trim_start_matches([' ', '\t', '\r']).starts_with('\n') => {
                    self.at += 2 + self.text[self.at + 1..].find('\n').unwrap_or(0);
                    self.line += 1;
                }
                b'#' => self.at = self.text[self.at..].find('\n').map_or(self.text.len(), |n| self.at + n),
                _ if byte.is_ascii_whitespace() => self.at += 1,
                _ => return,
            }
        }
    }

    fn take(&mut self) -> Option<Word<'a>> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| c.is_whitespace() || c == '#').unwrap_or(rest.len());
        self.at += end;
        (end > 0).then_some(Word { text: &rest[..end], line: self.line })
    }

    /// The next word of this line.
    pub fn here(&mut self) -> Option<Word<'a>> {
        self.skip(true);
        self.take()
    }

    /// The next word, which stays.
    pub fn peek(&mut self) -> Option<Word<'a>> {
        let (at, line) = (self.at, self.line);
        let word = self.next();
        (self.at, self.line) = (at, line);
        word
    }

    /// The next word of this line, which stays.
    pub fn peek_here(&mut self) -> Option<Word<'a>> {
        let (at, line) = (self.at, self.line);
        let word = self.here();
        (self.at, self.line) = (at, line);
        word
    }

    pub fn need(&mut self, what: &str) -> Result<Word<'a>, Stop> {
        self.next().ok_or_else(|| Stop::Wrong(self.line, format!("{what} is missing")))
    }

    /// This word, and no other.
    pub fn literal(&mut self, word: &str) -> Result<(), Stop> {
        let found = self.need(word)?;
        if found.text == word {
            Ok(())
        } else {
            Err(Stop::Wrong(found.line, format!("`{}`: {word} is expected", found.text)))
        }
    }

    pub fn number<T: Number>(&mut self, what: &str) -> Result<T, Stop> {
        let word = self.need(what)?;
        T::read(word.text).ok_or_else(|| Stop::Wrong(word.line, format!("`{}` is no number, {what} is one", word.text)))
    }

    /// The rest of the line, as it is.
    pub fn rest_of_line(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find('\n').unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// The lines up to one that begins with END, and the number of the first.
    pub fn lines_to_end(&mut self, of: &str) -> Result<(&'a str, u32), Stop> {
        self.rest_of_line();
        let begun = self.line;
        self.at = (self.at + 1).min(self.text.len());
        self.line += 1;
        let (start, first) = (self.at, self.line);
        while self.at < self.text.len() {
            let from = self.at;
            let line = self.rest_of_line();
            let word = line.split(|c: char| c.is_whitespace() || c == '#').find(|w| !w.is_empty());
            if word == Some("END") {
                return Ok((&self.text[start..from], first));
            }
            self.at = (self.at + 1).min(self.text.len());
            self.line += 1;
        }
        Err(Stop::Wrong(begun, format!("{of} has no END")))
    }
}

/// Each next word, wherever it is.
impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        self.skip(false);
        self.take()
    }
}

pub trait Number: Sized {
    fn read(text: &str) -> Option<Self>;
}

impl Number for u32 {
    fn read(text: &str) -> Option<u32> {
        u64::read(text)?.try_into().ok()
    }
}

impl Number for u64 {
    fn read(text: &str) -> Option<u64> {
        match text.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => text.parse().ok(),
        }
    }
}

impl Number for f64 {
    fn read(text: &str) -> Option<f64> {
        text.parse().ok()
    }
}
