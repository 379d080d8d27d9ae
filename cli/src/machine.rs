//! `wavepipe machine`: the cards that can be emulated, figure by figure.

use crate::failure::{Failure, Result};
use wavepipe_runtime::hw::machine::{FigureRow, Machine, Source};

const EXAMPLES: &str = "\
Examples:
  wavepipe machine list                      the machines that ship with wavepipe
  wavepipe machine show rx5700xt             every figure: value, unit, source, where the source says it
  wavepipe machine show rx5500xt --json      the same for a program
  wavepipe machine show mine.toml            checks and shows a description of your own

A description of your own names a base, and gives what differs:

  name = \"mine\"
  product = \"My card\"
  base = \"rx5700xt\"
  [clock]
  shader_mhz = { value = 2100.0, unit = \"MHz\", source = \"assumed\", note = \"overclocked\" }

WAVEPIPE_MACHINE=NAME|FILE.toml and --gpu NAME|FILE.toml run on it. A generation (gfx1010) is the first machine that has it.";

#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct MachineArgs {
    #[command(subcommand)]
    question: Question,
}

#[derive(clap::Subcommand, Debug)]
enum Question {
    /// The machines that ship with wavepipe; the first is the default
    List {
        /// One JSON array of objects: name, product, isa, compute units
        #[arg(long)]
        json: bool,
    },
    /// Every figure of a machine, with its source
    #[command(after_help = EXAMPLES)]
    Show {
        /// Name of a machine (`wavepipe machine list`), or a description: a path that ends in .toml
        #[arg(value_name = "NAME|FILE.toml")]
        machine: String,
        /// One JSON object: sections of figures, each with value, unit, source and note
        #[arg(long)]
        json: bool,
    },
}

pub fn run(args: &MachineArgs) -> Result<()> {
    let usage = |e: &dyn std::fmt::Display| Failure::usage(e.to_string());
    match &args.question {
        Question::List { json } => {
            let machines = Machine::names().map(Machine::builtin).collect::<std::result::Result<Vec<_>, _>>();
            let machines = machines.map_err(|e| usage(&e))?;
            match json {
                true => println!("{}", serde_json::Value::from_iter(machines.iter().map(entry))),
                false => machines.iter().for_each(|m| println!("{}", title(m))),
            }
        }
        Question::Show { machine, json } => {
            let machine = Machine::open(machine).map_err(|e| usage(&e))?;
            match json {
                true => println!("{}", serde_json::to_string_pretty(&machine).map_err(|e| usage(&e))?),
                false => print!("{}", page(&machine)),
            }
        }
    }
    Ok(())
}

fn entry(m: &Machine) -> serde_json::Value {
    serde_json::json!({
        "name": m.name, "product": m.product, "isa": m.isa, "compute_units": m.shape.cus.value,
    })
}

fn title(m: &Machine) -> String {
    let (cus, mhz) = (m.shape.cus.value, m.clock.shader_mhz.value);
    format!("{:<10}{}, {}, {cus} compute units at {mhz} MHz", m.name, m.product, m.isa)
}

/// Writes every figure of a machine with its source.
pub fn page(m: &Machine) -> String {
    let rows = m.rows();
    let value = |r: &FigureRow<'_>| format!("{} {}", r.value, r.unit).trim().to_string();
    let names = rows.iter().map(|r| r.name.len()).max().unwrap_or(0);
    let values = rows.iter().map(|r| value(r).len()).max().unwrap_or(0);
    let mut out = title(m) + "\n";
    let runs = m.generation().name();
    if m.isa != runs {
        out += &format!("It runs code for {runs}, whose instructions {} has.\n", m.isa);
    }
    let mut section = "";
    for row in &rows {
        if row.section != section {
            section = row.section;
            out += &format!("\n[{section}] {}\n", row.section_about);
        }
        let (value, source) = (value(row), source(row.source));
        out += &format!("  {:<names$}  {value:>values$}  {source:<11}{}\n", row.name, remark(row));
    }
    out + "\ndocumented: by the maker. derived: by arithmetic. measured: by others, on a card. modelled: in a compiler's\n\
        or a simulator's tables. assumed: nobody says.\n"
}

/// Every machine with its figures, as a page of the book.
pub fn reference() -> Result<String> {
    let mut out = "# Figures of the machines\n\nMade by `wavepipe book`: every figure that placement, limits and the clock read, as `wavepipe machine show NAME` prints\n\
        it. [Machines and generations](../machines.md) says how to choose one, and how to write one of your own.\n"
        .to_owned();
    for name in Machine::names() {
        let machine = Machine::builtin(name).map_err(|e| Failure::usage(e.to_string()))?;
        out += &format!("\n## {name}\n\n```text\n{}```\n", page(&machine));
    }
    Ok(out)
}

/// What the figure means, and in brackets where it is from.
fn remark(row: &FigureRow<'_>) -> String {
    let whose = row.inherited.map(|base| format!("inherited from {base}"));
    let from: Vec<&str> = [row.note, whose.as_deref().unwrap_or("")].into_iter().filter(|t| !t.is_empty()).collect();
    match (row.about, from.is_empty()) {
        (about, true) => about.to_string(),
        ("", false) => format!("[{}]", from.join("; ")),
        (about, false) => format!("{about} [{}]", from.join("; ")),
    }
}

/// Names a source as the tables and JSON do.
pub fn source(source: Source) -> &'static str {
    match source {
        Source::Documented => "documented",
        Source::Derived => "derived",
        Source::Measured => "measured",
        Source::Modelled => "modelled",
        Source::Assumed => "assumed",
    }
}
