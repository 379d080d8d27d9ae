//! Calls: what the functions of a kernel agree on, and how their code comes together.
//!
//! The convention, for kernels that have functions (`select` numbers the registers once all functions are selected):
//! - The launch's registers, the V# of the scratch ring and the frame pointer stay where they are in the whole kernel:
//!   everybody reads them in place, nobody else gets their registers. Behind them stand return address, target and scalar
//!   parameters; vector parameters and results stand behind the work-item ids.
//! - A function is allocated after those that it calls. A call writes what the callee and its callees write, and VCC; a
//!   value that lives across stands elsewhere or is spilled.
//! - The callee writes the lanes of EXEC alone, and EXEC is at its end what it was at its start. Registers that are written
//!   beyond EXEC are `resident`: they stand in a window at the top of the VGPRs, and who is called saves what it uses of
//!   the window in all lanes.
//! - Private memory: the frame pointer is a scalar offset into the ring. The caller moves it over its own frame and back.
//! - Nothing recurs, so the deepest chain of frames is known.

use super::machine::{Link, Machine, Placed, scalar};
use super::regalloc::Assignment;
use super::spill::Scratch;
use crate::ir::Loc;
use crate::mir::*;
use wavepipe_isa::instr::Instr;
use wavepipe_isa::insts as i;
use wavepipe_isa::{Op, Src};

/// Registers that are not everybody's.
#[derive(Clone, Debug, Default)]
pub struct Convention {
    /// SGPRs and VGPRs below belong to the launch and to calls.
    pub sgprs: u32,
    pub vgprs: u32,
    /// VGPRs at the top of the file for `resident` registers.
    pub window: u32,
}

/// Machine registers that a function, with what it calls, may write.
#[derive(Clone, Copy, Debug)]
pub struct Clobbers {
    sgprs: u128,
    vgprs: [u128; 2],
}

impl Default for Clobbers {
    /// What every call writes.
    fn default() -> Clobbers {
        Clobbers { sgprs: 3 << Src::VCC_LO.0, vgprs: [0; 2] }
    }
}

impl Clobbers {
    pub fn has(&self, bank: Bank, n: u32) -> bool {
        match bank {
            Bank::S => self.sgprs >> n & 1 != 0,
            Bank::V => self.vgprs[n as usize / 128] >> (n % 128) & 1 != 0,
        }
    }

    fn add(&mut self, bank: Bank, n: u32) {
        match bank {
            Bank::S => self.sgprs |= 1 << n,
            Bank::V => self.vgprs[n as usize / 128] |= 1 << (n % 128),
        }
    }

    /// What `f` writes, given what each function of the kernel does. Launch registers are written by nobody, and what is
    /// resident is given back as it was.
    pub fn of(f: &Func, a: &Assignment, functions: &[Clobbers]) -> Clobbers {
        let mut all = Clobbers::default();
        for inst in f.insts() {
            for p in inst.defs().filter(|p| !f.info(*p).resident && !inst.is_pseudo(Pseudo::Start)) {
                let first = a.number(p.reg) + u32::from(p.sub);
                (first..first + u32::from(p.len)).for_each(|n| all.add(f.info(p).bank, n));
            }
            if inst.is_pseudo(Pseudo::Call)
                && let Some(c) = functions.get(inst.imm as usize)
            {
                all.sgprs |= c.sgprs;
                all.vgprs.iter_mut().zip(c.vgprs).for_each(|(a, b)| *a |= b);
            }
        }
        all
    }
}

/// The code of a call in a function whose frame has `frame` bytes for the whole wave.
pub(super) fn call(f: &Func, a: &Assignment, inst: &Inst, frame: u32, push: &mut impl FnMut(Instr, Link)) {
    let part = |args: &[Arg], n: usize| args.get(n).and_then(|d| d.part()).map(|p| a.src(f, p));
    let (Some(back), Some(lo), Some(pointer)) = (part(&inst.dst, 0), part(&inst.dst, 1), part(&inst.src, 0)) else {
        return;
    };
    let hi = Src(lo.0 + 1);
    let with = |op: Op, dst: Src, src: Src, literal: u32| {
        let mut x = scalar(op, dst, &[src, Src::LITERAL]);
        x.literal = literal;
        x
    };
    if frame > 0 {
        push(with(i::S_ADD_U32, pointer, pointer, frame), Link::None);
    }
    push(scalar(i::S_GETPC_B64, lo, &[]), Link::None);
    push(with(i::S_ADD_U32, lo, lo, 0), Link::Function(inst.imm as u32));
    push(scalar(i::S_ADDC_U32, hi, &[hi, Src::ZERO]), Link::None);
    push(scalar(i::S_SWAPPC_B64, back, &[lo]), Link::None);
    if frame > 0 {
        push(with(i::S_SUB_U32, pointer, pointer, frame), Link::None);
    }
}

/// VGPRs of the window that a function uses.
pub fn residents(f: &Func, a: &Assignment) -> Vec<u32> {
    let parts = f.insts().flat_map(|i| i.uses().chain(i.defs())).filter(|p| f.info(*p).resident);
    let mut all: Vec<u32> = parts.filter(|p| f.info(*p).bank == Bank::V).flat_map(|p| dwords(f, a, p)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn dwords(f: &Func, a: &Assignment, p: Part) -> std::ops::Range<u32> {
    let first = a.number(p.reg);
    first..first + u32::from(f.info(p).dwords)
}

/// Saves `registers` in all lanes where the function begins, at byte `at` of its frame on, and gives them back before it
/// returns. VCC is nobody's there.
pub fn preserve(m: &mut Machine, f: &Func, a: &Assignment, scratch: Scratch, registers: &[u32], at: u32) {
    let (Some((ring, frame)), Some(&first)) = (scratch, m.order.first()) else { return };
    if registers.is_empty() {
        return;
    }
    let (ring, frame) = (a.src(f, ring), a.src(f, frame));
    for b in m.order.clone() {
        let insts = &mut m.blocks[b as usize].insts;
        let loc = insts.first().map_or(Loc::default(), |p| p.loc);
        let code = |load| whole_wave(m.lanes, ring, frame, registers, at, load, loc);
        if b == first {
            insts.splice(0..0, code(false));
        }
        if m.blocks[b as usize].term == Term::Return {
            let insts = &mut m.blocks[b as usize].insts;
            let end = insts.len().saturating_sub(1);
            insts.splice(end..end, code(true));
        }
    }
}

fn whole_wave(lanes: u32, ring: Src, frame: Src, registers: &[u32], at: u32, load: bool, loc: Loc) -> Vec<Placed> {
    let mut out = Vec::new();
    let mut push = |mut instr: Instr| {
        instr.imply();
        out.push(Placed { instr, loc, link: Link::None });
    };
    let (mov, vcc) = (if lanes == 64 { i::S_MOV_B64 } else { i::S_MOV_B32 }, Src::VCC_LO);
    push(scalar(mov, vcc, &[Src::EXEC_LO]));
    push(scalar(mov, Src::EXEC_LO, &[Src::inline(u32::MAX).unwrap_or(Src::ZERO)]));
    for (n, &v) in registers.iter().enumerate() {
        let offset = at + 4 * n as u32;
        let far = offset > 4095;
        if far {
            // The ring is interleaved by dword, so a dword of each lane is as many bytes as the wave has lanes times four.
            let mut x = scalar(i::S_ADD_U32, Src::M0, &[frame, Src::LITERAL]);
            x.literal = offset * lanes;
            push(x);
        }
        let mut x = Instr::new(if load { i::BUFFER_LOAD_DWORD } else { i::BUFFER_STORE_DWORD });
        x.src[1] = ring;
        x.src[2] = if far { Src::M0 } else { frame };
        x.imm = if far { 0 } else { offset as i32 };
        match load {
            true => x.dst[0] = Src::v(v),
            false => x.src[3] = Src::v(v),
        }
        push(x);
    }
    push(scalar(mov, Src::EXEC_LO, &[vcc]));
    out
}

/// One text of the kernel's code and that of its functions, which stand behind it in order.
pub fn join(mut kernel: Machine, functions: Vec<Machine>) -> Machine {
    for f in functions {
        let base = kernel.blocks.len() as BlockId;
        kernel.functions.push(base + f.order.first().copied().unwrap_or(0));
        kernel.order.extend(f.order.iter().map(|b| b + base));
        kernel.blocks.extend(f.blocks.into_iter().map(|mut body| {
            if let Term::Jump(t) | Term::Branch { target: t, .. } = &mut body.term {
                *t += base;
            }
            body
        }));
    }
    kernel
}
