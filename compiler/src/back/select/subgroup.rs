//! Operations across lanes.
//!
//! A shuffle is ds_bpermute where it reaches: all lanes of a wave64 on GCN, from RDNA on the 32 of its half. One that may go beyond, or
//! on a target that has none, takes the different source lanes one after the other with v_readlane.

use super::*;
use crate::ir::Subgroup;
use wavepipe_isa::Dpp;

impl Selector<'_> {
    pub(super) fn subgroup(&mut self, s: Subgroup, inst: &IrInst) -> Result<()> {
        let r = inst.results[0];
        let zero = Arg::Imm(0);
        match s {
            Subgroup::Elect => {
                let first = self.first_lane();
                let d = self.mask_op(i::S_LSHL_B32, i::S_LSHL_B64, &[Arg::Imm(1), first.into()]);
                self.set_bool(r, Bool::Mask(d));
            }
            Subgroup::All => {
                let m = self.mask(inst.args[0]);
                let t = self.mask_op(i::S_ANDN2_B32, i::S_ANDN2_B64, &[EXEC, m]);
                let b = self.no_lane(t);
                self.set_bool(r, b);
            }
            Subgroup::Any => {
                let m = self.mask(inst.args[0]);
                let t = self.mask_op(i::S_AND_B32, i::S_AND_B64, &[EXEC, m]);
                let b = self.some_lane(t);
                self.set_bool(r, b);
            }
            Subgroup::AllEqual => self.all_equal(inst),
            Subgroup::Ballot => {
                let m = self.clean_mask(inst.args[0]);
                let n = self.f.mask_dwords() as usize;
                let m = match m {
                    Arg::Reg(p) => p,
                    other => self.mask_op(i::S_MOV_B32, i::S_MOV_B64, &[other]),
                };
                for (k, &r) in inst.results.iter().enumerate() {
                    let val = if k < n { Val::Reg(m.at(k as u32)) } else { Val::Const(0) };
                    self.set(r, val);
                }
            }
            Subgroup::InverseBallot => {
                let n = self.f.mask_dwords() as usize;
                let words: Vec<Arg> = inst.args[..n].iter().map(|&v| self.src(v)).collect();
                if words.iter().all(|&w| !self.is_v(w)) {
                    let m = if n == 1 { self.in_s(words[0]) } else { self.gather(Bank::S, &words) };
                    self.set_bool(r, Bool::Mask(m));
                    return Ok(());
                }
                let lane = self.lane_id();
                let mut word = words[0];
                if n == 2 {
                    let high = self.vcmp(i::V_CMP_LT_U32, &[Arg::Imm(31), lane.into()], Mods::default());
                    word = self.v1(i::V_CNDMASK_B32, &[words[0], words[1], high.into()]).into();
                }
                let bit = self.v1(i::V_BFE_U32, &[word, lane.into(), Arg::Imm(1)]);
                let m = self.vcmp(i::V_CMP_NE_U32, &[zero, bit.into()], Mods::default());
                self.set_bool(r, Bool::Mask(m));
            }
            Subgroup::Nobody => {
                let val = self.unwritten(self.width(r), undefined::LANE);
                self.set(r, val);
            }
            Subgroup::BroadcastFirst if self.width(r) == Width::B1 => {
                let m = self.clean_mask(inst.args[0]);
                let first = self.first_lane();
                let op = self.by_mask(i::S_BITCMP1_B32, i::S_BITCMP1_B64);
                self.set_bool(r, Bool::Compare { op, a: m, b: first.into() });
            }
            Subgroup::BroadcastFirst => {
                let words = self.dwords(inst.args[0]);
                let out: Vec<Arg> = words.into_iter().map(|w| self.to_s(w)).collect();
                self.set_dwords(r, &out);
            }
            Subgroup::Broadcast => {
                let lane = self.src(inst.args[1]);
                let lane = self.to_s(lane);
                // A literal is no lane select.
                let lane = if lane.is_literal() { self.in_s(lane).into() } else { lane };
                if self.width(r) == Width::B1 {
                    let m = self.clean_mask(inst.args[0]);
                    let op = self.by_mask(i::S_BITCMP1_B32, i::S_BITCMP1_B64);
                    self.set_bool(r, Bool::Compare { op, a: m, b: lane });
                    return Ok(());
                }
                let words = self.dwords(inst.args[0]);
                let out: Vec<Arg> =
                    words.into_iter().map(|w| if self.is_v(w) { self.read_lane(w, lane).into() } else { w }).collect();
                self.set_dwords(r, &out);
            }
            Subgroup::Shuffle | Subgroup::ShuffleXor | Subgroup::ShuffleUp | Subgroup::ShuffleDown => {
                self.shuffle(s, inst)?
            }
            Subgroup::Reduce { op, kind, cluster } => self.reduce(op, kind, cluster, inst)?,
        }
        Ok(())
    }

    /// Whether a mask is empty.
    pub(super) fn no_lane(&mut self, m: Part) -> Bool {
        self.compare_mask(m, i::S_CMP_EQ_U32, i::S_CMP_EQ_U64)
    }

    pub(super) fn some_lane(&mut self, m: Part) -> Bool {
        self.compare_mask(m, i::S_CMP_LG_U32, i::S_CMP_LG_U64)
    }

    /// A mask beside zero; its halves together where the target compares no 64 bits.
    fn compare_mask(&mut self, m: Part, w32: Op, w64: Op) -> Bool {
        let (op, a) = match self.wave64() {
            true if self.has(w64) => (w64, m),
            true => (w32, self.s1(i::S_OR_B32, &[m.at(0).into(), m.at(1).into()])),
            false => (w32, m),
        };
        Bool::Compare { op, a: a.into(), b: Arg::Imm(0) }
    }

    fn first_lane(&mut self) -> Part {
        let op = self.by_mask(i::S_FF1_I32_B32, i::S_FF1_I32_B64);
        let d = self.new_s(1);
        self.raw(op, &[d.into()], &[EXEC]);
        d
    }

    pub(super) fn read_lane(&mut self, x: Arg, lane: Arg) -> Part {
        let d = self.new_s(1);
        self.raw(i::V_READLANE_B32, &[d.into()], &[x, lane]);
        d
    }

    fn all_equal(&mut self, inst: &IrInst) {
        let r = inst.results[0];
        let v = inst.args[0];
        let zero = Arg::Imm(0);
        if self.width(v) == Width::B1 {
            // All set or none set: the mask shifted to its first active lane decides.
            let m = self.clean_mask(v);
            let first = self.first_lane();
            let op = self.by_mask(i::S_BITCMP1_B32, i::S_BITCMP1_B64);
            self.sop(op, Arg::None, &[m, first.into()]);
            let select = self.by_mask(i::S_CSELECT_B32, i::S_CSELECT_B64);
            let want = self.new_mask();
            self.raw(select, &[want.into()], &[EXEC, zero]);
            let t = self.mask_op(i::S_XOR_B32, i::S_XOR_B64, &[m, want.into()]);
            let b = self.no_lane(t);
            self.set_bool(r, b);
            return;
        }
        let mut differ: Option<Part> = None;
        let words = match self.width(v) {
            Width::B8 | Width::B16 => vec![self.extended(v, false)],
            _ => self.dwords(v),
        };
        for w in words {
            if !self.is_v(w) {
                continue;
            }
            let first = self.to_s(w);
            let m = self.vcmp(i::V_CMP_NE_U32, &[first, w], Mods::default());
            differ = Some(match differ {
                None => m,
                Some(d) => self.mask_op(i::S_OR_B32, i::S_OR_B64, &[d.into(), m.into()]),
            });
        }
        let b = match differ {
            None => Bool::Const(true),
            Some(d) => self.no_lane(d),
        };
        self.set_bool(r, b);
    }

    // ---- shuffles ----

    fn shuffle(&mut self, s: Subgroup, inst: &IrInst) -> Result<()> {
        let r = inst.results[0];
        let n = self.src(inst.args[1]);
        // Without DPP's row_xmask ds_swizzle goes as far as a half.
        let near = if self.f.isa.caps().dpp >= Dpp::Gfx10 { 16 } else { 32 };
        if let (Subgroup::ShuffleXor, Arg::Imm(mask), true) = (s, n, self.width(r) != Width::B1)
            && (1..near).contains(&mask)
        {
            let words = self.dwords(inst.args[0]);
            let out: Vec<Arg> = words.into_iter().map(|w| self.exchanged(w, mask)).collect();
            self.set_dwords(r, &out);
            return Ok(());
        }
        let lane: Arg = match s {
            Subgroup::Shuffle => n,
            _ => {
                let own = self.lane_id().into();
                match s {
                    Subgroup::ShuffleXor => self.v1(i::V_XOR_B32, &[n, own]).into(),
                    Subgroup::ShuffleUp => self.v1(i::V_SUB_NC_U32, &[own, n]).into(),
                    _ => self.v1(i::V_ADD_NC_U32, &[n, own]).into(),
                }
            }
        };
        let within_half = !self.wave64() || s == Subgroup::ShuffleXor && self.defs.bits(inst.args[1]) <= 5;
        let reaches = self.has(i::DS_BPERMUTE_B32) && (within_half || self.f.isa.caps().bpermute64);
        let words = if self.width(r) == Width::B1 {
            let m = self.mask(inst.args[0]);
            let m = if let Arg::Imm(_) = m { self.mask_op(i::S_MOV_B32, i::S_MOV_B64, &[m]).into() } else { m };
            vec![self.v1(i::V_CNDMASK_B32, &[Arg::Imm(0), Arg::Imm(1), m]).into()]
        } else {
            self.dwords(inst.args[0])
        };
        let out: Vec<Arg> = if reaches {
            let at = self.v1(i::V_LSHLREV_B32, &[Arg::Imm(2), lane]);
            words
                .into_iter()
                .map(|w| {
                    let (x, d) = (self.to_v(w), self.new_v(1));
                    self.raw(i::DS_BPERMUTE_B32, &[d.into()], &[at.into(), x.into()]);
                    d.into()
                })
                .collect()
        } else {
            let lane = self.to_v(lane);
            self.gather_lanes(&words, lane)
        };
        if self.width(r) == Width::B1 {
            let m = self.vcmp(i::V_CMP_NE_U32, &[Arg::Imm(0), out[0]], Mods::default());
            self.set_bool(r, Bool::Mask(m));
        } else {
            self.set_dwords(r, &out);
        }
        Ok(())
    }

    /// words[lane] in each lane, one source lane per turn of a loop.
    fn gather_lanes(&mut self, words: &[Arg], lane: Part) -> Vec<Arg> {
        let words: Vec<Part> = words.iter().map(|&w| self.to_v(w)).collect();
        let out: Vec<Part> = words.iter().map(|_| self.new_v(1)).collect();
        for w in &words {
            self.f.regs[w.reg as usize].spill_temp = true;
        }
        let all = self.mask_op(i::S_MOV_B32, i::S_MOV_B64, &[EXEC]);
        self.depth += 1;
        let (head, done) = (self.new_block(), self.f.block(self.depth - 1));
        self.f.blocks[self.cur as usize].logical = vec![head];
        self.begin(head);
        let first = self.in_s(lane.into());
        let same = self.vcmp(i::V_CMP_EQ_U32, &[first.into(), lane.into()], Mods::default());
        let got: Vec<Part> = words.iter().map(|&w| self.read_lane(w.into(), first.into())).collect();
        let saved = self.mask_op(i::S_AND_SAVEEXEC_B32, i::S_AND_SAVEEXEC_B64, &[same.into()]);
        for (&o, &g) in out.iter().zip(&got) {
            self.raw(i::V_MOV_B32, &[o.into()], &[g.into()]);
        }
        // The sources are read in every turn, by lanes that are done as well.
        let keep = words.iter().chain(&[lane]).map(|&w| Arg::from(w)).collect();
        self.mask_into(i::S_ANDN2_B32, i::S_ANDN2_B64, EXEC, &[saved.into(), EXEC]);
        self.push(Inst::pseudo(Pseudo::Keep, vec![], keep));
        let cur = self.cur as usize;
        self.f.blocks[cur].logical = vec![head, done];
        self.f.blocks[cur].term = Term::Branch { cond: Cond::Execnz, target: head };
        self.depth -= 1;
        self.begin(done);
        self.mask_into(i::S_MOV_B32, i::S_MOV_B64, EXEC, &[all.into()]);
        let keep = words.iter().map(|&w| Arg::from(w)).collect();
        self.push(Inst::pseudo(Pseudo::Keep, vec![], keep));
        out.into_iter().map(Arg::from).collect()
    }
}
