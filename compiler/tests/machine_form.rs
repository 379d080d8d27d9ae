//! Machine code in blocks: what lowering to it makes of copies and constants, and its rules.

use wavepipe_compiler::back::machine::validate::validate;
use wavepipe_compiler::back::machine::{Machine, constant, lower};
use wavepipe_compiler::back::regalloc::Assignment;
use wavepipe_compiler::mir::{Arg, Bank, Func, Inst, Pseudo, Term};
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::row::Ty;
use wavepipe_isa::{Gen, Instr, Src, insts as i, reference};

/// Every permutation and duplication of five registers: executed in turn, each destination holds its source's value
/// from before, and SCC is never written.
#[test]
fn parallel_moves_in_turn() {
    type Numbered = fn(u32) -> Src;
    let swap = |bank: (Bank, Numbered)| Gen::ALL.map(|isa| (bank, isa));
    for ((file, bank), isa) in swap((Bank::S, Src::s)).into_iter().chain(swap((Bank::V, Src::v))) {
        for code in 0..5u32.pow(5) {
            let from: Vec<u32> = (0..5).map(|n| code / 5u32.pow(n) % 5).collect();
            let mut f = Func::new(isa, WaveSize::least(isa));
            let registers: Vec<Arg> = (0..5).map(|_| f.reg(file, 1).into()).collect();
            (0..5).for_each(|n| f.regs[n as usize].fixed = Some(bank(n)));
            let sources = from.iter().map(|&n| registers[n as usize]).collect();
            let block = f.block(0);
            f.order = vec![block];
            f.blocks[0].insts = vec![Inst::pseudo(Pseudo::Copy, registers, sources)];
            f.blocks[0].term = Term::End;
            let m = lower(&f, &Assignment::fixed(&f).unwrap(), 0).unwrap();
            let mut held: std::collections::HashMap<Src, u32> = (0..5).map(|n| (bank(n), 1 << n)).collect();
            for x in m.blocks[0].insts.iter().map(|placed| placed.instr) {
                assert!(x.defs(32).all(|d| d.reg != Src::SCC), "{:?}", x.op);
                if x.op == i::V_SWAP_B32 {
                    let (a, b) = (held[&x.dst[0]], held[&x.src[0]]);
                    held.insert(x.dst[0], b);
                    held.insert(x.src[0], a);
                } else if x.op == i::V_XOR_B32 {
                    held.insert(x.dst[0], held[&x.src[0]] ^ held[&x.src[1]]);
                } else {
                    held.insert(x.dst[0], held[&x.src[0]]);
                }
            }
            for (d, &s) in (0..).zip(&from) {
                assert_eq!(held[&bank(d)], 1 << s, "{from:?}");
            }
        }
    }
}

/// What an operand of each type reads is the number that was meant, or the compiler stops; what reads it is the plain
/// evaluator, which core's own test compares with its operations.
#[test]
fn constants_read_as_they_are_meant() {
    let edges = [0, 1, 64, 65, 0x3c00, 0x3f00, 0x7fff, 0x8000, 0xbc00, 0xffef, 0xfff0, 0xffff, 0x1_0000, 0x3118];
    let floats = [0x3f00_0000, 0x3f80_0000, 0xbf80_0000, 0x4080_0000, 0x3e22_f983, 0x3ff0_0000, 0x3c00_3c00];
    let high = [0x7fff_ffff, 0x8000_0000, 0xffff_0000, 0xffff_ffef, 0xffff_fff0, 0xffff_ffff];
    let all = edges.iter().chain(&floats).chain(&high).copied();
    for n in all {
        for ty in [Ty::B32, Ty::U32, Ty::I32, Ty::F32, Ty::Mix, Ty::PkF16, Ty::PkU16, Ty::Addr32] {
            let src = constant(n, ty, Gen::default()).unwrap();
            assert_eq!(reference::constant(src, ty, n), Some(n.into()), "{ty:?}");
        }
        for ty in [Ty::F16, Ty::U16, Ty::I16, Ty::B16] {
            let src = constant(n, ty, Gen::default()).unwrap();
            assert_eq!(reference::constant(src, ty, n).map(|v| v & 0xffff), Some(u64::from(n & 0xffff)), "{ty:?}");
        }
        for ty in [Ty::B64, Ty::U64, Ty::I64] {
            let wide = i64::from(n as i32);
            match constant(n, ty, Gen::default()) {
                Ok(src) => assert_eq!(reference::constant(src, ty, n), Some(wide as u64), "{ty:?}"),
                // A literal of most types has no sign.
                Err(_) => assert!(ty != Ty::I64 && wide < -16, "{ty:?} {n:#x}"),
            }
        }
        match constant(n, Ty::F64, Gen::default()) {
            Ok(src) if (240..=247).contains(&src.0) => {
                assert_eq!(reference::constant(src, Ty::F64, n), Some(f64::from(f32::from_bits(n)).to_bits()));
            }
            Ok(src) => assert_eq!(reference::constant(src, Ty::F64, n), Some(n.into())),
            Err(_) => assert!(n > 64, "{n:#x}"),
        }
    }
    // The one inline constant, as bits of 32, of twice 16 and of 64.
    assert_eq!(constant(0x3f80_0000, Ty::F32, Gen::default()), Ok(Src::ONE));
    assert_eq!(constant(0x3f80_0000, Ty::PkF16, Gen::default()), Ok(Src::LITERAL));
    assert_eq!(constant(0x3f80_0000, Ty::F64, Gen::default()), Ok(Src::ONE));
    assert!(constant(0x3f80_0001, Ty::F64, Gen::default()).is_err());
}

/// What the rules say of blocks of assembly.
fn said(text: &str) -> String {
    let m: Machine = format!("; wave32\n{text}").parse().unwrap_or_else(|e| panic!("{e}\n{text}"));
    validate(&m).err().unwrap_or_default()
}

#[test]
fn each_rule_is_held() {
    assert_eq!(said("b0:\n s_cmp_eq_u32 s0, 0\n s_cbranch_scc1 b1\nb1:\n s_endpgm"), "");
    for (text, wanted) in [
        ("b0:\n s_cbranch_scc1 b1\nb1:\n s_endpgm", "b0: branches on SCC that nothing set"),
        ("b0:\n s_addc_u32 s0, s0, 1\n s_endpgm", "b0: reads SCC that nothing set: s_addc_u32 s0, s0, 1"),
        ("b0:\n s_mov_b32 s0, 0", "b0: falls off the end"),
        ("b0:\n s_endpgm\nb1:\n s_cbranch_vccz b0", "b1: falls off the end"),
        (
            "b0:\n s_add_u32 s0, s0, 16 ; constants\n s_endpgm",
            "b0: adds a distance to something else than the program counter: s_add_u32 s0, s0, 16",
        ),
    ] {
        assert_eq!(said(text), wanted, "{text}");
    }
}

#[test]
fn what_no_text_says_is_found_too() {
    let text = "; wave32\nb0:\n v_add_f32_e32 v0, v1, v2\n s_cbranch_vccz b1\nb1:\n s_endpgm";
    let good: Machine = text.parse().unwrap();
    assert_eq!(validate(&good), Ok(()));
    let broken = |harm: &dyn Fn(&mut Machine)| {
        let mut m = good.clone();
        harm(&mut m);
        validate(&m).err().unwrap_or_default()
    };
    let instr = |harm: &dyn Fn(&mut Instr)| broken(&|m: &mut Machine| harm(&mut m.blocks[0].insts[0].instr));
    for (found, wanted) in [
        (broken(&|m| m.order.push(0)), "b0 stands twice in the layout"),
        (broken(&|m| m.order.push(7)), "b7 is no block"),
        (broken(&|m| m.blocks[0].term = Term::Jump(7)), "b0: branches to b7, which is not in the layout"),
        (instr(&|x| *x = Instr::new(i::S_ENDPGM)), "b0: ends a block within it"),
        (instr(&|x| x.src[1] = Src::s(3)), "b0: v_add_f32: source 1 cannot be s3"),
        (instr(&|x| x.src[0] = Src::NONE), "b0: v_add_f32: source 0 cannot be -"),
    ] {
        assert!(found.starts_with(wanted), "`{found}`, not `{wanted}`");
    }
}
