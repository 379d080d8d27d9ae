//! `wavepipe run --gpu all`: one shader on several machines, each on its clock, in a table.

use crate::compare::{Part, differing};
use crate::failure::{Failure, Result};
use crate::findings::Findings;
use crate::gpu;
use crate::job::RunArgs;
use crate::progress::progress;
use crate::run::{self, parts};
use serde_json::{Value, json};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use wavepipe::job::Job;
use wavepipe::profile::Profile;
use wavepipe::work::{Work, config_on};
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::simple::Session;
use wavepipe_runtime::{Config, instructions, waves_per_simd};

const EXPLAINED: &str = "\
answer: beside REFERENCE's, bit for bit. executed: by all waves. VGPRs of a lane, SGPRs of a wave, LDS of a work-group: the most of any
kernel. waves/SIMD: that a SIMD holds at once, of those it has room for. cycles: of the machine's own clock, launch to end.";

/// What a machine has.
struct MachineRow {
    machine: Arc<Machine>,
    ended: Ended,
}

enum Ended {
    Well(Box<Figures>),
    /// The machine lacks something, or has less of it than the shader wants.
    Cannot(Failure),
    /// It was lost, or it, or what compiles for it, has a bug.
    Failed(Failure),
}

/// What the shader takes there, and what came out.
struct Figures {
    /// Lanes of a wave, of each kernel once.
    waves: Vec<u32>,
    instructions: u32,
    executed: u64,
    code_bytes: usize,
    vgprs: u32,
    sgprs: u32,
    lds_bytes: u32,
    scratch_bytes: u32,
    waves_per_simd: u32,
    cycles: u64,
    parts: Vec<Part>,
    findings: Findings,
}

/// Runs the job on its machine; where it names several, on each, and prints the table.
pub fn run(args: &RunArgs) -> Result<()> {
    let job = args.resolve()?;
    match job.gpu.clone().filter(|gpu| gpu::is_list(gpu)) {
        Some(list) => on_list(args, job, &list),
        None => run::run(args, job),
    }
}

fn on_list(args: &RunArgs, job: Job, list: &str) -> Result<()> {
    let flags = [
        ("-o", args.output.is_some()),
        ("--out", !args.out.is_empty()),
        ("--timing", args.timing.is_some()),
        ("--trace", args.trace.is_some()),
        ("--html", args.html.is_some()),
        ("--findings", args.checks.findings.is_some()),
        ("--many-seeds", args.seeds.many_seeds.is_some()),
        ("--watch", args.watch.is_on()),
    ];
    if let Some((flag, _)) = flags.into_iter().find(|(_, given)| *given) {
        return Err(Failure::usage(format!("--gpu {list} compares machines in a table: {flag} is for one of them")));
    }
    let machines = gpu::listed(list)?;
    let work = Work::open(job)?;
    work.plan.steps.iter().filter_map(|s| s.derived.as_ref()).for_each(|why| eprintln!("wavepipe: {why}"));
    let rows =
        on_each(machines.into_iter().map(|(_, machine)| machine).collect(), |machine| once(args, &work, machine));
    let table = Table { shader: work.job.dispatches[0].shader.display().to_string(), rows };
    match args.json {
        true => println!("{}", table.json()),
        false if args.quiet => {}
        false => print!("{table}"),
    }
    table.verdict()
}

/// Machines beside each other, as many as the host has threads; the rows in their order. One with a clock runs on one thread.
fn on_each(machines: Vec<Arc<Machine>>, once: impl Fn(&Arc<Machine>) -> Ended + Sync) -> Vec<MachineRow> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(machines.len());
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let bar = progress(format!("running on {} machines", machines.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(machine) = machines.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let row = MachineRow { machine: machine.clone(), ended: once(machine) };
                    let mut done = done.lock().unwrap_or_else(|e| e.into_inner());
                    done.push(row);
                    bar.set_message(format!(
                        "{}: {} of {} machines are done",
                        machine.name,
                        done.len(),
                        machines.len()
                    ));
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut rows = done.into_inner().unwrap_or_else(|e| e.into_inner());
    rows.sort_by_key(|row: &MachineRow| machines.iter().position(|m| Arc::ptr_eq(m, &row.machine)));
    rows
}

fn once(args: &RunArgs, work: &Work, machine: &Arc<Machine>) -> Ended {
    let ran = || -> std::result::Result<Figures, Ended> {
        let before = |e: Failure| match e {
            Failure::Unsupported(_) | Failure::Usage(_) => Ended::Cannot(e),
            _ => Ended::Failed(e),
        };
        let mut config = Config { timing: true, ..config_on(Some(machine.clone()), work.job.wave).map_err(before)? };
        args.checks.apply(&mut config).map_err(before)?;
        args.seeds.apply(&mut config);
        let session = Session::new(&config).map_err(|e| Ended::Failed(e.into()))?;
        let loaded = work.load(&session).map_err(before)?;
        loaded.run(&session).map_err(Ended::Failed)?;
        let codes = || loaded.pipelines.iter().map(|p| p.code_object());
        let mut waves: Vec<u32> = codes().map(|c| c.wave.lanes()).collect();
        waves.sort_unstable();
        waves.dedup();
        Ok(Figures {
            waves,
            instructions: codes().map(instructions).sum(),
            executed: session.device().statistics().wave_instructions,
            code_bytes: codes().map(|c| c.text.len()).sum(),
            vgprs: codes().map(|c| c.vgprs).max().unwrap_or(0),
            sgprs: codes().map(|c| c.sgprs).max().unwrap_or(0),
            lds_bytes: codes().map(|c| c.lds_bytes).max().unwrap_or(0),
            scratch_bytes: codes().map(|c| c.scratch_bytes).max().unwrap_or(0),
            waves_per_simd: codes().map(|c| waves_per_simd(machine, c)).min().unwrap_or(0),
            cycles: Profile::of(session.device(), &loaded.pipelines).map_or(0, |p| p.cycles()),
            parts: parts(work, &loaded).map_err(Ended::Failed)?,
            findings: Findings::of(session.device()),
        })
    };
    ran().map_or_else(|ended| ended, |figures| Ended::Well(Box::new(figures)))
}

struct Table {
    shader: String,
    rows: Vec<MachineRow>,
}

impl MachineRow {
    fn figures(&self) -> Option<&Figures> {
        match &self.ended {
            Ended::Well(figures) => Some(figures),
            Ended::Cannot(_) | Ended::Failed(_) => None,
        }
    }

    fn failure(&self) -> Option<&Failure> {
        match &self.ended {
            Ended::Well(_) => None,
            Ended::Cannot(failure) | Ended::Failed(failure) => Some(failure),
        }
    }

    fn microseconds(&self, figures: &Figures) -> f64 {
        figures.cycles as f64 / self.machine.clock.shader_mhz.value
    }
}

impl Table {
    /// The first machine that ran it: the others are held against that.
    fn reference(&self) -> Option<(&MachineRow, &Figures)> {
        self.rows.iter().find_map(|row| Some((row, row.figures()?)))
    }

    fn answer(&self, figures: &Figures) -> &'static str {
        match self.reference() {
            Some((_, reference)) if std::ptr::eq(reference, figures) => "reference",
            Some((_, reference)) if reference.parts == figures.parts => "equal",
            _ => "differs",
        }
    }

    /// A lost device is one anywhere; a machine that cannot run it is no failure beside others that can.
    fn verdict(self) -> Result<()> {
        let ran = self.reference().is_some();
        let differ: Vec<String> = self
            .rows
            .iter()
            .filter(|r| r.figures().is_some_and(|f| self.answer(f) == "differs"))
            .map(|r| r.machine.name.clone())
            .collect();
        let found: Vec<String> = self
            .rows
            .iter()
            .filter(|r| r.figures().is_some_and(|f| !f.findings.is_empty()))
            .map(|r| r.machine.name.clone())
            .collect();
        for row in self.rows {
            match row.ended {
                Ended::Failed(failure) => return Err(failure.prefix(&row.machine.name)),
                Ended::Cannot(failure) if !ran => return Err(failure.prefix(&row.machine.name)),
                _ => {}
            }
        }
        match (&differ[..], &found[..]) {
            ([], []) => Ok(()),
            ([], found) => Err(Failure::Check(format!("findings on {}", found.join(", ")))),
            (differ, _) => Err(Failure::Check(format!("another answer on {}", differ.join(", ")))),
        }
    }

    fn json(&self) -> Value {
        let row = |row: &MachineRow| {
            let m = &row.machine;
            let mut out = json!({
                "machine": m.name, "product": m.product, "generation": m.generation().name(),
                "failure": row.failure().map(ToString::to_string),
            });
            let Some(f) = row.figures() else { return out };
            let differs = self.reference().map(|(_, reference)| differing(&f.parts, &reference.parts));
            let figures = json!({
                "wave": f.waves, "answer": self.answer(f),
                "differs": differs.iter().flatten().map(|d| d.json()).collect::<Vec<_>>(),
                "instructions": f.instructions, "executed": f.executed, "code_bytes": f.code_bytes, "vgprs": f.vgprs,
                "sgprs": f.sgprs, "lds_bytes": f.lds_bytes, "scratch_bytes": f.scratch_bytes,
                "waves_per_simd": f.waves_per_simd, "wave_slots": m.simd.wave_slots.value, "cycles": f.cycles,
                "microseconds": row.microseconds(f), "findings": f.findings.reports, "more_findings": f.findings.more,
            });
            if let (Some(out), Some(figures)) = (out.as_object_mut(), figures.as_object()) {
                out.extend(figures.clone());
            }
            out
        };
        let reference = self.reference().map(|(row, _)| &row.machine.name);
        json!({ "shader": self.shader, "reference": reference, "machines": self.rows.iter().map(row).collect::<Vec<_>>() })
    }
}

/// Columns behind machine and generation.
const COLUMNS: [&str; 11] = [
    "wave",
    "answer",
    "instructions",
    "executed",
    "code bytes",
    "VGPRs",
    "SGPRs",
    "LDS bytes",
    "waves/SIMD",
    "cycles",
    "µs",
];

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells = |row: &MachineRow| -> Option<[String; 11]> {
            let f = row.figures()?;
            let waves: Vec<String> = f.waves.iter().map(u32::to_string).collect();
            let numbers = [u64::from(f.instructions), f.executed, f.code_bytes as u64, f.vgprs.into(), f.sgprs.into()];
            let [instructions, executed, code, vgprs, sgprs] = numbers.map(|n| n.to_string());
            let occupancy = format!("{}/{}", f.waves_per_simd, row.machine.simd.wave_slots.value);
            let (lds, cycles, time) =
                (f.lds_bytes.to_string(), f.cycles.to_string(), format!("{:.2}", row.microseconds(f)));
            let answer = self.answer(f).to_owned();
            Some([waves.join("+"), answer, instructions, executed, code, vgprs, sgprs, lds, occupancy, cycles, time])
        };
        let all: Vec<Option<[String; 11]>> = self.rows.iter().map(cells).collect();
        let widths: [usize; 11] = std::array::from_fn(|c| {
            let cells = all.iter().flatten().map(|cells| cells[c].chars().count());
            cells.max().unwrap_or(0).max(COLUMNS[c].chars().count())
        });
        let names = self.rows.iter().map(|r| r.machine.name.len()).max().unwrap_or(0).max("machine".len());
        let line = |f: &mut fmt::Formatter<'_>, machine: &str, generation: &str, cells: &[String; 11]| {
            write!(f, "{machine:<names$}  {generation:<10}")?;
            for (cell, width) in cells.iter().zip(widths) {
                write!(f, "  {cell:>width$}")?;
            }
            writeln!(f)
        };
        line(f, "machine", "generation", &COLUMNS.map(str::to_owned))?;
        for (row, cells) in self.rows.iter().zip(&all) {
            let (machine, generation) = (&row.machine.name, row.machine.generation().name());
            match (cells, row.failure()) {
                (Some(cells), _) => line(f, machine, generation, cells)?,
                (None, failure) => {
                    let why = failure.map(ToString::to_string).unwrap_or_default();
                    let why = why.strip_prefix(&format!("{}: ", self.shader)).unwrap_or(&why);
                    writeln!(f, "{machine:<names$}  {generation:<10}  {}", why.lines().next().unwrap_or_default())?;
                }
            }
        }
        let Some((reference, usual)) = self.reference() else { return Ok(()) };
        for (row, figures) in self.rows.iter().filter_map(|row| Some((row, row.figures()?))) {
            for difference in differing(&figures.parts, &usual.parts) {
                writeln!(f, "{}: {difference}", row.machine.name)?;
            }
            if let Some(first) = figures.findings.reports.first() {
                writeln!(f, "{}: {}: {}", row.machine.name, figures.findings.count(), first.message)?;
            }
        }
        writeln!(f, "\n{}", EXPLAINED.replace("REFERENCE", &reference.machine.name))
    }
}
