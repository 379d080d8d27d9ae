//! Holds a test to what the tables in `isa/src/coverage` say of it.

use std::collections::BTreeSet;
use wavepipe_isa::coverage::{Witness, evidence};
use wavepipe_isa::insts::Op;

/// `test` compares exactly these rows with a second implementation, and the tables say so.
pub fn holds(test: &str, rows: impl IntoIterator<Item = impl Into<String>>) {
    let compared: BTreeSet<String> = rows.into_iter().map(Into::into).collect();
    let says =
        |op: &Op| evidence(*op).iter().any(|e| e.witness == Witness::Second && e.what.split(' ').any(|t| t == test));
    let claimed: BTreeSet<String> = Op::all().filter(says).map(|op| op.row().name.into()).collect();
    let lines = |set: &BTreeSet<String>, other: &BTreeSet<String>| -> String {
        set.difference(other).map(|name| format!("{name}: {test}\n")).collect()
    };
    let (missing, wrong) = (lines(&compared, &claimed), lines(&claimed, &compared));
    assert!(missing.is_empty() && wrong.is_empty(), "isa/src/coverage lacks\n{missing}and has without right\n{wrong}");
}
