//! Every row of every generation is explained, its example runs or says why there is none, and its lanes are what the text computes.

use wavepipe_isa::alu::FpMode;
use wavepipe_isa::insts::Op;
use wavepipe_isa::row::{Sem, Ty};
use wavepipe_isa::{Gen, disasm, pseudo, reference};
use wavepipe_runtime::explain::{self, Example};
use wavepipe_runtime::hw::machine::Machine;

/// MODE of the example's wave.
const MODE: u32 = 0x1f0;

#[test]
fn every_row_is_explained() {
    let mut faults = Vec::new();
    for generation in Gen::ALL {
        let machine = Machine::open(generation.name()).ok().map(std::sync::Arc::new);
        let (mut ran, mut computed) = (0, 0);
        let mut without = Vec::new();
        for op in Op::of(generation) {
            let told = explain::explain(op, generation, machine.clone());
            assert_eq!(told.generation, generation);
            assert!(!told.words.is_empty() || !told.statements.is_empty(), "{op:?} does nothing");
            // Words, and not the table's own names of its fields.
            assert!(told.words.iter().all(|line| !line.contains(" { ")), "{op:?}: {:?}", told.words);
            assert!(!told.forms.is_empty() && !told.generations.is_empty(), "{op:?}");
            assert!(told.cost.is_some() == machine.is_some(), "{op:?}");
            for form in &told.forms {
                let mut covered = 0u128;
                for f in &form.fields {
                    assert!(f.high >= f.low && usize::from(f.high) < 32 * form.dwords.max(1), "{op:?} {form:?}");
                    covered |= ((1u128 << (f.high - f.low + 1)) - 1) << f.low;
                }
                assert!(covered.count_ones() >= 16, "{op:?} {form:?}");
            }
            assert_eq!(explain::find(told.mnemonic, generation), Some(op), "{}", told.mnemonic);
            match told.example {
                Ok(example) => {
                    ran += 1;
                    computed += usize::from(holds(op, &example));
                }
                Err(why) => without.push(format!("{}: {why}", told.mnemonic)),
            }
        }
        assert!(ran > 500, "{}: {ran}\n{}", generation.name(), without.join("\n"));
        assert!(computed > 150, "{}: {computed}", generation.name());
        let failed = |why: &String| why.contains("faults: ") || why.contains("line ") || why.contains("never ends");
        faults.extend(without.into_iter().filter(failed).map(|why| format!("{}: {why}", generation.name())));
    }
    // What is meant to run does not fault.
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Whether the example can be computed by the text; then each of its lanes is.
fn holds(op: Op, example: &Example) -> bool {
    let row = op.row();
    let [dst] = row.dst else { return false };
    let dwords = dst.dwords(32);
    let plain = [Ty::B32, Ty::U32, Ty::I32, Ty::F32, Ty::B64, Ty::U64, Ty::I64, Ty::F64];
    let read = row.src.iter().all(|ty| plain.contains(ty) || *ty == Ty::Old);
    if !matches!(row.sem, Sem::Lane | Sem::Wide) || !plain.contains(dst) || !read || row.src.len() > 3 {
        return false;
    }
    let name = disasm::register_name(example.instr.dst[0], dwords);
    let Some(after) = example.after.iter().find(|s| s.name == name) else { return false };
    for (lane, got) in after.values.iter().enumerate() {
        let mut s = [0; 3];
        for (i, ty) in row.src.iter().enumerate() {
            let ty = if *ty == Ty::Old { *dst } else { *ty };
            let src = example.instr.src[i];
            let name = disasm::register_name(src, ty.dwords(32));
            s[i] = match example.before.iter().find(|s| s.name == name) {
                Some(shown) => joined(&shown.values[lane.min(shown.values.len() - 1)]),
                None => reference::constant(src, ty, example.instr.literal).expect("a register or a constant"),
            };
        }
        let (value, _) = pseudo::evaluate(op, s, false, FpMode::from_bits(MODE)).expect("a body");
        let value = if dwords == 1 { value & 0xffff_ffff } else { value };
        assert_eq!(joined(got), value, "{op:?} lane {lane}: {s:x?}");
    }
    true
}

fn joined(dwords: &[u32]) -> u64 {
    u64::from(dwords[0]) | u64::from(dwords.get(1).copied().unwrap_or(0)) << 32
}

#[test]
fn names_are_found_and_neighbours_named() {
    let gpu = Gen::Gfx1010;
    assert_eq!(explain::find("V_MUL_LO_U32", gpu), explain::find("v_mul_lo_u32_e64", gpu));
    assert!(explain::find("v_mul_lo_u32", gpu).is_some());
    assert_eq!(explain::find("v_mul_low_u32", gpu), None);
    assert_eq!(explain::nearest("v_mul_low_u32", gpu)[0], "v_mul_lo_u32");
    let all: usize = explain::groups(gpu).iter().map(|(_, names)| names.len()).sum();
    assert_eq!(all, Op::of(gpu).count());
}
