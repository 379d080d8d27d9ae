//! A case: its name, and how it becomes a play, with what is expected besides the buffers' contents.

use super::amber::{self, Stop};
use super::find::{AMBER, TOML, VKRUNNER};
use super::place;
use super::play::Play;
use super::schema::{Budget, FaultFile, FindingFile};
use super::suite::{self, Variant};
use super::{plan, vkrunner};
use std::path::{Path, PathBuf};
use std::time::Duration;
use wavepipe::failure::{Failure, Result, read_text};
use wavepipe::work;
use wavepipe_runtime::Config;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    pub file: PathBuf,
    /// Empty if the file has one case.
    pub label: String,
    /// Where it begins.
    pub line: u32,
    pub timeout: Duration,
}

impl Case {
    pub fn name(&self) -> String {
        let file = self.file.display();
        if self.label.is_empty() { file.to_string() } else { format!("{file}::{}", self.label) }
    }

    /// The command that runs it alone.
    pub fn again(&self) -> String {
        let file = quoted(&self.file.display().to_string());
        if self.label.is_empty() {
            format!("wavepipe test {file}")
        } else {
            format!("wavepipe test {file} --case {}", quoted(&self.label))
        }
    }
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-=,+:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|n| n.to_str()).unwrap_or("")
}

/// The cases of a test file.
pub fn cases(path: &Path) -> Result<Vec<Case>> {
    if !name(path).ends_with(TOML) {
        return Ok(vec![Case { file: path.to_owned(), label: String::new(), line: 1, timeout: suite::TIMEOUT }]);
    }
    let (_, variants) = suite::read(path)?;
    let case = |v: Variant| Case { file: path.to_owned(), label: v.label, line: v.line, timeout: v.timeout };
    Ok(variants.into_iter().map(case).collect())
}

/// A case that can run.
pub struct Ready {
    pub play: Play,
    pub config: Config,
    pub findings: Vec<FindingFile>,
    pub fault: Option<FaultFile>,
    pub budget: Budget,
    /// Snapshots: the number of the act, and the file.
    pub snapshots: Vec<(usize, PathBuf)>,
    /// Sides of pictures that are made of buffers.
    pub picture: Option<(u32, u32)>,
    /// Besides the test file.
    pub files: Vec<PathBuf>,
}

/// The configuration of the environment, with the checks that are on by default.
fn config(wave: Option<u32>, checks: Option<&str>) -> Result<Config> {
    let mut config = work::config(wave)?;
    match checks {
        Some("off") => config.guest_checks = Config::default().guest_checks,
        Some(list) => {
            config.guest_checks = Config::default().guest_checks;
            config.set("WAVEPIPE_CHECK", list).map_err(Failure::usage)?;
        }
        // The environment's own choice stays.
        None if config.guest_checks.is_empty() => config.guest_checks = wavepipe::DEFAULT_CHECKS,
        None => {}
    }
    Ok(config)
}

impl Case {
    /// Reads everything that the case needs. `checks`: if it names none.
    pub fn ready(&self, checks: Option<&str>) -> std::result::Result<Ready, Stopped> {
        let path = &self.file;
        let told = |stop: Stop| match stop {
            Stop::Wrong(line, text) => Stopped::Wrong(located(path, line, text)),
            Stop::Refused(line, text) => Stopped::Refused(located(path, line, text)),
        };
        let script = |play: Play, timeout: Option<u64>| -> std::result::Result<Ready, Stopped> {
            let mut config = config(None, checks)?;
            config.timeout = Some(timeout.map_or(self.timeout, Duration::from_millis));
            Ok(Ready {
                play,
                config,
                findings: Vec::new(),
                fault: None,
                budget: Budget::default(),
                snapshots: Vec::new(),
                picture: None,
                files: Vec::new(),
            })
        };
        match name(path) {
            n if n.ends_with(AMBER) => {
                let text = read_text(path)?;
                // Amber's older language is vkrunner's.
                if !amber::is(&text) && vkrunner::is(&text) {
                    return script(vkrunner::stage(&text, path, true).map_err(told)?, None);
                }
                let parsed = amber::parse(&text).map_err(told)?;
                script(amber::stage(&parsed, path).map_err(told)?, parsed.timeout_ms)
            }
            n if n.ends_with(VKRUNNER) => script(vkrunner::stage(&read_text(path)?, path, false).map_err(told)?, None),
            _ => self.variant(checks),
        }
    }

    fn variant(&self, flag: Option<&str>) -> std::result::Result<Ready, Stopped> {
        let (text, variants) = suite::read(&self.file)?;
        let none = || Failure::usage(format!("{}: there is no case `{}`", self.file.display(), self.label));
        let v = variants.into_iter().find(|v| v.label == self.label).ok_or_else(none)?;
        let wrong = |span: std::ops::Range<usize>, message: String| place::wrong_at(&self.file, &text, &span, &message);
        let checks = v.test.checks.as_ref();
        let wave = v.test.wave.as_ref().map(|w| *w.get_ref());
        let mut config = config(wave, checks.map(|c| c.get_ref().as_str()).or(flag))
            .map_err(|e| checks.map_or_else(|| Failure::usage(e.to_string()), |c| wrong(c.span(), e.to_string())))?;
        if let Some(gpu) = &v.test.gpu {
            config.set("WAVEPIPE_MACHINE", gpu.get_ref()).map_err(|e| wrong(gpu.span(), e))?;
        }
        if let Some(seed) = &v.test.seed {
            config.set("WAVEPIPE_SEED", &seed.get_ref().to_string()).map_err(|e| wrong(seed.span(), e))?;
        }
        let budget = v.test.budget.as_ref().map(|b| b.get_ref().clone()).unwrap_or_default();
        config.timing |= budget.timed();
        config.timeout = Some(v.timeout);
        let known = ["mem", "race", "init", "sync", "wait", "num"];
        for f in &v.test.finding {
            let check = &f.get_ref().check;
            if !known.contains(&check.as_str()) {
                let near = place::nearest(check, known).map_or(String::new(), |n| format!(" Did you mean {n}?"));
                let message = format!("there is no check `{check}`.{near} There are: {}", known.join(", "));
                return Err(wrong(f.span(), message).into());
            }
        }
        let planned = plan::plan(&v.test, &self.file, &text)?;
        Ok(Ready {
            play: planned.play,
            config,
            findings: v.test.finding.iter().map(|f| f.get_ref().clone()).collect(),
            fault: v.test.fault.clone(),
            budget,
            snapshots: planned.snapshots,
            picture: planned.picture,
            files: planned.files,
        })
    }
}

fn located(path: &Path, line: u32, text: String) -> String {
    match line {
        _ if text.starts_with(&path.display().to_string()) => text,
        0 => format!("{}: {text}", path.display()),
        line => format!("{}:{line}: {text}", path.display()),
    }
}

/// Why a case does not run.
#[derive(Debug)]
pub enum Stopped {
    Wrong(String),
    Refused(String),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Stopped {
        match failure {
            Failure::Unsupported(text) => Stopped::Refused(text),
            other => Stopped::Wrong(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_words_of_a_shell() {
        let case = |file: &str, label: &str| {
            Case { file: file.into(), label: label.into(), line: 1, timeout: suite::TIMEOUT }.again()
        };
        assert_eq!(case("a/b.test.toml", ""), "wavepipe test a/b.test.toml");
        assert_eq!(case("my tests/b.amber", ""), "wavepipe test 'my tests/b.amber'");
        assert_eq!(case("b.test.toml", "x[wave=64]"), "wavepipe test b.test.toml --case 'x[wave=64]'");
    }
}
