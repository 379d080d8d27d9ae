//! Single instructions of the scalar and of the vector unit, with operands as the generation takes them.

use super::*;
use crate::back::forms::takes_literal;
use wavepipe_isa::legal::ports;

/// Constants of 64 bits in SGPRs, and in VGPRs, in the lanes that are active where they were put there.
#[derive(Default)]
pub(super) struct Doubles {
    scalar: HashMap<u64, Part>,
    vector: HashMap<u64, Part>,
}

impl Selector<'_> {
    // ---- scalar unit ----

    /// A scalar instruction with a fresh 32-bit result.
    pub(super) fn s1(&mut self, op: Op, src: &[Arg]) -> Part {
        let d = self.new_s(1);
        self.sop(op, d.into(), src);
        d
    }

    /// A scalar instruction with a fresh 64-bit result.
    pub(super) fn s2(&mut self, op: Op, src: &[Arg]) -> Part {
        let d = self.new_s(2);
        self.sop(op, d.into(), src);
        d
    }

    /// A scalar instruction; vector operands are read from the first lane, a second literal goes through a register.
    pub(super) fn sop(&mut self, op: Op, dst: Arg, src: &[Arg]) {
        let mut args: Vec<Arg> = src.iter().map(|&a| self.to_s(a)).collect();
        let mut literal = None;
        for a in &mut args {
            if self.is_literal(*a) {
                match literal {
                    None => literal = Some(*a),
                    Some(l) if l == *a => {}
                    Some(_) => *a = self.literal(a.imm().unwrap_or(0)).into(),
                }
            }
        }
        let dst: &[Arg] = if dst == Arg::None { &[] } else { &[dst] };
        self.raw(op, dst, &args);
    }

    /// A literal in an SGPR, shared within the block.
    pub(super) fn literal(&mut self, n: u32) -> Part {
        if let Some(&p) = self.literals.get(&n) {
            return p;
        }
        let d = self.new_s(1);
        self.raw(i::S_MOV_B32, &[d.into()], &[Arg::Imm(n)]);
        self.literals.insert(n, d);
        d
    }

    /// An f64 as an operand: inline where there is such a number, else in SGPRs, shared within the block.
    pub(super) fn double(&mut self, bits: u64) -> Arg {
        let value = f64::from_bits(bits);
        if let Some(&n) = DOUBLES.iter().find(|n| f64::from(f32::from_bits(**n)).to_bits() == value.to_bits()) {
            return Arg::Imm(n);
        }
        if let Some(&p) = self.doubles.scalar.get(&bits) {
            return p.into();
        }
        let d = self.gather(Bank::S, &[Arg::Imm(bits as u32), Arg::Imm((bits >> 32) as u32)]);
        self.doubles.scalar.insert(bits, d);
        d.into()
    }

    /// The operand in a VGPR; a double, for which there is no port left, from its constants, shared within the block.
    fn off_the_bus(&mut self, a: Arg) -> Part {
        let Some(bits) = self.doubles.scalar.iter().find(|(_, p)| a == Arg::Reg(**p)).map(|(bits, _)| *bits) else {
            return self.to_v(a);
        };
        if let Some(&p) = self.doubles.vector.get(&bits) {
            return p;
        }
        let d = self.new_v(2);
        for (n, word) in [bits as u32, (bits >> 32) as u32].into_iter().enumerate() {
            self.raw(i::V_MOV_B32, &[d.at(n as u32).into()], &[Arg::Imm(word)]);
        }
        self.doubles.vector.insert(bits, d);
        d
    }

    /// The operand as the scalar unit can read it: an SGPR or a constant. A VGPR holds the same in all active lanes.
    pub(super) fn to_s(&mut self, a: Arg) -> Arg {
        match a {
            Arg::Reg(p) if self.f.info(p).bank == Bank::V => {
                let d = self.new_s(p.len.into());
                for n in 0..p.len.into() {
                    self.raw(i::V_READFIRSTLANE_B32, &[d.at(n).into()], &[p.at(n).into()]);
                }
                d.into()
            }
            _ => a,
        }
    }

    /// The operand in an SGPR.
    pub(super) fn in_s(&mut self, a: Arg) -> Part {
        match self.to_s(a) {
            Arg::Reg(p) => p,
            a => {
                let d = self.new_s(1);
                self.raw(i::S_MOV_B32, &[d.into()], &[a]);
                d
            }
        }
    }

    // ---- vector unit ----

    /// A vector instruction with a fresh 32-bit result.
    pub(super) fn v1(&mut self, op: Op, src: &[Arg]) -> Part {
        self.v1m(op, src, Mods::default())
    }

    pub(super) fn v1m(&mut self, op: Op, src: &[Arg], mods: Mods) -> Part {
        let d = self.new_v(1);
        self.vop(op, &[d.into()], src, mods);
        d
    }

    /// A vector instruction with a fresh 64-bit result.
    pub(super) fn v2(&mut self, op: Op, src: &[Arg]) -> Part {
        let d = self.new_v(2);
        self.vop(op, &[d.into()], src, Mods::default());
        d
    }

    /// A vector instruction, or what the generation has in its place. Literals and scalar registers beyond what the
    /// instruction takes go through registers.
    pub(super) fn vop(&mut self, op: Op, dst: &[Arg], src: &[Arg], mods: Mods) {
        if !self.has(op) && self.stand_in(op, dst, src, mods) {
            return;
        }
        let mut args = src.to_vec();
        // A lane mask has no other place to be.
        let is_mask = |n: usize| matches!(op.row().src.get(n), Some(Ty::Vcc | Ty::Mask));
        let mut bus: Vec<Arg> = (0..args.len()).filter(|&n| is_mask(n)).map(|n| args[n]).collect();
        let ports = ports(op, self.f.isa);
        self.literals(op, dst, &mut args, mods, ports - bus.len().min(ports));
        for n in 0..args.len() {
            let a = args[n];
            if !(self.is_s(a) || self.is_literal(a)) || bus.contains(&a) {
                continue;
            }
            if bus.len() < ports {
                bus.push(a);
            } else {
                args[n] = self.off_the_bus(a).into();
            }
        }
        self.raw(op, dst, &args).mods = mods;
    }

    /// Literals that an instruction cannot have become registers: scalar ones while one of the `ports` to the constant bus is
    /// left.
    fn literals(&mut self, op: Op, dst: &[Arg], args: &mut [Arg], mods: Mods, ports: usize) {
        let vcc = dst.iter().all(|&d| self.is_vcc(d) || self.is_v(d));
        let anywhere = self.f.isa.caps().vop3_literal;
        let mut scalars: Vec<Arg> = Vec::new();
        for &a in args.iter() {
            if self.is_s(a) && !scalars.contains(&a) {
                scalars.push(a);
            }
        }
        let mut literal: Option<Arg> = None;
        for n in 0..args.len() {
            if !self.is_literal(args[n]) || literal == Some(args[n]) && anywhere {
                continue;
            }
            let beside = |s: &Self| args.iter().enumerate().all(|(k, &a)| k == n || s.is_v(a));
            let fits = anywhere || mods == Mods::default() && beside(self) && takes_literal(op, n, vcc, self.f.isa);
            let value = args[n].imm().unwrap_or(0);
            if literal.is_none() && !wide_operand(op, n) && fits {
                literal = Some(args[n]);
            } else if anywhere || scalars.len() < ports {
                args[n] = self.literal(value).into();
                if !scalars.contains(&args[n]) {
                    scalars.push(args[n]);
                }
            } else {
                args[n] = self.to_v(args[n]).into();
            }
        }
    }

    /// The operand is a number that the generation has no inline constant for.
    pub(super) fn is_literal(&self, a: Arg) -> bool {
        a.is_literal() || matches!(a, Arg::Imm(n) if Src::inline(n) == Some(Src::INV_2PI)) && !self.f.isa.caps().inv_2pi
    }

    /// The generation has the instruction.
    pub(super) fn has(&self, op: Op) -> bool {
        op.exists(self.f.isa)
    }

    pub(super) fn is_vcc(&self, a: Arg) -> bool {
        matches!(a, Arg::Reg(p) if self.f.info(p).fixed == Some(Src::VCC_LO))
    }

    /// The operand in a VGPR.
    pub(super) fn to_v(&mut self, a: Arg) -> Part {
        match a {
            Arg::Reg(p) if self.f.info(p).bank == Bank::V => p,
            Arg::Reg(p) => {
                let d = self.new_v(p.len.into());
                for n in 0..p.len.into() {
                    self.raw(i::V_MOV_B32, &[d.at(n).into()], &[p.at(n).into()]);
                }
                d
            }
            a => {
                let d = self.new_v(1);
                self.raw(i::V_MOV_B32, &[d.into()], &[a]);
                d
            }
        }
    }
}

/// Numbers that operands of 64 bits name as those of 32 do, as f32: zero, ±½, ±1, ±2 and ±4.
const DOUBLES: [u32; 9] =
    [0, 0x3f00_0000, 0xbf00_0000, 0x3f80_0000, 0xbf80_0000, 0x4000_0000, 0xc000_0000, 0x4080_0000, 0xc080_0000];

/// Operand `n` of `op` reads 64 bits: a 32-bit literal there means something else than the bits.
fn wide_operand(op: Op, n: usize) -> bool {
    matches!(op.row().src.get(n), Some(Ty::B64 | Ty::U64 | Ty::I64 | Ty::F64))
}
