//! Functions that are called instead of inlined.
//!
//! Where a function is called (`plan`), each argument is looked at for how it gets there:
//! - numbers go by value, booleans as words;
//! - a pointer to a variable of the caller becomes a variable of the function, copied in and, if the function may write it,
//!   out again: unless decorated Aliased, nobody else looks at it meanwhile;
//! - of pointers to buffers, shared memory, images and all else that has one place for the whole kernel, only what is
//!   computed goes by value; the rest is part of the function's *shape*, and there is a copy of it for each shape;
//! - what has no room in registers goes through private memory that caller and function both know, as nothing recurs.
//!
//! A function whose arguments fit none of these is inlined. Bodies are translated one after the other, not where they are
//! first called, so that a chain of calls of any length is no recursion here.

pub mod plan;

use super::instances::{Instance, Outline, SHARED, Shape};
use super::module::Instr;
use super::operand::{Operand, Pointer, Root, parts, rebuild};
use super::translate::Translator;
use super::types::Ty;
use crate::error::{ErrorKind, Result};
use crate::ir::{self, Alu, Exit, Kernel, MAX_CALL_DWORDS, Space, Value, Width};
use spirv::{Decoration, Op, StorageClass};
use std::collections::HashSet;

/// Most bytes of the private memory that functions share.
const MAX_SHARED: u32 = 1 << 24;
/// Shapes of a function after which the place that a pointer points to is computed, and after which calls are inlined.
const SHAPES: usize = 8;
const MAX_SHAPES: usize = 64;
/// Values of all bodies together.
const MAX_VALUES: usize = 1 << 22;

/// What `parts` of a shape stand for.
const HOLE: Value = Value(u32::MAX);

impl Translator<'_> {
    /// Keeps what all bodies begin with: call it before the first code.
    pub fn begin_outline(&mut self, called: HashSet<u32>) {
        let globals = self.b.kernel.scratch_bytes;
        let pointers = self.pointers.values().filter(|p| p.root == Root::Plain(Space::Scratch));
        let pointees: Vec<u32> = pointers.map(|p| p.pointee).collect();
        // A pointer in a variable of all functions could point to a variable of one.
        if called.is_empty() || pointees.iter().any(|&ty| self.holds_pointer(ty)) {
            return;
        }
        let mut base = self.b.clone();
        base.kernel.locals.clear();
        self.outline = Outline { called, base: Some(base), globals, first_local: globals, ..Outline::default() };
    }

    /// Pointers to places in this module's functions are part of values of the type.
    fn holds_pointer(&self, ty: u32) -> bool {
        let (mut seen, mut work) = (HashSet::new(), vec![ty]);
        while let Some(ty) = work.pop() {
            if !seen.insert(ty) {
                continue;
            }
            match self.types.get(ty) {
                Ty::Pointer { class, .. } if *class != StorageClass::PhysicalStorageBuffer => return true,
                Ty::Array { elem, .. } | Ty::RuntimeArray { elem, .. } => work.push(*elem),
                Ty::Struct(members) => work.extend(members.iter().map(|m| m.ty)),
                _ => {}
            }
        }
        false
    }

    /// Calls `function` if it is to be called. None: it is to be inlined.
    pub fn outlined(&mut self, call: &Instr<'_>, function: u32, args: &[Operand]) -> Result<Option<Option<Operand>>> {
        if !self.outline.called.contains(&function) {
            return Ok(None);
        }
        let Some(f) = self.m.functions.get(&function).filter(|f| f.params.len() == args.len()) else { return Ok(None) };
        let void = matches!(self.types.get(f.ty), Ty::Void);
        if !void && (self.holds_pointer(f.ty) || self.types.count(f.ty) == 0) {
            return Ok(None);
        }
        let known = self.outline.by_function.get(&function).map_or(0, Vec::len);
        let (mut args, mut noted) = (args.to_vec(), args.to_vec());
        for arg in &mut args {
            if let Operand::Pointer(p) = arg {
                (p.name, p.checks) = (None, Vec::new());
            }
        }
        let mut shapes = Vec::with_capacity(args.len());
        // Dwords that are left for parameters and for results.
        let mut left = (MAX_CALL_DWORDS, MAX_CALL_DWORDS);
        let result = if void { Vec::new() } else { self.types.widths_within(f.ty, MAX_CALL_DWORDS) };
        let result = match result.is_empty() || dwords(&result) > left.1 {
            true => None,
            false => {
                left.1 -= dwords(&result);
                Some(result)
            }
        };
        for (n, &(ty, id)) in f.params.iter().enumerate() {
            let Some(shape) = self.shape(function, n, (ty, id), &mut args[n], known >= SHAPES, &mut left) else {
                return Ok(None);
            };
            shapes.push(shape);
        }
        let instance = match self.outline.find(function, &shapes) {
            Some(n) => n,
            None if known >= MAX_SHAPES => return Ok(None),
            None => {
                let in_memory = (!void && result.is_none()).then_some(f.ty);
                self.add(call, function, shapes, result.unwrap_or_default(), in_memory)?
            }
        };
        self.settle_arguments(call, &mut noted)?;
        let values = self.pass(call, instance, &args)?;
        let widths = self.outline.instances[instance].widths.1.clone();
        let op = ir::Op::Call { function: instance as u32, effects: true };
        let given = self.b.inst(op, values, &widths);
        self.take(call, instance, &args, &given).map(Some)
    }

    /// How the argument gets there; it may change to do so. None: in no way.
    fn shape(
        &mut self,
        function: u32,
        n: usize,
        (ty, id): (u32, u32),
        arg: &mut Operand,
        general: bool,
        left: &mut (u32, u32),
    ) -> Option<Shape> {
        match arg {
            Operand::Flat(v) => {
                if self.holds_pointer(ty) {
                    return None;
                }
                let widths: Vec<Width> = v.iter().map(|&v| self.b.width(v)).collect();
                if dwords(&widths) > left.0 {
                    return Some(Shape::Memory { ty, scalars: true });
                }
                left.0 -= dwords(&widths);
                Some(Shape::Values(widths))
            }
            Operand::Null | Operand::Stored(_) => {
                (!self.holds_pointer(ty)).then_some(Shape::Memory { ty, scalars: false })
            }
            Operand::Opaque(_) => self.known(arg, left),
            Operand::Pointer(p) => match p.root {
                Root::Tagged { .. } => None,
                Root::Plain(Space::Scratch) => {
                    let common = p.offset < self.outline.globals || p.offset >= SHARED;
                    if common && !general {
                        return self.known(arg, left);
                    }
                    let aliased = [Decoration::Aliased, Decoration::AliasedPointer, Decoration::Volatile];
                    let alone = aliased.into_iter().all(|d| self.m.decoration(id, d).is_none());
                    if !alone || self.holds_pointer(p.pointee) || self.types.count(p.pointee) == 0 {
                        return None;
                    }
                    let (pointee, written) = (p.pointee, self.may_write(function, n));
                    let widths = self.types.widths_within(pointee, MAX_CALL_DWORDS);
                    let size = dwords(&widths);
                    let fits = !widths.is_empty() && size <= left.0 && (!written || size <= left.1);
                    if fits {
                        left.0 -= size;
                        left.1 -= if written { size } else { 0 };
                    }
                    Some(Shape::Variable { pointee, in_memory: !fits, written })
                }
                Root::Input(_) => self.known(arg, left),
                _ => {
                    let moves = p.dynamic.is_some() || general;
                    if moves && !p.resource_array && !matches!(p.root, Root::Opaque(_)) && p.offset != 0 {
                        // One function for all places in what the pointer points into.
                        let wide = matches!(p.root, Root::Global(_));
                        let offset = self.b.constant(if wide { Width::B64 } else { Width::B32 }, p.offset.into());
                        p.dynamic = Some(match p.dynamic {
                            Some(d) => self.b.iadd(d, offset),
                            None => offset,
                        });
                        p.offset = 0;
                    }
                    self.known(arg, left)
                }
            },
        }
    }

    fn known(&mut self, arg: &Operand, left: &mut (u32, u32)) -> Option<Shape> {
        let parts = parts(arg);
        let widths: Vec<Width> = parts.iter().map(|&v| self.b.width(v)).collect();
        left.0 = left.0.checked_sub(dwords(&widths))?;
        Some(Shape::Known(rebuild(arg.clone(), &vec![HOLE; parts.len()]), widths))
    }

    /// The function, or what it calls, may write through its parameter `n`.
    fn may_write(&mut self, function: u32, n: usize) -> bool {
        if let Some(&known) = self.outline.written.get(&(function, n)) {
            return known;
        }
        let m = self.m;
        let Some(f) = m.functions.get(&function) else { return true };
        let mut pointers: HashSet<u32> = f.params.get(n).map(|p| p.1).into_iter().collect();
        let mut writes = false;
        for i in f.blocks.iter().flat_map(|b| &m.instrs[b.body.start..=b.end]) {
            let base = i.arg(0).is_some_and(|a| pointers.contains(&a));
            match i.op {
                Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject if base => {
                    pointers.insert(i.id);
                }
                Op::Load if base => {}
                Op::ExtInst => writes |= i.args.iter().skip(2).any(|a| pointers.contains(a)),
                _ => writes |= i.args.iter().any(|a| pointers.contains(a)),
            }
        }
        self.outline.written.insert((function, n), writes);
        writes
    }

    fn add(
        &mut self,
        call: &Instr<'_>,
        function: u32,
        shapes: Vec<Shape>,
        result: Vec<Width>,
        in_memory: Option<u32>,
    ) -> Result<usize> {
        let mut widths = (Vec::new(), result.iter().copied().map(word).collect::<Vec<_>>());
        let mut places = Vec::new();
        for shape in &shapes {
            let mut place = None;
            match shape {
                Shape::Known(_, w) => widths.0.extend(w),
                Shape::Values(w) => widths.0.extend(w.iter().copied().map(word)),
                Shape::Memory { ty, .. } | Shape::Variable { pointee: ty, in_memory: true, .. } => {
                    place = Some(self.share(call, *ty)?);
                }
                Shape::Variable { pointee, written, .. } => {
                    let w: Vec<Width> = self.types.widths(*pointee).into_iter().map(word).collect();
                    widths.1.extend(w.iter().filter(|_| *written));
                    widths.0.extend(w);
                }
            }
            places.push(place);
        }
        let result_place = in_memory.map(|ty| self.share(call, ty)).transpose()?;
        let n = self.outline.instances.len();
        self.outline.instances.push(Instance {
            function,
            shapes,
            places,
            result,
            result_place,
            widths,
            word: call.word,
            body: None,
        });
        self.outline.by_function.entry(function).or_default().push(n);
        Ok(n)
    }

    /// Private memory that caller and function both know.
    fn share(&mut self, call: &Instr<'_>, ty: u32) -> Result<u32> {
        let (size, align) = self.types.natural(ty);
        let at = self.outline.passed.checked_next_multiple_of(align.max(4));
        let end = at.and_then(|at| at.checked_add(size)).filter(|&end| end <= MAX_SHARED);
        let (Some(at), Some(end)) = (at, end) else {
            return Err(self.m.error(ErrorKind::Resource, call, format!("{size} bytes of private memory for a call")));
        };
        self.outline.passed = end;
        Ok(SHARED + at)
    }

    fn shared(&self, place: Option<u32>, ty: u32) -> Pointer {
        let mut p = Pointer::new(Root::Plain(Space::Scratch), ty);
        p.offset = place.unwrap_or(SHARED);
        p
    }

    fn to_words(&mut self, values: &[Value]) -> Vec<Value> {
        let word = |&v: &Value| match self.b.width(v) {
            Width::B1 => self.b.alu(Alu::BoolToInt, Width::B32, &[v]),
            _ => v,
        };
        values.iter().map(word).collect()
    }

    fn of_words(&mut self, values: &mut impl Iterator<Item = Value>, widths: &[Width]) -> Vec<Value> {
        let zero = self.b.u32(0);
        let mut out = Vec::with_capacity(widths.len());
        for (&w, v) in widths.iter().zip(values) {
            out.push(if w == Width::B1 { self.b.alu(Alu::INe, Width::B1, &[v, zero]) } else { v });
        }
        out
    }

    /// The caller's side, before: what goes by value; what goes through memory is stored there.
    fn pass(&mut self, call: &Instr<'_>, instance: usize, args: &[Operand]) -> Result<Vec<Value>> {
        let i = &self.outline.instances[instance];
        let (shapes, places) = (i.shapes.clone(), i.places.clone());
        let mut values = Vec::new();
        for ((shape, place), arg) in shapes.iter().zip(places).zip(args) {
            match (shape, arg) {
                (Shape::Known(..), arg) => values.extend(parts(arg)),
                (Shape::Values(_), Operand::Flat(v)) => values.extend(self.to_words(v)),
                (Shape::Memory { ty, .. }, value) => {
                    let to = self.shared(place, *ty);
                    self.store_operand(call, &to, value, &[])?;
                }
                (Shape::Variable { pointee, in_memory: true, .. }, Operand::Pointer(from)) => {
                    let to = self.shared(place, *pointee);
                    self.copy(call, &to, from, &[], &[])?;
                }
                (Shape::Variable { .. }, Operand::Pointer(from)) => {
                    let v = self.load(call, from, &[])?;
                    values.extend(self.to_words(&v));
                }
                _ => return Err(self.malformed(call, "the arguments are not what the function takes")),
            }
        }
        Ok(values)
    }

    /// The caller's side, after: the result, and the variables that the function may have written.
    fn take(
        &mut self,
        call: &Instr<'_>,
        instance: usize,
        args: &[Operand],
        given: &[Value],
    ) -> Result<Option<Operand>> {
        let i = &self.outline.instances[instance];
        let (shapes, places, result) = (i.shapes.clone(), i.places.clone(), i.result.clone());
        let (result_place, function) = (i.result_place, i.function);
        let mut given = given.iter().copied();
        let value = self.of_words(&mut given.by_ref().take(result.len()), &result);
        for ((shape, place), arg) in shapes.iter().zip(places).zip(args) {
            let (Shape::Variable { pointee, in_memory, written: true }, Operand::Pointer(to)) = (shape, arg) else {
                continue;
            };
            if *in_memory {
                let from = self.shared(place, *pointee);
                self.copy(call, to, &from, &[], &[])?;
            } else {
                let widths = self.types.widths(*pointee);
                let v = self.of_words(&mut given.by_ref().take(widths.len()), &widths);
                self.store(call, to, &v, &[])?;
            }
        }
        let ty = self.m.functions.get(&function).map_or(0, |f| f.ty);
        Ok(match result_place {
            // The next call writes there again.
            Some(_) => Some(self.load_operand(call, &self.shared(result_place, ty), &[])?),
            None if matches!(self.types.get(ty), Ty::Void) => None,
            None => Some(Operand::Flat(value.into())),
        })
    }

    /// Translates the functions that are called, and those that they call.
    pub fn bodies(&mut self) -> Result<()> {
        let mut values = 0;
        let mut n = 0;
        while n < self.outline.instances.len() {
            let Some(mut base) = self.outline.base.clone() else { return Ok(()) };
            // Offsets of variables are unique in the module, and tables lie in one place.
            base.kernel.scratch_bytes = self.b.kernel.scratch_bytes;
            base.made = self.b.made;
            base.kernel.constants = std::mem::take(&mut self.b.kernel.constants);
            self.outline.first_local = base.kernel.scratch_bytes;
            let main = std::mem::replace(&mut self.b, base);
            let outer = (std::mem::take(&mut self.frames), std::mem::replace(&mut self.scopes, vec![true]));
            let open = std::mem::replace(&mut self.open_scopes, vec![0]);
            let depth = std::mem::take(&mut self.depth);
            self.instrumentation.forget();
            let given = self.body_of(n)?;
            let f = std::mem::replace(&mut self.b, main);
            self.b.made = f.made;
            let mut f = f.finish(Exit::Yield(given));
            f.drop_unread_constants();
            (self.frames, self.scopes) = outer;
            (self.open_scopes, self.depth) = (open, depth);
            self.b.kernel.scratch_bytes = f.scratch_bytes;
            self.b.kernel.constants = std::mem::take(&mut f.constants);
            values += f.values.len();
            if values > MAX_VALUES {
                let call = self.call_of(n);
                return Err(self.m.error(ErrorKind::Resource, &call, "the kernel's functions are too large together"));
            }
            self.outline.instances[n].body = Some(f);
            n += 1;
        }
        Ok(())
    }

    fn call_of(&self, instance: usize) -> Instr<'static> {
        let word = self.outline.instances[instance].word;
        let (op, loc) = self.m.at(word).map_or((Op::FunctionCall, ir::Loc::default()), |i| (i.op, i.loc));
        Instr { op, word, ty: 0, id: 0, args: &[], loc }
    }

    /// The function's side: parameters become operands, the body is inlined, and what it gives is told.
    fn body_of(&mut self, n: usize) -> Result<Vec<Value>> {
        let call = self.call_of(n);
        let i = &self.outline.instances[n];
        let (shapes, places, function) = (i.shapes.clone(), i.places.clone(), i.function);
        let (given, result, result_place) = (i.widths.clone(), i.result.clone(), i.result_place);
        let name = self.m.names.get(&function).filter(|n| !n.is_empty());
        self.b.kernel.name = name.cloned().unwrap_or_else(|| format!("%{function}"));
        let params: Vec<Value> = given.0.iter().map(|&w| self.b.value(w)).collect();
        self.b.kernel.params.clone_from(&params);
        self.b.kernel.results = given.1;
        let mut params = params.into_iter();
        let mut args = Vec::with_capacity(shapes.len());
        for (shape, &place) in shapes.iter().zip(&places) {
            args.push(match shape {
                Shape::Known(operand, w) => {
                    let values: Vec<Value> = params.by_ref().take(w.len()).collect();
                    rebuild(operand.clone(), &values)
                }
                Shape::Values(w) => Operand::Flat(self.of_words(&mut params.by_ref().take(w.len()), w).into()),
                Shape::Memory { ty, scalars: true } => {
                    let from = self.shared(place, *ty);
                    Operand::Flat(self.load(&call, &from, &[])?)
                }
                Shape::Memory { ty, scalars: false } => Operand::Stored(self.shared(place, *ty)),
                Shape::Variable { pointee, in_memory: true, .. } => Operand::Pointer(self.shared(place, *pointee)),
                Shape::Variable { pointee, .. } => {
                    let mut p = Pointer::new(Root::Plain(Space::Scratch), *pointee);
                    p.offset = self.variable_place(&call, *pointee)?;
                    let widths = self.types.widths(*pointee);
                    let v = self.of_words(&mut params.by_ref().take(widths.len()), &widths);
                    self.store(&call, &p, &v, &[])?;
                    Operand::Pointer(p)
                }
            });
        }
        let value = self.inline(&call, function, args.clone())?;
        let mut out = Vec::new();
        match (value, result_place) {
            (Some(value), Some(_)) => {
                let ty = self.m.functions.get(&function).map_or(0, |f| f.ty);
                let to = self.shared(result_place, ty);
                self.store_operand(&call, &to, &value, &[])?;
            }
            (Some(Operand::Flat(v)), None) if v.len() == result.len() => out.extend(self.to_words(&v)),
            (None, None) => {}
            _ => return Err(self.malformed(&call, "the function gives what it does not declare")),
        }
        for (shape, arg) in shapes.iter().zip(&args) {
            if let (Shape::Variable { in_memory: false, written: true, .. }, Operand::Pointer(p)) = (shape, arg) {
                let v = self.load(&call, p, &[])?;
                out.extend(self.to_words(&v));
            }
        }
        Ok(out)
    }

    /// Puts the functions that `kernel` came to call behind it, callers first, and lays out what all share.
    pub fn link(&mut self, kernel: &mut Kernel) {
        let mut bodies: Vec<Option<Kernel>> = self.outline.instances.iter_mut().map(|i| i.body.take()).collect();
        if bodies.is_empty() {
            return;
        }
        let order = callers_first(kernel, &bodies);
        let mut number = vec![0; bodies.len()];
        order.iter().zip(0..).for_each(|(&old, new)| number[old] = new);
        let globals = self.outline.globals.next_multiple_of(16);
        let shared = (globals + self.outline.passed).next_multiple_of(16);
        let own = self.outline.globals;
        kernel.functions = order.iter().filter_map(|&n| bodies[n].take()).collect();
        let (lds, full) = (kernel.lds_bytes, kernel.require_full_subgroups);
        kernel.each(&mut |k| {
            (k.lds_bytes, k.shared_scratch, k.require_full_subgroups) = (lds, shared, full);
            k.locals.retain(|l| l.offset >= own);
            k.locals.iter_mut().for_each(|l| l.offset += shared);
            // While they are translated all bodies count through one memory; each has what its own variables end at.
            k.scratch_bytes = k.locals.iter().map(|l| l.offset + l.size).max().unwrap_or(shared);
            k.body.for_each_inst_mut(&mut |i| match &mut i.op {
                ir::Op::Call { function, .. } => *function = number[*function as usize],
                ir::Op::Load { space: Space::Scratch, offset, .. }
                | ir::Op::Store { space: Space::Scratch, offset, .. }
                | ir::Op::Atomic { space: Space::Scratch, offset, .. } => match *offset {
                    o if o < own => {}
                    o if o >= SHARED => *offset = o - SHARED + globals,
                    o => *offset = o + shared,
                },
                _ => {}
            });
        });
    }
}

/// Bodies that `kernel` reaches, each behind all that call it.
fn callers_first(kernel: &Kernel, bodies: &[Option<Kernel>]) -> Vec<usize> {
    let callees = |k: &Kernel| {
        let mut out = Vec::new();
        k.body.for_each_inst(&mut |i| {
            if let ir::Op::Call { function, .. } = i.op {
                out.push(function as usize);
            }
        });
        out.sort_unstable();
        out.dedup();
        out
    };
    let calls: Vec<Vec<usize>> = bodies.iter().map(|b| b.as_ref().map(callees).unwrap_or_default()).collect();
    let mut reached = vec![false; bodies.len()];
    let mut waiting = vec![0; bodies.len()];
    let mut work = callees(kernel);
    while let Some(n) = work.pop() {
        if !std::mem::replace(&mut reached[n], true) {
            calls[n].iter().for_each(|&c| waiting[c] += 1);
            work.extend(&calls[n]);
        }
    }
    let mut ready: Vec<usize> = (0..bodies.len()).filter(|&n| reached[n] && waiting[n] == 0).collect();
    let mut order = Vec::new();
    while let Some(n) = ready.pop() {
        order.push(n);
        for &c in &calls[n] {
            waiting[c] -= 1;
            if waiting[c] == 0 {
                ready.push(c);
            }
        }
    }
    order
}

fn word(w: Width) -> Width {
    if w == Width::B1 { Width::B32 } else { w }
}

fn dwords(widths: &[Width]) -> u32 {
    Kernel::call_dwords(widths.iter().copied())
}
