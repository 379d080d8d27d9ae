//! Reductions and scans across lanes.
//!
//! They run in the whole wave (EXEC = −1) on a copy that holds the identity in inactive lanes: DPP steps within rows of 16,
//! v_permlanex16 between the two rows of a half, v_readlane between the halves of a wave64. Values of 64 bits move dword
//! by dword and are combined as pairs.

use super::*;
use crate::ir::{ReduceKind, ReduceOp};
use wavepipe_isa::instr::{Dpp16, Extra};
use wavepipe_isa::row::Format;

const ROW_SHR: u16 = 0x110;
const ROW_XMASK: u16 = 0x160;

/// How two values become one, and the value that changes nothing.
struct Combine {
    op: ReduceOp,
    /// The instruction that does it, if one does.
    row: Option<Op>,
    identity: Vec<u32>,
}

impl Selector<'_> {
    pub(super) fn reduce(&mut self, op: ReduceOp, kind: ReduceKind, cluster: u32, inst: &IrInst) -> Result<()> {
        let r = inst.results[0];
        let v = inst.args[0];
        let lanes = self.f.wave.lanes();
        let width = self.width(v);
        if width == Width::B1 {
            return self.reduce_bool(op, kind, cluster, inst);
        }
        let c = combine_rule(op, width);
        let signed = matches!(op, ReduceOp::SMin | ReduceOp::SMax);
        let float = matches!(op, ReduceOp::FAdd | ReduceOp::FMul | ReduceOp::FMin | ReduceOp::FMax);
        let x = match width {
            Width::B64 => self.dwords(v),
            _ if float => vec![self.src(v)],
            _ => vec![self.extended(v, signed)],
        };
        let cluster = if cluster == 0 || cluster > lanes { lanes } else { cluster };
        if kind == ReduceKind::Reduce && cluster == 1 {
            self.set_dwords(r, &x);
            return Ok(());
        }
        let first = self.f.regs.len();
        let saved = self.new_mask();
        let all = Arg::Imm(u32::MAX);
        let every = self.by_mask(i::S_OR_SAVEEXEC_B32, i::S_OR_SAVEEXEC_B64);
        self.raw(every, &[saved.into()], &[all]);
        let mut acc = self.identity(&c);
        self.exec(saved.into());
        for (n, &x) in x.iter().enumerate() {
            self.raw(i::V_MOV_B32, &[acc.at(n as u32).into()], &[x]).tied = true;
        }
        self.exec(all);
        match kind {
            ReduceKind::Reduce => {
                for step in [1u16, 2, 4, 8] {
                    if u32::from(step) < cluster {
                        self.dpp_step(&c, acc, ROW_XMASK | step);
                    }
                }
                if cluster >= 32 {
                    // Lane n of the other row.
                    let other = self.permlane(acc, 0x7654_3210, 0xfedc_ba98);
                    self.combine(&c, acc, other);
                }
                if cluster == 64 {
                    let (lo, hi) = (self.read_lanes(acc, 0), self.read_lanes(acc, 32));
                    for n in 0..acc.len.into() {
                        self.raw(i::V_MOV_B32, &[acc.at(n).into()], &[lo.at(n).into()]).tied = true;
                    }
                    self.combine(&c, acc, hi);
                }
                if cluster == lanes {
                    let d = self.read_lanes(acc, 0);
                    self.whole_wave(first);
                    self.exec(saved.into());
                    self.set_parts(r, d);
                    return Ok(());
                }
            }
            ReduceKind::InclusiveScan | ReduceKind::ExclusiveScan => {
                for step in [1u16, 2, 4, 8] {
                    self.dpp_step(&c, acc, ROW_SHR | step);
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
                self.combine(&c, acc, last);
                if self.wave64() {
                    self.exec(all);
                    let low = self.read_lanes(acc, 31);
                    let upper = self.gather(Bank::S, &[Arg::Imm(0), all]);
                    self.exec(upper.into());
                    self.combine(&c, acc, low);
                }
                if kind == ReduceKind::ExclusiveScan {
                    self.exec(all);
                    acc = self.shifted(&c, acc, lanes);
                }
            }
        }
        self.whole_wave(first);
        self.exec(saved.into());
        let d = self.new_v(acc.len.into());
        for n in 0..acc.len.into() {
            self.raw(i::V_MOV_B32, &[d.at(n).into()], &[acc.at(n).into()]);
        }
        self.set_parts(r, d);
        Ok(())
    }

    fn set_parts(&mut self, r: Value, d: Part) {
        let words: Vec<Arg> = (0..d.len.into()).map(|n| d.at(n).into()).collect();
        self.set_dwords(r, &words);
    }

    /// The vector registers made since `first` are written, or read, in lanes beyond EXEC: not spillable, and alone in their
    /// place if other lanes are waiting.
    fn whole_wave(&mut self, first: usize) {
        let resident = self.control.divergent();
        for info in self.f.regs[first..].iter_mut().filter(|info| info.bank == Bank::V) {
            info.resident |= resident;
            info.spill_temp = true;
        }
    }

    fn exec(&mut self, m: Arg) {
        self.mask_into(i::S_MOV_B32, i::S_MOV_B64, EXEC, &[m]);
    }

    /// The identity in every active lane.
    fn identity(&mut self, c: &Combine) -> Part {
        let d = self.new_v(c.identity.len() as u32);
        for (n, &word) in c.identity.iter().enumerate() {
            self.raw(i::V_MOV_B32, &[d.at(n as u32).into()], &[Arg::Imm(word)]);
        }
        d
    }

    fn read_lanes(&mut self, x: Part, lane: u32) -> Part {
        let d = self.new_s(x.len.into());
        for n in 0..x.len.into() {
            // A literal is no lane select; all lanes asked for here are inline constants.
            self.raw(i::V_READLANE_B32, &[d.at(n).into()], &[x.at(n).into(), Arg::Imm(lane)]);
        }
        d
    }

    fn dpp(&mut self, op: Op, dst: Part, src: &[Arg], ctrl: u16) {
        let inst = self.raw(op, &[dst.into()], src);
        inst.tied = true;
        inst.extra =
            Extra::Dpp16(Dpp16 { ctrl, row_mask: 15, bank_mask: 15, bound_ctrl: false, fetch_inactive: false });
    }

    /// A word of the lane whose number differs in the bits of `mask`, which is one of the same row of 16.
    pub(super) fn within_row(&mut self, word: Arg, mask: u32) -> Arg {
        let (x, d) = (self.to_v(word), self.new_v(1));
        let inst = self.raw(i::V_MOV_B32, &[d.into()], &[x.into()]);
        let ctrl = ROW_XMASK | mask as u16;
        inst.extra = Extra::Dpp16(Dpp16 { ctrl, row_mask: 15, bank_mask: 15, bound_ctrl: true, fetch_inactive: false });
        d.into()
    }

    /// acc = acc op (acc moved across lanes); lanes that the move does not reach keep theirs.
    fn dpp_step(&mut self, c: &Combine, acc: Part, ctrl: u16) {
        if let Some(row) = c.row
            && row.row().format == Format::Vop2
        {
            self.dpp(row, acc, &[acc.into(), acc.into()], ctrl);
            return;
        }
        let t = self.identity(c);
        for n in 0..acc.len.into() {
            self.dpp(i::V_MOV_B32, t.at(n), &[acc.at(n).into()], ctrl);
        }
        self.combine(c, acc, t);
    }

    /// acc one lane up; the first lane has the identity.
    fn shifted(&mut self, c: &Combine, acc: Part, lanes: u32) -> Part {
        let shifted = self.identity(c);
        for n in 0..acc.len.into() {
            let (from, to) = (acc.at(n), shifted.at(n));
            self.dpp(i::V_MOV_B32, to, &[from.into()], ROW_SHR | 1);
            for border in (16..lanes).step_by(16) {
                let x = self.read_lane(from.into(), Arg::Imm(border - 1));
                self.raw(i::V_WRITELANE_B32, &[to.into()], &[x.into(), Arg::Imm(border)]).tied = true;
            }
        }
        shifted
    }

    fn permlane(&mut self, x: Part, low: u32, high: u32) -> Part {
        let d = self.new_v(x.len.into());
        let (low, high) = (Arg::Imm(low), Arg::Imm(high));
        let low = if low.is_literal() { self.in_s(low).into() } else { low };
        let high = if high.is_literal() { self.in_s(high).into() } else { high };
        for n in 0..x.len.into() {
            self.raw(i::V_PERMLANEX16_B32, &[d.at(n).into()], &[x.at(n).into(), low, high]);
        }
        d
    }

    /// acc = other op acc in the active lanes.
    fn combine(&mut self, c: &Combine, acc: Part, other: Part) {
        if let Some(row) = c.row {
            self.raw(row, &[acc.into()], &[other.into(), acc.into()]).tied = true;
            return;
        }
        let (a0, a1) = (Arg::from(acc.at(0)), Arg::from(acc.at(1)));
        let (o0, o1) = (Arg::from(other.at(0)), Arg::from(other.at(1)));
        let by_half = |s: &mut Self, op: Op| {
            s.raw(op, &[a0], &[o0, a0]).tied = true;
            s.raw(op, &[a1], &[o1, a1]).tied = true;
        };
        let compare = match c.op {
            ReduceOp::And => return by_half(self, i::V_AND_B32),
            ReduceOp::Or => return by_half(self, i::V_OR_B32),
            ReduceOp::Xor => return by_half(self, i::V_XOR_B32),
            ReduceOp::IAdd => {
                let (carry, out) = (self.new_mask(), self.new_mask());
                self.raw(i::V_ADD_CO_U32, &[a0, carry.into()], &[o0, a0]).tied = true;
                self.raw(i::V_ADD_CO_CI_U32, &[a1, out.into()], &[o1, a1, carry.into()]).tied = true;
                return;
            }
            ReduceOp::IMul => {
                let mut high = self.v1(i::V_MUL_HI_U32, &[o0, a0]);
                for (x, y) in [(o1, a0), (o0, a1)] {
                    let cross = self.v1(i::V_MUL_LO_U32, &[x, y]);
                    high = self.v1(i::V_ADD_NC_U32, &[high.into(), cross.into()]);
                }
                self.raw(i::V_MUL_LO_U32, &[a0], &[o0, a0]).tied = true;
                self.raw(i::V_MOV_B32, &[a1], &[high.into()]).tied = true;
                return;
            }
            ReduceOp::SMin => i::V_CMP_LT_I64,
            ReduceOp::SMax => i::V_CMP_GT_I64,
            ReduceOp::UMin => i::V_CMP_LT_U64,
            _ => i::V_CMP_GT_U64,
        };
        let better = self.vcmp(compare, &[other.into(), acc.into()], Mods::default());
        for (a, o) in [(a0, o0), (a1, o1)] {
            self.raw(i::V_CNDMASK_B32, &[a], &[a, o, better.into()]).tied = true;
        }
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

fn combine_rule(op: ReduceOp, width: Width) -> Combine {
    let (row, identity) = match width {
        Width::B64 => wide_rule(op),
        w => {
            let (row, identity) = narrow_rule(op, w);
            (Some(row), identity.into())
        }
    };
    let words = if width == Width::B64 { 2 } else { 1 };
    Combine { op, row, identity: [identity as u32, (identity >> 32) as u32][..words].to_vec() }
}

fn wide_rule(op: ReduceOp) -> (Option<Op>, u64) {
    match op {
        ReduceOp::IAdd | ReduceOp::Or | ReduceOp::Xor | ReduceOp::UMax => (None, 0),
        ReduceOp::IMul => (None, 1),
        ReduceOp::SMin => (None, i64::MAX as u64),
        ReduceOp::SMax => (None, i64::MIN as u64),
        ReduceOp::UMin | ReduceOp::And => (None, u64::MAX),
        ReduceOp::FAdd => (Some(i::V_ADD_F64), (-0.0f64).to_bits()),
        ReduceOp::FMul => (Some(i::V_MUL_F64), 1.0f64.to_bits()),
        ReduceOp::FMin => (Some(i::V_MIN_F64), f64::INFINITY.to_bits()),
        ReduceOp::FMax => (Some(i::V_MAX_F64), f64::NEG_INFINITY.to_bits()),
    }
}

/// Integers are extended to 32 bits; identities are the ends of their own width.
fn narrow_rule(op: ReduceOp, width: Width) -> (Op, u32) {
    let half = width == Width::B16;
    let most = u32::MAX >> (32 - width.bits());
    match op {
        ReduceOp::IAdd => (i::V_ADD_NC_U32, 0),
        ReduceOp::IMul => (i::V_MUL_LO_U32, 1),
        ReduceOp::SMin => (i::V_MIN_I32, most >> 1),
        ReduceOp::UMin => (i::V_MIN_U32, most),
        ReduceOp::SMax => (i::V_MAX_I32, !(most >> 1)),
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
    }
}
