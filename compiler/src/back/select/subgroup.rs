//! Operations across lanes.
//!
//! Reductions and scans run in the whole wave (EXEC = −1) on a copy that holds the identity in inactive lanes: DPP steps
//! within rows of 16, v_permlanex16 between the two rows of a half, v_readlane between the halves of a wave64.
//! gfx10's ds_bpermute reaches only the 32 lanes of its half, so a wave64 shuffle that may cross halves takes the
//! different source lanes one after the other with v_readlane.

use super::*;
use crate::ir::{ReduceKind, ReduceOp, Subgroup};
use wavepipe_isa::instr::{Dpp16, Extra};
use wavepipe_isa::row::Format;

const ROW_SHR: u16 = 0x110;
const ROW_XMASK: u16 = 0x160;

impl Selector<'_> {
    pub(super) fn subgroup(&mut self, s: Subgroup, inst: &IrInst) -> Result<()> {
        let r = inst.results[0];
        let (eq, ne) =
            if self.wave64() { (i::S_CMP_EQ_U64, i::S_CMP_LG_U64) } else { (i::S_CMP_EQ_U32, i::S_CMP_LG_U32) };
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
                self.set_bool(r, Bool::Compare { op: eq, a: t.into(), b: zero });
            }
            Subgroup::Any => {
                let m = self.mask(inst.args[0]);
                let t = self.mask_op(i::S_AND_B32, i::S_AND_B64, &[EXEC, m]);
                self.set_bool(r, Bool::Compare { op: ne, a: t.into(), b: zero });
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

    fn first_lane(&mut self) -> Part {
        let op = self.by_mask(i::S_FF1_I32_B32, i::S_FF1_I32_B64);
        let d = self.new_s(1);
        self.raw(op, &[d.into()], &[EXEC]);
        d
    }

    fn read_lane(&mut self, x: Arg, lane: Arg) -> Part {
        let d = self.new_s(1);
        self.raw(i::V_READLANE_B32, &[d.into()], &[x, lane]);
        d
    }

    fn all_equal(&mut self, inst: &IrInst) {
        let r = inst.results[0];
        let v = inst.args[0];
        let zero = Arg::Imm(0);
        let eq = if self.wave64() { i::S_CMP_EQ_U64 } else { i::S_CMP_EQ_U32 };
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
            self.set_bool(r, Bool::Compare { op: eq, a: t.into(), b: zero });
            return;
        }
        let mut differ: Option<Part> = None;
        for w in self.dwords(v) {
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
            Some(d) => Bool::Compare { op: eq, a: d.into(), b: zero },
        };
        self.set_bool(r, b);
    }

    // ---- shuffles ----

    fn shuffle(&mut self, s: Subgroup, inst: &IrInst) -> Result<()> {
        let r = inst.results[0];
        let n = self.src(inst.args[1]);
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
        let within_half = !self.wave64() || s == Subgroup::ShuffleXor && matches!(n, Arg::Imm(..32));
        let words = if self.width(r) == Width::B1 {
            let m = self.mask(inst.args[0]);
            let m = if let Arg::Imm(_) = m { self.mask_op(i::S_MOV_B32, i::S_MOV_B64, &[m]).into() } else { m };
            vec![self.v1(i::V_CNDMASK_B32, &[Arg::Imm(0), Arg::Imm(1), m]).into()]
        } else {
            self.dwords(inst.args[0])
        };
        let out: Vec<Arg> = if within_half {
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

    // ---- reductions ----

    fn reduce(&mut self, op: ReduceOp, kind: ReduceKind, cluster: u32, inst: &IrInst) -> Result<()> {
        let r = inst.results[0];
        let v = inst.args[0];
        let lanes = self.f.wave.lanes();
        let width = self.width(v);
        if width == Width::B1 {
            return self.reduce_bool(op, kind, cluster, inst);
        }
        if width == Width::B64 {
            return Err(self.unsupported("subgroup arithmetic on 64-bit values"));
        }
        let half = width == Width::B16;
        let Some((row, identity)) = reduction(op, half) else {
            return Err(self.unsupported(&format!("subgroup {op:?} on {}-bit values", width.bits())));
        };
        let signed = matches!(op, ReduceOp::SMin | ReduceOp::SMax);
        let float = matches!(op, ReduceOp::FAdd | ReduceOp::FMul | ReduceOp::FMin | ReduceOp::FMax);
        let x = if float { self.src(v) } else { self.extended(v, signed) };
        let cluster = if cluster == 0 || cluster > lanes { lanes } else { cluster };
        if kind == ReduceKind::Reduce && cluster == 1 {
            self.set_dwords(r, &[x]);
            return Ok(());
        }
        let saved = self.new_mask();
        let acc = self.new_v(1);
        self.whole_wave(acc);
        let all = Arg::Imm(u32::MAX);
        let every = self.by_mask(i::S_OR_SAVEEXEC_B32, i::S_OR_SAVEEXEC_B64);
        self.raw(every, &[saved.into()], &[all]);
        self.raw(i::V_MOV_B32, &[acc.into()], &[Arg::Imm(identity)]);
        self.exec(saved.into());
        self.raw(i::V_MOV_B32, &[acc.into()], &[x]).tied = true;
        self.exec(all);
        match kind {
            ReduceKind::Reduce => {
                for step in [1u16, 2, 4, 8] {
                    if u32::from(step) < cluster {
                        self.dpp_step(row, acc, ROW_XMASK | step, identity);
                    }
                }
                if cluster >= 32 {
                    // Lane n of the other row.
                    let other = self.permlane(acc, 0x7654_3210, 0xfedc_ba98);
                    self.combine(row, acc, other.into());
                }
                if cluster == 64 {
                    let lo = self.read_lane(acc.into(), Arg::Imm(0));
                    let hi = self.read_lane(acc.into(), Arg::Imm(32));
                    self.raw(i::V_MOV_B32, &[acc.into()], &[lo.into()]).tied = true;
                    self.combine(row, acc, hi.into());
                }
                if cluster == lanes {
                    let d = self.read_lane(acc.into(), Arg::Imm(0));
                    self.exec(saved.into());
                    self.set_reg(r, d);
                    return Ok(());
                }
                self.exec(saved.into());
            }
            ReduceKind::InclusiveScan | ReduceKind::ExclusiveScan => {
                for step in [1u16, 2, 4, 8] {
                    self.dpp_step(row, acc, ROW_SHR | step, identity);
                }
                // The upper row of each half takes the last lane of the lower one; the upper half that of the lower.
                let last = self.permlane(acc, u32::MAX, u32::MAX);
                if self.wave64() {
                    let odd = self.literal(0xffff_0000);
                    let rows = self.gather(Bank::S, &[odd.into(), odd.into()]);
                    self.exec(rows.into());
                } else {
                    self.exec(Arg::Imm(0xffff_0000));
                }
                self.combine(row, acc, last.into());
                if self.wave64() {
                    self.exec(all);
                    let low = self.read_lane(acc.into(), Arg::Imm(31));
                    let upper = self.gather(Bank::S, &[Arg::Imm(0), all]);
                    self.exec(upper.into());
                    self.combine(row, acc, low.into());
                }
                if kind == ReduceKind::ExclusiveScan {
                    self.exec(all);
                    let shifted = self.new_v(1);
                    self.whole_wave(shifted);
                    self.raw(i::V_MOV_B32, &[shifted.into()], &[Arg::Imm(identity)]);
                    self.dpp(i::V_MOV_B32, shifted, &[acc.into()], ROW_SHR | 1);
                    for border in (16..lanes).step_by(16) {
                        let x = self.read_lane(acc.into(), Arg::Imm(border - 1));
                        self.raw(i::V_WRITELANE_B32, &[shifted.into()], &[x.into(), Arg::Imm(border)]).tied = true;
                    }
                    self.exec(saved.into());
                    let d = self.new_v(1);
                    self.raw(i::V_MOV_B32, &[d.into()], &[shifted.into()]);
                    self.set_reg(r, d);
                    return Ok(());
                }
                self.exec(saved.into());
            }
        }
        let d = self.new_v(1);
        self.raw(i::V_MOV_B32, &[d.into()], &[acc.into()]);
        self.set_reg(r, d);
        Ok(())
    }

    /// `p` is written, or read, in lanes beyond EXEC: not spillable, and alone in its place if other lanes are waiting.
    fn whole_wave(&mut self, p: Part) {
        let resident = self.control.divergent();
        let info = &mut self.f.regs[p.reg as usize];
        info.resident |= resident;
        info.spill_temp = true;
    }

    fn exec(&mut self, m: Arg) {
        self.mask_into(i::S_MOV_B32, i::S_MOV_B64, EXEC, &[m]);
    }

    fn dpp(&mut self, op: Op, dst: Part, src: &[Arg], ctrl: u16) {
        let inst = self.raw(op, &[dst.into()], src);
        inst.tied = true;
        inst.extra =
            Extra::Dpp16(Dpp16 { ctrl, row_mask: 15, bank_mask: 15, bound_ctrl: false, fetch_inactive: false });
    }

    /// acc = acc op (acc moved across lanes); lanes that the move does not reach keep theirs.
    fn dpp_step(&mut self, row: Op, acc: Part, ctrl: u16, identity: u32) {
        if row.row().format == Format::Vop2 {
            self.dpp(row, acc, &[acc.into(), acc.into()], ctrl);
            return;
        }
        let t = self.new_v(1);
        self.whole_wave(t);
        self.raw(i::V_MOV_B32, &[t.into()], &[Arg::Imm(identity)]);
        self.dpp(i::V_MOV_B32, t, &[acc.into()], ctrl);
        self.combine(row, acc, t.into());
    }

    fn combine(&mut self, row: Op, acc: Part, other: Arg) {
        self.raw(row, &[acc.into()], &[other, acc.into()]).tied = true;
    }

    fn permlane(&mut self, x: Part, low: u32, high: u32) -> Part {
        let d = self.new_v(1);
        self.whole_wave(d);
        let (low, high) = (Arg::Imm(low), Arg::Imm(high));
        let low = if low.is_literal() { self.in_s(low).into() } else { low };
        let high = if high.is_literal() { self.in_s(high).into() } else { high };
        self.raw(i::V_PERMLANEX16_B32, &[d.into()], &[x.into(), low, high]);
        d
    }

    /// Logic over booleans: counts of the lanes in a mask.
    fn reduce_bool(&mut self, op: ReduceOp, kind: ReduceKind, cluster: u32, inst: &IrInst) -> Result<()> {
        let r = inst.results[0];
        if kind != ReduceKind::Reduce || cluster != 0 {
            return Err(self.unsupported("scans and clusters of booleans"));
        }
        let m = self.clean_mask(inst.args[0]);
        let wide = self.wave64();
        let b = match op {
            ReduceOp::And => {
                let t = self.mask_op(i::S_ANDN2_B32, i::S_ANDN2_B64, &[EXEC, m]);
                let op = if wide { i::S_CMP_EQ_U64 } else { i::S_CMP_EQ_U32 };
                Bool::Compare { op, a: t.into(), b: Arg::Imm(0) }
            }
            ReduceOp::Or => {
                let t = self.mask_op(i::S_MOV_B32, i::S_MOV_B64, &[m]);
                let op = if wide { i::S_CMP_LG_U64 } else { i::S_CMP_LG_U32 };
                Bool::Compare { op, a: t.into(), b: Arg::Imm(0) }
            }
            ReduceOp::Xor => {
                let count = self.new_s(1);
                let op = self.by_mask(i::S_BCNT1_I32_B32, i::S_BCNT1_I32_B64);
                self.raw(op, &[count.into()], &[m]);
                Bool::Compare { op: i::S_BITCMP1_B32, a: count.into(), b: Arg::Imm(0) }
            }
            other => return Err(self.unsupported(&format!("subgroup {other:?} on booleans"))),
        };
        self.set_bool(r, b);
        Ok(())
    }
}

/// The instruction that combines two values, and the value that changes nothing. `half`: 16-bit floats.
fn reduction(op: ReduceOp, half: bool) -> Option<(Op, u32)> {
    Some(match op {
        ReduceOp::IAdd => (i::V_ADD_NC_U32, 0),
        ReduceOp::IMul => (i::V_MUL_LO_U32, 1),
        ReduceOp::SMin => (i::V_MIN_I32, i32::MAX as u32),
        ReduceOp::UMin => (i::V_MIN_U32, u32::MAX),
        ReduceOp::SMax => (i::V_MAX_I32, i32::MIN as u32),
        ReduceOp::UMax => (i::V_MAX_U32, 0),
        ReduceOp::And => (i::V_AND_B32, u32::MAX),
        ReduceOp::Or => (i::V_OR_B32, 0),
        ReduceOp::Xor => (i::V_XOR_B32, 0),
        ReduceOp::FAdd if half => (i::V_ADD_F16, 0x8000),
        ReduceOp::FMul if half => (i::V_MUL_F16, 0x3c00),
        ReduceOp::FMin if half => (i::V_MIN_F16, 0x7c00),
        ReduceOp::FMax if half => (i::V_MAX_F16, 0xfc00),
        ReduceOp::FAdd => (i::V_ADD_F32, 0x8000_0000),
        ReduceOp::FMul => (i::V_MUL_F32, 0x3f80_0000),
        ReduceOp::FMin => (i::V_MIN_F32, 0x7f80_0000),
        ReduceOp::FMax => (i::V_MAX_F32, 0xff80_0000),
    })
}
