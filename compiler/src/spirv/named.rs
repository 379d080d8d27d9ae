//! Source variables: which the module names, by OpName or NonSemantic.Shader.DebugInfo, and what has their values.
//!
//! Variables of the module are told by their memory, values by marks that promotion takes up. Nothing else follows
//! from any of it: with and without, the code is the same.

use super::module::Instr;
use super::operand::{Operand, Pointer, Root};
use super::translate::Translator;
use super::types::{Layout, MAX_SCALARS, Ty};
use crate::ir::named::PieceOf;
use crate::ir::{self, Kernel, Mark, Named, Node, Space, Value, Width};
use spirv::BuiltIn;
use std::sync::Arc;
use wavepipe_hw::variable::{Member, Number, NumberKind, Scope, Shape, Variable};

/// Variables that a kernel may have, each inlined call with its own, and parts of a type; what is more has no name.
const MAX_VARIABLES: usize = 1 << 16;
const MAX_PARTS: usize = 1 << 12;

/// How offsets of private memory move when functions are linked: up to where they stay, and by how much others move.
pub struct Shift(u32, u32);

impl Translator<'_> {
    fn naming_scope(&mut self) -> u32 {
        if self.naming.scopes.is_empty() {
            let function = self.b.kernel.name.clone();
            self.naming.scopes.push(Scope { function, parent: None, file: 0, line: 0 });
        }
        self.naming.scope
    }

    fn given_name(&self, id: u32) -> Option<String> {
        self.m.names.get(&id).filter(|n| self.naming.on && !n.is_empty()).cloned()
    }

    fn form_of(&self, ty: u32, parts: &mut usize) -> Option<Shape> {
        *parts += 1;
        if *parts > MAX_PARTS {
            return None;
        }
        let number = |ty: &Ty| {
            let (kind, width) = match *ty {
                Ty::Bool => (NumberKind::Bool, Width::B1),
                Ty::Int { width, signed: true } => (NumberKind::Signed, width),
                Ty::Int { width, signed: false } => (NumberKind::Unsigned, width),
                Ty::Float(width) => (NumberKind::Float, width),
                _ => return None,
            };
            Some(Number { kind, bits: width.bits() })
        };
        let stride = self.types.stride(ty, Layout::default());
        Some(match self.types.get(ty) {
            Ty::Vector { elem, n } => Shape::Vector { of: number(self.types.get(*elem))?, n: *n },
            Ty::Matrix { column, n } => match self.types.get(*column) {
                Ty::Vector { elem, n: rows } => {
                    Shape::Matrix { of: number(self.types.get(*elem))?, rows: *rows, columns: *n, stride: stride? }
                }
                _ => return None,
            },
            Ty::Array { elem, n, .. } => {
                Shape::Array { of: Box::new(self.form_of(*elem, parts)?), n: *n, stride: stride? }
            }
            Ty::Struct(members) => {
                let mut out = Vec::with_capacity(members.len());
                for (n, member) in members.iter().enumerate() {
                    let name = self.m.member_names.get(&(ty, n as u32)).cloned().unwrap_or_default();
                    let (offset, _) = self.types.member(members, n, Layout::default())?;
                    out.push(Member { name, offset, shape: self.form_of(member.ty, parts)? });
                }
                Shape::Struct { name: self.m.names.get(&ty).cloned().unwrap_or_default(), members: out }
            }
            other => Shape::Number(number(other)?),
        })
    }

    fn declared(&mut self, name: String, ty: u32, scope: u32) -> Option<u32> {
        if self.naming.variables.len() >= MAX_VARIABLES {
            return None;
        }
        let shape = self.form_of(ty, &mut 0)?;
        self.naming.variables.push(Variable { name, shape, scope });
        Some(self.naming.variables.len() as u32 - 1)
    }

    fn mark(&mut self, mark: Mark, args: Vec<Value>) {
        let (loc, exact) = (self.b.loc, false);
        self.b.push(Node::Inst(ir::Inst { op: ir::Op::Mark(mark), args, results: Vec::new(), exact, loc }));
    }

    /// A variable in private memory.
    pub fn name_variable(&mut self, id: u32, ty: u32, at: u32) {
        let Some(name) = self.given_name(id) else { return };
        self.variable_at(name, ty, at);
    }

    fn variable_at(&mut self, name: String, ty: u32, at: u32) -> Option<u32> {
        let scope = self.naming_scope();
        let variable = self.declared(name, ty, scope)?;
        self.naming.private.insert(variable, at);
        if self.types.count(ty) <= MAX_SCALARS {
            let leaves = self.types.leaves(ty, at, Layout::default()).unwrap_or_default();
            for (leaf, piece) in leaves.iter().zip(0..) {
                self.naming.cells.entry(leaf.offset).or_default().push(PieceOf { variable, piece });
            }
        }
        Some(variable)
    }

    pub fn name_shared(&mut self, id: u32, ty: u32, at: u32) {
        let Some(name) = self.given_name(id) else { return };
        self.naming_scope();
        if let Some(variable) = self.declared(name, ty, 0) {
            self.naming.lds.push((variable, at));
        }
    }

    pub fn name_input(&mut self, id: u32, input: BuiltIn, ty: u32) {
        if let Some(name) = self.given_name(id) {
            self.naming.inputs.insert(input as u32, (name, ty));
        }
    }

    fn value_of(&mut self, name: String, ty: u32, scope: u32) -> Option<u32> {
        let key = (scope, name, ty);
        if let Some(&known) = self.naming.values.get(&key) {
            return Some(known);
        }
        let variable = self.declared(key.1.clone(), ty, scope)?;
        self.naming.values.insert(key, variable);
        Some(variable)
    }

    /// Scalars of an input were read: it has these values.
    pub fn input_read(&mut self, p: &Pointer, value: &Operand) {
        let (Root::Input(input), None, Operand::Flat(values), true) = (p.root, p.dynamic, value, self.naming.on) else {
            return;
        };
        let Some((name, ty)) = self.naming.inputs.get(&(input as u32)).cloned() else { return };
        self.naming_scope();
        let first = p.offset / 4;
        if first + values.len() as u32 <= self.types.count(ty)
            && let Some(variable) = self.value_of(name, ty, 0)
        {
            self.mark(Mark::Set { variable, first }, values.to_vec());
        }
    }

    /// A value that has a name.
    pub fn name_value(&mut self, i: &Instr<'_>, values: &[Value]) {
        if let Some(name) = self.given_name(i.id) {
            self.set_value(name, i.ty, values);
        }
    }

    fn set_value(&mut self, name: String, ty: u32, values: &[Value]) {
        let scope = self.naming_scope();
        if self.types.count(ty) as usize == values.len()
            && let Some(variable) = self.value_of(name, ty, scope)
        {
            self.mark(Mark::Set { variable, first: 0 }, values.to_vec());
        }
    }

    /// 29 DebugValue (local variable, value, expression …).
    pub fn debug_value(&mut self, i: &Instr<'_>) {
        let at = |n: usize| i.arg(n).unwrap_or(0);
        if !self.naming.on || self.m.debug_set.is_none_or(|set| set != at(0)) || at(1) != 29 || i.args.len() > 5 {
            return;
        }
        let (Some(name), id) = (self.m.debug_locals.get(&at(2)).cloned(), at(3)) else { return };
        // Asking for the operand would be a use of it, which may keep it.
        let here = self.frames.last().and_then(|f| f.values.get(&id)).filter(|(_, scope)| self.scopes[*scope]);
        let value = self.constants.get(&id).or(here.map(|(value, _)| value)).cloned();
        if let (Some(Operand::Flat(values)), Some(&ty)) = (value, self.type_of.get(&id)) {
            self.set_value(name, ty, &values);
        }
    }

    /// Code of a function begins; whose code it interrupts.
    pub fn enter_scope(&mut self, call: &Instr<'_>, function: u32) -> u32 {
        if !self.naming.on {
            return 0;
        }
        let (outer, first) = (self.naming_scope(), self.frames.is_empty());
        // The entry point comes first; functions that are called follow it.
        let kernel = first && !std::mem::replace(&mut self.naming.begun, true);
        if !kernel && self.naming.scopes.len() < MAX_VARIABLES {
            let function = self.m.names.get(&function).cloned().unwrap_or_else(|| format!("%{function}"));
            let parent = (!first).then_some(outer);
            self.naming.scopes.push(Scope { function, parent, file: call.loc.file, line: call.loc.line });
            self.naming.scope = self.naming.scopes.len() as u32 - 1;
        }
        self.mark(Mark::Enter { scope: self.naming.scope }, Vec::new());
        outer
    }

    pub fn leave_scope(&mut self, outer: u32) {
        if self.naming.on {
            self.naming.scope = outer;
            self.mark(Mark::Enter { scope: outer }, Vec::new());
        }
    }

    pub fn name_parameter(&mut self, ty: u32, id: u32, value: &Operand) {
        let Some(name) = self.given_name(id) else { return };
        match value {
            Operand::Flat(values) => self.set_value(name, ty, values),
            Operand::Pointer(Pointer { root: Root::Plain(Space::Scratch), dynamic: None, offset, pointee, .. }) => {
                if let Some(variable) = self.variable_at(name, *pointee, *offset) {
                    self.mark(Mark::Begin { variable }, Vec::new());
                }
            }
            _ => {}
        }
    }

    /// Before functions are linked.
    pub fn linked_by(&self) -> Shift {
        let globals = self.outline.globals.next_multiple_of(16);
        Shift(self.outline.globals, (globals + self.outline.passed).next_multiple_of(16))
    }

    /// Gives the kernel and its functions what is known.
    pub fn hand_over(&mut self, kernel: &mut Kernel, Shift(stay, by): Shift) {
        if !self.naming.on {
            return;
        }
        self.naming_scope();
        let naming = std::mem::take(&mut self.naming);
        let by = if kernel.functions.is_empty() { 0 } else { by };
        let moved = |at: u32| if at < stay || by == 0 { at } else { at.saturating_add(by) };
        let named = Named {
            variables: Arc::new(naming.variables),
            scopes: Arc::new(naming.scopes),
            points: Vec::new(),
            cells: naming.cells.into_iter().map(|(at, of)| (moved(at), of)).collect(),
            private: naming.private.into_iter().map(|(variable, at)| (variable, moved(at))).collect(),
            lds: naming.lds,
        };
        kernel.each(&mut |k| k.named = Some(Box::new(named.clone())));
    }
}
