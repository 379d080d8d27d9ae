//! Sheets and comparisons for other programs.
//!
//! `schema` names the form and `version` counts its changes: fields may be added within a version, and nothing else changes.

use crate::compare::Comparison;
use crate::sheet::Sheet;
use serde_json::{Value, json};

pub const VERSION: u32 = 1;

/// `{"schema": "wavepipe-sheet", "version": 1, …}` with the fields of [`Sheet`], and in words what its occupancy says.
pub fn sheet(sheet: &Sheet) -> Value {
    let mut out = json!({
        "schema": "wavepipe-sheet", "version": VERSION,
        "limited_by": sheet.occupancy.limiter(), "next_step": sheet.occupancy.next_text(),
    });
    if let (Some(out), Ok(Value::Object(fields))) = (out.as_object_mut(), serde_json::to_value(sheet)) {
        out.extend(fields);
    }
    out
}

/// `{"schema": "wavepipe-comparison", "version": 1, "left": …, "right": …, "rows": …}`: both sheets, and pairs of rows, of which one
/// may be null.
pub fn comparison(comparison: &Comparison<'_>) -> Value {
    let rows: Vec<Value> = comparison.rows.iter().map(|p| json!([p.left, p.right])).collect();
    let figures: Vec<Value> =
        comparison.figures().iter().map(|f| json!({ "name": f.name, "left": f.left, "right": f.right })).collect();
    json!({
        "schema": "wavepipe-comparison", "version": VERSION,
        "left": sheet(comparison.left), "right": sheet(comparison.right), "figures": figures, "rows": rows,
    })
}
