//! A test file read, and taken apart into cases: its tests, each with what the file says for all, times its matrix.

use crate::place;
use crate::schema::{Matrix, TestFile};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml::Value;
use wavepipe::failure::{Failure, Result, read_text};
use wavepipe::files;

/// Cases that one test may become.
const MOST_CASES: usize = 65536;

/// What a case runs for, if nothing is said.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// A test of a file with everything that it says or takes from above, and one of its matrix' combinations.
#[derive(Clone, Debug)]
pub struct Variant {
    /// `name[wave=64,TILE=8]`; empty if the file has one case.
    pub label: String,
    pub line: u32,
    pub test: TestFile,
    pub timeout: Duration,
}

/// The cases of a text.
pub fn variants(path: &Path, text: &str) -> Result<Vec<Variant>> {
    let file: TestFile = toml::from_str(text).map_err(|e| place::of_toml(path, text, &e))?;
    let wrong =
        |span: std::ops::Range<usize>, message: &str| -> Failure { place::wrong_at(path, text, &span, message) };
    let mut tests = Vec::new();
    let common = TestFile { test: Vec::new(), ..file.clone() };
    if let Some(name) = file.name.as_ref().filter(|_| !file.test.is_empty()) {
        return Err(wrong(name.span(), "each [[test]] has its name; the file has none"));
    }
    if file.test.is_empty() {
        tests.push((common.clone(), 1));
    }
    for test in &file.test {
        let (line, _) = place::line_column(text, test.span().start);
        let own = test.get_ref();
        if own.name.is_none() {
            return Err(wrong(test.span(), "a [[test]] has a name, as in name = \"small\""));
        }
        if let Some(inner) = own.test.first() {
            return Err(wrong(inner.span(), "a [[test]] in a [[test]]"));
        }
        tests.push((merged(&common, own), line));
    }
    let mut out = Vec::new();
    let mut seen = BTreeSet::new();
    for (test, line) in tests {
        if let Some(wave) = test.wave.as_ref().filter(|w| !matches!(w.get_ref(), 32 | 64)) {
            return Err(wrong(wave.span(), "wave is 32 or 64"));
        }
        if test.expect.is_empty() && test.finding.is_empty() && test.fault.is_none() && test.budget.is_none() {
            let of = test.name.as_ref().map_or(String::new(), |n| format!(" of `{}`", n.get_ref()));
            let message = format!("nothing is expected{of}: add [[expect]], [[finding]], [fault] or [budget]");
            return Err(wrong(0..0, &message));
        }
        let timeout = match &test.timeout {
            Some(t) => duration(t.get_ref()).ok_or_else(|| wrong(t.span(), "a time is 10s or 500ms"))?,
            None => TIMEOUT,
        };
        let name = test.name.as_ref().map_or(String::new(), |n| n.get_ref().clone());
        if let Some(n) = test.name.as_ref().filter(|_| name.is_empty() || name.contains(['[', ']', '\n', '\''])) {
            return Err(wrong(n.span(), "a test's name is not empty, and has no brackets and no quotes"));
        }
        let combined = match &test.matrix {
            Some(matrix) => combinations(matrix.get_ref()).map_err(|e: String| wrong(matrix.span(), &e))?,
            None => vec![Vec::new()],
        };
        for choice in combined {
            let words: Vec<String> =
                choice.iter().map(|(axis, value)| format!("{}={}", axis.name(), plain(value))).collect();
            let choices = if words.is_empty() { String::new() } else { format!("[{}]", words.join(",")) };
            let label = format!("{name}{choices}");
            if !seen.insert(label.clone()) {
                return Err(wrong(0..0, &format!("two cases are called `{label}`")));
            }
            out.push(Variant { label, line, test: chosen(&test, choice, path, text)?, timeout });
        }
    }
    Ok(out)
}

/// The cases of a file.
pub fn read(path: &Path) -> Result<(String, Vec<Variant>)> {
    let text = read_text(path)?;
    let all = variants(path, &text)?;
    Ok((text, all))
}

fn duration(text: &str) -> Option<Duration> {
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1e-3),
        None => (text.strip_suffix('s')?, 1.0),
    };
    let seconds = number.trim().parse::<f64>().ok()? * unit;
    (seconds > 0.0 && seconds <= 86400.0).then(|| Duration::from_secs_f64(seconds))
}

/// A test with what it does not say itself.
fn merged(common: &TestFile, own: &TestFile) -> TestFile {
    fn or<T: Clone>(own: &Option<T>, common: &Option<T>) -> Option<T> {
        own.clone().or_else(|| common.clone())
    }
    fn list<T: Clone>(own: &[T], common: &[T]) -> Vec<T> {
        if own.is_empty() { common.to_vec() } else { own.to_vec() }
    }
    /// The own ones, and those of the others that none of them is.
    fn keyed<T: Clone>(own: &[T], common: &[T], same: impl Fn(&T, &T) -> bool) -> Vec<T> {
        let others = common.iter().filter(|c| !own.iter().any(|o| same(o, c)));
        others.chain(own).cloned().collect()
    }
    let mut spec = common.spec.clone();
    spec.extend(own.spec.clone());
    TestFile {
        name: own.name.clone(),
        title: or(&own.title, &common.title),
        about: or(&own.about, &common.about),
        shader: or(&own.shader, &common.shader),
        entry: or(&own.entry, &common.entry),
        groups: or(&own.groups, &common.groups),
        wave: or(&own.wave, &common.wave),
        gpu: or(&own.gpu, &common.gpu),
        seed: or(&own.seed, &common.seed),
        checks: or(&own.checks, &common.checks),
        timeout: or(&own.timeout, &common.timeout),
        push: or(&own.push, &common.push),
        spec,
        buffer: keyed(&own.buffer, &common.buffer, |a, b| {
            let (a, b) = (a.get_ref(), b.get_ref());
            (a.set, a.binding, &a.name, a.element) == (b.set, b.binding, &b.name, b.element)
        }),
        image: keyed(&own.image, &common.image, |a, b| {
            let (a, b) = (a.get_ref(), b.get_ref());
            (a.set, a.binding, &a.name, a.element) == (b.set, b.binding, &b.name, b.element)
        }),
        sampler: keyed(&own.sampler, &common.sampler, |a, b| {
            let (a, b) = (a.get_ref(), b.get_ref());
            (a.set, a.binding, &a.name, a.element) == (b.set, b.binding, &b.name, b.element)
        }),
        dispatch: list(&own.dispatch, &common.dispatch),
        expect: list(&own.expect, &common.expect),
        finding: list(&own.finding, &common.finding),
        fault: or(&own.fault, &common.fault),
        budget: or(&own.budget, &common.budget),
        hint: own.hint.iter().chain(&common.hint).cloned().collect(),
        matrix: or(&own.matrix, &common.matrix),
        test: Vec::new(),
    }
}

#[derive(Clone, PartialEq, Debug)]
enum Axis {
    Gpu,
    Wave,
    Seed,
    Spec(String),
}

impl Axis {
    fn name(&self) -> &str {
        match self {
            Axis::Gpu => "gpu",
            Axis::Wave => "wave",
            Axis::Seed => "seed",
            Axis::Spec(name) => name,
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(s) => s.clone(),
        other => other.to_string(),
    }
}

/// `[1, 2]` or `"0..16"`.
fn seeds(value: &Value) -> std::result::Result<Vec<Value>, String> {
    let bad = || "seed is a list of numbers, or \"0..16\"".to_owned();
    match value {
        Value::Array(all) if all.iter().all(|v| v.as_integer().is_some_and(|i| i >= 0)) => Ok(all.clone()),
        Value::String(text) => {
            let (from, to) = text.split_once("..").ok_or_else(bad)?;
            let number = |t: &str| t.trim().parse::<u32>().map_err(|_| bad());
            let (from, to) = (number(from)?, number(to)?);
            Ok((from..to).map(|n| Value::Integer(n.into())).collect())
        }
        _ => Err(bad()),
    }
}

type Choice = Vec<(Axis, Value)>;

/// Every combination, the last axis first to change.
fn combinations(matrix: &Matrix) -> std::result::Result<Vec<Choice>, String> {
    let mut axes: Vec<(Axis, Vec<Value>)> = Vec::new();
    if !matrix.gpu.is_empty() {
        axes.push((Axis::Gpu, matrix.gpu.iter().cloned().map(Value::String).collect()));
    }
    if !matrix.wave.is_empty() {
        if let Some(odd) = matrix.wave.iter().find(|w| !matches!(w, 32 | 64)) {
            return Err(format!("wave = {odd}: it is 32 or 64"));
        }
        axes.push((Axis::Wave, matrix.wave.iter().map(|w| Value::Integer((*w).into())).collect()));
    }
    if let Some(value) = &matrix.seed {
        axes.push((Axis::Seed, seeds(value)?));
    }
    for (name, values) in &matrix.spec {
        axes.push((Axis::Spec(name.clone()), values.clone()));
    }
    if let Some((axis, _)) = axes.iter().find(|(_, values)| values.is_empty()) {
        return Err(format!("there is nothing to choose for {}", axis.name()));
    }
    let count = axes.iter().fold(1usize, |n, (_, values)| n.saturating_mul(values.len()));
    if count > MOST_CASES {
        return Err(format!("{count} cases are too many, {MOST_CASES} is the most"));
    }
    let mut out: Vec<Choice> = vec![Vec::new()];
    for (axis, values) in &axes {
        let with = |choice: &Choice, value: &Value| {
            let mut choice = choice.clone();
            choice.push((axis.clone(), value.clone()));
            choice
        };
        out = out.iter().flat_map(|choice| values.iter().map(|v| with(choice, v)).collect::<Vec<_>>()).collect();
    }
    Ok(out)
}

fn chosen(test: &TestFile, choice: Choice, path: &Path, text: &str) -> Result<TestFile> {
    let mut out = test.clone();
    let span = test.matrix.as_ref().map_or(0..0, |m| m.span());
    for (axis, value) in choice {
        let number = || value.as_integer().and_then(|i| u64::try_from(i).ok());
        let bad = || -> Failure { place::wrong_at(path, text, &span, &format!("{} = {value}", axis.name())) };
        match &axis {
            Axis::Gpu => out.gpu = Some(toml::Spanned::new(span.clone(), plain(&value))),
            Axis::Wave => {
                out.wave = Some(toml::Spanned::new(span.clone(), number().ok_or_else(bad)? as u32));
            }
            Axis::Seed => out.seed = Some(toml::Spanned::new(span.clone(), number().ok_or_else(bad)?)),
            Axis::Spec(name) => drop(out.spec.insert(name.clone(), value.clone())),
        }
    }
    Ok(out)
}

/// How the names of shaders end that have a text.
pub const SOURCES: [&str; 3] = ["wgsl", "comp", "glsl"];

/// The shader of a test: as it says, or the one beside the file that has its name.
pub fn shader(test: &TestFile, path: &Path, text: &str) -> Result<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(""));
    if let Some(shader) = &test.shader {
        let found = folder.join(shader.get_ref());
        if !files::is_file(&found) {
            let message = format!("there is no shader {}", found.display());
            return Err(place::wrong_at(path, text, &shader.span(), &message));
        }
        return Ok(found);
    }
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
    let stem = name.strip_suffix(crate::ending::TOML).unwrap_or(name);
    let beside = SOURCES.into_iter().chain(["spv"]).map(|ending| folder.join(format!("{stem}.{ending}")));
    let all: Vec<PathBuf> = beside.filter(|p| files::is_file(p)).collect();
    match &all[..] {
        [one] => Ok(one.clone()),
        [] => {
            let message = format!("no shader {stem}.wgsl, .comp, .glsl or .spv lies beside it: add shader = \"FILE\"");
            Err(place::wrong_at(path, text, &(0..0), &message))
        }
        _ => {
            let message = format!("several shaders are called {stem}: add shader = \"FILE\"");
            Err(place::wrong_at(path, text, &(0..0), &message))
        }
    }
}
