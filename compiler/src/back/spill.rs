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
    /// Resident VGPR for SGPRs, and lanes of it that are taken.
    pub lanes: Option<(Part, u32)>,
}

/// V# of the scratch ring and the wave's offset, if the launch provides them.
pub type Scratch = Option<(Part, Part)>;

pub fn spill(f: &mut Func, what: &Spill, slots: &mut Slots, scratch: Scratch) -> Result<(), String> {
    let info: Vec<RegInfo> = what.regs.iter().map(|&r| f.regs[r as usize]).collect();
    if info.iter().any(|r| r.spill_temp || r.fixed.is_some() || r.resident) {
        return Err("the kernel needs more registers than the machine has, spilling included".into());
    }
    for &r in &what.regs {
        let dwords = u32::from(f.regs[r as usize].dwords);
        match what.bank {
            Bank::V => {
                let Some((rsrc, wave)) = scratch else {
                    return Err("the kernel needs more vector registers than there are".into());
                };
                let at = slots.scratch_bytes;
                slots.scratch_bytes += dwords * 4;
                slots.spilled_vgprs += dwords;
                rewrite(f, r, |f, part, load, out| {
                    for n in 0..u32::from(part.len) {
                        let (op, dst, data) = match load {
                            true => (i::BUFFER_LOAD_DWORD, vec![Arg::from(part.at(n))], Arg::None),
                            false => (i::BUFFER_STORE_DWORD, vec![], part.at(n).into()),
                        };
                        let mut x = Inst::isa(op, dst, vec![Arg::None, rsrc.into(), wave.into(), data]);
                        let offset = at + (u32::from(part.sub) + n) * 4;
                        if offset > 4095 {
                            let s = f.reg(Bank::S, 1);
                            f.regs[s.reg as usize].spill_temp = true;
                            // s_mul-free and SCC-free: the wave's offset cannot be added without SCC, so the address
                            // goes to a vector register.
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
                });
            }
            Bank::S => {
                let need = dwords;
                let (v, first) = match slots.lanes {
                    Some((v, n)) if n + need <= f.wave.lanes() => (v, n),
                    _ => {
                        let v = f.reg(Bank::V, 1);
                        f.regs[v.reg as usize].resident = true;
                        (v, 0)
                    }
                };
                slots.lanes = Some((v, first + need));
                slots.spilled_sgprs += dwords;
                rewrite(f, r, |_, part, load, out| {
                    for n in 0..u32::from(part.len) {
                        let lane = Arg::Imm(first + u32::from(part.sub) + n);
                        if load {
                            out.push(Inst::isa(i::V_READLANE_B32, vec![part.at(n).into()], vec![v.into(), lane]));
                        } else {
                            let mut x = Inst::isa(i::V_WRITELANE_B32, vec![v.into()], vec![part.at(n).into(), lane]);
                            x.tied = true;
                            out.push(x);
                        }
                    }
                });
            }
        }
    }
    Ok(())
}

/// Replaces `r` in every instruction by a fresh register, with `access(…, load, …)` code around.
fn rewrite(f: &mut Func, r: u32, mut access: impl FnMut(&mut Func, Part, bool, &mut Vec<Inst>)) {
    let info = f.regs[r as usize];
    for b in f.order.clone() {
        let insts = std::mem::take(&mut f.blocks[b as usize].insts);
        let mut out = Vec::with_capacity(insts.len());
        for mut inst in insts {
            let used: Vec<Part> = inst.uses().filter(|p| p.reg == r).collect();
            let defined: Vec<Part> = inst.defs().filter(|p| p.reg == r).collect();
            if used.is_empty() && defined.is_empty() {
                out.push(inst);
                continue;
            }
            let fresh = f.reg(info.bank, info.dwords.into());
            f.regs[fresh.reg as usize].spill_temp = true;
            f.regs[fresh.reg as usize].align = info.align;
            let (loc, mut around) = (inst.loc, Vec::new());
            for p in dwords(&used) {
                access(f, Part { reg: fresh.reg, sub: p, len: 1 }, true, &mut around);
            }
            for a in inst.src.iter_mut().chain(&mut inst.dst) {
                if let Arg::Reg(p) = a
                    && p.reg == r
                {
                    p.reg = fresh.reg;
                }
            }
            around.push(inst);
            for p in dwords(&defined) {
                access(f, Part { reg: fresh.reg, sub: p, len: 1 }, false, &mut around);
            }
            for x in &mut around {
                x.loc = loc;
            }
            out.extend(around);
        }
        f.blocks[b as usize].insts = out;
    }
}

fn dwords(parts: &[Part]) -> Vec<u8> {
    let mut all: Vec<u8> = parts.iter().flat_map(|p| p.sub..p.sub + p.len).collect();
    all.sort_unstable();
    all.dedup();
    all
}
