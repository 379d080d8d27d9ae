//! The environment variables, one row each: what a user may write, and what it sets.

use super::{Config, DEBUG_FLAGS, HostEngine, Jit};
use crate::engines::{Engines, version};
use crate::trace::Trace;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use wavepipe_core::{GuestChecks, OutOfLds, Policy};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::machine::Machine;
use wavepipe_jit::HostIsa;
use wavepipe_timing::trace::Detail;

/// What a value is not, or why it cannot be; the caller says what could be.
type Set = Result<(), String>;

/// An environment variable. Empty is as if it were not there.
pub struct Variable {
    pub name: &'static str,
    /// What it takes, for who wrote something else.
    pub takes: &'static str,
    /// What becomes of who wrote something else.
    pub wrong: Wrong,
    pub(super) set: fn(&mut Config, &str) -> Set,
}

/// What a value that makes no sense leads to; it is reported either way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// It is as if the variable were not there.
    Default,
    /// Nothing runs: the default would be something else than what was asked for, and nobody would see it.
    Refused,
}

/// In the order in which they are read: one that looks at another comes after it.
pub const VARIABLES: &[Variable] = &[
    Variable {
        name: "WAVEPIPE_MACHINE",
        takes: "what `wavepipe machine list` prints, a generation, or FILE.toml",
        wrong: Wrong::Refused,
        set: |config, text| {
            config.machine = Arc::new(Machine::open(text).map_err(|e| e.to_string())?);
            Ok(())
        },
    },
    Variable {
        name: "WAVEPIPE_WAVE",
        takes: "32 or 64, as the machine has them",
        wrong: Wrong::Default,
        set: |config, text| {
            let mut wave = WaveSize::W64;
            choose(&mut wave, text, &[("32", WaveSize::W32), ("64", WaveSize::W64)])?;
            config.wave = Some(config.wave_size(Some(wave)).map_err(|e| e.to_string())?);
            Ok(())
        },
    },
    Variable {
        name: "WAVEPIPE_TIMEOUT",
        takes: "10s, 500ms, 500 or off",
        wrong: Wrong::Default,
        set: |config, text| {
            config.timeout = timeout(text).ok_or("not a time")?;
            Ok(())
        },
    },
    Variable {
        name: "WAVEPIPE_THREADS",
        takes: "0 (all) to 1024",
        wrong: Wrong::Default,
        set: |config, text| {
            config.threads = number(text, 1024).ok_or("not a number of threads")?;
            Ok(())
        },
    },
    Variable {
        name: "WAVEPIPE_TIMING",
        takes: "1 or 0",
        wrong: Wrong::Default,
        set: |config, text| switch(&mut config.timing, text),
    },
    Variable {
        name: "WAVEPIPE_SEED",
        takes: "0 to 18446744073709551615",
        wrong: Wrong::Default,
        set: |config, text| {
            config.seed = Some(text.parse().map_err(|_| "not a seed")?);
            Ok(())
        },
    },
    Variable {
        name: "WAVEPIPE_LDS",
        takes: "fault or ignore",
        wrong: Wrong::Default,
        set: |config, text| {
            choose(&mut config.out_of_lds, text, &[("fault", OutOfLds::Fault), ("ignore", OutOfLds::Ignore)])
        },
    },
    Variable {
        name: "WAVEPIPE_CHECK",
        takes: "a comma list of mem, init, num, race, sync, wait, all and stop",
        wrong: Wrong::Default,
        set: |config, text| {
            let mut checks = GuestChecks::empty();
            flags(text, GuestChecks::NAMES, |check| checks |= check)?;
            config.guest_checks = checks;
            Ok(())
        },
    },
    Variable {
        name: "WAVEPIPE_TUNNEL",
        takes: "share, limit or tunnel",
        wrong: Wrong::Default,
        set: |config, text| {
            let policies = [("share", Policy::Share), ("limit", Policy::Limit), ("tunnel", Policy::Tunnel)];
            choose(&mut config.policy, text, &policies.map(|(name, policy)| (name, Some(policy))))
        },
    },
    Variable {
        name: "WAVEPIPE_RESERVE_CUS",
        takes: "fewer compute units than the machine has",
        wrong: Wrong::Default,
        set: |config, text| {
            // A work-group processor stays for all.
            let shape = &config.machine.shape;
            let most = (shape.cus.value - shape.cus_per_wgp.value) as usize;
            let why = || {
                format!("not 0 to {most}, which can be reserved of the {} of {}", shape.cus.value, config.machine.name)
            };
            config.reserve_cus = number(text, most).ok_or_else(why)? as u32;
            Ok(())
        },
    },
    Variable {
        name: "WAVEPIPE_JIT",
        takes: "on, off or always",
        wrong: Wrong::Default,
        set: |config, text| {
            choose(&mut config.jit, text, &[("on", Jit::On), ("off", Jit::Off), ("always", Jit::Always)])
        },
    },
    Variable {
        name: "WAVEPIPE_HOST",
        takes: "avx512, avx2, neon or interpreter",
        wrong: Wrong::Default,
        set: |config, text| {
            let targets = HostIsa::ALL.iter().map(|t| (t.name(), HostEngine::Only(*t)));
            let choices: Vec<_> = targets.chain([("interpreter", HostEngine::Interpreter)]).collect();
            choose(&mut config.host, text, &choices)?;
            match config.host {
                HostEngine::Only(target) if !target.is_present() => {
                    config.host = HostEngine::Best;
                    Err(format!("not there: this processor lacks instructions of {}", target.name()))
                }
                _ => Ok(()),
            }
        },
    },
    Variable {
        name: "WAVEPIPE_CACHE",
        takes: "off, or a folder that can be",
        wrong: Wrong::Default,
        set: |config, text| {
            config.cache = match text {
                "off" => None,
                folder => Some(folder_that_can_be(folder)?),
            };
            Ok(())
        },
    },
    Variable {
        name: "WAVEPIPE_TRACE",
        takes: "FILE.pftrace or FOLDER/",
        wrong: Wrong::Default,
        set: |config, text| {
            config.trace = Some(Trace::at(text)?);
            Ok(())
        },
    },
    Variable {
        name: "WAVEPIPE_TRACE_DETAIL",
        takes: "waves or instructions, beside WAVEPIPE_TRACE",
        wrong: Wrong::Default,
        set: |config, text| {
            let mut detail = Detail::Waves;
            choose(&mut detail, text, &[("waves", Detail::Waves), ("instructions", Detail::Instructions)])?;
            match &mut config.trace {
                Some(trace) => trace.detail = detail,
                None if detail == Detail::Waves => {}
                None => return Err("there is no WAVEPIPE_TRACE".into()),
            }
            Ok(())
        },
    },
    Variable {
        name: "WAVEPIPE_DEBUG",
        takes: "a comma list of api, isa, packets, fault and checks",
        wrong: Wrong::Default,
        set: |config, text| flags(text, DEBUG_FLAGS, |flag| config.debug |= flag),
    },
    Variable {
        name: "WAVEPIPE_COMPUTE_ONLY",
        takes: "1 or 0",
        wrong: Wrong::Default,
        set: |config, text| switch(&mut config.compute_only, text),
    },
    Variable {
        name: "WAVEPIPE_IDENTITY",
        takes: "radeon, or nothing",
        wrong: Wrong::Default,
        set: |config, text| choose(&mut config.radeon, text, &[("radeon", true)]),
    },
    Variable {
        name: "WAVEPIPE_ENGINES",
        takes: "off, or a FILE.toml of the form that `wavepipe engines` prints",
        wrong: Wrong::Default,
        set: |config, text| {
            config.engines = match text {
                "off" => Engines::off(),
                file if Path::new(file).extension().is_some_and(|e| e == "toml") => Engines::open(file)?,
                _ => return Err("not a choice".into()),
            };
            Ok(())
        },
    },
    Variable {
        name: "WAVEPIPE_CONFORMANCE",
        takes: "four numbers such as 1.3.0.0, or nothing",
        wrong: Wrong::Default,
        set: |config, text| {
            config.conformance = Some(version(text).ok_or("not a version")?);
            Ok(())
        },
    },
];

fn choose<T: Clone>(setting: &mut T, text: &str, choices: &[(&str, T)]) -> Set {
    let (_, value) = choices.iter().find(|(name, _)| *name == text).ok_or("not a choice")?;
    *setting = value.clone();
    Ok(())
}

/// Sets what a comma list names, if all of it is known.
fn flags<F: Copy>(text: &str, known: &[(&str, F)], set: impl FnMut(F)) -> Set {
    let (mut named, mut unknown) = (Vec::new(), Vec::new());
    for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        match known.iter().find(|(n, _)| *n == name) {
            Some((_, flag)) => named.push(*flag),
            None => unknown.push(format!("`{name}`")),
        }
    }
    if !unknown.is_empty() {
        return Err(format!("unknown flag {}", unknown.join(", ")));
    }
    named.into_iter().for_each(set);
    Ok(())
}

fn switch(setting: &mut bool, text: &str) -> Set {
    choose(setting, text, &[("1", true), ("0", false)])
}

fn number(text: &str, most: usize) -> Option<usize> {
    text.parse().ok().filter(|n| *n <= most)
}

/// `None` = not a time; `Some(None)` = no limit.
fn timeout(text: &str) -> Option<Option<Duration>> {
    if text == "off" {
        return Some(None);
    }
    let (number, unit_ms) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(n), _) => (n, 1.0),
        (None, Some(n)) => (n, 1000.0),
        (None, None) => (text, 1.0),
    };
    let ms = number.trim().parse::<f64>().ok()? * unit_ms;
    // A thousandth is the least that counts.
    (1e-3..1e12).contains(&ms).then(|| Some(Duration::from_micros((ms * 1000.0) as u64)))
}

/// A folder that exists, or whose nearest ancestor that does is a folder in which one can be made.
fn folder_that_can_be(path: &str) -> Result<PathBuf, String> {
    use rustix::fs::{Access, access};
    // The parent of a relative path of one name is empty, and means here.
    let here = |path: &Path| if path == Path::new("") { PathBuf::from(".") } else { path.to_owned() };
    let nearest = Path::new(path).ancestors().map(here).find(|p| p.symlink_metadata().is_ok());
    let nearest = nearest.ok_or("there is no such path")?;
    if !nearest.is_dir() {
        return Err(format!("{} is no folder", nearest.display()));
    }
    let rights = access(&nearest, Access::WRITE_OK | Access::EXEC_OK);
    rights.map_err(|e| format!("{} cannot be written: {}", nearest.display(), std::io::Error::from(e)))?;
    Ok(path.into())
}
