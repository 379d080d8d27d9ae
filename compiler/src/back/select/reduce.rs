//! Reductions and scans across lanes.
//!
//! They run in the whole wave (EXEC = −1) on a copy that holds the identity in inactive lanes. Values of 64 bits move dword
//! by dword and are combined as pairs. How a step crosses lanes is what the target's DPP offers:
//!
//! | | gfx10 | gfx8 | none |
//! |---|---|---|---|
//! | with the lane whose number differs in a bit, in a row of 16 | row_xmask | quad_perm, mirrors | ds_swizzle |
//! | with the other row of a half | v_permlanex16 | ds_swizzle | ds_swizzle |
//! | a scan in a row | row_shr | row_shr | ds_swizzle of the last lane of each lower half |
//! | from row to row, of the whole wave | v_permlanex16, v_readlane | row_bcast | ds_swizzle, v_readlane |
//! | one lane up | row_shr, v_readlane | wave_shr | – |

use super::*;
use crate::ir::{ReduceKind, ReduceOp};
use wavepipe_isa::instr::{Dpp16, Extra};
use wavepipe_isa::row::Format;
use wavepipe_isa::{Dpp, legal};

const ROW_SHR: u16 = 0x110;
const ROW_XMASK: u16 = 0x160;
const WAVE_SHR: u16 = 0x138;
const ROW_MIRROR: u16 = 0x140;
const ROW_HALF_MIRROR: u16 = 0x141;
/// The last lane of a row to all of the next one, and that of the lower half to all of the upper one.
const ROW_BCAST15: u16 = 0x142;
const ROW_BCAST31: u16 = 0x143;
const ALL_ROWS: u8 = 15;

/// quad_perm that exchanges lanes whose numbers differ in the bits of `mask`, 1..=3.
const fn quad_xor(mask: u16) -> u16 {
    mask | (1 ^ mask) << 2 | (2 ^ mask) << 4 | (3 ^ mask) << 6
}

/// ds_swizzle's offset: lane n of 32 reads lane ((n & and) | or) ^ xor.
const fn swizzle(and: u32, or: u32, xor: u32) -> u32 {
    and | or << 5 | xor << 10
}

/// Lanes of 32 whose numbers have the bit `step`.
const fn upper(step: u32) -> u32 {
    u32::MAX / ((1 << step) + 1) << step
}

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
        let signed = matches!(op, ReduceOp::SMin | ReduceOp::SMax);
        let float = matches!(op, ReduceOp::FAdd | ReduceOp::FMul | ReduceOp::FMin | ReduceOp::FMax);
        // Halves that the target does not add are f32 on the way.
        let widened = float && width == Width::B16 && !self.has(i::V_ADD_F16);
        let c = combine_rule(op, if widened { Width::B32 } else { width });
        let x = match width {
            Width::B64 => self.dwords(v),
            _ if widened => {
                let x = self.src(v);
                vec![self.v1(i::V_CVT_F32_F16, &[x]).into()]
            }
            _ if float => vec![self.src(v)],
            _ => vec![self.extended(v, signed)],
        };
        let cluster = if cluster == 0 || cluster > lanes { lanes } else { cluster };
        if kind == ReduceKind::Reduce && cluster == 1 {
            self.set_dwords(r, &x);
            return Ok(());
        }
        let dpp = self.f.isa.caps().dpp;
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
                for step in [1, 2, 4, 8] {
                    if step < cluster {
                        self.butterfly(&c, acc, step);
                    }
                }
                let mut total = 0;
                if cluster == 64 && dpp == Dpp::Gfx8 {
                    self.row_to_row(&c, acc);
                    total = 63;
                } else {
                    if cluster >= 32 {
                        self.butterfly(&c, acc, 16);
                    }
                    if cluster == 64 {
                        let (lo, hi) = (self.read_lanes(acc, 0), self.read_lanes(acc, 32));
                        for n in 0..acc.len.into() {
                            self.raw(i::V_MOV_B32, &[acc.at(n).into()], &[lo.at(n).into()]).tied = true;
                        }
                        self.combine(&c, acc, hi);
                    }
                }
                if cluster == lanes {
                    let d = self.read_lanes(acc, total);
                    self.whole_wave(first);
                    self.exec(saved.into());
                    self.set_result(r, d, widened);
                    return Ok(());
                }
            }
            ReduceKind::InclusiveScan | ReduceKind::ExclusiveScan if dpp == Dpp::None => {
                acc = self.scan_by_halves(&c, acc, kind == ReduceKind::ExclusiveScan);
            }
            ReduceKind::InclusiveScan | ReduceKind::ExclusiveScan if dpp == Dpp::Gfx8 => {
                for step in [1u16, 2, 4, 8] {
                    self.dpp_step(&c, acc, ROW_SHR | step, ALL_ROWS);
                }
                self.row_to_row(&c, acc);
                if kind == ReduceKind::ExclusiveScan {
                    let up = self.identity(&c);
                    for n in 0..acc.len.into() {
                        self.dpp(i::V_MOV_B32, up.at(n), &[acc.at(n).into()], WAVE_SHR, ALL_ROWS);
                    }
                    acc = up;
                }
            }
            ReduceKind::InclusiveScan | ReduceKind::ExclusiveScan => {
                for step in [1u16, 2, 4, 8] {
                    self.dpp_step(&c, acc, ROW_SHR | step, ALL_ROWS);
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
        self.set_result(r, d, widened);
        Ok(())
    }

    fn set_result(&mut self, r: Value, d: Part, widened: bool) {
        let words: Vec<Arg> = match widened {
            true => vec![self.v1(i::V_CVT_F16_F32, &[d.into()]).into()],
            false => (0..d.len.into()).map(|n| d.at(n).into()).collect(),
        };
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

    fn dpp(&mut self, op: Op, dst: Part, src: &[Arg], ctrl: u16, row_mask: u8) {
        let inst = self.raw(op, &[dst.into()], src);
        inst.tied = true;
        inst.extra = Extra::Dpp16(Dpp16 { ctrl, row_mask, bank_mask: 15, bound_ctrl: false, fetch_inactive: false });
    }

    /// Lanes of a half whose numbers differ in the bits of `mask` exchange a word.
    pub(super) fn exchanged(&mut self, word: Arg, mask: u32) -> Arg {
        let x = self.to_v(word);
        let ctrl = match (self.f.isa.caps().dpp, mask) {
            (Dpp::Gfx8, 1..=3) => quad_xor(mask as u16),
            (Dpp::Gfx8, 7) => ROW_HALF_MIRROR,
            (Dpp::Gfx8, 15) => ROW_MIRROR,
            (Dpp::None | Dpp::Gfx8, _) | (_, 16..) => return self.swizzled(x, swizzle(31, 0, mask)).into(),
            _ => ROW_XMASK | mask as u16,
        };
        let d = self.new_v(1);
        let inst = self.raw(i::V_MOV_B32, &[d.into()], &[x.into()]);
        inst.extra = Extra::Dpp16(Dpp16 { ctrl, row_mask: 15, bank_mask: 15, bound_ctrl: true, fetch_inactive: false });
        d.into()
    }

    /// Each dword from another lane of the half; zero from lanes that are not active.
    fn swizzled(&mut self, x: Part, offset: u32) -> Part {
        let d = self.new_v(x.len.into());
        for n in 0..x.len.into() {
            self.raw(i::DS_SWIZZLE_B32, &[d.at(n).into()], &[x.at(n).into()]).imm = offset as i32;
        }
        d
    }

    /// acc = acc op that of the lane whose number differs in the bit `step`, where lanes that differ in lower bits have the same.
    fn butterfly(&mut self, c: &Combine, acc: Part, step: u32) {
        let ctrl = match (self.f.isa.caps().dpp, step) {
            (Dpp::Gfx8, 1 | 2) => quad_xor(step as u16),
            (Dpp::Gfx8, 4) => ROW_HALF_MIRROR,
            (Dpp::Gfx8, 8) => ROW_MIRROR,
            (Dpp::None | Dpp::Gfx8, _) => {
                let other = self.swizzled(acc, swizzle(31, 0, step));
                return self.combine(c, acc, other);
            }
            (_, 16) => {
                // Lane n of the other row.
                let other = self.permlane(acc, 0x7654_3210, 0xfedc_ba98);
                return self.combine(c, acc, other);
            }
            _ => ROW_XMASK | step as u16,
        };
        self.dpp_step(c, acc, ctrl, ALL_ROWS);
    }

    /// The odd rows take the last lane of the row below, then the upper half that of the lower: the last lane has it all, and scans of rows
    /// become scans of the wave.
    fn row_to_row(&mut self, c: &Combine, acc: Part) {
        self.dpp_step(c, acc, ROW_BCAST15, 0b1010);
        self.dpp_step(c, acc, ROW_BCAST31, 0b1100);
    }

    /// A scan of which no step moves lanes by a distance: of 2, 4, … lanes side by side the upper half takes the last lane of the lower one.
    /// An exclusive one takes the same, and begins with the identity.
    fn scan_by_halves(&mut self, c: &Combine, acc: Part, exclusive: bool) -> Part {
        let (all, before) = (Arg::Imm(u32::MAX), exclusive.then(|| self.identity(c)));
        for step in [1, 2, 4, 8, 16] {
            let last = self.swizzled(acc, swizzle(31 & !(2 * step - 1), step - 1, 0));
            let half = self.literal(upper(step));
            let lanes = self.gather(Bank::S, &[half.into(), half.into()]);
            self.exec(lanes.into());
            before.into_iter().chain([acc]).for_each(|to| self.combine(c, to, last));
            self.exec(all);
        }
        let low = self.read_lanes(acc, 31);
        let lanes = self.gather(Bank::S, &[Arg::Imm(0), all]);
        self.exec(lanes.into());
        let out = before.unwrap_or(acc);
        self.combine(c, out, low);
        self.exec(all);
        out
    }

    /// acc = acc op (acc moved across lanes); lanes that the move does not reach keep theirs.
    fn dpp_step(&mut self, c: &Combine, acc: Part, ctrl: u16, row_mask: u8) {
        if let Some(row) = c.row
            && row.row().format == Format::Vop2
        {
            self.dpp(row, acc, &[acc.into(), acc.into()], ctrl, row_mask);
            return;
        }
        let t = self.identity(c);
        for n in 0..acc.len.into() {
            self.dpp(i::V_MOV_B32, t.at(n), &[acc.at(n).into()], ctrl, row_mask);
        }
        self.combine(c, acc, t);
    }

    /// acc one lane up; the first lane has the identity.
    fn shifted(&mut self, c: &Combine, acc: Part, lanes: u32) -> Part {
        let shifted = self.identity(c);
        for n in 0..acc.len.into() {
            let (from, to) = (acc.at(n), shifted.at(n));
            self.dpp(i::V_MOV_B32, to, &[from.into()], ROW_SHR | 1, ALL_ROWS);
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
            // An addition that a target has with a carry only, which nobody wants.
            let carry = (row == i::V_ADD_NC_U32 && !self.has(row)).then(|| self.new_mask());
            let (row, mut dst) = (if carry.is_some() { i::V_ADD_CO_U32_VCC } else { row }, vec![Arg::from(acc)]);
            dst.extend(carry.map(Arg::from));
            self.raw(row, &dst, &[other.into(), acc.into()]).tied = true;
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
                let add = if self.has(i::V_ADD_CO_U32) { i::V_ADD_CO_U32 } else { i::V_ADD_CO_U32_VCC };
                self.raw(add, &[a0, carry.into()], &[o0, a0]).tied = true;
                let o1 = self.beside_mask(i::V_ADD_CO_CI_U32, o1);
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
            let o = self.beside_mask(i::V_CNDMASK_B32, o);
            self.raw(i::V_CNDMASK_B32, &[a], &[a, o, better.into()]).tied = true;
        }
    }

    /// An operand of `op`, which reads a mask too: that has a port to the constant bus already.
    fn beside_mask(&mut self, op: Op, x: Arg) -> Arg {
        let bound = self.is_s(x) && legal::ports(op, self.f.isa) < 2;
        if bound { self.to_v(x).into() } else { x }
    }

    /// Logic over booleans: counts of the lanes in a mask.
    fn reduce_bool(&mut self, op: ReduceOp, kind: ReduceKind, cluster: u32, inst: &IrInst) -> Result<()> {
        let r = inst.results[0];
        if kind != ReduceKind::Reduce || cluster != 0 {
            return Err(self.unsupported("scans and clusters of booleans"));
        }
        let m = self.clean_mask(inst.args[0]);
        let b = match op {
            ReduceOp::And => {
                let t = self.mask_op(i::S_ANDN2_B32, i::S_ANDN2_B64, &[EXEC, m]);
                self.no_lane(t)
            }
            ReduceOp::Or => {
                let t = self.mask_op(i::S_MOV_B32, i::S_MOV_B64, &[m]);
                self.some_lane(t)
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
