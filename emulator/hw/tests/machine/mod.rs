//! Machine descriptions: what ships, what is refused, and how a name finds one.

mod check;
mod named;

use wavepipe_hw::machine::*;

#[test]
fn every_machine_parses_under_its_own_name() {
    for name in Machine::names() {
        assert_eq!(Machine::builtin(name).unwrap().name, name);
    }
    assert_eq!(Machine::default().name, Machine::names().next().unwrap());
}

/// AMD's product pages: single precision and memory bandwidth; L2 as sold, but half of it where measurements find no more.
#[test]
fn products_have_the_rates_they_are_sold_with() {
    for (name, tflops, gbytes, l2) in [
        ("rx5700xt", 9.75, 448.0, 4 << 20),
        ("rx5600xt", 7.19, 288.0, 3 << 20),
        ("rx5500xt", 5.20, 224.0, 1 << 20),
        ("hd7950", 3.31, 240.0, 768 << 10),
        ("r9390", 5.12, 384.0, 1 << 20),
        ("vega64", 12.66, 483.84, 4 << 20),
        ("rx6800xt", 20.74, 512.0, 4 << 20),
        ("rx6900xt", 23.04, 512.0, 4 << 20),
    ] {
        let m = Machine::builtin(name).unwrap();
        let got = m.peak_flops() / 1e12;
        assert!((got - tflops).abs() < 0.006, "{name}: {got} TFLOP/s");
        assert_eq!(m.memory_bandwidth() / 1e9, gbytes, "{name}");
        assert_eq!(m.l2.bytes.value * m.l2.instances.value, l2, "{name}");
    }
}

/// RDNA whitepaper, Table 2, of the RX 5700 XT: terabytes a second.
#[test]
fn caches_have_the_bandwidths_of_the_whitepaper() {
    let m = Machine::default();
    for (got, documented) in [(m.l0_bandwidth(), 9.76), (m.l1_bandwidth().unwrap(), 3.90), (m.l2_bandwidth(), 1.95)] {
        assert!((got / 1e12 - documented).abs() < 0.01, "{got} for {documented} TB/s");
    }
}

/// The same table's column of the RX Vega 64, and what Chips and Cheese's article on GCN has of L2.
#[test]
fn gcn_has_the_bandwidths_of_its_articles() {
    for (name, l0, l2) in [("vega64", 6.33, 1.58), ("r9390", 2.56, 1.02), ("hd7950", 1.66, 0.71)] {
        let m = Machine::builtin(name).unwrap();
        assert!(m.l1_bandwidth().is_none() && m.mall_bandwidth().is_none(), "{name}");
        for (got, documented) in [(m.l0_bandwidth(), l0), (m.l2_bandwidth(), l2)] {
            assert!((got / 1e12 - documented).abs() < 0.01, "{name}: {got} for {documented} TB/s");
        }
    }
}

/// Compute units of an array share caches by threes and fours; the last of them have what is left.
#[test]
fn clusters_begin_with_each_array() {
    let vega = Machine::builtin("vega64").unwrap();
    let clusters: Vec<usize> = (0..20).map(|cu| vega.cluster_of_wgp(cu)).collect();
    assert_eq!(clusters, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 6, 6, 6, 7]);
    for (name, clusters) in [("vega64", 24), ("r9390", 12), ("hd7950", 8), ("rx5600xt", 18), ("rx6900xt", 40)] {
        assert_eq!(Machine::builtin(name).unwrap().clusters(), clusters, "{name}");
    }
}

const SMALL: &str = r#"
name = "small"
product = "Small"
base = "rx5500xt"

[clock]
shader_mhz = { value = 1000, unit = "MHz", source = "assumed", note = "round" }
"#;

#[test]
fn a_description_has_what_its_base_has_but_for_its_own() {
    let (small, base) = (Machine::parse(SMALL).unwrap(), Machine::builtin("rx5500xt").unwrap());
    assert_eq!((small.name.as_str(), small.isa.as_str()), ("small", "gfx1012"));
    assert_eq!((small.clock.shader_mhz.value, &small.clock.shader_mhz.inherited), (1000.0, &None));
    let whose = |figure: &Count| figure.inherited.clone().unwrap();
    assert_eq!((small.shape.cus.value, whose(&small.shape.cus).as_str()), (22, "rx5500xt"));
    // The base has this from its own base.
    assert_eq!((small.latency.valu.value, whose(&small.latency.valu).as_str()), (5, "rx5700xt"));
    assert_eq!(base.shape.cus.inherited, None);
}

#[test]
fn what_is_wrong_is_told_with_its_line_and_what_to_do() {
    let says = |from: &str, to: &str, parts: &[&str]| {
        assert!(SMALL.contains(from), "{from}");
        let error = Machine::parse(&SMALL.replace(from, to)).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{to}: {error}");
    };
    says(
        "rx5500xt",
        "rx9999",
        &["line 4", "rx9999", "rx5700xt, rx5600xt, rx5500xt, hd7950, r9390, vega64, rx6900xt, rx6800xt"],
    );
    says("\"rx5500xt\"", "7", &["line 4", "rx5700xt, rx5600xt, rx5500xt, hd7950, r9390, vega64, rx6900xt, rx6800xt"]);
    says("1000", "\"fast\"", &["line 7", "fast"]);
    says("assumed", "guessed", &["line 7", "guessed", "assumed"]);
    says("shader_mhz", "shadow_mhz", &["line 7", "shadow_mhz", "shader_mhz"]);
    says("note =", "inherited =", &["line 7", "inherited"]);
    says("[clock]", "[clocks]", &["line 6", "clocks", "clock"]);
    says("name = \"small\"", "", &["name"]);
    says("[clock]", "[clock", &["line 6"]);
    let places = |cus| format!("{SMALL}\n[shape]\ncus = {{ value = {cus}, source = \"assumed\" }}\n");
    for cus in [0, 23, 26] {
        let error = Machine::parse(&places(cus)).unwrap_err().to_string();
        assert!(error.contains("line 10") && error.contains(&format!("shape.cus = {cus}")), "{error}");
    }
}

#[test]
fn figures_that_do_not_fit_each_other_are_refused() {
    let refused = |section: &str, figures: &str, parts: &[&str]| {
        let error = Machine::parse(&format!("{SMALL}\n[{section}]\n{figures}")).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    };
    let one = |name: &str, value: u64| format!("{name} = {{ value = {value}, source = \"assumed\" }}\n");
    refused(
        "shape",
        &(one("wgps_per_array", 32) + &one("cus", 128) + &one("simds_per_cu", 4)),
        &["line 11", "shape.cus = 128", "511 SIMDs"],
    );
    refused("shape", &one("simds_per_cu", 1), &["line 10", "must have 4 SIMDs"]);
    refused("shape", &one("shader_engines", 2), &["l1.instances = 2", "must be 4"]);
    refused("lds", &one("arrays", 1), &["lds.bytes = 131072", "65536"]);
    let error = Machine::parse(&SMALL.replace("base", "isa = \"gfx1100\"\nbase")).unwrap_err().to_string();
    assert!(error.contains("line 4") && error.contains("gfx1100") && error.contains("gfx1010"), "{error}");
}

#[test]
fn no_text_panics() {
    let text = include_str!("../../machines/rx5500xt.toml");
    for end in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
        let _ = Machine::parse(&text[..end]);
        let _ = Machine::parse(&text[end..]);
    }
}

#[test]
fn every_figure_says_where_it_is_from_and_what_it_means() {
    for name in Machine::names() {
        let machine = Machine::builtin(name).unwrap();
        for row in machine.rows() {
            let figure = format!("{name}: {}.{}", row.section, row.name);
            assert!(!row.note.is_empty(), "{figure} has no note");
            assert!(!row.about.is_empty() && !row.section_about.is_empty(), "{figure} has no documentation");
            assert!(row.section != "latency" || row.unit == "cycles", "{figure} has the unit `{}`", row.unit);
        }
    }
}
