//! What GLSL brings: its variables and constants, and which part knows which of its functions.

use super::{Known, Lower, Lvalue, Symbol, Val};
use crate::Result;
use crate::fold::Konst;
use crate::syntax::{At, Expr, ExprKind};
use crate::types::{INT, Scalar, Ty, UINT};
use spirv::{BuiltIn, Capability, Decoration, Op, StorageClass};
use std::collections::HashMap;
use std::rc::Rc;

/// `gl_…` numbers of scopes and semantics, and of limits that shaders ask for.
const NUMBERS: &[(&str, i32)] = &[
    ("gl_ScopeDevice", 1),
    ("gl_ScopeWorkgroup", 2),
    ("gl_ScopeSubgroup", 3),
    ("gl_ScopeInvocation", 4),
    ("gl_ScopeQueueFamily", 5),
    ("gl_SemanticsRelaxed", 0),
    ("gl_SemanticsAcquire", 2),
    ("gl_SemanticsRelease", 4),
    ("gl_SemanticsAcquireRelease", 8),
    ("gl_SemanticsMakeAvailable", 0x2000),
    ("gl_SemanticsMakeVisible", 0x4000),
    ("gl_SemanticsVolatile", 0x8000),
    ("gl_StorageSemanticsNone", 0),
    ("gl_StorageSemanticsBuffer", 0x40),
    ("gl_StorageSemanticsShared", 0x100),
    ("gl_StorageSemanticsImage", 0x800),
    ("gl_StorageSemanticsOutput", 0x1000),
];

/// The names that are there before a text says any.
pub(super) fn symbols() -> HashMap<Rc<str>, Symbol> {
    let (one, three, mask) = (Ty::Scalar(UINT), Ty::Vector(UINT, 3), Ty::Vector(UINT, 4));
    let inputs = [
        ("gl_NumWorkGroups", BuiltIn::NumWorkgroups, &three),
        ("gl_WorkGroupID", BuiltIn::WorkgroupId, &three),
        ("gl_LocalInvocationID", BuiltIn::LocalInvocationId, &three),
        ("gl_GlobalInvocationID", BuiltIn::GlobalInvocationId, &three),
        ("gl_LocalInvocationIndex", BuiltIn::LocalInvocationIndex, &one),
        ("gl_NumSubgroups", BuiltIn::NumSubgroups, &one),
        ("gl_SubgroupID", BuiltIn::SubgroupId, &one),
        ("gl_SubgroupSize", BuiltIn::SubgroupSize, &one),
        ("gl_SubgroupInvocationID", BuiltIn::SubgroupLocalInvocationId, &one),
        ("gl_SubgroupEqMask", BuiltIn::SubgroupEqMask, &mask),
        ("gl_SubgroupGeMask", BuiltIn::SubgroupGeMask, &mask),
        ("gl_SubgroupGtMask", BuiltIn::SubgroupGtMask, &mask),
        ("gl_SubgroupLeMask", BuiltIn::SubgroupLeMask, &mask),
        ("gl_SubgroupLtMask", BuiltIn::SubgroupLtMask, &mask),
    ];
    inputs.into_iter().map(|(name, of, ty)| (name.into(), Symbol::Input(of, ty.clone()))).collect()
}

/// The value of a number that GLSL names.
fn number(name: &str) -> Option<i32> {
    NUMBERS.iter().find(|(n, _)| *n == name).map(|(_, v)| *v)
}

impl Lower<'_> {
    /// The variable that shows what the device says.
    pub(super) fn input(&mut self, of: BuiltIn, ty: &Ty) -> Result<Lvalue> {
        if let Some(place) = self.inputs.get(&(of as u32)) {
            return Ok(place.clone());
        }
        let capability = match of {
            BuiltIn::NumSubgroups
            | BuiltIn::SubgroupId
            | BuiltIn::SubgroupSize
            | BuiltIn::SubgroupLocalInvocationId => Some(Capability::GroupNonUniform),
            BuiltIn::SubgroupEqMask
            | BuiltIn::SubgroupGeMask
            | BuiltIn::SubgroupGtMask
            | BuiltIn::SubgroupLeMask
            | BuiltIn::SubgroupLtMask => Some(Capability::GroupNonUniformBallot),
            _ => None,
        };
        if let Some(capability) = capability {
            self.b.capability(Capability::GroupNonUniform);
            self.b.capability(capability);
        }
        let id = self.ty(ty)?;
        let pointer = self.pointer(StorageClass::Input, id);
        let id = self.b.global(Op::Variable, pointer, &[StorageClass::Input as u32]);
        self.b.decorate(id, Decoration::BuiltIn, &[of as u32]);
        self.interface.push(id);
        let mut place = self.place(id, StorageClass::Input, ty.clone());
        place.fixed = true;
        self.inputs.insert(of as u32, place.clone());
        Ok(place)
    }

    /// A function of GLSL's own.
    pub(super) fn builtin(&mut self, name: &Rc<str>, arguments: &[Expr], at: At) -> Result<Val> {
        let name: &str = name;
        if let Some(value) = self.atomic(name, arguments, at)? {
            return Ok(value);
        }
        if let Some(value) = self.image_call(name, arguments, at)? {
            return Ok(value);
        }
        match (name, arguments) {
            ("debugPrintfEXT", [format, rest @ ..]) => return self.print(format, rest, at),
            ("nonuniformEXT", [of]) => {
                let value = self.expr(of)?;
                self.b.capability(Capability::ShaderNonUniform);
                self.b.extension("SPV_EXT_descriptor_indexing");
                // A value of its own is marked, not all uses of this one.
                let own = self.value(Op::CopyObject, &value.ty.clone(), &[value.id])?;
                self.b.decorate(own.id, Decoration::NonUniform, &[]);
                self.nonuniform.insert(own.id);
                return Ok(own);
            }
            ("modf" | "frexp" | "uaddCarry" | "usubBorrow" | "umulExtended" | "imulExtended", _) => {
                return self.with_outs(name, arguments, at);
            }
            _ => {}
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(match &argument.kind {
                ExprKind::Name(n) if number(n).is_some() && self.find(n).is_none() => {
                    self.konst(&Ty::Scalar(INT), Konst::Int(i128::from(number(n).unwrap_or(0))))?
                }
                _ => self.expr(argument)?,
            });
        }
        self.go(at);
        if let Some(value) = self.subgroup(name, &values)? {
            return Ok(value);
        }
        if let Some(value) = self.math(name, &values)? {
            return Ok(value);
        }
        let given: Vec<String> = values.iter().map(|v| self.type_name(&v.ty)).collect();
        Err(self.refuse(format!("no function `{name}` that takes ({}) is known", given.join(", "))))
    }

    /// A number that GLSL names, or a constant.
    pub(super) fn semantics(&mut self, e: &Expr) -> Result<u32> {
        match &e.kind {
            ExprKind::Name(n) if number(n).is_some() => Ok(number(n).unwrap_or(0) as u32),
            ExprKind::Binary("|", a, b) => Ok(self.semantics(a)? | self.semantics(b)?),
            _ => self.known_int(e).map(|(n, _)| n as u32),
        }
    }

    fn print(&mut self, format: &Expr, rest: &[Expr], at: At) -> Result<Val> {
        let Some(text) = self.literal(format) else { return Err(self.refuse("debugPrintfEXT begins with a string")) };
        let set = self.b.import("NonSemantic.DebugPrintf");
        self.b.extension("SPV_KHR_non_semantic_info");
        let mut words = vec![set, 1, self.b.string(&unescaped(&text))];
        for e in rest {
            let value = self.expr(e)?;
            words.push(value.id);
        }
        self.go(at);
        self.value(Op::ExtInst, &Ty::Void, &words)
    }

    /// Functions that give something back in their arguments.
    fn with_outs(&mut self, name: &str, arguments: &[Expr], at: At) -> Result<Val> {
        let first = self.expr(arguments.first().ok_or_else(|| self.refuse(format!("`{name}` wants arguments")))?)?;
        let pair = |l: &mut Self, op: Op, words: &[u32], of: &Ty| -> Result<(Val, Val)> {
            let id = l.ty(of)?;
            let both = l.b.ty(Op::TypeStruct, &[id, id]);
            let both = l.b.value(op, both, words);
            Ok((l.value(Op::CompositeExtract, of, &[both, 0])?, l.value(Op::CompositeExtract, of, &[both, 1])?))
        };
        match (name, arguments) {
            ("modf" | "frexp", [_, out]) => {
                let of = first.ty.clone();
                let exponent = if name == "modf" { of.clone() } else { of.of(INT) };
                let (a, b) = (self.ty(&of)?, self.ty(&exponent)?);
                let both = self.b.ty(Op::TypeStruct, &[a, b]);
                let op =
                    if name == "modf" { spirv::GlslStd450Op::ModfStruct } else { spirv::GlslStd450Op::FrexpStruct };
                let both = self.b.value(Op::ExtInst, both, &[self.glsl, op as u32, first.id]);
                let part = self.value(Op::CompositeExtract, &exponent, &[both, 1])?;
                self.out(out, &part)?;
                self.value(Op::CompositeExtract, &of, &[both, 0])
            }
            ("uaddCarry" | "usubBorrow", [_, second, out]) => {
                let second = self.expr(second)?;
                self.go(at);
                let op = if name == "uaddCarry" { Op::IAddCarry } else { Op::ISubBorrow };
                let (low, high) = pair(self, op, &[first.id, second.id], &first.ty)?;
                self.out(out, &high)?;
                Ok(low)
            }
            ("umulExtended" | "imulExtended", [_, second, high, low]) => {
                let second = self.expr(second)?;
                self.go(at);
                let op = if name == "umulExtended" { Op::UMulExtended } else { Op::SMulExtended };
                let (lower, upper) = pair(self, op, &[first.id, second.id], &first.ty)?;
                self.out(high, &upper)?;
                self.out(low, &lower)?;
                Ok(Val { id: 0, ty: Ty::Void, known: Known::No })
            }
            _ => Err(self.refuse(format!("`{name}` does not take {} arguments", arguments.len()))),
        }
    }

    pub(super) fn void(&self) -> Val {
        Val { id: 0, ty: Ty::Void, known: Known::No }
    }

    pub(super) fn flag_ty(&self) -> Ty {
        Ty::Scalar(Scalar::Bool)
    }
}

/// `\n` and `\t` as what they stand for.
fn unescaped(text: &str) -> String {
    let (mut out, mut chars) = (String::new(), text.chars());
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}
