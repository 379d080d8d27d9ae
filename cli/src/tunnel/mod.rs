//! `wavepipe tunnel`: urgent work beside a long dispatch under each policy, in a table and a picture.

pub(crate) mod picture;
pub(crate) mod scene;

use self::scene::{LONG, Load, Plan, Scene, URGENT};
use crate::failure::{Failure, Result, write_file};
use crate::gpu::GpuArgs;
use std::path::PathBuf;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::{Config, Policy};

const EXAMPLES: &str = "\
Examples:
  wavepipe tunnel                                  the table
  wavepipe tunnel -o tunnel.svg                    and a picture of it
  wavepipe tunnel --policy limit,tunnel --urgent 8
  wavepipe tunnel --long-rounds 100                work-groups that end sooner: limit is nearly as good as tunnel
  wavepipe tunnel --gpu vega64 --json

A long dispatch on a queue of MEDIUM priority fills the machine. At --at microseconds a small one comes on a queue of
REALTIME priority. The policy decides what that does to the long one (WAVEPIPE_TUNNEL, docs/timing.md):

  share    nothing: the urgent work waits for room as everybody does
  limit    the long dispatch starts no new work-groups; those that it has go on to their end
  tunnel   the waves of the long dispatch are suspended with all their state, and resume when the urgent work is done

Each runs on a machine of its own, on its clock, so the figures are the same on any host. Both parties run one shader; the
answers are compared between the policies: if one differs, the exit code is 1.";

/// Urgent work beside a long dispatch, under each policy: a table, and a picture.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct TunnelArgs {
    /// Write the picture, an SVG
    #[arg(short = 'o', value_name = "FILE.svg")]
    output: Option<PathBuf>,
    /// Policies, in a comma list: share, limit, tunnel
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = policy, default_value = "share,limit,tunnel")]
    policy: Vec<Policy>,
    /// Work-groups of the long dispatch, of 64 work-items and 32 KiB of LDS each; enough to fill the machine three times by default
    #[arg(long, value_name = "GROUPS", value_parser = clap::value_parser!(u32).range(1..=65535))]
    long: Option<u32>,
    /// Square roots that each of its work-items takes, one after the other
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    long_rounds: u32,
    /// Work-groups of the urgent dispatch; enough to fill three quarters of the machine by default
    #[arg(long, value_name = "GROUPS", value_parser = clap::value_parser!(u32).range(1..=65535))]
    urgent: Option<u32>,
    /// Square roots of the urgent dispatch
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    urgent_rounds: u32,
    /// Microseconds after which the urgent work comes
    #[arg(long, value_name = "US", default_value_t = 5.0)]
    at: f64,
    #[command(flatten)]
    gpu: GpuArgs,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

fn policy(text: &str) -> std::result::Result<Policy, String> {
    let known = [Policy::Share, Policy::Limit, Policy::Tunnel];
    known.into_iter().find(|p| name(*p) == text).ok_or_else(|| "policies are share, limit and tunnel".to_owned())
}

fn name(policy: Policy) -> &'static str {
    match policy {
        Policy::Share => "share",
        Policy::Limit => "limit",
        Policy::Tunnel => "tunnel",
    }
}

fn says(policy: Policy) -> &'static str {
    match policy {
        Policy::Share => "nobody gives way",
        Policy::Limit => "no new work-groups of others",
        Policy::Tunnel => "others are suspended",
    }
}

/// All that was tried.
pub struct Trial {
    config: Config,
    long: Load,
    urgent: Load,
    /// Without the long dispatch.
    alone: Scene,
    scenes: Vec<(Policy, Scene)>,
}

impl Trial {
    fn us(&self, cycles: u64) -> f64 {
        cycles as f64 / self.machine().shader_hz() * 1e6
    }

    fn machine(&self) -> &Machine {
        &self.config.machine
    }

    /// Alone first, then by policy: a name and what came of it.
    fn rows(&self) -> impl Iterator<Item = (&'static str, &Scene)> {
        std::iter::once(("alone", &self.alone)).chain(self.scenes.iter().map(|(p, s)| (name(*p), s)))
    }

    /// The answers do not depend on the policy.
    fn same(&self) -> bool {
        let first = self.scenes.first().map(|(_, s)| &s.answers[LONG]);
        let long = self.scenes.iter().all(|(_, s)| Some(&s.answers[LONG]) == first);
        long && self.scenes.iter().all(|(_, s)| s.answers[URGENT] == self.alone.answers[URGENT])
    }
}

/// Microseconds from the arrival until the first urgent wave ran, and until the dispatch was done.
fn waited(trial: &Trial, scene: &Scene) -> (f64, f64) {
    let urgent = &scene.spans[URGENT];
    let since = |cycle: u64| trial.us(cycle.saturating_sub(scene.arrived));
    (since(urgent.first_wave.unwrap_or(urgent.ended)), since(urgent.ended))
}

pub fn run(args: &TunnelArgs) -> Result<()> {
    let config = args.gpu.config(None)?;
    if !(args.at > 0.0 && args.at <= 1e6) {
        return Err(Failure::usage(format!("--at {}: microseconds, more than 0 and at most a second's", args.at)));
    }
    if let Some(file) = args.output.as_deref().filter(|f| f.extension().is_none_or(|e| e != "svg")) {
        return Err(Failure::usage(format!("{}: the picture is an SVG: name it FILE.svg", file.display())));
    }
    let full = scene::fills(&config)?;
    let long = Load { groups: args.long.unwrap_or(3 * full), rounds: args.long_rounds };
    let urgent = Load { groups: args.urgent.unwrap_or((3 * full).div_ceil(4)), rounds: args.urgent_rounds };
    let tick = (args.at * config.machine.clock.reference_mhz.value) as u64;
    let plan = |long, policy| Plan { long, urgent, tick, policy };
    let bar = crate::progress::progress("running");
    let alone = scene::play(&config, &plan(None, Policy::Share))?;
    let scenes = args.policy.iter().map(|p| Ok((*p, scene::play(&config, &plan(Some(long), *p))?)));
    let scenes = scenes.collect::<Result<Vec<_>>>()?;
    bar.finish_and_clear();
    let trial = Trial { config, long, urgent, alone, scenes };
    match args.json {
        true => println!("{}", json(&trial)),
        false => print!("{}", table(&trial)),
    }
    if let Some(file) = &args.output {
        write_file(file, picture::svg(&trial).as_bytes())?;
        eprintln!("wrote {}", file.display());
    }
    match trial.same() {
        true => Ok(()),
        false => Err(Failure::Check("the answers differ between the policies".into())),
    }
}

fn table(trial: &Trial) -> String {
    let at = trial.scenes.first().map_or(trial.alone.arrived, |(_, s)| s.arrived);
    let mut out = format!(
        "{}: long work of {} work-groups; {} urgent ones come at {:.2} us\n\n",
        trial.machine().name,
        trial.long.groups,
        trial.urgent.groups,
        trial.us(at),
    );
    out += "          urgent work, us after it came    long work   waves\n";
    out += "policy    first wave          done         done at us  suspended\n";
    for (name, scene) in trial.rows() {
        let (first, done) = waited(trial, scene);
        let long = scene.spans[LONG].ended;
        let ended = if long > 0 { format!("{:.2}", trial.us(long)) } else { "-".into() };
        out += &format!("{name:<8}  {first:>10.2}  {done:>12.2}  {ended:>17}  {:>9}\n", scene.suspended);
    }
    let answers = if trial.same() { "the same under every policy" } else { "NOT the same under every policy" };
    out += &format!("\nanswers: {answers}\n");
    out
}

fn json(trial: &Trial) -> serde_json::Value {
    let load = |l: &Load| serde_json::json!({ "groups": l.groups, "rounds": l.rounds });
    let row = |(name, scene): (&str, &Scene)| {
        serde_json::json!({
            "policy": name,
            "arrived": scene.arrived,
            "urgent": { "first_wave": scene.spans[URGENT].first_wave, "ended": scene.spans[URGENT].ended },
            "long": (scene.spans[LONG].ended > 0).then(|| serde_json::json!({
                "first_wave": scene.spans[LONG].first_wave, "ended": scene.spans[LONG].ended,
            })),
            "suspended": scene.suspended,
            "suspending": scene.suspending,
        })
    };
    serde_json::json!({
        "machine": trial.machine().name,
        "shader_mhz": trial.machine().clock.shader_mhz.value,
        "long": load(&trial.long),
        "urgent": load(&trial.urgent),
        "cycles": trial.rows().map(row).collect::<Vec<_>>(),
        "same": trial.same(),
    })
}
