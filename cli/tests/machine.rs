//! `wavepipe machine show`: the table of figures.

use wavepipe_cli::tested::machine::{page, source};
use wavepipe_runtime::hw::machine::Machine;

#[test]
fn each_figure_is_printed_with_all_that_is_known_of_it() {
    for name in Machine::names() {
        let machine = Machine::builtin(name).unwrap();
        let (text, rows) = (page(&machine), machine.rows());
        let lines: Vec<&str> = text.lines().collect();
        let object = serde_json::to_value(&machine).unwrap();
        let mut at = 0;
        for row in &rows {
            let header = format!("[{}] ", row.section);
            let begins = lines.iter().position(|l| l.starts_with(&header)).unwrap();
            let own = |l: &&str| l.split_whitespace().next() == Some(row.name);
            let place = begins + lines[begins..].iter().position(own).unwrap();
            assert!(place > at, "{name}: {} stands in order", row.name);
            at = place;
            let line = lines[place];
            for part in [row.value.to_string().as_str(), row.unit, row.note, source(row.source), row.about] {
                assert!(line.contains(part), "{name}: {part} of {line}");
            }
            let figure = &object[row.section][row.name];
            assert_eq!(figure["value"].as_f64(), Some(row.value.real()));
            assert_eq!((figure["unit"].as_str(), figure["note"].as_str()), (Some(row.unit), Some(row.note)));
            assert_eq!(figure["source"], source(row.source));
            assert_eq!(figure.get("inherited").and_then(|v| v.as_str()), row.inherited);
        }
        let figures = lines.iter().filter(|l| l.starts_with("  ")).count();
        assert_eq!(figures, rows.len(), "{name}");
    }
}
