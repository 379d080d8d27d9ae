//! Statements: structured control flow, with a merge for each construct.

use super::{Known, Lower, Symbol, Val};
use crate::Result;
use crate::fold::Konst;
use crate::syntax::{Expr, Stmt, StmtKind, Storage, Vars};
use crate::types::{Scalar, Ty};
use spirv::Op;

impl Lower<'_> {
    pub(super) fn statements(&mut self, list: &[Stmt]) -> Result<()> {
        list.iter().try_for_each(|s| self.statement(s))
    }

    fn statement(&mut self, s: &Stmt) -> Result<()> {
        self.go(s.at);
        // What nothing reaches is not written, and not looked at.
        if !self.b.open() {
            return Ok(());
        }
        match &s.kind {
            StmtKind::Empty => Ok(()),
            StmtKind::Vars(vars) => self.vars(vars),
            StmtKind::Expr(e) => self.expr(e).map(drop),
            StmtKind::Block(list) => self.scoped(|l| l.statements(list)),
            StmtKind::If { condition, then, otherwise, hints } => {
                self.branch(condition, then, otherwise.as_deref(), *hints)
            }
            StmtKind::Loop { first, condition, step, body, hints } => self.scoped(|l| {
                if let Some(first) = first {
                    l.statement(first)?;
                }
                l.repeat(condition.as_deref(), step.as_ref(), body, *hints)
            }),
            StmtKind::Do { body, condition, hints } => self.repeat_after(body, condition, *hints),
            StmtKind::Switch { on, body, hints } => self.switch(on, body, *hints),
            StmtKind::Case(_) | StmtKind::DefaultCase => Err(self.refuse("this stands in a switch, and not deeper")),
            StmtKind::Break => match self.breaks.last() {
                Some(to) => {
                    self.b.branch(*to);
                    Ok(())
                }
                None => Err(self.refuse("there is nothing to break from")),
            },
            StmtKind::Continue => match self.continues.last() {
                Some(to) => {
                    self.b.branch(*to);
                    Ok(())
                }
                None => Err(self.refuse("there is no loop to continue")),
            },
            StmtKind::Return(value) => self.give(value.as_ref()),
        }
    }

    fn give(&mut self, value: Option<&Expr>) -> Result<()> {
        let wanted = self.returns.clone();
        match (value, &wanted) {
            (None, Ty::Void) => self.b.end(None, Op::Return, &[]),
            (Some(e), ty) if *ty != Ty::Void => {
                let value = self.wanted(e, ty)?;
                self.go(e.at);
                self.b.end(None, Op::ReturnValue, &[value.id]);
            }
            _ => return Err(self.refuse(format!("the function returns {}", self.type_name(&wanted)))),
        }
        Ok(())
    }

    /// Variables of a function.
    fn vars(&mut self, vars: &Vars) -> Result<()> {
        let base = self.spec(&vars.spec)?;
        for var in &vars.list {
            self.go(var.at);
            let ty = self.dimensioned(&base, &var.dims)?;
            let ty = self.counted(ty, var.value.as_ref())?;
            if matches!(vars.quals.storage, Storage::Shared | Storage::Uniform | Storage::Buffer) {
                return Err(self.refuse("such variables are declared outside of functions"));
            }
            if vars.quals.storage == Storage::Const {
                let value = var
                    .value
                    .as_ref()
                    .ok_or_else(|| self.refuse(format!("`{}` is const and has no value", var.name)))?;
                let value = match self.constant_wanted(value, &ty)? {
                    Some(constant) => constant,
                    None => self.wanted(value, &ty)?,
                };
                self.name(var.name.clone(), Symbol::Val(value));
                continue;
            }
            // Its value is made before its name is there.
            let value = var.value.as_ref().map(|e| self.wanted(e, &ty)).transpose()?;
            self.go(var.at);
            let place = self.local(&ty, &var.name, None)?;
            if let Some(value) = value {
                self.store(&place, &value)?;
            }
            self.name(var.name.clone(), Symbol::Lvalue(place));
        }
        Ok(())
    }

    /// A constant of that type, if it is one.
    pub(super) fn constant_wanted(&mut self, e: &Expr, ty: &Ty) -> Result<Option<Val>> {
        let (constant, body, lost) = (self.constant, self.b.body.take(), self.b.lost);
        (self.constant, self.b.lost) = (true, false);
        let value = self.wanted(e, ty);
        let missed = self.b.lost;
        (self.constant, self.b.body, self.b.lost) = (constant, body, lost);
        let value = value?;
        Ok((!missed && !matches!(value.known, Known::No)).then_some(value))
    }

    fn branch(&mut self, condition: &Expr, then: &Stmt, otherwise: Option<&Stmt>, hints: u32) -> Result<()> {
        let at = self.at;
        let condition = self.condition(condition)?;
        self.go(at);
        let (yes, merge) = (self.b.id(), self.b.id());
        let no = if otherwise.is_some() { self.b.id() } else { merge };
        self.b.end(Some((Op::SelectionMerge, &[merge, hints])), Op::BranchConditional, &[condition.id, yes, no]);
        self.b.begin(yes);
        self.scoped(|l| l.statement(then))?;
        self.b.branch(merge);
        if let Some(otherwise) = otherwise {
            self.b.begin(no);
            self.scoped(|l| l.statement(otherwise))?;
            self.b.branch(merge);
        }
        self.b.begin(merge);
        Ok(())
    }

    /// The header, up to what is behind it; the labels of merge and continue.
    fn header(&mut self, hints: u32) -> (u32, u32, u32) {
        let [header, first, merge, more] = [(); 4].map(|()| self.b.id());
        self.b.branch(header);
        self.b.begin(header);
        self.b.end(Some((Op::LoopMerge, &[merge, more, hints])), Op::Branch, &[first]);
        self.b.begin(first);
        (header, merge, more)
    }

    fn repeat(&mut self, condition: Option<&Stmt>, step: Option<&Expr>, body: &Stmt, hints: u32) -> Result<()> {
        let at = self.at;
        let (header, merge, more) = self.header(hints);
        if let Some(condition) = condition {
            let value = match &condition.kind {
                StmtKind::Expr(e) => self.condition(e)?,
                StmtKind::Vars(vars) => {
                    self.vars(vars)?;
                    let name = vars.list.first().map(|v| v.name.clone()).unwrap_or_default();
                    match self.find(&name).cloned() {
                        Some(Symbol::Lvalue(place)) if place.ty == Ty::Scalar(Scalar::Bool) => self.load(&place)?,
                        Some(Symbol::Val(value)) if value.ty == Ty::Scalar(Scalar::Bool) => value,
                        _ => return Err(self.refuse("a condition is a bool")),
                    }
                }
                _ => return Err(self.refuse("a condition is a bool")),
            };
            self.go(at);
            let inside = self.b.id();
            self.b.end(None, Op::BranchConditional, &[value.id, inside, merge]);
            self.b.begin(inside);
        }
        self.loop_body(body, merge, more)?;
        if let Some(step) = step {
            self.expr(step)?;
        }
        self.go(at);
        self.b.branch(header);
        self.b.begin(merge);
        Ok(())
    }

    /// What a loop repeats, from which `break` goes to `merge` and `continue` to `more`; `more` begins behind it.
    fn loop_body(&mut self, body: &Stmt, merge: u32, more: u32) -> Result<()> {
        self.breaks.push(merge);
        self.continues.push(more);
        let done = self.scoped(|l| l.statement(body));
        self.breaks.pop();
        self.continues.pop();
        done?;
        self.b.branch(more);
        self.b.begin(more);
        Ok(())
    }

    fn repeat_after(&mut self, body: &Stmt, condition: &Expr, hints: u32) -> Result<()> {
        let (header, merge, more) = self.header(hints);
        self.loop_body(body, merge, more)?;
        let value = self.condition(condition)?;
        self.b.end(None, Op::BranchConditional, &[value.id, header, merge]);
        self.b.begin(merge);
        Ok(())
    }

    fn switch(&mut self, on: &Expr, body: &[Stmt], hints: u32) -> Result<()> {
        let at = self.at;
        let on = self.expr(on)?;
        let scalar = match on.ty {
            Ty::Scalar(s) if s.is_int() => s,
            _ => return Err(self.refuse("a switch is on a whole number")),
        };
        let merge = self.b.id();
        // A block for each run of labels.
        let (mut targets, mut default, mut blocks) = (Vec::new(), merge, Vec::new());
        let mut behind_label = false;
        for s in body {
            let label = matches!(s.kind, StmtKind::Case(_) | StmtKind::DefaultCase);
            if label && !behind_label {
                blocks.push(self.b.id());
            }
            behind_label = label;
            let Some(block) = blocks.last() else {
                self.go(s.at);
                return Err(self.refuse("a switch begins with a case"));
            };
            match &s.kind {
                StmtKind::DefaultCase => default = *block,
                StmtKind::Case(value) => {
                    let block = *block;
                    let (_, value) = self.known_int(value)?;
                    let value = self.becoming(&value, &Ty::Scalar(scalar)).or_else(|_| self.convert(&value, scalar))?;
                    let Known::Const(value @ Konst::Int(_)) = &value.known else {
                        return Err(self.refuse("a case is a constant"));
                    };
                    targets.extend(crate::fold::words(value, scalar));
                    targets.push(block);
                }
                _ => {}
            }
        }
        self.go(at);
        let words = [&[on.id, default], &targets[..]].concat();
        self.b.end(Some((Op::SelectionMerge, &[merge, hints])), Op::Switch, &words);
        self.breaks.push(merge);
        let done = self.scoped(|l| {
            let mut blocks = blocks.into_iter();
            let mut behind_label = false;
            for s in body {
                let label = matches!(s.kind, StmtKind::Case(_) | StmtKind::DefaultCase);
                if let (true, false, Some(block)) =
                    (label, behind_label, if label && !behind_label { blocks.next() } else { None })
                {
                    l.b.branch(block);
                    l.b.begin(block);
                }
                behind_label = label;
                if !label {
                    l.statement(s)?;
                }
            }
            Ok(())
        });
        self.breaks.pop();
        done?;
        self.b.branch(merge);
        self.b.begin(merge);
        Ok(())
    }
}
