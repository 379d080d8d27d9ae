//! The tables of witnesses name rows.

use wavepipe_isa::coverage;

#[test]
fn every_entry_names_a_row() {
    assert_eq!(coverage::strangers(), [""; 0], "names in coverage/*.txt or READINGS.md that are no row's");
}
