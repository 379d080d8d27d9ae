//! Instructions that compute.

use super::types::Kind;
use super::{Gen, Inst, Val};
use rspirv::spirv::{Decoration, GlslStd450Op as GLOp, Op};

const INTEGER: [Op; 6] = [Op::IAdd, Op::ISub, Op::IMul, Op::BitwiseAnd, Op::BitwiseOr, Op::BitwiseXor];
const DIVISION: [Op; 5] = [Op::UDiv, Op::UMod, Op::SDiv, Op::SRem, Op::SMod];
const SHIFT: [Op; 3] = [Op::ShiftLeftLogical, Op::ShiftRightLogical, Op::ShiftRightArithmetic];
const COMPARE: [Op; 10] = [
    Op::IEqual,
    Op::INotEqual,
    Op::ULessThan,
    Op::SLessThan,
    Op::UGreaterThan,
    Op::SGreaterThan,
    Op::ULessThanEqual,
    Op::SLessThanEqual,
    Op::UGreaterThanEqual,
    Op::SGreaterThanEqual,
];
const COMPARE_FLOATS: [Op; 12] = [
    Op::FOrdEqual,
    Op::FUnordEqual,
    Op::FOrdNotEqual,
    Op::FUnordNotEqual,
    Op::FOrdLessThan,
    Op::FUnordLessThan,
    Op::FOrdGreaterThan,
    Op::FUnordGreaterThan,
    Op::FOrdLessThanEqual,
    Op::FUnordLessThanEqual,
    Op::FOrdGreaterThanEqual,
    Op::FUnordGreaterThanEqual,
];
const LOGIC: [Op; 4] = [Op::LogicalAnd, Op::LogicalOr, Op::LogicalEqual, Op::LogicalNotEqual];
const GLSL_INTEGER: [(GLOp, usize); 6] =
    [(GLOp::SAbs, 1), (GLOp::SSign, 1), (GLOp::UMin, 2), (GLOp::UMax, 2), (GLOp::SMin, 2), (GLOp::SMax, 2)];
const GLSL_FLOAT: [(GLOp, usize); 7] = [
    (GLOp::FAbs, 1),
    (GLOp::Floor, 1),
    (GLOp::Ceil, 1),
    (GLOp::Trunc, 1),
    (GLOp::RoundEven, 1),
    (GLOp::NMin, 2),
    (GLOp::NMax, 2),
];

impl Gen {
    /// A value of a type: one that there is, or one made for it.
    pub fn value(&mut self, ty: u32) -> u32 {
        self.pick_value(ty).id
    }

    pub fn pick_value(&mut self, ty: u32) -> Val {
        let fitting: Vec<Val> = self.scope.iter().filter(|v| v.ty == ty).copied().collect();
        if !fitting.is_empty() && !self.r.one_in(8) {
            // Late values are likelier: they come from inside of the constructs.
            let n = fitting.len();
            return fitting[n - 1 - self.r.below(n).min(self.r.below(n))];
        }
        if self.kind(ty) == Kind::Pointer {
            let id = self.new_pointer();
            self.offer(id, ty, false);
            return Val { id, ty, uniform: false };
        }
        let constant = |g: &mut Gen| Val { id: g.constant_of(ty), ty, uniform: true };
        if self.r.one_in(3) {
            return constant(self);
        }
        let uint = self.uint();
        let id = match self.kind(ty) {
            Kind::Bool => {
                let (a, b) = (self.value(uint), self.value(uint));
                let op = self.r.pick(&COMPARE);
                self.emit(op, ty, &[a, b])
            }
            Kind::Int { bits: 32, .. } => return constant(self),
            Kind::Int { .. } => {
                let v = self.value(uint);
                self.convert_word(v, ty)
            }
            // Small numbers, so that sums and products of a few are exact.
            Kind::Float { .. } => {
                let (v, mask) = (self.value(uint), self.word(15));
                let small = self.emit(Op::BitwiseAnd, uint, &[v, mask]);
                self.emit(Op::ConvertUToF, ty, &[small])
            }
            _ => {
                let parts: Vec<u32> = self.part_types(ty).into_iter().map(|t| self.value(t)).collect();
                self.emit(Op::CompositeConstruct, ty, &parts)
            }
        };
        self.offer(id, ty, false);
        Val { id, ty, uniform: false }
    }

    /// A word as an integer of another width.
    fn convert_word(&mut self, v: u32, ty: u32) -> u32 {
        match self.kind(ty) {
            Kind::Int { signed: true, .. } => self.emit(Op::SConvert, ty, &[v]),
            _ => self.emit(Op::UConvert, ty, &[v]),
        }
    }

    /// A float result that must not be contracted with others.
    fn exact(&mut self, op: Op, ty: u32, args: &[u32]) -> u32 {
        let id = self.emit(op, ty, args);
        self.decorate(id, Decoration::NoContraction, &[]);
        id
    }

    /// One instruction, with what keeps it defined.
    pub fn operation(&mut self) {
        let before = self.scope.len();
        let Some((id, ty)) = self.some_operation() else { return };
        // Values that were made for it are not looked at closely: any that is not uniform spoils the result.
        let uniform = self.uniform && self.operands_uniform(id, before);
        self.offer(id, ty, uniform);
    }

    fn operands_uniform(&self, id: u32, before: usize) -> bool {
        let insts = &self.blocks.last().expect("an open block").insts;
        let Some(i) = insts.last().filter(|i| i.id == id) else { return false };
        let uniform = |v: u32| self.scope.iter().any(|s| s.id == v && s.uniform);
        self.scope.len() == before && i.op == Op::IAdd && i.args.iter().all(|&a| uniform(a))
    }

    fn some_operation(&mut self) -> Option<(u32, u32)> {
        let bool = self.bool();
        Some(match self.r.below(22) {
            0..=3 => {
                let ty = self.int_type();
                let (a, b) = (self.value(ty), self.value(ty));
                let op = self.r.pick(&INTEGER);
                (self.emit(op, ty, &[a, b]), ty)
            }
            4 => {
                let ty = self.int_type();
                let (a, b) = (self.value(ty), self.value(ty));
                // The unsigned ones have unsigned results.
                let unsigned = matches!(self.kind(self.scalar_of(ty)), Kind::Int { signed: false, .. });
                let op = self.r.pick(&DIVISION[if unsigned { 0 } else { 2 }..]);
                // 1 to 7: neither zero nor minus one.
                let (mask, one) = (self.splat(ty, 7), self.splat(ty, 1));
                let b = self.emit(Op::BitwiseAnd, ty, &[b, mask]);
                let b = self.emit(Op::BitwiseOr, ty, &[b, one]);
                (self.emit(op, ty, &[a, b]), ty)
            }
            5 => {
                let ty = self.int_type();
                let scalar = self.int_type();
                let scalar = self.scalar_of(scalar);
                let by = self.like(ty, scalar);
                let (a, b) = (self.value(ty), self.value(by));
                let most = u64::from(self.bits_of(ty) - 1);
                let mask = self.splat(by, most);
                let b = self.emit(Op::BitwiseAnd, by, &[b, mask]);
                let op = self.r.pick(&SHIFT);
                (self.emit(op, ty, &[a, b]), ty)
            }
            6 => {
                let ty = self.int_type();
                let a = self.value(ty);
                let op = self.r.pick(&[Op::SNegate, Op::Not]);
                (self.emit(op, ty, &[a]), ty)
            }
            7 => self.bit_operation(),
            8 => {
                let floats = self.r.one_in(2).then(|| self.float_type()).flatten();
                let ty = floats.unwrap_or_else(|| self.int_type());
                let (a, b) = (self.value(ty), self.value(ty));
                let op = if floats.is_some() { self.r.pick(&COMPARE_FLOATS) } else { self.r.pick(&COMPARE) };
                let to = self.like(ty, bool);
                (self.emit(op, to, &[a, b]), to)
            }
            9 => {
                let ty = self.maybe_vector(bool);
                let (a, b) = (self.value(ty), self.value(ty));
                let op = self.r.pick(&LOGIC);
                if self.r.one_in(4) {
                    (self.emit(Op::LogicalNot, ty, &[a]), ty)
                } else if self.components(ty) > 1 && self.r.one_in(3) {
                    let op = self.r.pick(&[Op::Any, Op::All]);
                    (self.emit(op, bool, &[a]), bool)
                } else {
                    (self.emit(op, ty, &[a, b]), ty)
                }
            }
            10 | 11 => self.select(),
            12 => self.conversion()?,
            13 => self.bitcast()?,
            14 | 15 => self.float_operation()?,
            16 => {
                let floats = self.r.one_in(2).then(|| self.float_type()).flatten();
                let ty = floats.unwrap_or_else(|| self.int_type());
                // Signed and unsigned operands go with any integers.
                let (op, n) = if floats.is_some() { self.r.pick(&GLSL_FLOAT) } else { self.r.pick(&GLSL_INTEGER) };
                let args: Vec<u32> = (0..n).map(|_| self.value(ty)).collect();
                (self.extended(op, ty, &args), ty)
            }
            17 => self.pair(),
            18 => self.matrix_operation()?,
            _ => self.composite(),
        })
    }

    /// A constant with all components alike.
    fn splat(&mut self, ty: u32, bits: u64) -> u32 {
        let scalar = self.scalar_of(ty);
        let c = self.scalar_constant(scalar, bits);
        match self.components(ty) {
            1 => c,
            n => {
                let id = self.id();
                self.declarations.push(Inst::new(Op::ConstantComposite, ty, id, vec![c; n as usize]));
                id
            }
        }
    }

    /// Bit fields and counts, which are for 32 bits.
    fn bit_operation(&mut self) -> (u32, u32) {
        let uint = self.uint();
        let signed = self.r.one_in(2);
        let scalar = self.int(32, signed);
        let ty = self.maybe_vector(scalar);
        let a = self.value(ty);
        match self.r.below(8) {
            0 => (self.emit(Op::BitReverse, ty, &[a]), ty),
            1 => (self.emit(Op::BitCount, ty, &[a]), ty),
            2 => {
                let op = self.r.pick(&[GLOp::FindILsb, GLOp::FindSMsb, GLOp::FindUMsb]);
                (self.extended(op, ty, &[a]), ty)
            }
            n => {
                let (offset, count, mask) = (self.value(uint), self.value(uint), self.word(15));
                let offset = self.emit(Op::BitwiseAnd, uint, &[offset, mask]);
                let count = self.emit(Op::BitwiseAnd, uint, &[count, mask]);
                let id = match n {
                    3 | 4 => {
                        let b = self.value(ty);
                        self.emit(Op::BitFieldInsert, ty, &[a, b, offset, count])
                    }
                    5 => self.emit(Op::BitFieldSExtract, ty, &[a, offset, count]),
                    _ => self.emit(Op::BitFieldUExtract, ty, &[a, offset, count]),
                };
                (id, ty)
            }
        }
    }

    fn select(&mut self) -> (u32, u32) {
        let bool = self.bool();
        let ty = self.some_value().ty;
        let vector = self.components(ty) > 1 && self.r.one_in(2);
        let condition = if vector { self.like(ty, bool) } else { bool };
        let (c, a, b) = (self.value(condition), self.value(ty), self.value(ty));
        (self.emit(Op::Select, ty, &[c, a, b]), ty)
    }

    /// Between numbers of any width and kind.
    fn conversion(&mut self) -> Option<(u32, u32)> {
        let from = self.some_value().ty;
        if self.components(from) == 0 || !(self.is_int(from) || self.is_float(from)) {
            return None;
        }
        let scalar = self.scalar_type();
        let to = self.like(from, scalar);
        let a = self.value(from);
        let signed = self.r.one_in(2);
        Some(match (self.is_float(from), self.is_float(to)) {
            (false, false) if self.bits_of(from) == self.bits_of(to) => return None,
            (false, false) => {
                // A result of OpUConvert must be unsigned.
                let unsigned = self.kind(scalar) == Kind::Int { bits: self.bits_of(to), signed: false };
                let op = if unsigned && !signed { Op::UConvert } else { Op::SConvert };
                (self.emit(op, to, &[a]), to)
            }
            (false, true) => (self.emit(if signed { Op::ConvertSToF } else { Op::ConvertUToF }, to, &[a]), to),
            (true, true) if self.bits_of(from) == self.bits_of(to) => return None,
            (true, true) => (self.emit(Op::FConvert, to, &[a]), to),
            (true, false) => {
                // From 0 to 100, or -100 to 100: every type has those.
                let (low, high) = (if signed { -100.0 } else { 0.0 }, 100.0);
                let (low, high) = (self.float_constant(from, low), self.float_constant(from, high));
                let a = self.extended(GLOp::NMax, from, &[a, low]);
                let a = self.extended(GLOp::NMin, from, &[a, high]);
                // A result of OpConvertFToU must be unsigned.
                let unsigned = self.kind(scalar) == Kind::Int { bits: self.bits_of(to), signed: false };
                (self.emit(if unsigned && !signed { Op::ConvertFToU } else { Op::ConvertFToS }, to, &[a]), to)
            }
        })
    }

    fn float_constant(&mut self, ty: u32, v: f64) -> u32 {
        let bits = match self.bits_of(ty) {
            16 => u64::from(half::f16::from_f64(v).to_bits()),
            32 => u64::from((v as f32).to_bits()),
            _ => v.to_bits(),
        };
        self.splat(ty, bits)
    }

    fn bitcast(&mut self) -> Option<(u32, u32)> {
        let from = self.some_value().ty;
        if self.components(from) == 0 || !(self.is_int(from) || self.is_float(from)) {
            return None;
        }
        let mut a = self.value(from);
        if self.is_float(from) {
            a = self.plain_float(a, from);
        }
        let total = self.bits_of(from) * self.components(from);
        let scalar = self.scalar_type();
        let width = self.bits_of(scalar);
        let n = total / width;
        let to = match n {
            1 if total == width => scalar,
            2..=4 if total == n * width => self.vector(scalar, n),
            _ => return None,
        };
        if to == from {
            return None;
        }
        Some((self.emit(Op::Bitcast, to, &[a]), to))
    }

    fn float_operation(&mut self) -> Option<(u32, u32)> {
        let ty = self.float_type()?;
        let (a, b) = (self.value(ty), self.value(ty));
        let bool = self.bool();
        Some(match self.r.below(6) {
            0 => (self.emit(Op::FNegate, ty, &[a]), ty),
            1 => {
                let op = self.r.pick(&[Op::IsNan, Op::IsInf]);
                let to = self.like(ty, bool);
                (self.emit(op, to, &[a]), to)
            }
            2 if self.components(ty) > 1 => {
                let scalar = self.scalar_of(ty);
                let by = self.value(scalar);
                (self.exact(Op::VectorTimesScalar, ty, &[a, by]), ty)
            }
            _ => {
                let op = self.r.pick(&[Op::FAdd, Op::FSub, Op::FMul]);
                (self.exact(op, ty, &[a, b]), ty)
            }
        })
    }

    /// Instructions with a structure of two for a result.
    fn pair(&mut self) -> (u32, u32) {
        // Vulkan has these for 32 bits.
        let op = self.r.pick(&[Op::IAddCarry, Op::ISubBorrow, Op::UMulExtended, Op::SMulExtended]);
        let signed = op == Op::SMulExtended && self.r.one_in(2);
        let scalar = self.int(32, signed);
        let ty = self.maybe_vector(scalar);
        let both = self.structure(vec![ty, ty]);
        let (a, b) = (self.value(ty), self.value(ty));
        (self.emit(op, both, &[a, b]), both)
    }

    fn matrix_operation(&mut self) -> Option<(u32, u32)> {
        let ty = self.matrix_type()?;
        let Kind::Matrix { of, n } = self.kind(ty) else { return None };
        let scalar = self.scalar_of(of);
        Some(match self.r.below(5) {
            0 => {
                let (m, by) = (self.value(ty), self.value(scalar));
                (self.exact(Op::MatrixTimesScalar, ty, &[m, by]), ty)
            }
            1 => {
                let column = self.vector(scalar, n);
                let to = self.matrix(column, self.components(of));
                let m = self.value(ty);
                (self.emit(Op::Transpose, to, &[m]), to)
            }
            2 => {
                let row = self.vector(scalar, n);
                let (a, b) = (self.value(of), self.value(row));
                (self.exact(Op::OuterProduct, ty, &[a, b]), ty)
            }
            k => {
                // Of small integers, so that no order of summation rounds.
                let columns: Vec<u32> = (0..n).map(|_| self.small_vector(of)).collect();
                let m = self.emit(Op::CompositeConstruct, ty, &columns);
                if k == 3 {
                    let row = self.vector(scalar, n);
                    let v = self.small_vector(row);
                    (self.emit(Op::MatrixTimesVector, of, &[m, v]), of)
                } else {
                    let row = self.vector(scalar, n);
                    let v = self.small_vector(of);
                    (self.emit(Op::VectorTimesMatrix, row, &[v, m]), row)
                }
            }
        })
    }

    fn small_vector(&mut self, ty: u32) -> u32 {
        let uint = self.uint();
        let (words, mask) = (self.like(ty, uint), 7);
        let (v, mask) = (self.value(words), self.splat(words, mask));
        let small = self.emit(Op::BitwiseAnd, words, &[v, mask]);
        self.emit(Op::ConvertUToF, ty, &[small])
    }

    /// Taking composites apart and putting them together.
    fn composite(&mut self) -> (u32, u32) {
        let v = self.some_value();
        let parts = self.part_types(v.ty);
        if parts.is_empty() {
            let ty = self.any_type();
            let args: Vec<u32> = self.part_types(ty).into_iter().map(|t| self.value(t)).collect();
            return match args.is_empty() {
                true => (self.emit(Op::CopyObject, v.ty, &[v.id]), v.ty),
                false => (self.emit(Op::CompositeConstruct, ty, &args), ty),
            };
        }
        let at = self.r.below(parts.len());
        let is_vector = matches!(self.kind(v.ty), Kind::Vector { .. });
        match self.r.below(5) {
            0 if is_vector => {
                let index = self.index_below(parts.len() as u32);
                (self.emit(Op::VectorExtractDynamic, parts[0], &[v.id, index]), parts[0])
            }
            1 if is_vector => {
                let (part, index) = (self.value(parts[0]), self.index_below(parts.len() as u32));
                (self.emit(Op::VectorInsertDynamic, v.ty, &[v.id, part, index]), v.ty)
            }
            2 if is_vector => {
                let n = 2 + self.r.below(3) as u32;
                let (other, to) = (self.value(v.ty), self.vector(parts[0], n));
                let mut args = vec![v.id, other];
                args.extend((0..n).map(|_| self.r.below(2 * parts.len()) as u32));
                (self.emit(Op::VectorShuffle, to, &args), to)
            }
            3 => {
                let part = self.value(parts[at]);
                (self.emit(Op::CompositeInsert, v.ty, &[part, v.id, at as u32]), v.ty)
            }
            _ => {
                // Down to a part, perhaps a deep one.
                let (mut ty, mut args) = (parts[at], vec![v.id, at as u32]);
                while !self.part_types(ty).is_empty() && self.r.one_in(2) {
                    let inner = self.part_types(ty);
                    let at = self.r.below(inner.len());
                    args.push(at as u32);
                    ty = inner[at];
                }
                (self.emit(Op::CompositeExtract, ty, &args), ty)
            }
        }
    }
}
