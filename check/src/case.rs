//! A case: its name, and how it becomes a play, with what is expected besides the buffers' contents.

use crate::amber::{self, Stop};
use crate::ending::{AMBER, TOML, VKRUNNER};
use crate::hint;
use crate::place;
use crate::play::Play;
use crate::schema::{Budget, FaultFile, FindingFile, HintFile};
use crate::suite::{self, Variant};
use crate::{plan, vkrunner};
use std::path::{Path, PathBuf};
use std::time::Duration;
use wavepipe::failure::{Failure, Result, read_text};
use wavepipe::{job, work};
use wavepipe_runtime::Config;
use wavepipe_runtime::hw::machine::Machine;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    pub file: PathBuf,
    /// Empty if the file has one case.
    pub label: String,
    /// Where it begins.
    pub line: u32,
    pub timeout: Duration,
    /// The machine that `--gpu` names for it, as it names none itself.
    pub gpu: Option<String>,
}

impl Case {
    pub fn name(&self) -> String {
        let file = self.file.display();
        let name = if self.label.is_empty() { file.to_string() } else { format!("{file}::{}", self.label) };
        self.gpu.iter().fold(name, |name, gpu| format!("{name} on {gpu}"))
    }

    /// The command that runs it alone.
    pub fn again(&self) -> String {
        let file = quoted(&self.file.display().to_string());
        let mut words = format!("wavepipe test {file}");
        if !self.label.is_empty() {
            words += &format!(" --case {}", quoted(&self.label));
        }
        if let Some(gpu) = &self.gpu {
            words += &format!(" --gpu {}", quoted(gpu));
        }
        words
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

/// The cases of a test file; one that names no machine is a case on each of `gpus`.
pub fn cases(path: &Path, gpus: &[String]) -> Result<Vec<Case>> {
    let case = |label, line, timeout| Case { file: path.to_owned(), label, line, timeout, gpu: None };
    let on_each = |case: Case| -> Vec<Case> {
        match gpus {
            [] => vec![case],
            gpus => gpus.iter().map(|gpu| Case { gpu: Some(gpu.clone()), ..case.clone() }).collect(),
        }
    };
    if !name(path).ends_with(TOML) {
        return Ok(on_each(case(String::new(), 1, suite::TIMEOUT)));
    }
    let (_, variants) = suite::read(path)?;
    let each = |v: Variant| match (case(v.label, v.line, v.timeout), v.test.gpu) {
        (case, Some(_)) => vec![case],
        (case, None) => on_each(case),
    };
    Ok(variants.into_iter().flat_map(each).collect())
}

/// A case that can run.
pub struct Ready {
    pub play: Play,
    pub config: Config,
    pub findings: Vec<FindingFile>,
    pub fault: Option<FaultFile>,
    pub budget: Option<Budget>,
    pub hints: Vec<HintFile>,
    /// Texts of the shaders, which hints are about.
    pub shaders: Vec<String>,
    /// Snapshots: the number of the act, and the file.
    pub snapshots: Vec<(usize, PathBuf)>,
    /// Sides of pictures that are made of buffers.
    pub picture: Option<(u32, u32)>,
    /// Besides the test file.
    pub files: Vec<PathBuf>,
}

/// The configuration of the environment, with the checks that are on by default.
fn config(gpu: Option<&str>, wave: Option<u32>, checks: Option<&str>) -> Result<Config> {
    let mut config = work::config(gpu, wave)?;
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
            let mut config = config(self.gpu.as_deref(), None, checks)?;
            config.timeout = Some(timeout.map_or(self.timeout, Duration::from_millis));
            Ok(Ready {
                play,
                config,
                findings: Vec::new(),
                fault: None,
                budget: None,
                hints: Vec::new(),
                shaders: Vec::new(),
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
        let folder = self.file.parent().unwrap_or(Path::new(""));
        let own = v.test.gpu.as_ref().map(|gpu| job::file::machine(gpu.get_ref(), folder));
        if let (Some(name), Some(gpu)) = (&own, &v.test.gpu) {
            Machine::open(name).map_err(|e| wrong(gpu.span(), e.to_string()))?;
        }
        let gpu = own.as_deref().or(self.gpu.as_deref());
        let mut config =
            config(gpu, wave, checks.map(|c| c.get_ref().as_str()).or(flag)).map_err(|e| match checks {
                Some(c) if matches!(e, Failure::Usage(_)) => wrong(c.span(), e.to_string()),
                _ => e,
            })?;
        if let Some(seed) = &v.test.seed {
            config.set("WAVEPIPE_SEED", &seed.get_ref().to_string()).map_err(|e| wrong(seed.span(), e))?;
        }
        let budget = v.test.budget.as_ref().map(|b| b.get_ref().clone());
        // What is checked is measured by another run.
        let timed = budget.as_ref().is_some_and(Budget::timed);
        config.timing |= timed && config.guest_checks == Config::default().guest_checks;
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
            hints: hint::checked(&v.test, &self.file, &text)?,
            shaders: hint::texts(&v.test, &planned.files),
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
