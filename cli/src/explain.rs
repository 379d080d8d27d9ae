//! `wavepipe explain`: one instruction from its row, with an example that is executed.

use crate::failure::{Failure, Result};
use crate::gpu::{VARIABLE, generation};
use serde_json::json;
use std::fmt::Write as _;
use std::sync::Arc;
use wavepipe_runtime::explain::{self, Example, Explanation, FormBits, Shown};
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::isa::Gen;
use wavepipe_runtime::isa::bits::BitField;
use wavepipe_runtime::isa::row::Ty;

const EXAMPLES: &str = "\
Examples:
  wavepipe explain                       the families, and every mnemonic in them
  wavepipe explain v_mul_lo_u32
  wavepipe explain ds_read_b32 --gpu rx5500xt
  wavepipe explain v_add_u32 --gpu gfx900 --json

S0, S1, S2 are the sources in the order of the text, C the condition in; D is the result, CC the condition out. In what an
instruction does, + - * & | ^ ~ << >> are of 32 bits without a sign, as < is; functions that begin with f are of f32, with h of
f16, with d of f64, and round as MODE says; .lo and .hi are the dwords of 64 bits. The example is run when you ask.";

#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ExplainArgs {
    /// Mnemonic, with or without the suffix of a form
    instruction: Option<String>,
    /// Generation, as `wavepipe disasm` takes it, or a machine; WAVEPIPE_MACHINE's by default
    #[arg(long, value_name = "NAME")]
    gpu: Option<String>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &ExplainArgs) -> Result<()> {
    let variable = std::env::var(VARIABLE).ok().filter(|name| !name.is_empty());
    let name = args.gpu.clone().or(variable).unwrap_or_else(|| "rx5700xt".into());
    // A generation need not have a machine; what is no generation either is told of by the error.
    let (machine, gpu) = match (Machine::open(&name), generation(&name)) {
        (Ok(machine), _) => (Some(Arc::new(machine)), None),
        (Err(_), Ok(generation)) => (None, Some(generation)),
        (Err(_), Err(e)) if !name.ends_with(".toml") => return Err(e),
        (Err(e), Err(_)) => return Err(e.into()),
    };
    let gpu = machine.as_ref().map(|m| m.generation()).or(gpu).unwrap_or_default();
    let Some(wanted) = &args.instruction else {
        match args.json {
            true => println!("{}", list_json(gpu)),
            false => print!("{}", list(gpu)),
        }
        return Ok(());
    };
    let Some(op) = explain::find(wanted, gpu) else {
        let near = explain::nearest(wanted, gpu).join(", ");
        return Err(Failure::usage(format!(
            "there is no instruction {wanted}; near: {near} (`wavepipe explain` lists all)"
        )));
    };
    let told = explain::explain(op, gpu, machine);
    match args.json {
        true => println!("{}", object(&told)),
        false => print!("{}", text(&told, gpu)),
    }
    Ok(())
}

fn family(format: impl std::fmt::Debug) -> String {
    format!("{format:?}").to_uppercase()
}

fn list(gpu: Gen) -> String {
    let mut out = format!("Instructions of {}, by family. `wavepipe explain NAME` tells of one.\n", gpu.name());
    for (format, names) in explain::groups(gpu) {
        let _ = writeln!(out, "\n{} ({})", family(format), names.len());
        let mut line = String::from(" ");
        for name in names {
            if line.len() + name.len() > 118 {
                out += &line;
                out.push('\n');
                line = String::from(" ");
            }
            line += " ";
            line += name;
        }
        out += &line;
        out.push('\n');
    }
    out
}

/// Letters of what an instruction does that a table has room for.
const ROOM: usize = 96;

/// Generations in words: `gfx600 to gfx701, gfx1010`.
fn spans(generations: &[Gen]) -> String {
    let place = |g: Gen| Gen::ALL.iter().position(|known| *known == g);
    let runs = generations.chunk_by(|a, b| place(*a).map(|n| n + 1) == place(*b));
    let run = |run: &[Gen]| match run {
        [first, .., last] => format!("{} to {}", first.name(), last.name()),
        run => run.iter().map(|g| g.name()).collect(),
    };
    runs.map(run).collect::<Vec<_>>().join(", ")
}

/// The instructions of the default card's generation in tables, as a page of the book.
pub fn reference() -> String {
    let gpu = Gen::default();
    let mut out = format!(
        "# Instructions\n\nMade by `wavepipe book`, of the rows that encoder, decoder, emulator and clock read. These are those of {}; `wavepipe \
         explain NAME`\ntells all of one, of every generation. D is the result, S0, S1 and S2 are the sources, C and CC the carry in and out. What is \
         longer\nthan the table ends with …\n",
        gpu.name()
    );
    for (format, names) in explain::groups(gpu) {
        let _ =
            write!(out, "\n## {}\n\n| instruction | kind | does | generations |\n|---|---|---|---|\n", family(format));
        for op in names.into_iter().filter_map(|name| explain::find(name, gpu)) {
            let e = explain::explain(op, gpu, None);
            let mut does = if e.statements.is_empty() { String::new() } else { e.statements.join("; ") };
            if does.chars().count() > ROOM {
                does = does.chars().take(ROOM).collect::<String>() + "…";
            }
            let escaped = |text: String| text.replace('|', "\\|");
            let does = if does.is_empty() { escaped(e.words.join("; ")) } else { format!("`{}`", escaped(does)) };
            let span = spans(&e.generations.iter().map(|(g, ..)| *g).collect::<Vec<_>>());
            let _ = writeln!(out, "| `{}` | {} | {does} | {span} |", e.mnemonic, e.class);
        }
    }
    out
}

fn list_json(gpu: Gen) -> serde_json::Value {
    let groups =
        explain::groups(gpu).into_iter().map(|(f, names)| json!({ "family": family(f), "instructions": names }));
    json!({ "generation": gpu.name(), "families": groups.collect::<Vec<_>>() })
}

fn text(e: &Explanation, wanted: Gen) -> String {
    let mut out = format!("{} ({} instruction), on {}\n", e.mnemonic, e.class, e.generation.name());
    if e.generation != wanted {
        let _ = writeln!(out, "{} has no such instruction.", wanted.name());
    }
    let operands: Vec<String> = e.operands.iter().map(|(name, ty)| format!("{name}: {ty:?}")).collect();
    let _ = writeln!(out, "\noperands\n  {}", if operands.is_empty() { "none".into() } else { operands.join(", ") });
    out += "\nwhat it does\n";
    e.words.iter().chain(&e.statements).for_each(|line| out += &format!("  {line}\n"));
    out += "\nforms\n";
    for form in &e.forms {
        let _ = writeln!(out, "  {}", form.text);
        out += &layout(form);
    }
    out += "\ngenerations\n";
    for (generation, name, format, opcode) in &e.generations {
        let _ = writeln!(out, "  {:<8} {name}, {} opcode {opcode:#x}", generation.name(), family(format));
    }
    if let Some(cost) = &e.cost {
        let passes = if cost.passes > 1 { format!(", {} passes a wave", cost.passes) } else { String::new() };
        let latency = match cost.latency {
            Some(cycles) => format!("results after {cycles} cycles"),
            None => "results when memory has answered".into(),
        };
        let _ = writeln!(
            out,
            "\nrate on {}\n  {} unit, {} cycle(s) a pass{passes}; {latency}",
            cost.machine, cost.unit, cost.busy
        );
    }
    if !e.counters.is_empty() || !e.hazards.is_empty() {
        out += "\nwaits and hazards\n";
        e.counters.iter().for_each(|line| out += &format!("  {line}\n"));
        e.hazards.iter().for_each(|h| out += &format!("  {}: {}\n", h.name, h.what));
    }
    out += "\nexample\n";
    match &e.example {
        Ok(example) => out += &ran(example),
        Err(why) => out += &format!("  none: {why}\n"),
    }
    out
}

/// A line for each dword, its bits from the highest down.
fn layout(form: &FormBits) -> String {
    let mut out = String::new();
    for dword in 0..form.dwords as u8 {
        let here = form.fields.iter().rev().filter(|f| f.low / 32 == dword);
        let one = |f: &BitField| {
            let (high, low) = (f.high - 32 * dword, f.low - 32 * dword);
            let place = if high == low { format!("[{high}]") } else { format!("[{high}:{low}]") };
            match (f.name.as_str(), f.value) {
                ("", Some(v)) => format!("{place} {v:#b}"),
                (name, Some(v)) => format!("{place} {name} = {v:#x}"),
                (name, None) => format!("{place} {name}"),
            }
        };
        let _ = writeln!(out, "    dword {dword}: {}", here.map(one).collect::<Vec<_>>().join(", "));
    }
    out
}

/// Lanes that are shown.
const LANES: usize = 8;

fn ran(example: &Example) -> String {
    let mut out = format!("  {}\n", example.text);
    let mut table = |title: &str, rows: &[Shown]| {
        for row in rows {
            let values: Vec<String> = row.values.iter().take(LANES).map(|v| number(v, row.ty)).collect();
            let more = if row.values.len() > LANES { " …" } else { "" };
            let _ = writeln!(out, "  {title:<7} {:<10} {}{more}", row.name, values.join(" "));
        }
    };
    table("before", &example.before);
    table("after", &example.after);
    for (at, old, new) in example.memory.iter().take(LANES) {
        let _ = writeln!(out, "  memory  +{at:#06x}     {old:#x} -> {new:#x}");
    }
    if example.memory.len() > LANES {
        let _ = writeln!(out, "  memory  {} more dwords changed", example.memory.len() - LANES);
    }
    if example.after.is_empty() && example.memory.is_empty() {
        out += "  no register and no memory outside of LDS changed\n";
    }
    out
}

/// Dwords as their type reads them.
fn number(dwords: &[u32], ty: Ty) -> String {
    match (ty, dwords) {
        (Ty::F32 | Ty::SF32, [v]) => format!("{:?}", f32::from_bits(*v)),
        (Ty::F64, [low, high]) => format!("{:?}", f64::from_bits(u64::from(*low) | u64::from(*high) << 32)),
        (Ty::F16, [v]) => format!("{:?}", half::f16::from_bits(*v as u16).to_f32()),
        (Ty::I32, [v]) => (*v as i32).to_string(),
        (Ty::U32 | Ty::Addr32 | Ty::U16 | Ty::Scc, [v]) => v.to_string(),
        (_, [v]) => format!("{v:#x}"),
        (_, all) => format!("0x{}", all.iter().rev().map(|v| format!("{v:08x}")).collect::<String>()),
    }
}

fn object(e: &Explanation) -> serde_json::Value {
    let shown = |rows: &[Shown]| {
        rows.iter()
            .map(|r| json!({ "name": r.name, "type": format!("{:?}", r.ty), "dwords": r.values }))
            .collect::<Vec<_>>()
    };
    let example = match &e.example {
        Ok(x) => json!({
            "text": x.text,
            "before": shown(&x.before),
            "after": shown(&x.after),
            "memory": x.memory.iter().map(|(at, old, new)| json!({ "offset": at, "old": old, "new": new })).collect::<Vec<_>>(),
        }),
        Err(why) => json!({ "none": why }),
    };
    let field = |f: &BitField| json!({ "high": f.high, "low": f.low, "name": f.name, "value": f.value });
    let form = |f: &FormBits| {
        let fields: Vec<_> = f.fields.iter().map(field).collect();
        json!({ "form": format!("{:?}", f.form), "text": f.text, "dwords": f.dwords, "fields": fields })
    };
    let generation = |(g, name, format, opcode): &(Gen, &str, wavepipe_runtime::isa::row::Format, u16)| json!({ "generation": g.name(), "mnemonic": name, "family": family(format), "opcode": opcode });
    json!({
        "mnemonic": e.mnemonic,
        "generation": e.generation.name(),
        "class": e.class,
        "operands": e.operands.iter().map(|(n, ty)| json!({ "name": n, "type": format!("{ty:?}") })).collect::<Vec<_>>(),
        "words": e.words,
        "statements": e.statements,
        "forms": e.forms.iter().map(form).collect::<Vec<_>>(),
        "generations": e.generations.iter().map(generation).collect::<Vec<_>>(),
        "cost": e.cost.as_ref().map(|c| json!({
            "machine": c.machine, "unit": c.unit, "busy": c.busy, "passes": c.passes, "latency": c.latency,
        })),
        "counters": e.counters,
        "hazards": e.hazards.iter().map(|h| json!({ "name": h.name, "what": h.what })).collect::<Vec<_>>(),
        "example": example,
    })
}
