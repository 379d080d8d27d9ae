//! `--gpu`: the card that a command is about, in one way everywhere.

use crate::failure::Result;
use std::sync::Arc;
use wavepipe::work;
use wavepipe_runtime::Config;
use wavepipe_runtime::hw::machine::{self, Machine};
use wavepipe_runtime::isa::Gen;

/// The variable that `--gpu` stands for.
pub const VARIABLE: &str = "WAVEPIPE_MACHINE";

/// The flag of what runs on one card.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct GpuArgs {
    /// The card: a machine (`wavepipe machine list`), a generation such as gfx1010, or a description; WAVEPIPE_MACHINE's by default
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub gpu: Option<String>,
}

impl GpuArgs {
    /// The configuration of the environment, but for what flags say.
    pub fn config(&self, wave: Option<u32>) -> Result<Config> {
        work::config_on(self.machine()?, wave)
    }

    /// The same for code of a processor, by LLVM's name: where neither flag nor variable names a machine, it is one that runs it,
    /// if there is one.
    pub fn config_for(&self, processor: Option<&str>) -> Result<Config> {
        let chosen = self.gpu.is_some() || std::env::var_os(VARIABLE).is_some_and(|name| !name.is_empty());
        let fits = processor.filter(|_| !chosen).and_then(|name| Machine::open(name).ok());
        work::config_on(fits.map(Arc::new).or(self.machine()?), None)
    }

    /// The machine that the flag names, if it is given.
    pub fn machine(&self) -> Result<Option<Arc<Machine>>> {
        self.gpu.as_deref().map(open).transpose()
    }
}

/// The machine that a flag names.
pub fn open(name: &str) -> Result<Arc<Machine>> {
    Ok(Arc::new(Machine::open(name)?))
}

/// Every machine, as a list names them.
const ALL: &str = "all";

/// Whether a name is of several machines.
pub fn is_list(name: &str) -> bool {
    name == ALL || name.contains(',')
}

/// The machines of a comma list, or all that ship with wavepipe: each once, with the name by which it was asked for.
pub fn listed(list: &str) -> Result<Vec<(String, Arc<Machine>)>> {
    let names: Vec<&str> = match list {
        ALL => Machine::names().collect(),
        list => list.split(',').map(str::trim).collect(),
    };
    let mut out: Vec<(String, Arc<Machine>)> = Vec::new();
    for name in names {
        let machine = open(name)?;
        if !out.iter().any(|(_, known)| *known == machine) {
            out.push((name.to_owned(), machine));
        }
    }
    Ok(out)
}

/// The generation that a flag names, by LLVM's name or by a machine's; machines need not have it.
pub fn generation(name: &str) -> Result<Gen> {
    Ok(machine::generation(name)?)
}

/// What `--wave` says, whose values the command line checks.
pub fn lanes(wave: Option<&str>) -> Option<u32> {
    wave.and_then(|lanes| lanes.parse().ok())
}
