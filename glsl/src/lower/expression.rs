//! Expressions: values, and the places that some of them name.

use super::{Known, Lower, Lvalue, Symbol, Val, is_bool};
use crate::Result;
use crate::fold::{self, Konst};
use crate::layout::Lay;
use crate::syntax::{Expr, ExprKind};
use crate::types::{INT, Len, Scalar, Ty, UINT};
use spirv::{Op, StorageClass};

/// How much of an expression may stand in a choice without being skipped over.
const CHEAP: usize = 12;

impl Lower<'_> {
    pub(super) fn expr(&mut self, e: &Expr) -> Result<Val> {
        self.go(e.at);
        match &e.kind {
            ExprKind::Int(v, s) => self.konst(&Ty::Scalar(*s), Konst::Int(fold::wrap(i128::from(*v), *s))),
            ExprKind::Float(v, s) => {
                self.konst(&Ty::Scalar(*s), Konst::Float(if s.bits() == 32 { f64::from(*v as f32) } else { *v }))
            }
            ExprKind::Bool(v) => self.konst(&Ty::Scalar(Scalar::Bool), Konst::Bool(*v)),
            ExprKind::Text(_) => Err(self.refuse("a string stands only in debugPrintfEXT")),
            ExprKind::List(_) => Err(self.refuse("a list in braces stands only behind the `=` of a declaration")),
            ExprKind::Name(name) => match self.find(name) {
                Some(Symbol::Val(v)) => Ok(v.clone()),
                _ => self.loaded(e),
            },
            ExprKind::Index(of, index) => match self.place_of(e)? {
                Some(place) => self.read(&place, e),
                None => {
                    let of = self.expr(of)?;
                    let index = self.expr(index)?;
                    self.go(e.at);
                    self.indexed(&of, &index)
                }
            },
            ExprKind::Member(of, name) => match self.place_of(e)? {
                Some(place) => self.read(&place, e),
                None => {
                    let of = self.expr(of)?;
                    self.go(e.at);
                    self.member(&of, name)
                }
            },
            ExprKind::Method(of, name) if &**name == "length" => self.length(of),
            ExprKind::Method(_, name) => Err(self.refuse(format!("there is no method `{name}`"))),
            ExprKind::Make(spec, arguments) => self.make(spec, arguments, e.at),
            ExprKind::Call(name, arguments) => {
                let out = self.call(name, arguments, e.at)?;
                self.go(e.at);
                Ok(out)
            }
            ExprKind::Unary(op @ ("++" | "--"), of) => self.stepping(&op[..1], of, false),
            ExprKind::Behind(op, of) => self.stepping(op, of, true),
            ExprKind::Unary(op, of) => {
                let value = self.expr(of)?;
                self.go(e.at);
                self.unary(op, &value)
            }
            ExprKind::Binary(op @ ("&&" | "||"), a, b) => self.short(op, a, b),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                self.go(e.at);
                self.binary(op, &a, &b)
            }
            ExprKind::Assign(op, to, value) => self.assign(*op, to, value, e),
            ExprKind::Choose(condition, a, b) => self.choose(condition, a, b, e),
            ExprKind::Comma(a, b) => {
                self.expr(a)?;
                self.expr(b)
            }
        }
    }

    fn loaded(&mut self, e: &Expr) -> Result<Val> {
        let place = self.place_of(e)?;
        let place = place.ok_or_else(|| self.refuse("this has no value"))?;
        self.read(&place, e)
    }

    fn read(&mut self, place: &Lvalue, e: &Expr) -> Result<Val> {
        self.go(e.at);
        self.load(place)
    }

    /// A value of a type that is known.
    pub(super) fn wanted(&mut self, e: &Expr, ty: &Ty) -> Result<Val> {
        if let ExprKind::List(list) = &e.kind {
            return self.listed(list, ty, e);
        }
        let value = self.expr(e)?;
        self.go(e.at);
        self.becoming(&value, ty)
    }

    /// `{1, 2}` and, of every type, `{}`.
    fn listed(&mut self, list: &[Expr], ty: &Ty, e: &Expr) -> Result<Val> {
        if list.is_empty() {
            return self.null(ty);
        }
        if self.parts(ty) != Some(list.len()) {
            self.go(e.at);
            return Err(self.refuse(format!("a {} is not made of {} parts", self.type_name(ty), list.len())));
        }
        let mut parts = Vec::new();
        for (n, part) in list.iter().enumerate() {
            let of = self.part(ty, n)?;
            parts.push(self.wanted(part, &of)?);
        }
        self.composite(ty, &parts)
    }

    pub(super) fn condition(&mut self, e: &Expr) -> Result<Val> {
        let value = self.expr(e)?;
        if value.ty == Ty::Scalar(Scalar::Bool) { Ok(value) } else { Err(self.refuse("a condition is a bool")) }
    }

    // Places.

    pub(super) fn must_place(&mut self, e: &Expr) -> Result<Lvalue> {
        let place = self.place_of(e)?;
        self.go(e.at);
        place.ok_or_else(|| self.refuse("this is no variable"))
    }

    /// The memory that an expression names, if it names some.
    pub(super) fn place_of(&mut self, e: &Expr) -> Result<Option<Lvalue>> {
        self.go(e.at);
        match &e.kind {
            ExprKind::Name(name) => match self.find(name).cloned() {
                Some(Symbol::Lvalue(place)) => Ok(Some(place)),
                Some(Symbol::Val(_)) => Ok(None),
                Some(Symbol::Input(built_in, ty)) => self.input(built_in, &ty).map(Some),
                Some(Symbol::Struct(_) | Symbol::Reference(_)) => Err(self.refuse(format!("`{name}` is a type"))),
                None if &**name == "gl_WorkGroupSize" => {
                    Err(self.refuse("gl_WorkGroupSize stands behind `layout(local_size_x = …) in;`"))
                }
                None => Err(self.refuse(format!("`{name}` is not declared"))),
            },
            ExprKind::Index(of, index) => {
                let Some(place) = self.place_of(of)? else { return self.pointed_index(of, index) };
                if matches!(place.ty, Ty::Reference(_)) && place.pick.is_none() {
                    return self.pointed_index(of, index);
                }
                let index = self.expr(index)?;
                self.go(e.at);
                self.index_place(place, &index).map(Some)
            }
            ExprKind::Member(of, name) => {
                let place = match self.place_of(of)? {
                    Some(place) => place,
                    None => {
                        if !self.points(of) {
                            return Ok(None);
                        }
                        let value = self.expr(of)?;
                        match value.ty {
                            Ty::Reference(_) => self.pointed(&value)?,
                            _ => return Ok(None),
                        }
                    }
                };
                self.go(e.at);
                let place = match place.ty {
                    Ty::Reference(_) => {
                        let value = self.load(&place)?;
                        self.pointed(&value)?
                    }
                    _ => place,
                };
                self.member_place(place, name).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Whether the value of an expression that names no memory may be a pointer: it is evaluated once only.
    fn points(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Make(spec, _) => match &spec.named {
                crate::syntax::Named::User(name) => matches!(self.find(name), Some(Symbol::Reference(_))),
                _ => false,
            },
            ExprKind::Name(name) => matches!(self.find(name), Some(Symbol::Val(v)) if matches!(v.ty, Ty::Reference(_))),
            ExprKind::Call(name, _) => {
                self.functions.get(name).is_some_and(|list| list.iter().any(|f| matches!(f.ty, Ty::Reference(_))))
            }
            ExprKind::Binary("+" | "-", a, _) => {
                self.points(a)
                    || matches!(&a.kind, ExprKind::Name(n) if matches!(self.find(n), Some(Symbol::Lvalue(p)) if matches!(p.ty, Ty::Reference(_))))
            }
            _ => false,
        }
    }

    /// What a pointer points to.
    fn pointed(&mut self, value: &Val) -> Result<Lvalue> {
        let Ty::Reference(n) = value.ty else { return Err(self.refuse("this is no pointer")) };
        let mut place = self.place(value.id, StorageClass::PhysicalStorageBuffer, Ty::Struct(n));
        (place.lay, place.align, place.memory) = (self.structs[n].lay, self.structs[n].align, self.structs[n].memory);
        place.block = Some(n);
        Ok(place)
    }

    /// `pointer[n]`
    fn pointed_index(&mut self, of: &Expr, index: &Expr) -> Result<Option<Lvalue>> {
        let pointer = match &of.kind {
            ExprKind::Name(_) | ExprKind::Member(..) | ExprKind::Index(..) => match self.place_of(of)? {
                Some(place) if matches!(place.ty, Ty::Reference(_)) => self.load(&place)?,
                _ => return Ok(None),
            },
            _ if self.points(of) => self.expr(of)?,
            _ => return Ok(None),
        };
        let index = self.expr(index)?;
        let further = self.stepped("+", &pointer, &index)?;
        self.pointed(&further).map(Some)
    }

    fn index_place(&mut self, mut place: Lvalue, index: &Val) -> Result<Lvalue> {
        let index = self.index(index)?;
        if let Known::Const(Konst::Int(n)) = index.known {
            let length = match &place.ty {
                Ty::Array(_, Len::Fixed(n)) => Some(*n),
                Ty::Array(_, _) => None,
                ty => self.parts(ty).map(|n| n as u32),
            };
            if n < 0 || length.is_some_and(|length| n >= i128::from(length)) {
                return Err(self.refuse(format!("index {n} is outside of a {}", self.type_name(&place.ty))));
            }
        }
        if let Some(pick) = &place.pick {
            let Known::Const(Konst::Int(n)) = index.known else {
                return Err(self.refuse("components that are picked are not indexed by what is not constant"));
            };
            let one = pick.get(n as usize).copied().ok_or_else(|| self.refuse("there is no such component"))?;
            place.pick = Some(vec![one]);
            return Ok(place);
        }
        place.ty = match &place.ty {
            Ty::Array(of, _) => (**of).clone(),
            Ty::Vector(..) | Ty::Matrix(..) => self.part(&place.ty, 0)?,
            ty => return Err(self.refuse(format!("a {} has no elements", self.type_name(ty)))),
        };
        place.chain.push(index.id);
        Ok(place)
    }

    fn member_place(&mut self, mut place: Lvalue, name: &str) -> Result<Lvalue> {
        match place.ty.clone() {
            Ty::Struct(n) => {
                let found = self.structs[n].fields.iter().position(|f| *f.name == *name);
                let found =
                    found.ok_or_else(|| self.refuse(format!("{} has no member `{name}`", self.structs[n].name)))?;
                let field = self.structs[n].fields[found].clone();
                place.chain.push(self.int(found as i32));
                place.lay = place.lay.map(|l: Lay| l.of(&field));
                place.memory = place.memory.and(field.memory);
                place.ty = field.ty;
                Ok(place)
            }
            Ty::Vector(scalar, lanes) => {
                let pick = self.components(name, lanes)?;
                let pick = match &place.pick {
                    Some(outer) => pick.iter().map(|p| outer[usize::from(*p)]).collect(),
                    None => pick,
                };
                // A place that is picked from is of the whole vector.
                let whole = place.pick.is_none();
                let pick = if whole && pick.len() == 1 {
                    place.chain.push(self.uint(u32::from(pick[0])));
                    place.ty = Ty::Scalar(scalar);
                    None
                } else {
                    Some(pick)
                };
                place.pick = pick;
                Ok(place)
            }
            Ty::Scalar(_) if place.pick.is_none() && name.bytes().all(|b| b"xrs".contains(&b)) && name.len() == 1 => {
                Ok(place)
            }
            ty => Err(self.refuse(format!("a {} has no member `{name}`", self.type_name(&ty)))),
        }
    }

    /// `xyz` of a vector of so many.
    fn components(&self, name: &str, lanes: u8) -> Result<Vec<u8>> {
        let sets = ["xyzw", "rgba", "stpq"];
        let find = |set: &str| name.chars().map(|c| set.find(c).map(|n| n as u8)).collect::<Option<Vec<u8>>>();
        let found = sets.iter().find_map(|s| find(s)).filter(|p| p.len() <= 4 && p.iter().all(|n| *n < lanes));
        found.ok_or_else(|| self.refuse(format!("a vector of {lanes} has no `{name}`")))
    }

    fn indexed(&mut self, of: &Val, index: &Val) -> Result<Val> {
        let index = self.index(index)?;
        if let Known::Const(Konst::Int(n)) = index.known {
            if usize::try_from(n).is_ok_and(|n| self.parts(&of.ty).is_some_and(|parts| n < parts)) {
                return self.extract(of, n as usize);
            }
            return Err(self.refuse(format!("index {n} is outside of a {}", self.type_name(&of.ty))));
        }
        if let Ty::Vector(scalar, _) = of.ty {
            return self.value(Op::VectorExtractDynamic, &Ty::Scalar(scalar), &[of.id, index.id]);
        }
        let place = self.spilled(of)?;
        let place = self.index_place(place, &index)?;
        self.load(&place)
    }

    fn member(&mut self, of: &Val, name: &str) -> Result<Val> {
        match &of.ty {
            Ty::Struct(n) => {
                let found = self.structs[*n].fields.iter().position(|f| *f.name == *name);
                let found =
                    found.ok_or_else(|| self.refuse(format!("{} has no member `{name}`", self.structs[*n].name)))?;
                self.extract(of, found)
            }
            Ty::Vector(_, lanes) => {
                let pick = self.components(name, *lanes)?;
                self.picked(of, &pick)
            }
            Ty::Scalar(_) if name.len() <= 4 && name.bytes().all(|b| b == b'x') => {
                self.picked(of, &vec![0; name.len()])
            }
            ty => Err(self.refuse(format!("a {} has no member `{name}`", self.type_name(ty)))),
        }
    }

    fn length(&mut self, of: &Expr) -> Result<Val> {
        let place = self.place_of(of)?;
        let value = if place.is_none() { Some(self.expr(of)?) } else { None };
        let ty = match (&place, &value) {
            (Some(place), _) => {
                place.pick.as_ref().map_or(place.ty.clone(), |p| crate::types::vector(UINT, p.len() as u8))
            }
            (_, Some(value)) => value.ty.clone(),
            _ => return Err(self.refuse("this has no length")),
        };
        let signed = Ty::Scalar(INT);
        match (&ty, place) {
            (Ty::Array(_, Len::Runtime), Some(mut place)) => {
                let member = place.chain.pop().and_then(|id| self.ints.get(&id).copied());
                let (Some(member), Some(n)) = (member, place.block) else {
                    return Err(self.refuse("only the last array of a block has a length of its own"));
                };
                (place.ty, place.lay) = (Ty::Struct(n), self.structs[n].lay);
                let pointer = self.address(&place)?;
                let length = self.value(Op::ArrayLength, &Ty::Scalar(UINT), &[pointer, member])?;
                self.convert(&length, INT)
            }
            (Ty::Array(_, Len::Spec(id, default)), _) => {
                let known = Known::Spec(Some(Konst::Int(i128::from(*default))));
                let length = Val { id: *id, ty: Ty::Scalar(UINT), known };
                self.convert(&length, INT)
            }
            (ty, _) => match self.parts(ty) {
                Some(n) => self.konst(&signed, Konst::Int(n as i128)),
                None => Err(self.refuse(format!("a {} has no length", self.type_name(ty)))),
            },
        }
    }

    // Changes.

    fn stepping(&mut self, op: &str, of: &Expr, behind: bool) -> Result<Val> {
        let place = self.must_place(of)?;
        let before = self.load(&place)?;
        let one = match before.ty.scalar() {
            Some(s) if s != Scalar::Bool => {
                let ty = Ty::Scalar(s);
                self.konst(&ty, if s.is_float() { Konst::Float(1.0) } else { Konst::Int(1) })?
            }
            _ => return Err(self.refuse(format!("there is no `{op}{op}` of a {}", self.type_name(&before.ty)))),
        };
        let after = self.binary(op, &before, &one)?;
        self.store(&place, &after)?;
        Ok(if behind { before } else { after })
    }

    fn assign(&mut self, op: Option<&str>, to: &Expr, value: &Expr, e: &Expr) -> Result<Val> {
        let Some(op) = op else {
            let place = self.must_place(to)?;
            let ty = self.place_ty(&place);
            let value = self.wanted(value, &ty)?;
            self.go(e.at);
            self.store(&place, &value)?;
            return Ok(value);
        };
        let place = self.must_place(to)?;
        let ty = self.place_ty(&place);
        let by = self.expr(value)?;
        self.go(e.at);
        let before = self.load(&place)?;
        let after = self.binary(op, &before, &by)?;
        let after = self.becoming(&after, &ty)?;
        self.store(&place, &after)?;
        Ok(after)
    }

    pub(super) fn place_ty(&self, place: &Lvalue) -> Ty {
        match (&place.pick, place.ty.scalar()) {
            (Some(pick), Some(scalar)) => crate::types::vector(scalar, pick.len() as u8),
            _ => place.ty.clone(),
        }
    }

    // Choices.

    /// Whether doing it for nothing costs little, and nobody can tell.
    fn harmless(&self, e: &Expr, left: &mut usize) -> bool {
        *left = left.saturating_sub(1);
        *left > 0
            && match &e.kind {
                ExprKind::Int(..) | ExprKind::Float(..) | ExprKind::Bool(_) => true,
                ExprKind::Name(name) => match self.find(name) {
                    Some(Symbol::Lvalue(p)) => {
                        matches!(p.class, StorageClass::Function | StorageClass::Private | StorageClass::Input)
                    }
                    Some(Symbol::Val(_) | Symbol::Input(..)) => true,
                    _ => false,
                },
                ExprKind::Member(of, _) => {
                    let mut of = of;
                    while let ExprKind::Member(inner, _) = &of.kind {
                        of = inner;
                    }
                    matches!(&of.kind, ExprKind::Name(_)) && self.harmless(of, left) && !self.names_pointer(of)
                }
                ExprKind::Unary("-" | "!" | "~" | "+", of) => self.harmless(of, left),
                ExprKind::Binary("/" | "%" | "<<" | ">>", ..) => false,
                ExprKind::Binary(_, a, b) => self.harmless(a, left) && self.harmless(b, left),
                _ => false,
            }
    }

    fn names_pointer(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Name(name) => match self.find(name) {
                Some(Symbol::Lvalue(p)) => matches!(p.ty, Ty::Reference(_)),
                Some(Symbol::Val(v)) => matches!(v.ty, Ty::Reference(_)),
                _ => false,
            },
            _ => false,
        }
    }

    /// `&&` and `||`: the second is not looked at where the first decides.
    fn short(&mut self, op: &str, a: &Expr, b: &Expr) -> Result<Val> {
        let first = self.condition(a)?;
        if self.constant || self.harmless(b, &mut { CHEAP }) {
            let second = self.condition(b)?;
            return self.binary(op, &first, &second);
        }
        let (from, more, merge) = (self.b.label(), self.b.id(), self.b.id());
        let (yes, no) = if op == "&&" { (more, merge) } else { (merge, more) };
        self.b.end(Some((Op::SelectionMerge, &[merge, 0])), Op::BranchConditional, &[first.id, yes, no]);
        self.b.begin(more);
        let second = self.condition(b)?;
        let last = self.b.label();
        self.b.branch(merge);
        self.b.begin(merge);
        self.value(Op::Phi, &Ty::Scalar(Scalar::Bool), &[first.id, from, second.id, last])
    }

    fn choose(&mut self, condition: &Expr, a: &Expr, b: &Expr, e: &Expr) -> Result<Val> {
        let condition = self.condition(condition)?;
        if let Some(known) = super::operate::flag(&condition)
            && self.constant
        {
            return self.expr(if known { a } else { b });
        }
        let mut left = 2 * CHEAP;
        if self.constant || self.harmless(a, &mut left) && self.harmless(b, &mut left) {
            let (a, b) = (self.expr(a)?, self.expr(b)?);
            self.go(e.at);
            let (a, b) = if a.ty == b.ty { (a, b) } else { self.alike(&a, &b).map(|(a, b, _)| (a, b))? };
            let Some(lanes) = a.ty.lanes().filter(|_| a.ty == b.ty) else {
                return self.select_parts(&condition, &a, &b);
            };
            let condition = self.splat(&condition, lanes)?;
            return self.value(Op::Select, &a.ty.clone(), &[condition.id, a.id, b.id]);
        }
        let [yes, no, merge] = [(); 3].map(|()| self.b.id());
        self.b.end(Some((Op::SelectionMerge, &[merge, 0])), Op::BranchConditional, &[condition.id, yes, no]);
        self.b.begin(yes);
        let first = self.expr(a)?;
        // What it is in the end is known only behind the other; it is converted where it is made.
        let (yes_end, yes_code) = (self.b.label(), first);
        self.b.suspend();
        self.b.begin(no);
        let second = self.expr(b)?;
        let wide = match (yes_code.ty.scalar(), second.ty.scalar()) {
            (Some(x), Some(y)) if yes_code.ty != second.ty => x.common(y),
            _ => None,
        };
        let second = wide.map_or(Ok(second.clone()), |w| self.convert(&second, w))?;
        let no_end = self.b.label();
        self.b.branch(merge);
        self.b.resume(yes_end);
        let first = wide.map_or(Ok(yes_code.clone()), |w| self.convert(&yes_code, w))?;
        self.b.branch(merge);
        self.b.settle();
        self.b.begin(merge);
        if first.ty != second.ty {
            self.go(e.at);
            let what = format!("a choice between a {} and a {}", self.type_name(&first.ty), self.type_name(&second.ty));
            return Err(self.refuse(what));
        }
        if first.ty == Ty::Void {
            return Ok(first);
        }
        self.go(e.at);
        self.value(Op::Phi, &first.ty.clone(), &[first.id, yes_end, second.id, no_end])
    }

    fn select_parts(&mut self, condition: &Val, a: &Val, b: &Val) -> Result<Val> {
        let Some(count) = self.parts(&a.ty).filter(|_| a.ty == b.ty && !is_bool(&a.ty)) else {
            return Err(self.refuse("these are nothing to choose between"));
        };
        let mut parts = Vec::new();
        for n in 0..count {
            let (x, y) = (self.extract(a, n)?, self.extract(b, n)?);
            parts.push(match x.ty.lanes() {
                Some(lanes) => {
                    let condition = self.splat(condition, lanes)?;
                    self.value(Op::Select, &x.ty.clone(), &[condition.id, x.id, y.id])?
                }
                None => self.select_parts(condition, &x, &y)?,
            });
        }
        self.composite(&a.ty, &parts)
    }

    /// A value that is there when the shader is compiled, or specialized.
    pub(super) fn constant_expr(&mut self, e: &Expr) -> Result<Option<Val>> {
        let (constant, body, lost) = (self.constant, self.b.body.take(), self.b.lost);
        (self.constant, self.b.lost) = (true, false);
        let value = self.expr(e);
        let missed = self.b.lost;
        (self.constant, self.b.body, self.b.lost) = (constant, body, lost);
        let value = value?;
        Ok((!missed && !matches!(value.known, Known::No)).then_some(value))
    }

    /// A whole number that is known.
    pub(super) fn known_int(&mut self, e: &Expr) -> Result<(i128, Val)> {
        let value = self.constant_expr(e)?;
        self.go(e.at);
        match value {
            Some(v) if matches!(v.ty, Ty::Scalar(s) if s.is_int()) => match v.known.clone() {
                Known::Const(Konst::Int(n)) | Known::Spec(Some(Konst::Int(n))) => Ok((n, v)),
                _ => Err(self.refuse("the default of this constant is not known")),
            },
            _ => Err(self.refuse("a constant whole number is wanted here")),
        }
    }
}
