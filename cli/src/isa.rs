//! `wavepipe isa`: a shader's machine code as text; and what the table of instructions knows.

use crate::failure::{Failure, Result};
use crate::gpu::{GpuArgs, generation};
use crate::job::JobArgs;
use crate::view;
use std::collections::BTreeMap;
use std::path::PathBuf;
use wavepipe_runtime::coverage::{CoverageRow, RowExecution, coverage};
use wavepipe_runtime::isa::coverage::Witness;

const EXAMPLES: &str = "\
Examples:
  wavepipe isa samples/reduction/reduction.wgsl            machine code with live registers, waits and occupancy
  wavepipe isa samples/reduction/reduction.wgsl --gpu rx6800xt --wave 64
  wavepipe isa samples/reduction/reduction.wgsl --diff wave=64
  wavepipe isa kernels.co --entry saxpy                    of a kernel that clang compiled
  wavepipe isa kernel.s --gpu gfx1010                      of assembly
  wavepipe isa samples/reduction/reduction.wgsl --json
  wavepipe isa coverage          rows by family: executed or not, and what their meaning was held against
  wavepipe isa coverage --json   the same for every row
  wavepipe isa coverage --gpu gfx1030

The columns in front of the code: branches as arrows, then the VGPRs and SGPRs that the instruction takes (live in front of it, or live
or written behind it; * is the most), and its offset. A file that is called coverage is ./coverage.";

#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct IsaArgs {
    #[command(subcommand)]
    question: Option<Question>,
    /// The shader: .spv, .wgsl or .comp; a code object of clang; or assembly, .s
    shader: Option<PathBuf>,
    /// Entry point, or kernel; the only one by default
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Wavefront size: 32 or 64 lanes; WAVEPIPE_WAVE, or the smallest that the card has, by default
    #[arg(long, value_parser = ["32", "64"])]
    wave: Option<String>,
    #[command(flatten)]
    gpu: GpuArgs,
    /// Specialization constant (in WGSL: override): KEY=VALUE, KEY being its id or name
    #[arg(long, value_name = "KEY=VALUE")]
    spec: Vec<String>,
    /// Job file; NAME.toml beside the shader by default
    #[arg(long, value_name = "FILE")]
    job: Option<PathBuf>,
    /// Beside another, the same but for WHAT: FILE, wave=64, gpu=NAME, entry=NAME, spec.KEY=VALUE
    #[arg(long, value_name = "WHAT")]
    diff: Vec<String>,
    /// One JSON object of the schema wavepipe-sheet, or wavepipe-comparison with --diff (docs/view.md)
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand, Clone, Debug)]
enum Question {
    /// How each row's meaning is witnessed, and which rows are still to do
    Coverage {
        /// One JSON object: counts, and every row with its state and witnesses
        #[arg(long)]
        json: bool,
        /// Generation, as `wavepipe disasm` takes it
        #[arg(long, value_name = "NAME", default_value = "gfx1010")]
        gpu: String,
    },
}

pub fn run(args: &IsaArgs) -> Result<()> {
    let Some(Question::Coverage { json, gpu }) = &args.question else {
        let IsaArgs { shader, entry, wave, gpu, spec, job, diff, json, .. } = args.clone();
        let shader = shader.ok_or_else(|| Failure::usage("name a shader, or ask `wavepipe isa coverage`"))?;
        return view::text(&JobArgs { shader, entry, wave, gpu, spec, job }, &diff, json);
    };
    let rows: Vec<CoverageRow> = coverage(generation(gpu)?).collect();
    if *json {
        println!("{}", object(&rows));
    } else {
        print!("{}", table(&rows));
    }
    Ok(())
}

/// Counts of a family, or of all.
#[derive(Default, Clone, Copy)]
struct Counts {
    rows: u32,
    executed: u32,
    illegal: u32,
    todo: u32,
    vectors: u32,
    second: u32,
    reading: u32,
    none: u32,
}

impl Counts {
    fn add(&mut self, row: &CoverageRow) {
        self.rows += 1;
        *match row.state {
            RowExecution::Executed => &mut self.executed,
            RowExecution::Illegal => &mut self.illegal,
            RowExecution::Todo => &mut self.todo,
        } += 1;
        *match row.evidence.first().map(|e| e.witness) {
            Some(Witness::Vectors) => &mut self.vectors,
            Some(Witness::Second) => &mut self.second,
            Some(Witness::Reading) => &mut self.reading,
            None => &mut self.none,
        } += 1;
    }

    fn named(&self) -> [(&'static str, u32); 8] {
        [
            ("rows", self.rows),
            ("executed", self.executed),
            ("illegal", self.illegal),
            ("todo", self.todo),
            ("vectors", self.vectors),
            ("second", self.second),
            ("reading", self.reading),
            ("none", self.none),
        ]
    }
}

fn family(row: &CoverageRow) -> String {
    format!("{:?}", row.format).to_lowercase()
}

/// Families in the table's order, and all together.
fn counts(rows: &[CoverageRow]) -> (Vec<(String, Counts)>, Counts) {
    let (mut families, mut all): (Vec<(String, Counts)>, _) = (Vec::new(), Counts::default());
    for row in rows {
        let name = family(row);
        if families.last().is_none_or(|(last, _)| *last != name) {
            families.push((name, Counts::default()));
        }
        if let Some((_, counts)) = families.last_mut() {
            counts.add(row);
        }
        all.add(row);
    }
    (families, all)
}

fn table(rows: &[CoverageRow]) -> String {
    let (families, all) = counts(rows);
    let mut out = String::from("family  ");
    for (name, _) in all.named() {
        out += &format!("{name:>9}");
    }
    for (name, counts) in families.iter().chain([&("all".to_string(), all)]) {
        out += &format!("\n{name:<8}");
        for (_, n) in counts.named() {
            out += &format!("{n:>9}");
        }
    }
    out += "\n\nillegal: a compute wave that reaches one faults. Witnesses: each row counts under its strongest.\n";
    let list = |title: &str, names: Vec<&str>| match names.len() {
        0 => format!("{title}: none\n"),
        n => format!("{title}: {n}\n  {}\n", names.join(" ")),
    };
    let of = |pick: fn(&CoverageRow) -> bool| rows.iter().filter(|r| pick(r)).map(|r| r.name).collect();
    out += &list("Todo", of(|r| r.state == RowExecution::Todo));
    out += &list("Without a witness", of(|r| r.evidence.is_empty()));
    out
}

fn object(rows: &[CoverageRow]) -> serde_json::Value {
    let numbers = |c: &Counts| c.named().into_iter().collect::<BTreeMap<_, _>>();
    let (families, all) = counts(rows);
    let families: BTreeMap<String, _> = families.iter().map(|(name, c)| (name.clone(), numbers(c))).collect();
    let row = |r: &CoverageRow| {
        let state = match r.state {
            RowExecution::Executed => "executed",
            RowExecution::Illegal => "illegal",
            RowExecution::Todo => "todo",
        };
        let witness = |w| match w {
            Witness::Vectors => "vectors",
            Witness::Second => "second",
            Witness::Reading => "reading",
        };
        let witnesses = r.evidence.iter().map(|e| serde_json::json!({ "by": witness(e.witness), "what": e.what }));
        serde_json::json!({
            "name": r.name,
            "family": family(r),
            "state": state,
            "witnesses": witnesses.collect::<Vec<_>>(),
        })
    };
    serde_json::json!({
        "all": numbers(&all),
        "families": families,
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
    })
}
