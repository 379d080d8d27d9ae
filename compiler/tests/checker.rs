//! The checker of register allocations: planted mistakes that it must find.

use wavepipe_compiler::back::calls::Convention;
use wavepipe_compiler::back::checker::{Allocated, Location, Mismatch, check};
use wavepipe_compiler::back::coalesce::coalesce;
use wavepipe_compiler::back::liveness::Liveness;
use wavepipe_compiler::back::regalloc::{self, Assignment, Room};
use wavepipe_compiler::back::spill::{Scratch, Slots};
use wavepipe_compiler::inspect::{Checks, Inspector};
use wavepipe_compiler::mir::{Arg, Bank, Cond, Func, Inst, Part, Pseudo, Term};
use wavepipe_compiler::pipeline::allocate;
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::{Src, insts as i};

const RING: u32 = 0;
const WAVE: u32 = 1;

/// Sums `n` values of a bank that all live at once, around a loop: twice read after it began, once written in it.
fn sum(wave: WaveSize, bank: Bank, n: u32) -> Func {
    let mut f = Func::new(Default::default(), wave);
    let ring = f.reg(Bank::S, 4);
    let offset = f.reg(Bank::S, 1);
    f.regs[ring.reg as usize].fixed = Some(Src::s(0));
    f.regs[offset.reg as usize].fixed = Some(Src::s(4));
    assert_eq!((ring.reg, offset.reg), (RING, WAVE));
    let (mov, add) = if bank == Bank::S { (i::S_MOV_B32, i::S_ADD_U32) } else { (i::V_MOV_B32, i::V_ADD_NC_U32) };
    let values: Vec<Part> = (0..n).map(|_| f.reg(bank, 1)).collect();
    let total = f.reg(bank, 1);
    let next = f.reg(bank, 1);
    let (entry, body, exit) = (f.block(0), f.block(1), f.block(0));
    f.order = vec![entry, body, exit];
    let start = Inst::pseudo(Pseudo::Start, vec![ring.into(), offset.into()], vec![]);
    f.blocks[entry as usize].insts.push(start);
    let both = [(total, 7)].into_iter().chain(values.iter().copied().zip(100..));
    for (v, k) in both {
        f.blocks[entry as usize].insts.push(Inst::isa(mov, vec![v.into()], vec![Arg::Imm(k)]));
    }
    let block = &mut f.blocks[body as usize].insts;
    for v in &values {
        block.push(Inst::isa(add, vec![next.into()], vec![total.into(), (*v).into()]));
        block.push(Inst::pseudo(Pseudo::Copy, vec![total.into()], vec![next.into()]));
    }
    // The first two values are exchanged in each round.
    let pair = vec![values[0].into(), values[1].into()];
    block.push(Inst::pseudo(Pseudo::Copy, pair.clone(), pair.into_iter().rev().collect()));
    f.blocks[body as usize].term = Term::Branch { cond: Cond::Vccnz, target: body };
    let keep = values.iter().chain([&total]).map(|&v| v.into()).collect();
    for v in &values {
        let again = Inst::isa(add, vec![total.into()], vec![total.into(), (*v).into()]);
        f.blocks[exit as usize].insts.push(again);
    }
    if n < 16 {
        f.blocks[exit as usize].insts.push(Inst::pseudo(Pseudo::Keep, vec![], keep));
    }
    f.blocks[exit as usize].term = Term::End;
    f.blocks[entry as usize].logical = vec![body];
    f.blocks[body as usize].logical = vec![body, exit];
    f
}

struct Case {
    before: Func,
    after: Func,
    assignment: Assignment,
    slots: Slots,
}

const LIMIT: u32 = 32;
const OWN: u32 = 4080;

fn case(wave: WaveSize, bank: Bank, n: u32) -> Case {
    let before = sum(wave, bank, n);
    let mut after = before.clone();
    let mut slots = Slots { scratch_bytes: OWN, ..Default::default() };
    let assignment =
        allocate(&mut after, &limits(), &mut slots, scratch(&before), &mut Inspector::new(Checks::On, None)).unwrap();
    Case { before, after, assignment, slots }
}

fn limits() -> Room<'static> {
    static NO_CALLS: Convention = Convention { sgprs: 0, vgprs: 0, window: 0 };
    Room { vgprs: LIMIT, convention: &NO_CALLS, functions: &[] }
}

fn scratch(f: &Func) -> Scratch {
    let whole = |r: u32| Part { reg: r, sub: 0, len: f.regs[r as usize].dwords };
    Some((whole(RING), whole(WAVE)))
}

impl Case {
    fn check(&self) -> Result<(), Mismatch> {
        let after = Allocated {
            func: &self.after,
            assignment: &self.assignment,
            scratch: scratch(&self.before),
            scratch_bytes: (OWN, self.slots.scratch_bytes),
            room: &limits(),
        };
        check(&self.before, &after)
    }

    /// Block and index of the instructions that `wanted` picks.
    fn find(&self, wanted: impl Fn(&Inst) -> bool) -> Vec<(usize, usize)> {
        let blocks = self.after.blocks.iter().enumerate();
        blocks
            .flat_map(|(b, block)| (0..block.insts.len()).map(move |n| (b, n)))
            .filter(|&(b, n)| wanted(&self.after.blocks[b].insts[n]))
            .collect()
    }
}

const WAVES: [WaveSize; 2] = [WaveSize::W32, WaveSize::W64];
const BANKS: [Bank; 2] = [Bank::S, Bank::V];

#[test]
fn accepts_allocations() {
    for wave in WAVES {
        for (bank, n) in [(Bank::S, 8), (Bank::S, 200), (Bank::V, 8), (Bank::V, 300)] {
            let c = case(wave, bank, n);
            c.check().unwrap_or_else(|e| panic!("{wave:?} {bank:?} {n}: {e}\n{}", c.after));
            let spilled = if bank == Bank::S { c.slots.spilled_sgprs } else { c.slots.spilled_vgprs };
            assert_eq!(spilled > 0, n > 100, "{wave:?} {bank:?} {n}");
        }
    }
}

#[test]
fn finds_two_registers_exchanged() {
    for (wave, bank) in WAVES.into_iter().flat_map(|w| BANKS.map(|b| (w, b))) {
        let mut c = case(wave, bank, 8);
        c.assignment.base.swap(5, 2);
        c.check().unwrap_or_else(|e| panic!("a renaming is right: {e}"));
        c.assignment.base[5] = c.assignment.base[6];
        let e = c.check().unwrap_err();
        assert!(e.to_string().contains("expected %"), "{e}");
        assert!(e.place.is_some());
        // One use alone reads another register than the definitions wrote.
        let mut c = case(wave, bank, 8);
        let r = c.after.reg(bank, 1).reg;
        c.after.regs[r as usize].spill_temp = true;
        let other = c.assignment.number(5);
        c.assignment.base.push(other);
        let (b, n) = c.find(|i| i.src.get(1).and_then(|a| a.part()).is_some_and(|p| p.reg == 6))[0];
        c.after.blocks[b].insts[n].src[1] = Part { reg: r, sub: 0, len: 1 }.into();
        let e = c.check().unwrap_err();
        assert_eq!((e.expected.as_str(), e.block as usize), (if bank == Bank::S { "%s6[0]" } else { "%v6[0]" }, b));
        let named = format!(": {}{other}: expected %", if bank == Bank::S { "s" } else { "v" });
        assert!(e.to_string().contains(&named), "{e}: not {named}");
    }
    let places = [Location::Sgpr(106), Location::Sgpr(107), Location::Lane(3, 5), Location::Scratch(8)];
    assert_eq!(places.map(|p| p.to_string()), ["vcc_lo", "vcc_hi", "lane 5 of v3", "scratch byte 8"]);
}

/// An operand that has the value in its first dword, and a dword more than the instruction reads.
#[test]
fn finds_an_operand_of_another_width() {
    let mut c = case(WaveSize::W32, Bank::V, 8);
    let r = c.after.reg(Bank::V, 2).reg;
    c.after.regs[r as usize].spill_temp = true;
    c.assignment.base.push(c.assignment.number(6));
    let (b, n) = c.find(|i| i.src.get(1).and_then(|a| a.part()).is_some_and(|p| p.reg == 6))[0];
    c.after.blocks[b].insts[n].src[1] = Part { reg: r, sub: 0, len: 2 }.into();
    let e = c.check().unwrap_err();
    assert_eq!((e.block as usize, e.found.as_str()), (b, "the end of the block"), "{e}");
}

#[test]
fn finds_every_dropped_reload_and_store() {
    for (bank, ops) in
        [(Bank::S, [i::V_READLANE_B32, i::V_WRITELANE_B32]), (Bank::V, [i::BUFFER_LOAD_DWORD, i::BUFFER_STORE_DWORD])]
    {
        let values = if bank == Bank::S { 130 } else { 60 };
        for op in ops {
            let c = case(WaveSize::W32, bank, values);
            let all = c.find(|i| i.op() == Some(op));
            assert!(all.len() > 10);
            for (b, n) in all.into_iter().step_by(5) {
                let mut c = case(WaveSize::W32, bank, values);
                c.after.blocks[b].insts.remove(n);
                assert!(c.check().is_err(), "{op:?} of b{b} number {n}\n{}", c.after);
            }
        }
    }
}

#[test]
fn finds_a_wrong_slot_and_a_wrong_lane() {
    let mut c = case(WaveSize::W32, Bank::V, 60);
    let (b, n) = c.find(|i| i.op() == Some(i::BUFFER_LOAD_DWORD) && i.src[0] == Arg::None)[0];
    c.after.blocks[b].insts[n].imm ^= 4;
    assert!(c.check().is_err());
    let mut c = case(WaveSize::W32, Bank::V, 60);
    let (b, n) = c.find(|i| i.op() == Some(i::BUFFER_STORE_DWORD) && i.src[0] == Arg::None)[0];
    c.after.blocks[b].insts[n].imm = 0;
    assert!(c.check().unwrap_err().expected.contains("scratch bytes"));
    let mut c = case(WaveSize::W32, Bank::S, 130);
    let (b, n) = c.find(|i| i.op() == Some(i::V_READLANE_B32))[0];
    let Arg::Imm(lane) = &mut c.after.blocks[b].insts[n].src[1] else { panic!() };
    *lane ^= 1;
    assert!(c.check().is_err());
}

#[test]
fn finds_what_only_a_loop_shows() {
    // A value is read in the loop, and overwritten behind the read: the first round is right, the second is not.
    let mut c = case(WaveSize::W32, Bank::V, 8);
    let mut before = c.before.clone();
    let t = before.reg(Bank::V, 1);
    let extra = Inst::isa(i::V_MOV_B32, vec![t.into()], vec![Arg::Imm(1)]);
    before.blocks[1].insts.push(extra.clone());
    c.before = before.clone();
    c.after.regs = before.regs;
    c.after.blocks[1].insts.push(extra);
    c.assignment.base.push(c.assignment.number(6));
    let e = c.check().unwrap_err();
    assert_eq!(e.block, 1, "{e}");
}

#[test]
fn finds_a_write_to_a_resident_register() {
    let mut c = case(WaveSize::W32, Bank::V, 8);
    c.before.regs[5].resident = true;
    c.after.regs[5].resident = true;
    c.check().unwrap();
    c.assignment.base[6] = c.assignment.base[5];
    assert!(c.check().unwrap_err().expected.contains("resident"));
}

#[test]
fn a_value_undefined_on_one_path_is_no_error() {
    let mut c = case(WaveSize::W32, Bank::V, 8);
    // `next` of the first round is undefined where it is read.
    let next = Part { reg: 11, sub: 0, len: 1 };
    for f in [&mut c.before, &mut c.after] {
        f.blocks[1].insts.insert(0, Inst::pseudo(Pseudo::Keep, vec![], vec![next.into()]));
    }
    c.assignment.base[11] = 31;
    c.check().unwrap();
}

/// What does not fit is named at once: a round of allocation for each register would make compiling quadratic.
#[test]
fn one_pass_names_all_to_spill() {
    for (bank, room) in [(Bank::S, 106), (Bank::V, LIMIT)] {
        let f = sum(WaveSize::W32, bank, 300);
        let live = Liveness::new(&f);
        let spill = regalloc::allocate(&f, &live, &coalesce(&f, &live), &limits()).err().unwrap();
        assert!(spill.regs.len() >= 300 - room as usize, "{bank:?}: {}", spill.regs.len());
    }
}
