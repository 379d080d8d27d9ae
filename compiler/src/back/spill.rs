//! Spilling: a register that found no place lives in memory, or in the lanes of a vector register.
//!
//! Every use of a spilled VGPR loads into a fresh register first, every definition stores afterwards, each lane to its
//! own slot of scratch memory. A spilled SGPR goes to a lane of a resident VGPR, by v_writelane and v_readlane, which
//! EXEC does not touch.

use super::regalloc::Spill;
use crate::mir::*;
use wavepipe_isa::instr::Flags;
use wavepipe_isa::insts as i;

/// Where spilled registers live, kept over the rounds of allocation.
#[derive(Default)]
pub struct Slots {
    /// Bytes of scratch a lane uses; begins behind the kernel's own.
    pub scratch_bytes: u32,
    pub spilled_sgprs: u32,
    pub spilled_vgprs: u32,
    /// Scalar and vector dwords that are live at once, at most, before anything was spilled.
    pub live: Option<[u32; 2]>,
    /// Resident VGPR for SGPRs, and lanes of it that are taken.
    pub lanes: Option<(Part, u32)>,
}

/// V# of the scratch ring and the wave's offset, if the launch provides them.
pub type Scratch = Option<(Part, Part)>;

/// Where a spilled register lives.
#[derive(Clone, Copy)]
enum Home {
    /// At an offset of each lane's scratch memory, by the ring's V# and the wave's offset.
    Scratch { rsrc: Part, wave: Part, at: u32 },
    /// In a VGPR's lanes from `first` on.
    Lanes { v: Part, first: u32 },
}

pub fn spill(f: &mut Func, what: &Spill, slots: &mut Slots, scratch: Scratch) -> Result<(), String> {
    let mut homes = vec![None; f.regs.len()];
    for &r in &what.regs {
        let info = f.regs[r as usize];
        if info.spill_temp || info.fixed.is_some() || info.resident {
            let bank = if info.bank == Bank::S { "scalar" } else { "vector" };
            return Err(format!("the kernel needs more {bank} registers than the machine has, spilling included"));
        }
        let dwords = u32::from(info.dwords);
        homes[r as usize] = Some(match info.bank {
            Bank::V => {
                let (rsrc, wave) = scratch.ok_or("the kernel needs more vector registers than there are")?;
                let at = slots.scratch_bytes;
                slots.scratch_bytes += dwords * 4;
                slots.spilled_vgprs += dwords;
                Home::Scratch { rsrc, wave, at }
            }
            Bank::S => {
                let (v, first) = match slots.lanes {
                    Some((v, n)) if n + dwords <= f.wave.lanes() => (v, n),
                    _ => {
                        let v = f.reg(Bank::V, 1);
                        f.regs[v.reg as usize].resident = true;
                        (v, 0)
                    }
                };
                slots.lanes = Some((v, first + dwords));
                slots.spilled_sgprs += dwords;
                Home::Lanes { v, first }
            }
        });
    }
    rewrite(f, &homes);
    Ok(())
}

/// Gives every instruction fresh registers for the spilled ones that it uses, loaded before it and stored after it.
fn rewrite(f: &mut Func, homes: &[Option<Home>]) {
    let home_of = |r: u32| homes.get(r as usize).copied().flatten();
    for b in f.order.clone() {
        let insts = std::mem::take(&mut f.blocks[b as usize].insts);
        let mut out = Vec::with_capacity(insts.len());
        for mut inst in insts {
            let mut spilled: Vec<u32> = inst.uses().chain(inst.defs()).map(|p| p.reg).collect();
            spilled.retain(|&r| home_of(r).is_some());
            spilled.sort_unstable();
            spilled.dedup();
            let begin = out.len();
            let mut stores = Vec::new();
            for r in spilled {
                let Some(home) = home_of(r) else { continue };
                let info = f.regs[r as usize];
                let fresh = f.reg(info.bank, info.dwords.into());
                f.regs[fresh.reg as usize].spill_temp = true;
                f.regs[fresh.reg as usize].align = info.align;
                let part = |sub| Part { reg: fresh.reg, sub, len: 1 };
                for sub in dwords(inst.uses().filter(|p| p.reg == r)) {
                    access(f, home, part(sub), true, &mut out);
                }
                for sub in dwords(inst.defs().filter(|p| p.reg == r)) {
                    access(f, home, part(sub), false, &mut stores);
                }
                for a in inst.src.iter_mut().chain(&mut inst.dst) {
                    if let Arg::Reg(p) = a
                        && p.reg == r
                    {
                        p.reg = fresh.reg;
                    }
                }
            }
            let loc = inst.loc;
            out.push(inst);
            out.append(&mut stores);
            for x in &mut out[begin..] {
                x.loc = loc;
            }
        }
        f.blocks[b as usize].insts = out;
    }
}

/// Moves one dword between `part` and its place in `home`.
fn access(f: &mut Func, home: Home, part: Part, load: bool, out: &mut Vec<Inst>) {
    match home {
        Home::Scratch { rsrc, wave, at } => {
            let (op, dst, data) = match load {
                true => (i::BUFFER_LOAD_DWORD, vec![Arg::from(part)], Arg::None),
                false => (i::BUFFER_STORE_DWORD, vec![], part.into()),
            };
            let mut x = Inst::isa(op, dst, vec![Arg::None, rsrc.into(), wave.into(), data]);
            let offset = at + u32::from(part.sub) * 4;
            if offset > 4095 {
                // Adding to the wave's offset would write SCC, so the address goes to a vector register.
                let v = f.reg(Bank::V, 1);
                f.regs[v.reg as usize].spill_temp = true;
                out.push(Inst::isa(i::V_MOV_B32, vec![v.into()], vec![Arg::Imm(offset)]));
                x.src[0] = v.into();
                x.flags = Flags::OFFEN;
            } else {
                x.imm = offset as i32;
            }
            out.push(x);
        }
        Home::Lanes { v, first } => {
            let lane = Arg::Imm(first + u32::from(part.sub));
            if load {
                out.push(Inst::isa(i::V_READLANE_B32, vec![part.into()], vec![v.into(), lane]));
            } else {
                let mut x = Inst::isa(i::V_WRITELANE_B32, vec![v.into()], vec![part.into(), lane]);
                x.tied = true;
                out.push(x);
            }
        }
    }
}

fn dwords(parts: impl Iterator<Item = Part>) -> Vec<u8> {
    let mut all: Vec<u8> = parts.flat_map(|p| p.sub..p.sub + p.len).collect();
    all.sort_unstable();
    all.dedup();
    all
}
