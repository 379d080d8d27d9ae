//! The interpreter against results recorded elsewhere: programs compared with a real RDNA 3 card, and single instructions of
//! RDNA 3, RDNA 4 and CDNA by two references, for what RDNA 1 shares with them. The rows that they confirm are the table
//! `isa/src/coverage/vectors.txt`.

#[path = "recorded/compare.rs"]
mod compare;
#[path = "recorded/explained.rs"]
mod explained;
#[path = "recorded/machine.rs"]
mod machine;
#[path = "recorded/programs.rs"]
mod programs;
#[path = "recorded/records.rs"]
mod records;

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use wavepipe_isa::coverage::{Witness, evidence};
use wavepipe_isa::insts::Op;
use wavepipe_isa::row::{Control, MemKind, Sem};

/// What came of the runs.
#[derive(Default)]
pub struct Report {
    pub right: usize,
    pub wrong: Vec<String>,
    /// Instructions that gfx1010 does not have.
    pub absent: usize,
    /// Records of which most results differ for a reason.
    pub empty: usize,
    excluded: BTreeMap<&'static str, BTreeSet<String>>,
    confirmed: BTreeMap<u16, Vec<&'static str>>,
}

impl Report {
    pub fn exclude(&mut self, name: &str, why: &'static str) {
        self.excluded.entry(why).or_default().insert(name.into());
    }

    /// A result that depends on the row was right. Waits and hints leave no trace in one.
    pub fn confirm(&mut self, op: Op, by: &'static str) {
        let traceless = match op.row().sem {
            Sem::Control(c) => {
                !matches!(c, Control::BranchVccnz | Control::BranchVccz | Control::BranchScc0 | Control::BranchScc1)
            }
            Sem::Mem(_, MemKind::Invalidate | MemKind::Hint) => true,
            _ => false,
        };
        let by_op = self.confirmed.entry(op.0).or_default();
        if !traceless && !by_op.contains(&by) {
            by_op.push(by);
        }
    }

    fn table(&self) -> BTreeMap<&'static str, String> {
        let rows = self.confirmed.iter().filter(|(_, by)| !by.is_empty());
        rows.map(|(&op, by)| (Op(op).row().name, by.join(" "))).collect()
    }
}

/// A file of the facts that lie beside the workspace, or a skip told by name; in CI a skip is a failure.
fn fact(path: &str) -> Option<String> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/isa").join(path);
    let text = std::fs::read_to_string(file).ok();
    if text.is_none() {
        println!("SKIP {path}");
        assert!(std::env::var_os("CI").is_none(), "{path} is missing, and a skip is a failure in CI");
    }
    text
}

fn number(v: &Value) -> u64 {
    v.as_u64().unwrap_or(0)
}

/// Dwords of a hexadecimal byte string.
fn words(hex: &str) -> Vec<u32> {
    let byte = |i: usize| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal");
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
    bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().expect("whole dwords"))).collect()
}

/// Other generations' names to gfx10's. The columns are SI, VI, GFX9, GFX10, GFX11, GFX12.
fn renames(table: &str) -> HashMap<String, String> {
    const GFX10: usize = 3;
    let mut names = HashMap::new();
    for line in table.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let Some(new) = columns.get(GFX10).filter(|n| !n.is_empty()) else { continue };
        for old in columns.iter().enumerate().filter(|(i, n)| *i != GFX10 && !n.is_empty() && n != &new) {
            names.insert(old.1.to_string(), new.to_string());
        }
    }
    // GFX9's additions without carry, by type.
    for (old, new) in [
        ("v_add_u16", "v_add_nc_u16"),
        ("v_sub_u16", "v_sub_nc_u16"),
        ("v_add_i16", "v_add_nc_i16"),
        ("v_sub_i16", "v_sub_nc_i16"),
        ("v_add_i32", "v_add_nc_i32"),
        ("v_sub_i32", "v_sub_nc_i32"),
    ] {
        names.insert(old.into(), new.into());
    }
    names
}

#[test]
fn recorded_results() {
    let mut report = Report::default();
    let Some(hw) = fact("vectors/rdna3_hw_vectors.jsonl") else { return };
    programs::run(&hw, &mut report);
    let Some(table) = fact("tables/renames.tsv") else { return };
    for (name, wave) in records::WAVES {
        let (Some(records), Some(inputs)) =
            (fact(&format!("vectors/vec_{name}.jsonl")), fact(&format!("vectors/inputs_{name}.json")))
        else {
            return;
        };
        let inputs: Value = serde_json::from_str(&inputs).expect("inputs are JSON");
        let source = records::Source { name, wave, renames: renames(&table) };
        source.run(&records, &inputs, &mut report);
    }
    let Report { right, wrong, absent, empty, .. } = &report;
    println!("{right} right, {} wrong, {absent} of other generations, {empty} without a witness", wrong.len());
    for (why, names) in &report.excluded {
        println!("excluded {}: {why}", names.len());
    }
    wrong.iter().for_each(|e| println!("{e}"));
    assert!(*right > 3000, "the vectors shrank");
    assert!(wrong.is_empty());

    let recorded = |op: Op| evidence(op).iter().find(|e| e.witness == Witness::Vectors).map(|e| e.what.to_string());
    let committed: BTreeMap<&str, String> = Op::all().filter_map(|op| Some((op.row().name, recorded(op)?))).collect();
    let computed = report.table();
    if committed != computed {
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("vectors.txt");
        let lines: String = computed.iter().map(|(name, by)| format!("{name}: {by}\n")).collect();
        std::fs::write(&file, lines).expect("the target directory is writable");
        panic!("isa/src/coverage/vectors.txt is not what the records confirm; the right table is {}", file.display())
    }
}
