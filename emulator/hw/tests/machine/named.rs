//! What is meant by a name.

use wavepipe_hw::machine::*;
use wavepipe_isa::Gen;

/// One place decides which machine stands for a generation: the order of the list.
#[test]
fn a_generation_is_the_first_machine_that_has_it() {
    for machine in Machine::all() {
        assert_eq!(Machine::open(&machine.name).unwrap(), machine);
        let stands = Machine::open(machine.generation().name()).unwrap();
        let first = Machine::all().find(|m| m.generation() == machine.generation()).unwrap();
        assert_eq!(stands.generation(), machine.generation());
        // Unless another is exactly that.
        assert!(stands == first || stands.isa == machine.generation().name(), "{}", stands.name);
    }
    let named = |name: &str| Machine::open(name).unwrap().name;
    for (generation, machine) in [("gfx1010", "rx5700xt"), ("gfx1012", "rx5500xt"), ("gfx1030", "rx6900xt")] {
        assert_eq!(named(generation), machine);
    }
}

#[test]
fn what_is_not_known_is_told_with_what_is() {
    let says = |name: &str| Machine::open(name).unwrap_err().to_string();
    for (name, near) in
        [("rx5700", "rx5700xt"), ("RX 5500 XT", "rx5500xt"), ("rx57", "rx5700xt"), ("gfx1011", "gfx1010")]
    {
        let text = says(name);
        assert!(text.contains(&format!("`{name}`")) && text.contains(&format!("mean {near}?")), "{text}");
        assert!(Machine::names().all(|known| text.contains(known)) && text.contains("FILE.toml"), "{text}");
    }
    assert!(!says("geforce").contains("mean"), "{}", says("geforce"));
    let text = says("gfx1201");
    assert!(text.starts_with("no machine executes gfx1201 yet; the assembler knows it"), "{text}");
}

#[test]
fn names_of_generations_are_more() {
    assert_eq!(generation("gfx1201"), Ok(Gen::Gfx1201));
    assert_eq!(generation("rx5500xt"), Ok(Gen::Gfx1010));
    let text = generation("gfx906").unwrap_err().to_string();
    assert!(text.contains("mean gfx900?") && Gen::ALL.iter().all(|g| text.contains(g.name())), "{text}");
}
