//! The engine by way of Cranelift.

use crate::step::step_of;
use wavepipe_core::wave::{Act, End, Node, Region, Way, What};
use wavepipe_isa::insts::Op;
use wavepipe_jit::tested::clif_takes;
use wavepipe_jit::{HostIsa, engine_for};

/// All that has a plan, in one function each.
#[test]
fn what_is_taken_compiles() {
    let Some(engine) = engine_for(HostIsa::Neon, 1, &[]) else {
        assert!(std::env::var_os("CI").is_none(), "this host has not what the engine takes");
        return println!("SKIP neon");
    };
    for halves in [1, 2] {
        let taken = Op::all().filter(|&op| {
            let step = step_of(op);
            if !clif_takes(&step, halves) {
                return false;
            }
            let act = Act { operation: 0, done: 1, what: What::Step(step) };
            let node = Node { pc: 0, acts: vec![act], count: 1, end: End::Go(Way::Out(4)) };
            let region = Region { halves, nodes: vec![node], entry: 0, slots: 0 };
            assert!(engine.compile(&region).is_ok(), "{}", op.row().name);
            true
        });
        let taken = taken.count();
        assert!(taken > 500, "too little is taken: {taken}");
    }
}
