//! Functions of the text, and calls of them.

use super::{Lower, Lvalue, Overload, Parameter, Symbol, Val};
use crate::Result;
use crate::emit::{Body, Builder};
use crate::syntax::{At, Expr, ExprKind, Function, Memory, Storage};
use crate::types::{Ty, name};
use spirv::{Op, StorageClass};
use std::collections::HashMap;
use std::rc::Rc;

/// Functions that are written inside of others, anew for their opaque arguments.
const DEEPEST: usize = 30;

/// What a call hands over.
enum Argument {
    Val(Val),
    /// Into a variable of its own, and perhaps back from it.
    Var(Lvalue, Option<Lvalue>),
    Opaque(Lvalue),
}

impl Lower<'_> {
    /// A function that the text announces or writes.
    pub(super) fn function(&mut self, tree: &Rc<Function>) -> Result<()> {
        let ty = self.spec(&tree.ty)?;
        let mut parameters = Vec::new();
        for p in &tree.parameters {
            let of = self.spec(&p.spec)?;
            let of = self.dimensioned(&of, &p.dims)?;
            let comes_out = matches!(p.quals.storage, Storage::Out | Storage::InOut);
            let goes_in = p.quals.storage != Storage::Out;
            parameters.push(Parameter { name: p.name.clone(), ty: of, goes_in, comes_out, memory: p.quals.memory });
        }
        self.go(tree.at);
        let same = |f: &Overload| {
            f.parameters.len() == parameters.len() && f.parameters.iter().zip(&parameters).all(|(a, b)| a.ty == b.ty)
        };
        let list = self.functions.entry(tree.name.clone()).or_default();
        let n = match list.iter().position(same) {
            Some(n) => n,
            None => {
                let id = self.b.id();
                list.push(Overload { tree: tree.clone(), ty, parameters, id, written: false, made: HashMap::new() });
                list.len() - 1
            }
        };
        if tree.body.is_none() {
            return Ok(());
        }
        if list[n].written {
            return Err(self.refuse(format!("`{}` is written twice", tree.name)));
        }
        list[n].tree = tree.clone();
        list[n].written = true;
        // A parameter's name is that of the text with the body.
        for (p, t) in list[n].parameters.iter_mut().zip(&tree.parameters) {
            p.name = t.name.clone();
        }
        if list[n].parameters.iter().any(|p| p.ty.opaque()) {
            return Ok(());
        }
        let id = list[n].id;
        self.write(&tree.name, n, id, &[])
    }

    /// Writes the function with its body; `opaque` stands for its opaque parameters.
    fn write(&mut self, name: &Rc<str>, n: usize, id: u32, opaque: &[Lvalue]) -> Result<()> {
        let found = self.functions.get(name).and_then(|l| l.get(n));
        let Some((tree, ty, parameters)) = found.map(|f| (f.tree.clone(), f.ty.clone(), f.parameters.clone())) else {
            return Err(self.refuse("there is no such function"));
        };
        let mut types = Vec::new();
        let mut given = opaque.iter();
        for p in &parameters {
            let of = match p.ty.opaque() {
                true => match given.next() {
                    Some(place) => {
                        let of = self.ty(&place.ty)?;
                        self.pointer(StorageClass::UniformConstant, of)
                    }
                    None => return Err(self.refuse("an image or a sampler is missing")),
                },
                false => {
                    let of = self.ty(&p.ty)?;
                    if p.comes_out { self.pointer(StorageClass::Function, of) } else { of }
                }
            };
            types.push(of);
        }
        let returns = self.ty(&ty)?;
        let of = self.b.ty(Op::TypeFunction, &[&[returns], &types[..]].concat());
        let mut body = Body::default();
        Builder::head(Op::Function, &[returns, id, 0, of], &mut body);
        let ids: Vec<u32> = types.iter().map(|_| self.b.id()).collect();
        for (ty, id) in types.iter().zip(&ids) {
            Builder::head(Op::FunctionParameter, &[*ty, *id], &mut body);
        }
        self.b.name(id, &tree.name);
        // What is being written, if something is, waits.
        let outer = (self.b.body.replace(body), self.at, std::mem::replace(&mut self.returns, ty.clone()));
        let loops = (std::mem::take(&mut self.breaks), std::mem::take(&mut self.continues));
        let scopes = self.scopes.split_off(2);
        let label = self.b.id();
        self.b.begin(label);
        self.go(tree.at);
        let done = self.scoped(|l| {
            let mut given = opaque.iter();
            for (p, id) in parameters.iter().zip(&ids) {
                let place = if p.ty.opaque() {
                    let from = given
                        .next()
                        .cloned()
                        .unwrap_or_else(|| l.place(*id, StorageClass::UniformConstant, p.ty.clone()));
                    Lvalue { base: *id, chain: Vec::new(), memory: from.memory.and(p.memory), ..from }
                } else if p.comes_out {
                    l.b.name(*id, &p.name);
                    l.place(*id, StorageClass::Function, p.ty.clone())
                } else {
                    let place = l.local(&p.ty, &p.name, None)?;
                    let value = Val { id: *id, ty: p.ty.clone(), known: super::Known::No };
                    l.store(&place, &value)?;
                    place
                };
                l.name(p.name.clone(), Symbol::Lvalue(place));
            }
            l.scoped(|l| l.statements(tree.body.as_deref().unwrap_or_default()))
        });
        if self.b.open() {
            if ty == Ty::Void {
                self.b.end(None, Op::Return, &[]);
            } else {
                let value = self.value(Op::Undef, &ty, &[])?;
                self.b.end(None, Op::ReturnValue, &[value.id]);
            }
        }
        self.scopes.extend(scopes);
        (self.breaks, self.continues) = loops;
        let body = std::mem::replace(&mut self.b.body, outer.0);
        self.returns = outer.2;
        self.go(outer.1);
        done?;
        body.into_iter().for_each(|b| self.b.finish(b));
        Ok(())
    }

    /// The function of that name that takes these, and needs the fewest conversions.
    fn choose_overload(&self, name: &str, types: &[Ty]) -> Option<usize> {
        let cost = |f: &Overload| {
            if f.parameters.len() != types.len() {
                return None;
            }
            f.parameters.iter().zip(types).try_fold(0, |sum, (p, ty)| match (p.ty.scalar(), ty.scalar()) {
                _ if p.ty == *ty => Some(sum),
                _ if p.ty.opaque() && ty.opaque() => Some(sum),
                (Some(to), Some(from)) if ty.of(to) == p.ty => match (p.goes_in, p.comes_out) {
                    (true, false) if from.becomes(to) => Some(sum + 1),
                    (false, true) if to.becomes(from) => Some(sum + 1),
                    _ => None,
                },
                _ => None,
            })
        };
        let list = self.functions.get(name)?;
        list.iter().enumerate().filter_map(|(n, f)| Some((cost(f)?, n))).min().map(|(_, n)| n)
    }

    pub(super) fn call(&mut self, name: &Rc<str>, arguments: &[Expr], at: At) -> Result<Val> {
        if !self.functions.contains_key(name) {
            return self.builtin(name, arguments, at);
        }
        self.depth += 1;
        if self.depth > 8 * DEEPEST {
            return Err(self.refuse("calls are nested too deep"));
        }
        let out = self.call_own(name, arguments, at);
        self.depth -= 1;
        out
    }

    fn call_own(&mut self, function: &Rc<str>, arguments: &[Expr], at: At) -> Result<Val> {
        // Arguments are evaluated once: as values, or as the places that come back.
        let counts: Vec<&Overload> =
            self.functions[function].iter().filter(|f| f.parameters.len() == arguments.len()).collect();
        if counts.is_empty() {
            return Err(self.refuse(format!("no `{function}` takes {} arguments", arguments.len())));
        }
        let places: Vec<bool> = (0..arguments.len())
            .map(|n| counts.iter().any(|f| f.parameters[n].comes_out || f.parameters[n].ty.opaque()))
            .collect();
        let (mut values, mut types) = (Vec::new(), Vec::new());
        for (e, place) in arguments.iter().zip(&places) {
            if *place {
                let place = self.must_place(e)?;
                types.push(self.place_ty(&place));
                values.push((None, Some(place)));
            } else {
                let value = self.expr(e)?;
                types.push(value.ty.clone());
                values.push((Some(value), None));
            }
        }
        self.go(at);
        let Some(n) = self.choose_overload(function, &types) else {
            let given: Vec<String> = types.iter().map(name).collect();
            return Err(self.refuse(format!("no `{function}` takes ({})", given.join(", "))));
        };
        let (parameters, ty) = (self.functions[function][n].parameters.clone(), self.functions[function][n].ty.clone());
        let mut handed = Vec::new();
        for (p, (value, place)) in parameters.iter().zip(values) {
            handed.push(match (value, place) {
                (_, Some(place)) if p.ty.opaque() => Argument::Opaque(place),
                (_, Some(place)) if p.comes_out => {
                    let own = self.local(&p.ty, "param", None)?;
                    if p.goes_in {
                        let value = self.load(&place)?;
                        let value = self.becoming(&value, &p.ty)?;
                        self.store(&own, &value)?;
                    }
                    Argument::Var(own, Some(place))
                }
                (_, Some(place)) => {
                    let value = self.load(&place)?;
                    Argument::Val(self.becoming(&value, &p.ty)?)
                }
                (Some(value), _) => Argument::Val(self.becoming(&value, &p.ty)?),
                _ => return Err(self.refuse("an argument is missing")),
            });
        }
        let id = self.called(function, n, &handed)?;
        let mut words = vec![id];
        for argument in &handed {
            words.push(match argument {
                Argument::Val(value) => value.id,
                Argument::Var(own, _) => own.base,
                Argument::Opaque(place) => self.address(place)?,
            });
        }
        let out = self.value(Op::FunctionCall, &ty, &words)?;
        for argument in &handed {
            if let Argument::Var(own, Some(back)) = argument {
                let value = self.load(own)?;
                let ty = self.place_ty(back);
                let value = self.becoming(&value, &ty)?;
                self.store(back, &value)?;
            }
        }
        Ok(out)
    }

    /// The function's id; one with opaque parameters is written for what it is given.
    fn called(&mut self, function: &Rc<str>, n: usize, handed: &[Argument]) -> Result<u32> {
        let opaque: Vec<Lvalue> = handed
            .iter()
            .filter_map(|a| match a {
                Argument::Opaque(place) => {
                    Some(Lvalue { memory: Memory { restrict: false, ..place.memory }, ..place.clone() })
                }
                _ => None,
            })
            .collect();
        let known = &self.functions[function][n];
        if opaque.is_empty() {
            return Ok(known.id);
        }
        let mut key = Vec::new();
        for place in &opaque {
            key.push(self.ty(&place.ty)?);
            key.push(u32::from(place.memory.coherent) | u32::from(place.memory.volatile) << 1);
        }
        if let Some(id) = self.functions[function][n].made.get(&key) {
            return Ok(*id);
        }
        if !self.functions[function][n].written {
            return Err(self.refuse(format!("`{function}` takes images or samplers, and is written behind its use")));
        }
        let id = self.b.id();
        self.functions.get_mut(function).and_then(|l| l.get_mut(n)).into_iter().for_each(|f| {
            f.made.insert(key.clone(), id);
        });
        self.write(function, n, id, &opaque)?;
        Ok(id)
    }

    /// Where the n-th argument's value goes: for what comes out of a built-in function.
    pub(super) fn out(&mut self, e: &Expr, value: &Val) -> Result<()> {
        let place = self.must_place(e)?;
        let ty = self.place_ty(&place);
        let value = match (value.ty.scalar(), ty.scalar()) {
            (Some(a), Some(b)) if a != b && value.ty.of(b) == ty => self.convert(value, b)?,
            _ => self.becoming(value, &ty)?,
        };
        self.store(&place, &value)
    }

    /// A string's text, for messages of the shader.
    pub(super) fn literal(&self, e: &Expr) -> Option<Rc<str>> {
        match &e.kind {
            ExprKind::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}
