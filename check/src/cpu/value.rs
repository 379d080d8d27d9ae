//! Values of a reference's expressions: scalars with their types, vectors, matrices, composites, and places.

use half::f16;
use naga::{Handle, Literal, ScalarKind, TypeInner};

/// A scalar, of the type that it has in the shading language.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Num {
    Bool(bool),
    I16(i16),
    U16(u16),
    I32(i32),
    U32(u32),
    I64(i64),
    U64(u64),
    F16(f16),
    F32(f32),
    F64(f64),
}

/// Where a pointer points to: a variable, and the way to a part of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Spot {
    pub root: Root,
    pub path: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Root {
    Global(Handle<naga::GlobalVariable>),
    Local(Handle<naga::LocalVariable>),
    /// A variable of the function that called, `.0` calls above the outermost.
    Outer(usize, Handle<naga::LocalVariable>),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Scalar(Num),
    Vector(u8, [Num; 4]),
    /// Columns.
    Matrix(Vec<Value>),
    /// An array or a structure.
    Composite(Vec<Value>),
    Pointer(Spot),
}

pub type Result<T> = std::result::Result<T, String>;

impl Num {
    pub fn of_literal(literal: Literal) -> Num {
        match literal {
            Literal::F64(f) | Literal::AbstractFloat(f) => Num::F64(f),
            Literal::F32(f) => Num::F32(f),
            Literal::F16(f) => Num::F16(f),
            Literal::U16(u) => Num::U16(u),
            Literal::I16(i) => Num::I16(i),
            Literal::U32(u) => Num::U32(u),
            Literal::I32(i) => Num::I32(i),
            Literal::U64(u) => Num::U64(u),
            Literal::I64(i) | Literal::AbstractInt(i) => Num::I64(i),
            Literal::Bool(b) => Num::Bool(b),
        }
    }

    pub fn zero(scalar: naga::Scalar) -> Result<Num> {
        Num::Bool(false).convert(scalar.kind, scalar.width)
    }

    pub fn float(self) -> f64 {
        match self {
            Num::Bool(b) => f64::from(u8::from(b)),
            Num::I16(i) => f64::from(i),
            Num::U16(u) => f64::from(u),
            Num::I32(i) => f64::from(i),
            Num::U32(u) => f64::from(u),
            Num::I64(i) => i as f64,
            Num::U64(u) => u as f64,
            Num::F16(f) => f.to_f64(),
            Num::F32(f) => f64::from(f),
            Num::F64(f) => f,
        }
    }

    /// The whole number that it is; of a float the one towards zero.
    pub fn int(self) -> i128 {
        match self {
            Num::Bool(b) => i128::from(b),
            Num::I16(i) => i.into(),
            Num::U16(u) => u.into(),
            Num::I32(i) => i.into(),
            Num::U32(u) => u.into(),
            Num::I64(i) => i.into(),
            Num::U64(u) => u.into(),
            Num::F16(_) | Num::F32(_) | Num::F64(_) => self.float() as i128,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Num::F16(_) | Num::F32(_) | Num::F64(_))
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Num::I16(_) | Num::I32(_) | Num::I64(_))
    }

    /// Bits of an integer's type, or of a float's.
    pub fn width(self) -> u32 {
        match self {
            Num::Bool(_) => 1,
            Num::I16(_) | Num::U16(_) | Num::F16(_) => 16,
            Num::I32(_) | Num::U32(_) | Num::F32(_) => 32,
            Num::I64(_) | Num::U64(_) | Num::F64(_) => 64,
        }
    }

    /// A float of this one's type: rounded once.
    pub fn with_float(self, f: f64) -> Num {
        match self {
            Num::F16(_) => Num::F16(f16::from_f64(f)),
            Num::F64(_) => Num::F64(f),
            _ => Num::F32(f as f32),
        }
    }

    /// An integer of this one's type: wrapped.
    pub fn with_int(self, i: i128) -> Num {
        match self {
            Num::Bool(_) => Num::Bool(i != 0),
            Num::I16(_) => Num::I16(i as i16),
            Num::U16(_) => Num::U16(i as u16),
            Num::I32(_) => Num::I32(i as i32),
            Num::U32(_) => Num::U32(i as u32),
            Num::I64(_) => Num::I64(i as i64),
            Num::U64(_) => Num::U64(i as u64),
            Num::F16(_) | Num::F32(_) | Num::F64(_) => self.with_float(i as f64),
        }
    }

    pub fn truth(self) -> Result<bool> {
        match self {
            Num::Bool(b) => Ok(b),
            other => Err(format!("{other:?} is neither true nor false")),
        }
    }

    /// A conversion of value: floats become the nearest integer towards zero that the type has.
    pub fn convert(self, kind: ScalarKind, width: u8) -> Result<Num> {
        let int = || match self {
            Num::F16(_) | Num::F32(_) | Num::F64(_) if self.float().is_nan() => 0,
            _ => self.int(),
        };
        let clamped = |least: i128, most: i128| if self.is_float() { int().clamp(least, most) } else { int() };
        Ok(match (kind, width) {
            (ScalarKind::Bool, _) => Num::Bool(self.float() != 0.0),
            (ScalarKind::Sint, 2) => Num::I16(clamped(i16::MIN.into(), i16::MAX.into()) as i16),
            (ScalarKind::Uint, 2) => Num::U16(clamped(0, u16::MAX.into()) as u16),
            (ScalarKind::Sint, 4) => Num::I32(clamped(i32::MIN.into(), i32::MAX.into()) as i32),
            (ScalarKind::Uint, 4) => Num::U32(clamped(0, u32::MAX.into()) as u32),
            (ScalarKind::Sint | ScalarKind::AbstractInt, 8) => {
                Num::I64(clamped(i64::MIN.into(), i64::MAX.into()) as i64)
            }
            (ScalarKind::Uint, 8) => Num::U64(clamped(0, u64::MAX.into()) as u64),
            (ScalarKind::Float, 2) => Num::F16(f16::from_f64(self.float())),
            (ScalarKind::Float, 4) => Num::F32(self.rounded_f32()),
            (ScalarKind::Float | ScalarKind::AbstractFloat, 8) => Num::F64(self.float()),
            (kind, width) => return Err(format!("a reference has no {kind:?} of {width} bytes")),
        })
    }

    /// 64-bit integers by one rounding, not by way of f64.
    fn rounded_f32(self) -> f32 {
        match self {
            Num::I64(i) => i as f32,
            Num::U64(u) => u as f32,
            other => other.float() as f32,
        }
    }

    fn bits(self) -> u64 {
        match self {
            Num::Bool(b) => b.into(),
            Num::F16(f) => f.to_bits().into(),
            Num::F32(f) => f.to_bits().into(),
            Num::F64(f) => f.to_bits(),
            int => int.int() as u64,
        }
    }

    /// The same bits as another type of that width.
    pub fn bitcast(self, kind: ScalarKind) -> Result<Num> {
        let bits = self.bits();
        Ok(match (kind, self.width()) {
            (ScalarKind::Sint, 16) => Num::I16(bits as i16),
            (ScalarKind::Uint, 16) => Num::U16(bits as u16),
            (ScalarKind::Float, 16) => Num::F16(f16::from_bits(bits as u16)),
            (ScalarKind::Sint, 32) => Num::I32(bits as i32),
            (ScalarKind::Uint, 32) => Num::U32(bits as u32),
            (ScalarKind::Float, 32) => Num::F32(f32::from_bits(bits as u32)),
            (ScalarKind::Sint, 64) => Num::I64(bits as i64),
            (ScalarKind::Uint, 64) => Num::U64(bits),
            (ScalarKind::Float, 64) => Num::F64(f64::from_bits(bits)),
            (kind, _) => return Err(format!("the bits of {self:?} are no {kind:?}")),
        })
    }
}

impl Value {
    pub fn scalar(&self) -> Result<Num> {
        match self {
            Value::Scalar(n) => Ok(*n),
            other => Err(format!("{} where a number is wanted", other.kind())),
        }
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Value::Scalar(_) => "a number",
            Value::Vector(..) => "a vector",
            Value::Matrix(_) => "a matrix",
            Value::Composite(_) => "an array or a structure",
            Value::Pointer(_) => "a pointer",
        }
    }

    pub fn vector(nums: &[Num]) -> Result<Value> {
        let first = *nums.first().ok_or("a vector of nothing")?;
        let mut out = [first; 4];
        out.get_mut(..nums.len()).ok_or("a vector of more than four")?.copy_from_slice(nums);
        Ok(Value::Vector(nums.len() as u8, out))
    }

    /// The numbers of a scalar or a vector.
    pub fn nums(&self) -> Result<&[Num]> {
        match self {
            Value::Scalar(n) => Ok(std::slice::from_ref(n)),
            Value::Vector(n, all) => Ok(&all[..usize::from(*n)]),
            other => Err(format!("{} where a number or a vector is wanted", other.kind())),
        }
    }

    /// Each number by itself.
    pub fn map(&self, f: &mut dyn FnMut(Num) -> Result<Num>) -> Result<Value> {
        Ok(match self {
            Value::Scalar(n) => Value::Scalar(f(*n)?),
            Value::Vector(n, all) => {
                let mut out = *all;
                for x in &mut out[..usize::from(*n)] {
                    *x = f(*x)?;
                }
                Value::Vector(*n, out)
            }
            Value::Matrix(columns) => Value::Matrix(columns.iter().map(|c| c.map(f)).collect::<Result<_>>()?),
            other => return Err(format!("{} where numbers are wanted", other.kind())),
        })
    }

    /// A part: a component, a column, an element, a member.
    pub fn part(&self, n: usize) -> Result<Value> {
        let beyond = |has: usize| format!("index {n} of {} with {has}", self.kind());
        match self {
            Value::Vector(has, all) if n < usize::from(*has) => Ok(Value::Scalar(all[n])),
            Value::Vector(has, _) => Err(beyond((*has).into())),
            Value::Matrix(all) | Value::Composite(all) => all.get(n).cloned().ok_or_else(|| beyond(all.len())),
            other => Err(format!("{} has no parts", other.kind())),
        }
    }

    /// Replaces what lies at the end of a path.
    pub fn put(&mut self, path: &[usize], value: Value) -> Result<()> {
        let Some((n, rest)) = path.split_first() else {
            *self = value;
            return Ok(());
        };
        match self {
            Value::Vector(has, all) if *n < usize::from(*has) && rest.is_empty() => all[*n] = value.scalar()?,
            Value::Matrix(all) | Value::Composite(all) if *n < all.len() => all[*n].put(rest, value)?,
            other => return Err(format!("index {n} is not in {}", other.kind())),
        }
        Ok(())
    }

    /// What a variable of this type is before anything is stored.
    pub fn zero(types: &naga::UniqueArena<naga::Type>, ty: Handle<naga::Type>) -> Result<Value> {
        let vector = |size: naga::VectorSize, scalar| {
            let zero = Num::zero(scalar)?;
            Ok::<_, String>(Value::Vector(size as u8, [zero; 4]))
        };
        match &types[ty].inner {
            TypeInner::Scalar(scalar) => Ok(Value::Scalar(Num::zero(*scalar)?)),
            TypeInner::Vector { size, scalar } => vector(*size, *scalar),
            TypeInner::Matrix { columns, rows, scalar } => {
                Ok(Value::Matrix(vec![vector(*rows, *scalar)?; *columns as usize]))
            }
            TypeInner::Array { base, size: naga::ArraySize::Constant(n), .. } if n.get() <= MOST_ELEMENTS => {
                Ok(Value::Composite(vec![Value::zero(types, *base)?; n.get() as usize]))
            }
            TypeInner::Struct { members, .. } => {
                Ok(Value::Composite(members.iter().map(|m| Value::zero(types, m.ty)).collect::<Result<_>>()?))
            }
            other => Err(format!("a reference has no variables of this type: {other:?}")),
        }
    }
}

/// Of an array variable.
const MOST_ELEMENTS: u32 = 1 << 20;
