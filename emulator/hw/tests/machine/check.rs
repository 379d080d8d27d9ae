//! The bounds of figures.

use wavepipe_hw::machine::Machine;
use wavepipe_hw::tested::{BOUNDS, CACHE_BOUNDS, CACHES, POWERS};

#[test]
fn bounds_are_of_figures_that_exist() {
    let machines: Vec<Machine> = Machine::names().map(|name| Machine::builtin(name).unwrap()).collect();
    let rows: Vec<_> = machines.iter().flat_map(Machine::rows).collect();
    let caches = CACHES.iter().flat_map(|c| CACHE_BOUNDS.iter().map(move |(name, _)| format!("{c}.{name}")));
    let others = BOUNDS.iter().map(|(name, _)| name).chain(POWERS).map(|name| name.to_string());
    for figure in others.chain(caches) {
        assert!(rows.iter().any(|r| format!("{}.{}", r.section, r.name) == figure), "{figure}");
    }
}

#[test]
fn a_figure_out_of_bounds_is_refused_by_name_and_line() {
    for (figure, range) in BOUNDS {
        let (section, name) = figure.split_once('.').unwrap();
        for value in [(range.start() - 1.0).floor(), (range.end() + 1.0).ceil()].into_iter().filter(|v| *v >= 0.0) {
            let head = "name = 'n'\nproduct = 'p'\nbase = 'rx6900xt'\n";
            let text = format!("{head}[{section}]\n{name} = {{ value = {value}, source = 'assumed' }}\n");
            let error = Machine::parse(&text).unwrap_err().to_string();
            assert!(error.contains("line 5") && error.contains(figure) && error.contains("must be"), "{error}");
        }
    }
}
