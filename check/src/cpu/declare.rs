//! What a reference sees of buffers: types and variables as its text takes them, in WGSL and in GLSL.

use super::Language;
use super::memory::{Array, Global, What};
use wavepipe_runtime::compiler::spirv::{Member, Scalar, ScalarKind, Type};

/// The declarations in front of a reference.
pub struct Declarations<'a> {
    language: Language,
    /// Names and texts.
    structs: Vec<(String, String)>,
    variables: String,
    pub globals: Vec<Global<'a>>,
}

/// What is declared with this name, and the brackets behind the name.
struct Spelled {
    ty: String,
    sides: String,
}

pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What follows each use of a name as a variable's: what stands behind a dot is a member.
fn uses<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = &'t str> {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).filter_map(move |(at, _)| {
        let (before, behind) = (&text[..at], &text[at + name.len()..]);
        let apart = !before.ends_with(part) && !behind.starts_with(part) && !before.trim_end().ends_with('.');
        apart.then(|| behind.trim_start())
    })
}

/// Whether `text` names it: only what is named is declared, so that a keyword for a buffer's name does no harm.
pub fn names(text: &str, name: &str) -> bool {
    is_name(name) && uses(text, name).next().is_some()
}

fn scalar(s: Scalar, language: Language) -> Option<&'static str> {
    // Narrow ones are as wide as the language has them.
    let wide = s.bytes == 8;
    Some(match (language, s.kind, wide) {
        (Language::Wgsl, ScalarKind::Signed, false) => "i32",
        (Language::Wgsl, ScalarKind::Unsigned, false) => "u32",
        (Language::Wgsl, ScalarKind::Float, false) => "f32",
        (Language::Wgsl, ScalarKind::Signed, true) => "i64",
        (Language::Wgsl, ScalarKind::Unsigned, true) => "u64",
        (Language::Wgsl, ScalarKind::Float, true) => "f64",
        (Language::Glsl, ScalarKind::Signed, false) => "int",
        (Language::Glsl, ScalarKind::Unsigned, false) => "uint",
        (Language::Glsl, ScalarKind::Float, false) => "float",
        (Language::Glsl, ScalarKind::Float, true) => "double",
        (Language::Glsl, _, true) => return None,
    })
}

/// GLSL's letter in front of `vec` and `mat`.
fn letter(scalar: &str) -> &str {
    match scalar {
        "int" => "i",
        "uint" => "u",
        "double" => "d",
        _ => "",
    }
}

const ADDRESS: Scalar = Scalar { kind: ScalarKind::Unsigned, bytes: 8 };

impl<'a> Declarations<'a> {
    pub fn new(language: Language) -> Declarations<'a> {
        Declarations { language, structs: Vec::new(), variables: String::new(), globals: Vec::new() }
    }

    pub fn text(&self) -> String {
        self.structs.iter().map(|(_, text)| text.as_str()).chain([self.variables.as_str()]).collect()
    }

    /// A type that a function gives back.
    pub fn result(&mut self, ty: &Type) -> Result<String, String> {
        let Spelled { ty, sides } = self.spelled(ty)?;
        Ok(ty + &sides)
    }

    fn spelled(&mut self, ty: &Type) -> Result<Spelled, String> {
        let language = self.language;
        let known = |s: Scalar| {
            scalar(s, language).ok_or_else(|| format!("a reference on the CPU has no integers of {} bytes", s.bytes))
        };
        let plain = |ty: String| Ok(Spelled { ty, sides: String::new() });
        match (ty, language) {
            (Type::Scalar(s), _) => plain(known(*s)?.to_owned()),
            (Type::Pointer, _) => plain(known(ADDRESS)?.to_owned()),
            (Type::Vector { scalar: s, n, .. }, Language::Wgsl) => plain(format!("vec{n}<{}>", known(*s)?)),
            (Type::Vector { scalar: s, n, .. }, Language::Glsl) => plain(format!("{}vec{n}", letter(known(*s)?))),
            (Type::Matrix { column, n, .. }, _) => {
                let Type::Vector { scalar: s, n: rows, .. } = &**column else {
                    return Err("a reference on the CPU has no matrix of that".to_owned());
                };
                let s = known(*s)?;
                plain(match language {
                    Language::Wgsl => format!("mat{n}x{rows}<{s}>"),
                    Language::Glsl => format!("{}mat{n}x{rows}", letter(s)),
                })
            }
            (Type::Array { element, n, .. }, Language::Wgsl) => {
                let element = self.spelled(element)?.ty;
                plain(n.map_or_else(|| format!("array<{element}>"), |n| format!("array<{element}, {n}>")))
            }
            (Type::Array { element, n, .. }, Language::Glsl) => {
                let Spelled { ty, sides } = self.spelled(element)?;
                Ok(Spelled { ty, sides: format!("[{}]{sides}", n.map_or_else(String::new, |n| n.to_string())) })
            }
            (Type::Struct { name, members }, _) => {
                let members = self.members(members)?;
                plain(self.structure(name, &members))
            }
        }
    }

    fn member(&mut self, name: &str, ty: &Type) -> Result<String, String> {
        let Spelled { ty, sides } = self.spelled(ty)?;
        Ok(match self.language {
            Language::Wgsl => format!("{name}: {ty}"),
            Language::Glsl => format!("{ty} {name}{sides}"),
        })
    }

    fn members(&mut self, members: &[Member]) -> Result<Vec<String>, String> {
        let glsl = self.language == Language::Glsl;
        let named = |(k, m): (usize, &Member)| {
            // naga's GLSL lays all structures out by std140, and has no such columns there.
            if glsl && narrow(&m.ty) {
                let message =
                    "a reference in GLSL has no matrices of two rows in structures: write it as { wgsl = \"…\" }";
                return Err(message.to_owned());
            }
            let name = if is_name(&m.name) { m.name.clone() } else { format!("member{k}") };
            self.member(&name, &m.ty)
        };
        members.iter().enumerate().map(named).collect()
    }

    /// Members as they stand between braces.
    fn listed(&self, members: &[String]) -> String {
        let end = if self.language == Language::Wgsl { ", " } else { "; " };
        members.iter().map(|m| format!("{m}{end}")).collect()
    }

    /// Declares a structure once, and gives its name: another one of that name has a number.
    fn structure(&mut self, name: &str, members: &[String]) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let wanted: String = name.chars().map(plain).collect();
        let wanted = if is_name(&wanted) { wanted } else { format!("Element{wanted}") };
        let end = if self.language == Language::Wgsl { "\n" } else { ";\n" };
        let list = self.listed(members);
        for n in 0.. {
            let name = if n == 0 { wanted.clone() } else { format!("{wanted}_{n}") };
            let text = format!("struct {name} {{ {list}}}{end}");
            match self.structs.iter().find(|(other, _)| *other == name) {
                Some((_, other)) if *other != text => continue,
                Some(_) => {}
                None => self.structs.push((name.clone(), text)),
            }
            return name;
        }
        unreachable!("some number is free")
    }

    /// Declares what the text names of a buffer; `taken` are names of others.
    pub fn buffer(&mut self, a: &'a Array, text: &str, taken: &[&str]) -> Result<(), String> {
        let told = |e: String| format!("`{}`: {e}", a.name);
        let Some(element) = a.element() else { return Ok(()) };
        let (head, array, whole) = a.parts();
        if names(text, &a.name) {
            let dotted = |member: &str| {
                !member.is_empty()
                    && uses(text, &a.name)
                        .any(|rest| rest.strip_prefix('.').is_some_and(|r| first_word(r.trim_start()) == member))
            };
            let indexed = uses(text, &a.name).any(|rest| rest.starts_with('['));
            let what = match (whole, &element) {
                (true, Type::Struct { .. } | Type::Scalar(_)) if indexed => What::Elements,
                (true, _) => What::Whole,
                (false, _) if dotted(array) || head.iter().any(|m| dotted(&m.name)) => What::Whole,
                (false, _) => What::Elements,
            };
            self.variable(&a.name, what, a, &element).map_err(told)?;
        }
        // What GLSL sees of a block that has no name for its instance.
        let free = |name: &str| name != "i" && !taken.contains(&name) && names(text, name);
        let members = match (&element, whole) {
            (Type::Struct { members, .. }, true) => members,
            _ => head,
        };
        for (k, member) in members.iter().enumerate() {
            if free(&member.name) && self.globals.iter().all(|g| g.name != member.name) {
                self.variable(&member.name, What::Member(k), a, &member.ty).map_err(told)?;
            }
        }
        if free(array) && self.globals.iter().all(|g| g.name != array) {
            self.variable(array, What::Elements, a, &element).map_err(told)?;
        }
        Ok(())
    }

    fn variable(&mut self, name: &str, what: What, of: &'a Array, ty: &Type) -> Result<(), String> {
        let n = self.globals.len();
        let endless = |ty: &Type| Type::Array { element: ty.clone().into(), n: None, stride: 0, bytes: 0 };
        // The members of a block with a name, if it is one.
        let block = match (what, ty) {
            (What::Whole, Type::Struct { members, .. }) if of.parts().2 => Some(self.members(members)?),
            (What::Whole, _) if !of.parts().2 => {
                let (head, array, _) = of.parts();
                let mut all = self.members(head)?;
                all.push(self.member(if is_name(array) { array } else { "elements" }, &endless(ty))?);
                Some(all)
            }
            _ => None,
        };
        let ty = if what == What::Elements { endless(ty) } else { ty.clone() };
        let text = match (self.language, block) {
            (Language::Wgsl, Some(members)) => {
                let ty = self.structure("Buffer", &members);
                format!("@group(0) @binding({n}) var<storage> {name}: {ty};\n")
            }
            (Language::Wgsl, None) => {
                format!("@group(0) @binding({n}) var<storage> {};\n", self.member(name, &ty)?)
            }
            (Language::Glsl, Some(members)) => {
                let list = self.listed(&members);
                format!("layout(std430, binding = {n}) readonly buffer Block{n} {{ {list}}} {name};\n")
            }
            (Language::Glsl, None) => {
                let member = self.member(name, &ty)?;
                format!("layout(std430, binding = {n}) readonly buffer Block{n} {{ {member}; }};\n")
            }
        };
        self.variables += &text;
        self.globals.push(Global { name: name.to_owned(), what, of });
        Ok(())
    }
}

/// A matrix of two rows, or an array of them.
fn narrow(ty: &Type) -> bool {
    match ty {
        Type::Matrix { column, .. } => matches!(&**column, Type::Vector { n: 2, .. }),
        Type::Array { element, .. } => narrow(element),
        _ => false,
    }
}

fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    &text[..end]
}
