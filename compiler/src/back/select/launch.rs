//! Launch state: user and system SGPRs, work-item ids, and the builtins and descriptors that come from them.
//!
//! Every argument is asked for on first use and gets a fixed virtual register; the first instruction of the kernel,
//! `p_Start`, defines those that were. Which they are is known only at the end, so the registers' places are, too.

use super::*;
use crate::ir::Builtin;
use std::collections::BTreeMap;
use wavepipe_hw::code::SystemSgprs;
use wavepipe_hw::descriptor::BufferDescriptor;
use wavepipe_hw::launch::{BindingKind, COMBINED_SAMPLER_OFFSET, MAX_USER_SGPRS, Place, UserData, tg_size_wave};

/// Dwords of descriptors that are read once, in the prologue.
const MAX_HOISTED: u32 = 56;

/// What the code object must say of the launch.
#[derive(Clone, Debug, Default)]
pub struct LaunchInfo {
    pub user_data: Vec<UserData>,
    pub system: SystemSgprs,
    pub tidig_comp_cnt: u32,
    /// SGPRs that the launch fills.
    pub sgprs: u32,
    /// The scratch ring's V# and this wave's offset into it.
    pub scratch: Option<(Part, Part)>,
}

/// An SGPR argument; the order is the hardware's: user data, then system values. Addresses, at even SGPRs, stand before
/// the three counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Argument {
    Set(u32),
    SetTable,
    Push,
    ScratchRing,
    NumWorkGroups,
    TgId(u8),
    TgSize,
    ScratchWaveOffset,
}

impl Argument {
    fn user(self) -> Option<UserData> {
        Some(match self {
            Argument::Set(n) => UserData::DescriptorSet(n),
            Argument::SetTable => UserData::SetTable,
            Argument::Push => UserData::PushConstants,
            Argument::NumWorkGroups => UserData::NumWorkGroups,
            Argument::ScratchRing => UserData::ScratchRing,
            Argument::TgId(_) | Argument::TgSize | Argument::ScratchWaveOffset => return None,
        })
    }

    fn dwords(self) -> u32 {
        self.user().map_or(1, UserData::dwords)
    }
}

#[derive(Default)]
pub(super) struct Launch {
    pub(super) arguments: BTreeMap<Argument, Part>,
    pub(super) ids: [Option<Part>; 3],
    /// What else stands in its registers at the start: a function's.
    pub(super) defs: Vec<Arg>,
    /// V#s, T#s and S#s read once, at the start of the kernel: by set, binding and byte offset from the set's or the push
    /// constants' address.
    descriptors: HashMap<(u32, u32, u32), Part>,
    hoisted: u32,
    scratch_ring: Option<Part>,
    /// V# of all memory.
    all_memory: Option<Part>,
    set_addresses: HashMap<u32, Part>,
    tables: bool,
}

impl Launch {
    /// The scratch ring's V# and this wave's offset, if somebody asked for them.
    pub(super) fn scratch(&self) -> Option<(Part, Part)> {
        self.scratch_ring.zip(self.arguments.get(&Argument::ScratchWaveOffset).copied())
    }
}

/// Gives every argument its register, and says what the code object must.
pub(super) fn places(
    arguments: impl Iterator<Item = Argument>,
    ids: [bool; 3],
) -> Result<(LaunchInfo, BTreeMap<Argument, u32>)> {
    let mut info = LaunchInfo::default();
    let mut places = BTreeMap::new();
    let mut next = 0;
    for a in arguments {
        places.insert(a, next);
        next += a.dwords();
        match a.user() {
            Some(u) => info.user_data.push(u),
            None => {
                let s = &mut info.system;
                let on = match a {
                    Argument::TgId(0) => &mut s.tgid_x,
                    Argument::TgId(1) => &mut s.tgid_y,
                    Argument::TgId(_) => &mut s.tgid_z,
                    Argument::TgSize => &mut s.tg_size,
                    _ => &mut s.scratch_wave_offset,
                };
                *on = true;
            }
        }
        if a.user().is_some() && next > MAX_USER_SGPRS {
            return Err(CompileError {
                kind: ErrorKind::Resource,
                site: None,
                message: format!("the kernel's arguments need more than {MAX_USER_SGPRS} user SGPRs"),
            });
        }
    }
    info.tidig_comp_cnt = ids.iter().rposition(|&id| id).unwrap_or(0) as u32;
    info.sgprs = next;
    Ok((info, places))
}

/// Fixes the registers of what `launch` asked for, and completes `p_Start`.
pub(super) fn fix(f: &mut Func, launch: &Launch, places: &BTreeMap<Argument, u32>) {
    let mut defs = Vec::new();
    for (a, &p) in &launch.arguments {
        f.regs[p.reg as usize].fixed = places.get(a).map(|&n| Src::s(n));
        defs.push(Arg::from(p));
    }
    for (n, id) in launch.ids.iter().enumerate() {
        if let Some(p) = *id {
            f.regs[p.reg as usize].fixed = Some(Src::v(n as u32));
            defs.push(p.into());
        }
    }
    defs.extend(&launch.defs);
    let first = f.order[0] as usize;
    f.blocks[first].insts[0].dst = defs;
}

impl Selector<'_> {
    /// Reserves what must stand at the very start.
    pub(super) fn start_launch(&mut self) {
        self.launch.tables = self.layout.sets.len() > 4;
        self.push(Inst::pseudo(Pseudo::Start, vec![], vec![]));
    }

    fn argument(&mut self, a: Argument) -> Part {
        if let Some(&p) = self.launch.arguments.get(&a) {
            return p;
        }
        let p = self.f.reg(Bank::S, a.dwords());
        self.f.regs[p.reg as usize].align = 1;
        self.launch.arguments.insert(a, p);
        p
    }

    /// This wave's offset into the scratch ring, and the address of the ring's V#.
    pub(super) fn wave_offset(&mut self) -> Part {
        self.argument(Argument::ScratchWaveOffset)
    }

    pub(super) fn ring_address(&mut self) -> Part {
        self.argument(Argument::ScratchRing)
    }

    pub(super) fn builtin(&mut self, b: Builtin, r: Value) -> Result<()> {
        let size = self.k.workgroup;
        let lanes = self.f.wave.lanes();
        let items = size.iter().product::<u32>();
        match b {
            Builtin::LocalInvocationId(c) if size[usize::from(c)] == 1 => self.set(r, Val::Const(0)),
            Builtin::LocalInvocationId(c) => {
                let p = self.item_id(c.into());
                self.set_reg(r, p);
            }
            Builtin::LocalInvocationIndex => {
                let mut index: Arg = Arg::Imm(0);
                // (z · height + y) · width + x
                for c in [2usize, 1, 0] {
                    let id: Arg = if size[c] == 1 { Arg::Imm(0) } else { self.item_id(c).into() };
                    index = match (index, id) {
                        (Arg::Imm(0), id) => id,
                        (index, Arg::Imm(0)) if size[c] == 1 => index,
                        (index, id) => self.v1(i::V_MAD_U32_U24, &[index, Arg::Imm(size[c]), id]).into(),
                    };
                }
                self.set_dwords(r, &[index]);
            }
            Builtin::WorkGroupId(c) => {
                let p = self.argument(Argument::TgId(c.min(2)));
                self.set_reg(r, p);
            }
            Builtin::NumWorkGroups(c) => {
                let p = self.argument(Argument::NumWorkGroups).at(u32::from(c.min(2)));
                self.set_reg(r, p);
            }
            Builtin::SubgroupInvocationId => {
                let p = self.lane_id();
                self.set_reg(r, p);
            }
            Builtin::SubgroupSize => self.set(r, Val::Const(lanes.into())),
            Builtin::NumSubgroups => self.set(r, Val::Const(items.div_ceil(lanes).into())),
            Builtin::SubgroupId if items <= lanes => self.set(r, Val::Const(0)),
            Builtin::SubgroupId => {
                let (low, bits) = tg_size_wave(self.f.isa);
                let t = self.argument(Argument::TgSize);
                let d = self.s1(i::S_BFE_U32, &[t.into(), Arg::Imm(low | bits << 16)]);
                self.set_reg(r, d);
            }
        }
        Ok(())
    }

    fn item_id(&mut self, c: usize) -> Part {
        if let Some(p) = self.launch.ids[c] {
            return p;
        }
        let p = self.new_v(1);
        self.launch.ids[c] = Some(p);
        p
    }

    /// This lane's number.
    pub(super) fn lane_id(&mut self) -> Part {
        let all = Arg::Imm(u32::MAX);
        let low = self.v1(i::V_MBCNT_LO_U32_B32, &[all, Arg::Imm(0)]);
        if self.wave64() { self.v1(i::V_MBCNT_HI_U32_B32, &[all, low.into()]) } else { low }
    }

    // ---- descriptors ----

    /// Runs `emit` at the end of the prologue, the block before the kernel's own code.
    fn at_entry<T>(&mut self, emit: impl FnOnce(&mut Self) -> T) -> T {
        let (cur, entry) = (self.cur, self.f.order[0]);
        let literals = std::mem::take(&mut self.literals);
        let vector_constants = std::mem::take(&mut self.vector_constants);
        let doubles = std::mem::take(&mut self.doubles);
        self.cur = entry;
        let out = emit(self);
        self.cur = cur;
        self.literals = literals;
        self.vector_constants = vector_constants;
        self.doubles = doubles;
        out
    }

    fn set_address(&mut self, set: u32) -> Part {
        if !self.launch.tables {
            return self.argument(Argument::Set(set));
        }
        if let Some(&p) = self.launch.set_addresses.get(&set) {
            return p;
        }
        let table = self.argument(Argument::SetTable);
        let p = self.at_entry(|s| {
            let d = s.new_s(2);
            let place = s.scalar_offset(Arg::None, set * 8, 8);
            s.scalar_read(i::S_LOAD_DWORDX2, d, table, place);
            d
        });
        self.launch.set_addresses.insert(set, p);
        p
    }

    pub(super) fn push_address(&mut self) -> Part {
        self.argument(Argument::Push)
    }

    pub(super) fn descriptor(&mut self, set: u32, binding: u32, kind: BindingKind, inst: &IrInst) -> Result<()> {
        let r = inst.results[0];
        let Some(&b) = self.layout.find(set, binding) else {
            return Err(CompileError {
                kind: ErrorKind::Request,
                site: None,
                message: format!(
                    "the kernel uses set {set}, binding {binding}, which the pipeline layout does not have"
                ),
            });
        };
        let dwords = self.width(r).bits() / 32;
        // Behind the T#.
        let part = match (self.width(r), kind) {
            (Width::Sampler, BindingKind::CombinedImageSampler) => COMBINED_SAMPLER_OFFSET,
            _ => 0,
        };
        if kind != BindingKind::InlineUniformBlock && part + dwords * 4 > kind.bytes() {
            return Err(self.unsupported(&format!("{:?} from {kind:?} descriptors", self.width(r))));
        }
        let (base, offset) = match b.place {
            Place::Set(o) => (self.set_address(set), o),
            Place::Push(o) => (self.push_address(), o),
        };
        if b.kind == BindingKind::InlineUniformBlock {
            let key = (set, binding, 0);
            let d = match self.launch.descriptors.get(&key) {
                Some(&d) => d,
                None => {
                    let d = self.at_entry(|s| s.inline_descriptor(base, offset, b.count));
                    self.launch.descriptors.insert(key, d);
                    d
                }
            };
            self.set_reg(r, d);
            return Ok(());
        }
        let offset = offset.wrapping_add(part);
        let index = inst.args[0];
        if let Some(n) = self.defs.constant(index) {
            let at = offset.wrapping_add((n as u32).wrapping_mul(b.stride));
            let key = (set, binding, at);
            match self.launch.descriptors.get(&key) {
                Some(&d) if u32::from(d.len) == dwords => self.set_reg(r, d),
                // Many descriptors would fill the SGPRs: those are read where they are used.
                _ if self.launch.hoisted + dwords > MAX_HOISTED => self.set(r, Val::FarDesc { base, offset: at }),
                _ => {
                    let d = self.at_entry(|s| s.load_descriptor(base, Arg::None, at, dwords));
                    self.launch.descriptors.insert(key, d);
                    self.launch.hoisted += dwords;
                    self.set_reg(r, d);
                }
            }
            return Ok(());
        }
        let x = self.src(index);
        if self.home(r) == Home::Divergent {
            let at = self.v1(i::V_MUL_LO_U32, &[x, Arg::Imm(b.stride)]);
            let at = self.v1(i::V_ADD_NC_U32, &[Arg::Imm(offset), at.into()]);
            self.set(r, Val::DivergentDesc { base, offset: at });
            return Ok(());
        }
        let at = self.s1(i::S_MUL_I32, &[x, Arg::Imm(b.stride)]);
        let d = self.load_descriptor(base, at.into(), offset, dwords);
        self.set_reg(r, d);
        Ok(())
    }

    /// The descriptor that a value stands for, in SGPRs; None: it is one only in a waterfall.
    pub(super) fn resource(&mut self, v: Value) -> Option<Part> {
        match self.vals[v.0 as usize] {
            Val::Reg(d) => Some(d),
            Val::FarDesc { base, offset } => {
                Some(self.load_descriptor(base, Arg::None, offset, self.width(v).bits() / 32))
            }
            _ => None,
        }
    }

    /// Reads 4 or 8 dwords at an address.
    pub(super) fn load_descriptor(&mut self, base: Part, at: Arg, offset: u32, dwords: u32) -> Part {
        let d = self.new_s(dwords);
        let place = match at {
            Arg::None => self.scalar_offset(at, offset, dwords * 4),
            _ if offset == 0 => (at, 0),
            _ => (self.s1(i::S_ADD_I32, &[at, Arg::Imm(offset)]).into(), 0),
        };
        let op = if dwords == 8 { i::S_LOAD_DWORDX8 } else { i::S_LOAD_DWORDX4 };
        self.scalar_read(op, d, base, place);
        d
    }

    /// A V# of `bytes` bytes that lie in the set itself, at `offset`.
    fn inline_descriptor(&mut self, base: Part, offset: u32, bytes: u32) -> Part {
        let [.., records, format] = BufferDescriptor::raw(0, bytes).to_words(self.f.isa);
        let at = self.add_wide((base.at(0).into(), base.at(1).into()), (Arg::Imm(offset), Arg::Imm(0)), false, true);
        let d = self.new_s(4);
        for (n, word) in [at.at(0).into(), at.at(1).into(), Arg::Imm(records), Arg::Imm(format)].into_iter().enumerate()
        {
            self.raw(i::S_MOV_B32, &[d.at(n as u32).into()], &[word]);
        }
        d
    }

    /// A V# that begins at address 0 and ends nowhere, for instructions that take addresses by one.
    pub(super) fn all_memory(&mut self) -> Part {
        if let Some(d) = self.launch.all_memory {
            return d;
        }
        let words = BufferDescriptor::raw(0, u32::MAX).to_words(self.f.isa);
        let d = self.at_entry(|s| {
            let d = s.new_s(4);
            for (n, word) in (0..).zip(words) {
                s.raw(i::S_MOV_B32, &[d.at(n).into()], &[Arg::Imm(word)]);
            }
            d
        });
        self.launch.all_memory = Some(d);
        d
    }

    /// V# and scalar offset of private memory at `offset`, and what is left of the offset there.
    pub(super) fn private(&mut self, offset: u32) -> (Part, Part, u32) {
        let shared = self.k.shared_scratch;
        if self.calls.functions.is_empty() {
            let (ring, wave) = self.scratch();
            return (ring, wave, offset);
        }
        let (ring, frame) = self.frame();
        match offset.checked_sub(shared) {
            Some(own) => (ring, frame, own),
            None => (ring, self.wave_offset(), offset),
        }
    }

    /// The V# of the scratch ring and this wave's offset into it.
    pub(super) fn scratch(&mut self) -> (Part, Part) {
        let wave = self.argument(Argument::ScratchWaveOffset);
        if let Some(d) = self.launch.scratch_ring {
            return (d, wave);
        }
        let ring = self.argument(Argument::ScratchRing);
        let d = self.at_entry(|s| s.load_descriptor(ring, Arg::None, 0, 4));
        self.launch.scratch_ring = Some(d);
        (d, wave)
    }
}
