//! `wavepipe test --merge`: JUnit documents of parts of a run as one. Suites of one name become one; each case is in one part.

use super::report::Counts;
use super::report::junit::escape;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use wavepipe::failure::{Failure, Result, read_text};

/// A suite, or all of them.
#[derive(Default)]
struct Suite {
    name: String,
    /// What its documents have in it.
    text: String,
    counts: Counts,
    seconds: f64,
}

#[derive(Default)]
struct Merged {
    suites: Vec<Suite>,
    /// The document that has a case, by suite, class and name.
    cases: HashMap<[String; 3], PathBuf>,
}

/// One document of the parts, and what it counts.
pub fn documents(files: &[PathBuf]) -> Result<(String, Counts)> {
    let mut merged = Merged::default();
    for file in files {
        merged.add(file, &read_text(file)?)?;
    }
    let (mut all, mut seconds) = (Counts::default(), 0.0);
    for suite in &merged.suites {
        let c = suite.counts;
        all.passed += c.passed;
        all.failed += c.failed;
        all.skipped += c.skipped;
        all.wrong += c.wrong;
        seconds += suite.seconds;
    }
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"wavepipe\" {}>", numbers(all, seconds));
    for suite in &merged.suites {
        let _ =
            writeln!(out, "  <testsuite name=\"{}\" {}>", escape(&suite.name), numbers(suite.counts, suite.seconds));
        out += &suite.text;
        out += "  </testsuite>\n";
    }
    out += "</testsuites>\n";
    Ok((out, all))
}

fn numbers(c: Counts, seconds: f64) -> String {
    let tests = c.passed + c.failed + c.skipped + c.wrong;
    let (failures, errors, skipped) = (c.failed, c.wrong, c.skipped);
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.3}\"")
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element.try_get_attribute(name).ok()??;
    found.normalized_value(quick_xml::XmlVersion::default()).ok().map(|v| v.into_owned())
}

impl Merged {
    fn add(&mut self, file: &Path, text: &str) -> Result<()> {
        let bad = |at: u64, why: &dyn std::fmt::Display| {
            let line = text.get(..at as usize).map_or(1, |t| t.matches('\n').count() + 1);
            Failure::usage(format!("{}:{line}: this is no JUnit document: {why}", file.display()))
        };
        let mut reader = Reader::from_str(text);
        // The suite that is open; whether anything was; how many elements are.
        let (mut suite, mut any, mut open): (Option<usize>, bool, usize) = (None, false, 0);
        loop {
            let at = reader.buffer_position();
            let event = reader.read_event().map_err(|e| bad(at, &e))?;
            let (element, whole) = match &event {
                Event::Start(e) => (e, false),
                Event::Empty(e) => (e, true),
                Event::End(e) => {
                    open = open.saturating_sub(1);
                    suite = suite.filter(|_| e.name().as_ref() != b"testsuite");
                    continue;
                }
                Event::Eof if open > 0 => return Err(bad(at, &"it has no end")),
                Event::Eof if any => return Ok(()),
                Event::Eof => return Err(bad(at, &"nothing is in it")),
                _ => continue,
            };
            let name = element.name();
            match (suite, name.as_ref()) {
                (None, b"testsuites") => (any, open) = (true, open + usize::from(!whole)),
                (None, b"testsuite") => {
                    (any, open) = (true, open + usize::from(!whole));
                    let n = self.suite(attribute(element, "name").unwrap_or_default());
                    suite = (!whole).then_some(n);
                }
                (None, _) if any => {
                    if !whole {
                        reader.read_to_end(name).map_err(|e| bad(at, &e))?;
                    }
                }
                (None, other) => return Err(bad(at, &format!("it begins with <{}>", String::from_utf8_lossy(other)))),
                (Some(n), _) => {
                    if !whole {
                        reader.read_to_end(name).map_err(|e| bad(at, &e))?;
                    }
                    let own = text.get(at as usize..reader.buffer_position() as usize).unwrap_or_default();
                    self.suites[n].text += &format!("    {}\n", own.trim());
                    if name.as_ref() == b"testcase" {
                        self.case(n, file, element, own)?;
                    }
                }
            }
        }
    }

    fn case(&mut self, n: usize, file: &Path, element: &BytesStart<'_>, text: &str) -> Result<()> {
        let of = |key| attribute(element, key).unwrap_or_default();
        let key = [self.suites[n].name.clone(), of("classname"), of("name")];
        if let Some(other) = self.cases.insert(key, file.to_owned()) {
            let (name, suite) = (of("name"), &self.suites[n].name);
            let message = format!(
                "{suite}, {name}: it is in {} and in {}, and parts have no case in common",
                other.display(),
                file.display()
            );
            return Err(Failure::usage(message));
        }
        let suite = &mut self.suites[n];
        suite.seconds += of("time").parse().unwrap_or(0.0);
        *match verdict(text) {
            Some(b'e') => &mut suite.counts.wrong,
            Some(b'f') => &mut suite.counts.failed,
            Some(_) => &mut suite.counts.skipped,
            None => &mut suite.counts.passed,
        } += 1;
        Ok(())
    }

    /// The suite of that name.
    fn suite(&mut self, name: String) -> usize {
        let found = self.suites.iter().position(|s| s.name == name);
        found.unwrap_or_else(|| {
            self.suites.push(Suite { name, ..Suite::default() });
            self.suites.len() - 1
        })
    }
}

/// The first letter of what a case says that it is, if it did not pass.
fn verdict(text: &str) -> Option<u8> {
    let (mut reader, mut depth) = (Reader::from_str(text), 0);
    loop {
        match reader.read_event().ok()? {
            Event::Start(e) | Event::Empty(e)
                if depth == 1 && [&b"error"[..], b"failure", b"skipped"].contains(&e.name().as_ref()) =>
            {
                return e.name().as_ref().first().copied();
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            Event::Eof => return None,
            _ => {}
        }
    }
}
