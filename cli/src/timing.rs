//! `wavepipe timing`: in which cycles the instructions of a short sequence issue, and what each waited for.

use crate::asm::input_text;
use crate::failure::{Failure, Result};
use crate::gpu::{GpuArgs, lanes};
use std::path::{Path, PathBuf};
use wavepipe_runtime::timing::reason::Reason;
use wavepipe_runtime::timing::sequence::{self, Issue, SequenceError, Timeline};

const EXAMPLES: &str = "\
Examples:
  wavepipe timing kernel.s --wave 64
  wavepipe timing kernel.s --gpu rx5500xt
  printf 's_add_i32 s0, s1, s2\\nv_mul_f32 v0, v1, s0\\n' | wavepipe timing - --json

One wave runs alone: its instructions are in its buffer, all its registers are ready. s[0:1] holds the address of 64 KiB of
zeroes and s[4:7] their V#, v0 the lane; it has 64 KiB of LDS. S_ENDPGM is added at the end. Cycle 0 is that in which the
first instruction issues; an instruction that a wave64 issues for each half has two cycles.";

#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct TimingArgs {
    /// Assembly file, or - for standard input
    input: PathBuf,
    /// Wavefront size; the smallest that the card has by default
    #[arg(long, value_parser = ["32", "64"])]
    wave: Option<String>,
    #[command(flatten)]
    gpu: GpuArgs,
    /// One JSON object: instructions, each with its text, the label in front of it and its issue cycles, and the cycles in all
    #[arg(long)]
    json: bool,
}

pub fn run(args: &TimingArgs) -> Result<()> {
    let config = args.gpu.config(lanes(args.wave.as_deref()))?;
    let wave = config.wave_size(None)?;
    let timeline =
        sequence::timeline(&input_text(&args.input)?, wave, config.machine).map_err(|e| failure(&args.input, e))?;
    match args.json {
        true => println!("{}", json(&timeline)),
        false => print!("{}", table(&timeline)),
    }
    Ok(())
}

/// What the file's text did wrong is its writer's to mend, a fault of its code too.
fn failure(file: &Path, error: SequenceError) -> Failure {
    Failure::usage(format!("{}: {error}", file.display()))
}

fn json(timeline: &Timeline) -> serde_json::Value {
    let row = |i: &Issue| serde_json::json!({ "text": i.text, "label": i.label, "issue": i.passes });
    let rows: Vec<_> = timeline.issues.iter().map(row).collect();
    serde_json::json!({ "instructions": rows, "cycles": timeline.cycles })
}

pub fn table(timeline: &Timeline) -> String {
    let cycles = |i: &Issue| i.passes.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let rows: Vec<_> = timeline.issues.iter().map(|i| (cycles(i), i, waited(i))).collect();
    let left = rows.iter().map(|r| r.0.len()).max().unwrap_or(0).max("issue".len());
    let middle = rows.iter().map(|r| r.1.text.len()).max().unwrap_or(0).max("instruction".len());
    let mut out = format!("{:<left$}  {:<middle$}  waited for\n", "issue", "instruction");
    for (cycles, issue, waited) in rows {
        if let Some(label) = &issue.label {
            out += &format!("{:<left$}  {label}:\n", "");
        }
        out += format!("{cycles:<left$}  {:<middle$}  {waited}", issue.text).trim_end();
        out.push('\n');
    }
    out + &format!("{} cycles\n", timeline.cycles)
}

/// Cycles beyond those in which the instruction before it issued, and what they went by for.
fn waited(issue: &Issue) -> String {
    match (issue.stalled, issue.reason) {
        (0, _) => String::new(),
        // The wave is alone, so what it could not have was taken by itself.
        (n, Reason::Arbitration) => format!("{n} {}", Reason::Unit.name()),
        (n, reason) => format!("{n} {}", reason.name()),
    }
}
