//! Functions of numbers.

use super::{Lower, Val};
use crate::Result;
use crate::types::{INT, Scalar, Ty, UINT, vector};
use spirv::{GlslStd450Op as G, Op};

/// An instruction for each kind of number.
#[derive(Clone, Copy)]
enum By {
    Gl(Option<G>, Option<G>, Option<G>),
    Op(Op),
}

/// Functions of one type, component by component: name, arguments, which of them may be one number for all, instruction.
const SAME: &[(&str, usize, &[usize], By)] = &[
    ("radians", 1, &[], By::Gl(Some(G::Radians), None, None)),
    ("degrees", 1, &[], By::Gl(Some(G::Degrees), None, None)),
    ("sin", 1, &[], By::Gl(Some(G::Sin), None, None)),
    ("cos", 1, &[], By::Gl(Some(G::Cos), None, None)),
    ("tan", 1, &[], By::Gl(Some(G::Tan), None, None)),
    ("asin", 1, &[], By::Gl(Some(G::Asin), None, None)),
    ("acos", 1, &[], By::Gl(Some(G::Acos), None, None)),
    ("atan", 1, &[], By::Gl(Some(G::Atan), None, None)),
    ("atan", 2, &[], By::Gl(Some(G::Atan2), None, None)),
    ("sinh", 1, &[], By::Gl(Some(G::Sinh), None, None)),
    ("cosh", 1, &[], By::Gl(Some(G::Cosh), None, None)),
    ("tanh", 1, &[], By::Gl(Some(G::Tanh), None, None)),
    ("asinh", 1, &[], By::Gl(Some(G::Asinh), None, None)),
    ("acosh", 1, &[], By::Gl(Some(G::Acosh), None, None)),
    ("atanh", 1, &[], By::Gl(Some(G::Atanh), None, None)),
    ("pow", 2, &[], By::Gl(Some(G::Pow), None, None)),
    ("exp", 1, &[], By::Gl(Some(G::Exp), None, None)),
    ("log", 1, &[], By::Gl(Some(G::Log), None, None)),
    ("exp2", 1, &[], By::Gl(Some(G::Exp2), None, None)),
    ("log2", 1, &[], By::Gl(Some(G::Log2), None, None)),
    ("sqrt", 1, &[], By::Gl(Some(G::Sqrt), None, None)),
    ("inversesqrt", 1, &[], By::Gl(Some(G::InverseSqrt), None, None)),
    ("abs", 1, &[], By::Gl(Some(G::FAbs), Some(G::SAbs), None)),
    ("sign", 1, &[], By::Gl(Some(G::FSign), Some(G::SSign), None)),
    ("floor", 1, &[], By::Gl(Some(G::Floor), None, None)),
    ("trunc", 1, &[], By::Gl(Some(G::Trunc), None, None)),
    ("round", 1, &[], By::Gl(Some(G::Round), None, None)),
    ("roundEven", 1, &[], By::Gl(Some(G::RoundEven), None, None)),
    ("ceil", 1, &[], By::Gl(Some(G::Ceil), None, None)),
    ("fract", 1, &[], By::Gl(Some(G::Fract), None, None)),
    ("min", 2, &[1], By::Gl(Some(G::FMin), Some(G::SMin), Some(G::UMin))),
    ("max", 2, &[1], By::Gl(Some(G::FMax), Some(G::SMax), Some(G::UMax))),
    ("clamp", 3, &[1, 2], By::Gl(Some(G::FClamp), Some(G::SClamp), Some(G::UClamp))),
    ("mix", 3, &[2], By::Gl(Some(G::FMix), None, None)),
    ("step", 2, &[0], By::Gl(Some(G::Step), None, None)),
    ("smoothstep", 3, &[0, 1], By::Gl(Some(G::SmoothStep), None, None)),
    ("fma", 3, &[], By::Gl(Some(G::Fma), None, None)),
    ("cross", 2, &[], By::Gl(Some(G::Cross), None, None)),
    ("normalize", 1, &[], By::Gl(Some(G::Normalize), None, None)),
    ("faceforward", 3, &[], By::Gl(Some(G::FaceForward), None, None)),
    ("reflect", 2, &[], By::Gl(Some(G::Reflect), None, None)),
    ("mod", 2, &[1], By::Op(Op::FMod)),
    ("dFdx", 1, &[], By::Op(Op::DPdx)),
    ("dFdy", 1, &[], By::Op(Op::DPdy)),
    ("fwidth", 1, &[], By::Op(Op::Fwidth)),
];

/// Bits as another type: from, to.
const BITS: &[(&str, Scalar, Scalar)] = &[
    ("floatBitsToInt", Scalar::Float(32), INT),
    ("floatBitsToUint", Scalar::Float(32), UINT),
    ("intBitsToFloat", INT, Scalar::Float(32)),
    ("uintBitsToFloat", UINT, Scalar::Float(32)),
    ("doubleBitsToInt64", Scalar::Float(64), Scalar::Int(64)),
    ("doubleBitsToUint64", Scalar::Float(64), Scalar::Uint(64)),
    ("int64BitsToDouble", Scalar::Int(64), Scalar::Float(64)),
    ("uint64BitsToDouble", Scalar::Uint(64), Scalar::Float(64)),
    ("float16BitsToInt16", Scalar::Float(16), Scalar::Int(16)),
    ("float16BitsToUint16", Scalar::Float(16), Scalar::Uint(16)),
    ("halfBitsToInt16", Scalar::Float(16), Scalar::Int(16)),
    ("halfBitsToUint16", Scalar::Float(16), Scalar::Uint(16)),
    ("int16BitsToFloat16", Scalar::Int(16), Scalar::Float(16)),
    ("uint16BitsToFloat16", Scalar::Uint(16), Scalar::Float(16)),
    ("int16BitsToHalf", Scalar::Int(16), Scalar::Float(16)),
    ("uint16BitsToHalf", Scalar::Uint(16), Scalar::Float(16)),
];

/// Of and to a type each: name, instruction, from, to.
const PACKS: &[(&str, Option<G>, Ty, Ty)] = &[
    ("packUnorm4x8", Some(G::PackUnorm4x8), Ty::Vector(Scalar::Float(32), 4), Ty::Scalar(UINT)),
    ("packSnorm4x8", Some(G::PackSnorm4x8), Ty::Vector(Scalar::Float(32), 4), Ty::Scalar(UINT)),
    ("packUnorm2x16", Some(G::PackUnorm2x16), Ty::Vector(Scalar::Float(32), 2), Ty::Scalar(UINT)),
    ("packSnorm2x16", Some(G::PackSnorm2x16), Ty::Vector(Scalar::Float(32), 2), Ty::Scalar(UINT)),
    ("packHalf2x16", Some(G::PackHalf2x16), Ty::Vector(Scalar::Float(32), 2), Ty::Scalar(UINT)),
    ("packDouble2x32", Some(G::PackDouble2x32), Ty::Vector(UINT, 2), Ty::Scalar(Scalar::Float(64))),
    ("unpackUnorm4x8", Some(G::UnpackUnorm4x8), Ty::Scalar(UINT), Ty::Vector(Scalar::Float(32), 4)),
    ("unpackSnorm4x8", Some(G::UnpackSnorm4x8), Ty::Scalar(UINT), Ty::Vector(Scalar::Float(32), 4)),
    ("unpackUnorm2x16", Some(G::UnpackUnorm2x16), Ty::Scalar(UINT), Ty::Vector(Scalar::Float(32), 2)),
    ("unpackSnorm2x16", Some(G::UnpackSnorm2x16), Ty::Scalar(UINT), Ty::Vector(Scalar::Float(32), 2)),
    ("unpackHalf2x16", Some(G::UnpackHalf2x16), Ty::Scalar(UINT), Ty::Vector(Scalar::Float(32), 2)),
    ("unpackDouble2x32", Some(G::UnpackDouble2x32), Ty::Scalar(Scalar::Float(64)), Ty::Vector(UINT, 2)),
    ("packInt2x32", None, Ty::Vector(INT, 2), Ty::Scalar(Scalar::Int(64))),
    ("packUint2x32", None, Ty::Vector(UINT, 2), Ty::Scalar(Scalar::Uint(64))),
    ("unpackInt2x32", None, Ty::Scalar(Scalar::Int(64)), Ty::Vector(INT, 2)),
    ("unpackUint2x32", None, Ty::Scalar(Scalar::Uint(64)), Ty::Vector(UINT, 2)),
    ("packFloat2x16", None, Ty::Vector(Scalar::Float(16), 2), Ty::Scalar(UINT)),
    ("unpackFloat2x16", None, Ty::Scalar(UINT), Ty::Vector(Scalar::Float(16), 2)),
    ("packInt2x16", None, Ty::Vector(Scalar::Int(16), 2), Ty::Scalar(INT)),
    ("packUint2x16", None, Ty::Vector(Scalar::Uint(16), 2), Ty::Scalar(UINT)),
    ("unpackInt2x16", None, Ty::Scalar(INT), Ty::Vector(Scalar::Int(16), 2)),
    ("unpackUint2x16", None, Ty::Scalar(UINT), Ty::Vector(Scalar::Uint(16), 2)),
    ("packInt4x16", None, Ty::Vector(Scalar::Int(16), 4), Ty::Scalar(Scalar::Int(64))),
    ("packUint4x16", None, Ty::Vector(Scalar::Uint(16), 4), Ty::Scalar(Scalar::Uint(64))),
    ("unpackInt4x16", None, Ty::Scalar(Scalar::Int(64)), Ty::Vector(Scalar::Int(16), 4)),
    ("unpackUint4x16", None, Ty::Scalar(Scalar::Uint(64)), Ty::Vector(Scalar::Uint(16), 4)),
    ("pack16", None, Ty::Vector(Scalar::Int(8), 2), Ty::Scalar(Scalar::Int(16))),
    ("pack16", None, Ty::Vector(Scalar::Uint(8), 2), Ty::Scalar(Scalar::Uint(16))),
    ("pack32", None, Ty::Vector(Scalar::Int(8), 4), Ty::Scalar(INT)),
    ("pack32", None, Ty::Vector(Scalar::Uint(8), 4), Ty::Scalar(UINT)),
    ("pack32", None, Ty::Vector(Scalar::Int(16), 2), Ty::Scalar(INT)),
    ("pack32", None, Ty::Vector(Scalar::Uint(16), 2), Ty::Scalar(UINT)),
    ("pack64", None, Ty::Vector(Scalar::Int(16), 4), Ty::Scalar(Scalar::Int(64))),
    ("pack64", None, Ty::Vector(Scalar::Uint(16), 4), Ty::Scalar(Scalar::Uint(64))),
    ("pack64", None, Ty::Vector(INT, 2), Ty::Scalar(Scalar::Int(64))),
    ("pack64", None, Ty::Vector(UINT, 2), Ty::Scalar(Scalar::Uint(64))),
    ("unpack8", None, Ty::Scalar(Scalar::Int(16)), Ty::Vector(Scalar::Int(8), 2)),
    ("unpack8", None, Ty::Scalar(Scalar::Uint(16)), Ty::Vector(Scalar::Uint(8), 2)),
    ("unpack8", None, Ty::Scalar(INT), Ty::Vector(Scalar::Int(8), 4)),
    ("unpack8", None, Ty::Scalar(UINT), Ty::Vector(Scalar::Uint(8), 4)),
    ("unpack16", None, Ty::Scalar(INT), Ty::Vector(Scalar::Int(16), 2)),
    ("unpack16", None, Ty::Scalar(UINT), Ty::Vector(Scalar::Uint(16), 2)),
    ("unpack16", None, Ty::Scalar(Scalar::Int(64)), Ty::Vector(Scalar::Int(16), 4)),
    ("unpack16", None, Ty::Scalar(Scalar::Uint(64)), Ty::Vector(Scalar::Uint(16), 4)),
    ("unpack32", None, Ty::Scalar(Scalar::Int(64)), Ty::Vector(INT, 2)),
    ("unpack32", None, Ty::Scalar(Scalar::Uint(64)), Ty::Vector(UINT, 2)),
];

const COMPARES: &[(&str, &str)] = &[
    ("lessThan", "<"),
    ("lessThanEqual", "<="),
    ("greaterThan", ">"),
    ("greaterThanEqual", ">="),
    ("equal", "=="),
    ("notEqual", "!="),
];

impl Lower<'_> {
    pub(super) fn math(&mut self, name: &str, values: &[Val]) -> Result<Option<Val>> {
        if let ("mix", [a, b, on]) = (name, values)
            && on.ty.scalar() == Some(Scalar::Bool)
        {
            let (a, b, _) = self.alike(a, b)?;
            let on = self.splat(on, a.ty.lanes().unwrap_or(1))?;
            return self.value(Op::Select, &a.ty.clone(), &[on.id, b.id, a.id]).map(Some);
        }
        if let Some((_, _, loose, by)) = SAME.iter().find(|(n, count, ..)| *n == name && *count == values.len()) {
            return self.same(name, values, loose, *by).map(Some);
        }
        if let (Some((_, op)), [a, b]) = (COMPARES.iter().find(|(n, _)| *n == name), values) {
            return self.compare(op, a, b).map(Some);
        }
        if let (Some((_, from, to)), [value]) = (BITS.iter().find(|(n, ..)| *n == name), values) {
            let value = self.becoming(value, &value.ty.of(*from))?;
            return self.value(Op::Bitcast, &value.ty.of(*to), &[value.id]).map(Some);
        }
        if let [value] = values {
            let exact = PACKS.iter().find(|(n, _, from, _)| *n == name && *from == value.ty);
            if let Some((_, op, from, to)) = exact.or_else(|| PACKS.iter().find(|(n, ..)| *n == name)) {
                let value = self.becoming(value, from)?;
                return match op {
                    Some(op) => self.extended(*op as u32, to, &[value.id]),
                    None => self.value(Op::Bitcast, to, &[value.id]),
                }
                .map(Some);
            }
        }
        self.shaped(name, values)
    }

    fn same(&mut self, name: &str, values: &[Val], loose: &[usize], by: By) -> Result<Val> {
        let mut scalar: Option<Scalar> = None;
        for value in values {
            let own = value.ty.scalar().filter(|_| value.ty.lanes().is_some());
            let own = own.ok_or_else(|| self.refuse(format!("`{name}` takes no {}", self.type_name(&value.ty))))?;
            scalar = match scalar {
                None => Some(own),
                Some(s) => s.common(own),
            };
            if scalar.is_none() {
                return Err(self.refuse(format!("`{name}` takes numbers of one type")));
            }
        }
        let mut scalar = scalar.unwrap_or(Scalar::Float(32));
        let only_floats = matches!(by, By::Op(_) | By::Gl(_, None, None));
        if only_floats && !scalar.is_float() && scalar.becomes(Scalar::Float(32)) {
            scalar = Scalar::Float(32);
        }
        if matches!(by, By::Gl(_, Some(_), None)) && matches!(scalar, Scalar::Uint(_)) {
            return Err(self.refuse(format!("`{name}` takes no {}", self.type_name(&Ty::Scalar(scalar)))));
        }
        let lanes = values.iter().filter_map(|v| v.ty.lanes()).max().unwrap_or(1);
        let mut ids = Vec::new();
        for (n, value) in values.iter().enumerate() {
            let own = value.ty.lanes().unwrap_or(1);
            if own != lanes && !(own == 1 && loose.contains(&n)) {
                return Err(self.refuse(format!("`{name}` takes values of one size")));
            }
            let value = self.convert(value, scalar)?;
            ids.push(self.splat(&value, lanes)?.id);
        }
        let ty = vector(scalar, lanes);
        let (float, signed, unsigned) = match by {
            By::Gl(f, s, u) => (f, s, u),
            By::Op(op) if scalar.is_float() => return self.value(op, &ty, &ids),
            By::Op(_) => (None, None, None),
        };
        let op = match scalar {
            Scalar::Float(_) => float,
            Scalar::Int(_) => signed,
            Scalar::Uint(_) => unsigned,
            Scalar::Bool => None,
        };
        match op {
            Some(op) => self.extended(op as u32, &ty, &ids),
            None => Err(self.refuse(format!("`{name}` takes no {}", self.type_name(&ty)))),
        }
    }

    /// A value of floats, whole numbers made such.
    fn floats(&mut self, value: &Val) -> Result<Val> {
        match value.ty.scalar() {
            Some(s) if s.is_int() => self.convert(value, Scalar::Float(32)),
            _ => Ok(value.clone()),
        }
    }

    /// Functions whose result has another shape than what they take.
    fn shaped(&mut self, name: &str, values: &[Val]) -> Result<Option<Val>> {
        let flag = self.flag_ty();
        let out = match (name, values) {
            ("dot" | "distance", [a, b]) => {
                let (a, b) = (self.floats(a)?, self.floats(b)?);
                let (a, b, scalar) = self.alike(&a, &b)?;
                let ty = Ty::Scalar(scalar);
                match name {
                    "distance" => self.extended(G::Distance as u32, &ty, &[a.id, b.id]),
                    _ if a.ty.lanes() == Some(1) => self.binary("*", &a, &b),
                    _ => self.value(Op::Dot, &ty, &[a.id, b.id]),
                }
            }
            ("length", [a]) => {
                let a = self.floats(a)?;
                let ty = Ty::Scalar(a.ty.scalar().unwrap_or(Scalar::Float(32)));
                self.extended(G::Length as u32, &ty, &[a.id])
            }
            ("refract", [i, n, eta]) => {
                let (i, n, scalar) = self.alike(i, n)?;
                let eta = self.convert(eta, scalar)?;
                self.extended(G::Refract as u32, &i.ty.clone(), &[i.id, n.id, eta.id])
            }
            ("ldexp", [x, e]) => {
                let e = self.convert(e, INT)?;
                self.extended(G::Ldexp as u32, &x.ty.clone(), &[x.id, e.id])
            }
            ("isnan" | "isinf", [a]) => {
                let op = if name == "isnan" { Op::IsNan } else { Op::IsInf };
                let a = self.floats(a)?;
                self.value(op, &a.ty.of(Scalar::Bool), &[a.id])
            }
            ("any" | "all", [a]) if a.ty.scalar() == Some(Scalar::Bool) => {
                let op = if name == "any" { Op::Any } else { Op::All };
                if a.ty == flag { Ok(a.clone()) } else { self.value(op, &flag, &[a.id]) }
            }
            ("not", [a]) if a.ty.scalar() == Some(Scalar::Bool) => self.value(Op::LogicalNot, &a.ty.clone(), &[a.id]),
            ("transpose", [m]) => match m.ty {
                Ty::Matrix(s, c, r) => self.value(Op::Transpose, &Ty::Matrix(s, r, c), &[m.id]),
                _ => return Ok(None),
            },
            ("determinant", [m]) => match m.ty {
                Ty::Matrix(s, ..) => self.extended(G::Determinant as u32, &Ty::Scalar(s), &[m.id]),
                _ => return Ok(None),
            },
            ("inverse", [m]) if matches!(m.ty, Ty::Matrix(..)) => {
                self.extended(G::MatrixInverse as u32, &m.ty.clone(), &[m.id])
            }
            ("outerProduct", [a, b]) => {
                let (a, b, scalar) = self.alike(a, b)?;
                let (rows, columns) = (a.ty.lanes().unwrap_or(1), b.ty.lanes().unwrap_or(1));
                self.value(Op::OuterProduct, &Ty::Matrix(scalar, columns, rows), &[a.id, b.id])
            }
            ("matrixCompMult", [a, b]) if a.ty == b.ty => {
                let Ty::Matrix(_, columns, _) = a.ty else { return Ok(None) };
                let mut parts = Vec::new();
                for n in 0..usize::from(columns) {
                    let (x, y) = (self.extract(a, n)?, self.extract(b, n)?);
                    parts.push(self.binary("*", &x, &y)?);
                }
                self.composite(&a.ty, &parts)
            }
            ("bitfieldExtract", [base, offset, bits]) => {
                let (offset, bits) = (self.convert(offset, INT)?, self.convert(bits, INT)?);
                let signed = matches!(base.ty.scalar(), Some(Scalar::Int(_)));
                let op = if signed { Op::BitFieldSExtract } else { Op::BitFieldUExtract };
                self.value(op, &base.ty.clone(), &[base.id, offset.id, bits.id])
            }
            ("bitfieldInsert", [base, insert, offset, bits]) => {
                let (offset, bits) = (self.convert(offset, INT)?, self.convert(bits, INT)?);
                let insert = self.becoming(insert, &base.ty)?;
                self.value(Op::BitFieldInsert, &base.ty.clone(), &[base.id, insert.id, offset.id, bits.id])
            }
            ("bitfieldReverse", [a]) => self.value(Op::BitReverse, &a.ty.clone(), &[a.id]),
            ("bitCount", [a]) => self.value(Op::BitCount, &a.ty.of(INT), &[a.id]),
            ("findLSB", [a]) => self.extended(G::FindILsb as u32, &a.ty.of(INT), &[a.id]),
            ("findMSB", [a]) => {
                let signed = matches!(a.ty.scalar(), Some(Scalar::Int(_)));
                let op = if signed { G::FindSMsb } else { G::FindUMsb };
                self.extended(op as u32, &a.ty.of(INT), &[a.id])
            }
            ("clockARB" | "clock2x32ARB" | "clockRealtimeEXT" | "clockRealtime2x32EXT", []) => {
                self.b.capability(spirv::Capability::ShaderClockKHR);
                self.b.extension("SPV_KHR_shader_clock");
                let scope = self.uint(if name.contains("Realtime") { 1 } else { 3 });
                let ty = if name.contains("2x32") { Ty::Vector(UINT, 2) } else { Ty::Scalar(Scalar::Uint(64)) };
                self.value(Op::ReadClockKHR, &ty, &[scope])
            }
            _ => return Ok(None),
        };
        out.map(Some)
    }
}
