//! One instruction.

use super::alu::{self, Scalar};
use super::memory::{deeper, further, part, part_mut, place, read, write};
use super::value::{MemoryPlace, Pointer, Root, Type, Value};
use super::{Fault, Frame, Item, Machine, Program, WorkItemState};
use crate::spirv::Inst;
use rspirv::spirv::{GlslStd450Op as GLOp, Op};
use std::collections::HashMap;

type Values<'a> = dyn Fn(u32) -> Result<Value, Fault> + 'a;
type Shared = HashMap<u32, Value>;

fn undefined(i: &Inst) -> Fault {
    Fault::new(format!("Op{:?} {:?} is undefined or unknown", i.op, i.args))
}

/// The value of an instruction that only computes.
pub fn compute(p: &Program<'_>, i: &Inst, get: &Values<'_>) -> Result<Value, Fault> {
    let a = &i.args;
    let numbers = |v: &Value| v.parts().iter().map(Value::bits).collect::<Vec<_>>();
    match i.op {
        Op::CopyObject | Op::CopyLogical | Op::ExpectKHR => get(a[0]),
        Op::Undef => Ok(p.types.zero(i.ty)),
        Op::Select => {
            let (c, yes, no) = (get(a[0])?, get(a[1])?, get(a[2])?);
            Ok(match c {
                Value::Many(c) => {
                    let pick = |n: usize| if c[n].bits() != 0 { &yes } else { &no }.parts()[n].clone();
                    Value::Many((0..c.len()).map(pick).collect())
                }
                c if c.bits() != 0 => yes,
                _ => no,
            })
        }
        Op::CompositeConstruct => {
            let parts = a.iter().map(|&id| get(id)).collect::<Result<Vec<_>, Fault>>()?;
            // Vectors are made of scalars and vectors, everything else of its parts.
            Ok(Value::Many(match p.types.get(i.ty) {
                Type::Vector { .. } => parts.iter().flat_map(|v| v.parts().to_vec()).collect(),
                _ => parts,
            }))
        }
        Op::CompositeExtract => part(&get(a[0])?, &a[1..]).cloned(),
        Op::CompositeInsert => {
            let mut whole = get(a[1])?;
            *part_mut(&mut whole, &a[2..])? = get(a[0])?;
            Ok(whole)
        }
        Op::VectorExtractDynamic => part(&get(a[0])?, &[get(a[1])?.bits() as u32]).cloned(),
        Op::VectorInsertDynamic => {
            let mut whole = get(a[0])?;
            *part_mut(&mut whole, &[get(a[2])?.bits() as u32])? = get(a[1])?;
            Ok(whole)
        }
        Op::VectorShuffle => {
            let (one, other) = (get(a[0])?, get(a[1])?);
            let both: Vec<&Value> = one.parts().iter().chain(other.parts()).collect();
            // 0xffffffff asks for any value.
            let pick = |&n: &u32| both.get(n as usize).map_or(Value::Bits(0), |&v| v.clone());
            Ok(Value::Many(a[2..].iter().map(pick).collect()))
        }
        Op::Any => Ok(Value::Bits(u64::from(numbers(&get(a[0])?).contains(&1)))),
        Op::All => Ok(Value::Bits(u64::from(!numbers(&get(a[0])?).contains(&0)))),
        Op::Bitcast => bitcast(p, i, &get(a[0])?),
        Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
            let member = p.types.part(i.ty, 0).ok_or_else(|| undefined(i))?;
            let bits = p.scalar_type(member)?.bits;
            let (x, y) = (get(a[0])?, get(a[1])?);
            let both: Option<Vec<(u64, u64)>> =
                numbers(&x).iter().zip(numbers(&y)).map(|(&x, y)| alu::pair(i.op, bits, x, y)).collect();
            let both = both.ok_or_else(|| undefined(i))?;
            let (low, high): (Vec<Value>, Vec<Value>) =
                both.into_iter().map(|(l, h)| (Value::Bits(l), Value::Bits(h))).unzip();
            Ok(Value::Many(match x {
                Value::Many(_) => vec![Value::Many(low), Value::Many(high)],
                _ => vec![low[0].clone(), high[0].clone()],
            }))
        }
        Op::Transpose => {
            let m = get(a[0])?;
            let rows = m.parts()[0].parts().len();
            let row = |r: usize| Value::Many(m.parts().iter().map(|c| c.parts()[r].clone()).collect());
            Ok(Value::Many((0..rows).map(row).collect()))
        }
        Op::VectorTimesScalar | Op::MatrixTimesScalar => {
            let ty = p.scalar_type(i.ty)?;
            let by = get(a[1])?.bits();
            map(&get(a[0])?, &|x| alu::scalar(Op::FMul, ty, ty, &[x, by])).ok_or_else(|| undefined(i))
        }
        Op::OuterProduct | Op::Dot | Op::MatrixTimesVector | Op::VectorTimesMatrix | Op::MatrixTimesMatrix => {
            product(p.scalar_type(i.ty)?, i.op, &get(a[0])?, &get(a[1])?).ok_or_else(|| undefined(i))
        }
        Op::ExtInst if a[0] == p.glsl => {
            let ty = p.scalar_type(i.ty)?;
            let op = GLOp::from_u32(a[1]).ok_or_else(|| undefined(i))?;
            let x = a[2..].iter().map(|&id| get(id)).collect::<Result<Vec<_>, Fault>>()?;
            componentwise(&x, &|x| alu::glsl(op, ty, x)).ok_or_else(|| undefined(i))
        }
        _ => {
            let first = *a.first().ok_or_else(|| undefined(i))?;
            let to = p.scalar_type(i.ty).map_err(|_| undefined(i))?;
            let from = p.type_of.get(first as usize).copied().unwrap_or(0);
            let from = p.scalar_type(from).map_err(|_| undefined(i))?;
            let mut x = a.iter().map(|&id| get(id)).collect::<Result<Vec<_>, Fault>>()?;
            if matches!(i.op, Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract) {
                // Offset and count are scalars, for all components alike.
                let n = x[0].parts().len();
                let wide = |v: &Value| if n > 1 { Value::Many(vec![v.clone(); n]) } else { v.clone() };
                let at = x.len() - 2;
                x[at] = wide(&x[at]);
                x[at + 1] = wide(&x[at + 1]);
            }
            componentwise(&x, &|x| alu::scalar(i.op, to, from, x)).ok_or_else(|| undefined(i))
        }
    }
}

fn map(v: &Value, f: &dyn Fn(u64) -> Option<u64>) -> Option<Value> {
    Some(match v {
        Value::Many(parts) => Value::Many(parts.iter().map(|v| map(v, f)).collect::<Option<_>>()?),
        v => Value::Bits(f(v.bits())?),
    })
}

/// Scalars, or vectors component by component.
fn componentwise(x: &[Value], f: &dyn Fn(&[u64]) -> Option<u64>) -> Option<Value> {
    let of = |n: usize| x.iter().map(|v| Some(v.parts().get(n)?.bits())).collect::<Option<Vec<_>>>();
    match x.first()? {
        Value::Many(first) => {
            Some(Value::Many((0..first.len()).map(|n| Some(Value::Bits(f(&of(n)?)?))).collect::<Option<_>>()?))
        }
        _ => Some(Value::Bits(f(&of(0)?)?)),
    }
}

fn bitcast(p: &Program<'_>, i: &Inst, v: &Value) -> Result<Value, Fault> {
    let from = p.scalar_type(p.type_of[i.args[0] as usize])?.bits;
    let to = p.scalar_type(i.ty)?.bits;
    // Component 0 holds the lowest bits.
    let bytes = |v: &Value| v.bits().to_le_bytes()[..from as usize / 8].to_vec();
    let whole: Vec<u8> = v.parts().iter().flat_map(bytes).collect();
    let bits = |part: &[u8]| Value::Bits(part.iter().rev().fold(0, |sum, &b| sum << 8 | u64::from(b)));
    let mut parts: Vec<Value> = whole.chunks(to as usize / 8).map(bits).collect();
    Ok(match p.types.get(i.ty) {
        Type::Vector { .. } => Value::Many(parts),
        _ => parts.swap_remove(0),
    })
}

/// Products of vectors and matrices; sums go from the first column on.
fn product(ty: Scalar, op: Op, x: &Value, y: &Value) -> Option<Value> {
    let calc = |op, a: u64, b: u64| alu::scalar(op, ty, ty, &[a, b]);
    let dot = |a: &[Value], b: &[Value]| {
        let mut sum = None;
        for (a, b) in a.iter().zip(b) {
            let term = calc(Op::FMul, a.bits(), b.bits())?;
            sum = Some(match sum {
                None => term,
                Some(s) => calc(Op::FAdd, s, term)?,
            });
        }
        sum.map(Value::Bits)
    };
    let row = |m: &Value, r: usize| m.parts().iter().map(|c| c.parts()[r].clone()).collect::<Vec<_>>();
    let rows = |m: &Value| 0..m.parts()[0].parts().len();
    Some(match op {
        Op::Dot => dot(x.parts(), y.parts())?,
        Op::MatrixTimesVector => Value::Many(rows(x).map(|r| dot(&row(x, r), y.parts())).collect::<Option<_>>()?),
        Op::VectorTimesMatrix => {
            Value::Many(y.parts().iter().map(|c| dot(x.parts(), c.parts())).collect::<Option<_>>()?)
        }
        Op::MatrixTimesMatrix => {
            let column = |c: &Value| product(ty, Op::MatrixTimesVector, x, c);
            Value::Many(y.parts().iter().map(column).collect::<Option<_>>()?)
        }
        _ => Value::Many(y.parts().iter().map(|c| map(x, &|v| calc(Op::FMul, v, c.bits()))).collect::<Option<_>>()?),
    })
}

/// What an atomic instruction leaves in memory.
fn atomic(op: Op, ty: Scalar, old: u64, x: &[u64]) -> Option<u64> {
    let binary = |op| alu::scalar(op, ty, ty, &[old, x[0]]);
    let least = |op, keep: bool| Some(if (binary(op)? != 0) == keep { old } else { x[0] });
    match op {
        Op::AtomicIAdd => binary(Op::IAdd),
        Op::AtomicISub => binary(Op::ISub),
        Op::AtomicAnd => binary(Op::BitwiseAnd),
        Op::AtomicOr => binary(Op::BitwiseOr),
        Op::AtomicXor => binary(Op::BitwiseXor),
        Op::AtomicSMin => least(Op::SLessThan, true),
        Op::AtomicUMin => least(Op::ULessThan, true),
        Op::AtomicSMax => least(Op::SLessThan, false),
        Op::AtomicUMax => least(Op::ULessThan, false),
        Op::AtomicIIncrement => alu::scalar(Op::IAdd, ty, ty, &[old, 1]),
        Op::AtomicIDecrement => alu::scalar(Op::ISub, ty, ty, &[old, 1]),
        Op::AtomicExchange | Op::AtomicStore => Some(x[0]),
        Op::AtomicLoad => Some(old),
        Op::AtomicCompareExchange => Some(if old == x[1] { x[0] } else { old }),
        _ => None,
    }
}

/// A frame's values, with the module's constants and variables.
fn lookup(p: &Program<'_>, frame: &Frame, id: u32) -> Result<Value, Fault> {
    let at = id as usize;
    if let Some(Some(v)) = frame.values.get(at).map(Option::as_ref) {
        return Ok(v.clone());
    }
    if let Some(Some(v)) = p.constants.get(at).map(Option::as_ref) {
        return Ok(v.clone());
    }
    match p.variables.iter().find(|v| v.0 == id) {
        Some(&(id, class, ..)) => Ok(Value::Pointer(Box::new(Pointer { root: p.root(id, class), path: Vec::new() }))),
        None => Err(Fault::new(format!("%{id} has no value"))),
    }
}

impl Program<'_> {
    /// The item's next instruction.
    pub(super) fn step(&self, item: &mut Item, shared: &mut Shared, m: &mut Machine) -> Result<(), Fault> {
        let Some(frame) = item.frames.last_mut() else { return Err(Fault::new("no frame")) };
        let block = &self.m.functions[frame.function].blocks[frame.block];
        let i = block.insts.get(frame.at).ok_or_else(|| Fault::new("a block without end"))?;
        frame.at += 1;
        let get = |id: u32| lookup(self, frame, id);
        let pointer = |id: u32| match get(id)? {
            Value::Pointer(p) => Ok(*p),
            _ => Err(Fault::new(format!("%{id} is no pointer"))),
        };
        let a = &i.args;
        let value = match i.op {
            Op::Nop | Op::Line | Op::NoLine | Op::SelectionMerge | Op::LoopMerge | Op::MemoryBarrier => return Ok(()),
            Op::AssumeTrueKHR => return Ok(()),
            Op::Branch | Op::BranchConditional | Op::Switch => {
                let to = match i.op {
                    Op::Branch => a[0],
                    Op::BranchConditional => a[if get(a[0])?.bits() != 0 { 1 } else { 2 }],
                    _ => {
                        let bits = self.scalar_type(self.type_of[a[0] as usize])?.bits;
                        let selector = get(a[0])?.bits();
                        let case = |c: &[u32]| {
                            let literal = if c.len() == 3 { u64::from(c[1]) << 32 } else { 0 } | u64::from(c[0]);
                            (alu::cut(bits, literal) == selector).then_some(c[c.len() - 1])
                        };
                        a[2..].chunks(if bits == 64 { 3 } else { 2 }).find_map(case).unwrap_or(a[1])
                    }
                };
                return self.jump(item, to);
            }
            Op::Return | Op::ReturnValue => {
                let value = if i.op == Op::ReturnValue { Some(get(a[0])?) } else { None };
                let result = frame.result;
                item.frames.pop();
                match (item.frames.last_mut(), value) {
                    (Some(caller), Some(v)) => caller.values[result as usize] = Some(v),
                    (None, _) => item.state = WorkItemState::Done,
                    _ => {}
                }
                return Ok(());
            }
            Op::FunctionCall => {
                let args = a[1..].iter().map(|&id| get(id)).collect::<Result<Vec<_>, Fault>>()?;
                return self.call(item, a[0], args, i.id);
            }
            Op::ControlBarrier => {
                item.state = WorkItemState::Barrier;
                return Ok(());
            }
            op if super::group::is_group(op) => {
                item.state = WorkItemState::Subgroup;
                return Ok(());
            }
            Op::Variable => {
                let Type::Pointer { to, .. } = *self.types.get(i.ty) else { return Err(undefined(i)) };
                let value = a.get(1).map(|&init| get(init)).transpose()?.unwrap_or_else(|| self.types.zero(to));
                item.locals.push(value);
                let root = Root::Local(item.locals.len() as u32 - 1);
                Value::Pointer(Box::new(Pointer { root, path: Vec::new() }))
            }
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let mut base = pointer(a[0])?;
                let index = |&id: &u32| {
                    let bits = self.scalar_type(self.type_of[id as usize])?.bits;
                    Ok(alu::signed(bits, get(id)?.bits()))
                };
                let mut indexes = a[1..].iter().map(index).collect::<Result<Vec<i64>, Fault>>()?;
                if matches!(i.op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain) {
                    base = further(&base, indexes.remove(0))?;
                }
                if indexes.iter().any(|&n| n < 0) || base.root == Root::Null {
                    return Err(Fault::new("an access chain with an index below zero, or from null"));
                }
                Value::Pointer(Box::new(deeper(&base, indexes.into_iter().map(|n| n as u32))))
            }
            Op::Load => {
                let from = pointer(a[0])?;
                self.load(&mut Reach { item, shared, m }, a[0], &from)?
            }
            Op::Store => {
                let (to, value) = (pointer(a[0])?, get(a[1])?);
                return self.store(&mut Reach { item, shared, m }, a[0], &to, value, false);
            }
            Op::CopyMemory => {
                let (to, from) = (pointer(a[0])?, pointer(a[1])?);
                let value = self.load(&mut Reach { item, shared, m }, a[1], &from)?;
                return self.store(&mut Reach { item, shared, m }, a[0], &to, value, false);
            }
            Op::ArrayLength => {
                let root = pointer(a[0])?.root;
                let Root::External(variable) = root else { return Err(undefined(i)) };
                let ty = self.pointee(variable)?;
                let step = self.types.step(ty, a[1], Default::default()).ok_or_else(|| undefined(i))?;
                let stride = self.types.number(step.0, rspirv::spirv::Decoration::ArrayStride).unwrap_or(1);
                let bytes = m.external(&self.types, variable)?.len() as u32;
                Value::Bits(u64::from(bytes.saturating_sub(step.1.at) / stride.max(1)))
            }
            op if rspirv::grammar::reflect::is_block_terminator(op) => return Err(undefined(i)),
            op if (Op::AtomicLoad as u32..=Op::AtomicXor as u32).contains(&(op as u32)) => {
                // Pointer, scope, semantics (one more for a compare-exchange), operands.
                let skip = if op == Op::AtomicCompareExchange { 4 } else { 3 };
                let p = pointer(a[0])?;
                let x = a.iter().skip(skip).map(|&id| Ok(get(id)?.bits())).collect::<Result<Vec<_>, Fault>>()?;
                let old = self.load(&mut Reach { item, shared, m }, a[0], &p)?;
                let ty = self.scalar_type(self.pointee(a[0])?)?;
                let new = atomic(op, ty, old.bits(), &x).ok_or_else(|| undefined(i))?;
                self.store(&mut Reach { item, shared, m }, a[0], &p, Value::Bits(new), true)?;
                if op == Op::AtomicStore {
                    return Ok(());
                }
                old
            }
            Op::PtrEqual | Op::PtrNotEqual => {
                let equal = pointer(a[0])? == pointer(a[1])?;
                Value::Bits(u64::from(equal == (i.op == Op::PtrEqual)))
            }
            _ => compute(self, i, &get)?,
        };
        self.set(item, i.id, value)
    }

    pub(super) fn set(&self, item: &mut Item, id: u32, value: Value) -> Result<(), Fault> {
        let frame = item.frames.last_mut().ok_or_else(|| Fault::new("no frame"))?;
        frame.values[id as usize] = Some(value);
        Ok(())
    }

    /// A value of the item that the rest of its subgroup wants.
    pub(super) fn operand(&self, item: &Item, id: u32) -> Result<Value, Fault> {
        lookup(self, item.frames.last().ok_or_else(|| Fault::new("no frame"))?, id)
    }

    /// The instruction before the next: the one that a waiting item waits at.
    pub(super) fn at(&self, item: &Item) -> Option<&Inst> {
        let f = item.frames.last()?;
        self.m.functions[f.function].blocks[f.block].insts.get(f.at.checked_sub(1)?)
    }

    fn jump(&self, item: &mut Item, to: u32) -> Result<(), Fault> {
        let Some(frame) = item.frames.last_mut() else { return Err(Fault::new("no frame")) };
        let f = &self.m.functions[frame.function];
        let from = f.blocks[frame.block].label;
        let &block = self.labels[frame.function].get(&to).ok_or_else(|| Fault::new("no such block"))?;
        // All phis of a block read before any is written.
        let mut phis = Vec::new();
        for i in f.blocks[block].insts.iter().take_while(|i| matches!(i.op, Op::Phi | Op::Line | Op::NoLine)) {
            if i.op == Op::Phi {
                let pair = i.args.chunks(2).find(|c| c[1] == from).ok_or_else(|| undefined(i))?;
                phis.push((i.id, lookup(self, frame, pair[0])?));
            }
        }
        let skip = f.blocks[block].insts.iter().take_while(|i| matches!(i.op, Op::Phi | Op::Line | Op::NoLine));
        (frame.at, frame.block, frame.previous) = (skip.count(), block, from);
        for (id, v) in phis {
            frame.values[id as usize] = Some(v);
        }
        Ok(())
    }

    /// The type that a pointer with this id points to.
    fn pointee(&self, id: u32) -> Result<u32, Fault> {
        match self.types.get(self.type_of[id as usize]) {
            Type::Pointer { to, .. } => Ok(*to),
            _ => Err(Fault::new("no pointer")),
        }
    }

    fn load(&self, r: &mut Reach<'_>, id: u32, p: &Pointer) -> Result<Value, Fault> {
        if let Root::External(variable) = p.root {
            let (ty, at) = self.external(variable, id, p)?;
            return read(&self.types, ty, r.m.external(&self.types, variable)?, at);
        }
        part(r.object(p.root)?, &p.path).cloned()
    }

    fn store(&self, r: &mut Reach<'_>, id: u32, p: &Pointer, value: Value, atomic: bool) -> Result<(), Fault> {
        if let Root::External(variable) = p.root {
            let (ty, at) = self.external(variable, id, p)?;
            let number = r.item.number;
            let writer = *r.m.writers.entry((variable, at.at)).or_insert(number);
            if !atomic && writer != number {
                return Err(Fault::new("two work-items store to one place"));
            }
            return write(&self.types, ty, r.m.external(&self.types, variable)?, at, &value);
        }
        *part_mut(r.object(p.root)?, &p.path)? = value;
        Ok(())
    }

    /// The type and place that a pointer into a buffer, with this id, points to.
    fn external(&self, variable: u32, id: u32, p: &Pointer) -> Result<(u32, MemoryPlace), Fault> {
        let (ty, at) = place(&self.types, self.pointee(variable)?, &p.path)?;
        if ty != self.pointee(id)? {
            return Err(Fault::new("a pointer of another type"));
        }
        Ok((ty, at))
    }
}

/// What a work-item can reach.
struct Reach<'a> {
    item: &'a mut Item,
    shared: &'a mut Shared,
    m: &'a mut Machine,
}

impl Reach<'_> {
    /// An object that has no layout.
    fn object(&mut self, root: Root) -> Result<&mut Value, Fault> {
        let found = match root {
            Root::Item(id) => self.item.own.get_mut(&id),
            Root::Workgroup(id) => self.shared.get_mut(&id),
            Root::Local(n) => self.item.locals.get_mut(n as usize),
            _ => None,
        };
        found.ok_or_else(|| Fault::new("a null pointer, or a variable that is none"))
    }
}
