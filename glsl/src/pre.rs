//! The preprocessor: directives are obeyed, macros replaced, other files read where they are included.

use super::lex::{Kind, LEVELS, Token, tokens};
use super::{Refusal, Result};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A text behind the preprocessor.
pub struct Text {
    pub tokens: Vec<Token>,
    /// What the shader itself and its includes are called.
    pub files: Vec<String>,
    pub version: u32,
    /// Required or enabled.
    pub extensions: Vec<String>,
}

impl Text {
    pub fn refuse(&self, at: &Token, what: impl Into<String>) -> Refusal {
        let file = self.files.get(usize::from(at.file)).cloned().unwrap_or_default();
        Refusal { file, line: at.line, what: what.into() }
    }
}

#[derive(Clone)]
struct Macro {
    /// `None`: without a list.
    parameters: Option<Vec<Rc<str>>>,
    body: Vec<Token>,
}

/// One `#if`, from its line to its `#endif`.
struct Condition {
    active: bool,
    /// A part of it was active.
    taken: bool,
    /// What it stands in is.
    outer: bool,
    otherwise: bool,
}

struct Pre {
    text: Text,
    macros: HashMap<Rc<str>, Macro>,
    conditions: Vec<Condition>,
    /// The folders that includes are looked for in, innermost last.
    folders: Vec<PathBuf>,
}

/// Includes in includes, and macros in macros.
const DEEPEST: usize = 64;
const MOST_TOKENS: usize = 4 << 20;
const MOST_BYTES: u64 = 16 << 20;

/// Extensions whose instructions, types or words the front end knows, or which say nothing that it has to know.
const EXTENSIONS: &[&str] = &[
    "GL_ARB_compute_shader",
    "GL_ARB_gpu_shader_int64",
    "GL_ARB_separate_shader_objects",
    "GL_ARB_shader_storage_buffer_object",
    "GL_ARB_shading_language_420pack",
    "GL_EXT_buffer_reference",
    "GL_EXT_buffer_reference2",
    "GL_EXT_buffer_reference_uvec2",
    "GL_EXT_control_flow_attributes",
    "GL_EXT_debug_printf",
    "GL_EXT_maximal_reconvergence",
    "GL_EXT_nonuniform_qualifier",
    "GL_EXT_null_initializer",
    "GL_EXT_samplerless_texture_functions",
    "GL_EXT_scalar_block_layout",
    "GL_EXT_shader_16bit_storage",
    "GL_EXT_shader_8bit_storage",
    "GL_EXT_shader_atomic_int64",
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_explicit_arithmetic_types_float16",
    "GL_EXT_shader_explicit_arithmetic_types_float32",
    "GL_EXT_shader_explicit_arithmetic_types_float64",
    "GL_EXT_shader_explicit_arithmetic_types_int16",
    "GL_EXT_shader_explicit_arithmetic_types_int32",
    "GL_EXT_shader_explicit_arithmetic_types_int64",
    "GL_EXT_shader_explicit_arithmetic_types_int8",
    "GL_EXT_shader_image_int64",
    "GL_EXT_shader_image_load_formatted",
    "GL_EXT_shader_realtime_clock",
    "GL_EXT_shader_subgroup_extended_types_float16",
    "GL_EXT_shader_subgroup_extended_types_int16",
    "GL_EXT_shader_subgroup_extended_types_int64",
    "GL_EXT_shader_subgroup_extended_types_int8",
    "GL_EXT_subgroup_uniform_control_flow",
    "GL_EXT_subgroupuniform_qualifier",
    "GL_EXT_terminate_invocation",
    "GL_GOOGLE_cpp_style_line_directive",
    "GL_GOOGLE_include_directive",
    "GL_KHR_memory_scope_semantics",
    "GL_KHR_shader_subgroup_arithmetic",
    "GL_KHR_shader_subgroup_ballot",
    "GL_KHR_shader_subgroup_basic",
    "GL_KHR_shader_subgroup_clustered",
    "GL_KHR_shader_subgroup_quad",
    "GL_KHR_shader_subgroup_rotate",
    "GL_KHR_shader_subgroup_shuffle",
    "GL_KHR_shader_subgroup_shuffle_relative",
    "GL_KHR_shader_subgroup_vote",
    "GL_NV_shader_atomic_int64",
    "GL_ARB_shader_clock",
];

pub fn process(source: &str, path: &Path) -> Result<Text> {
    let text = Text { tokens: Vec::new(), files: Vec::new(), version: 450, extensions: Vec::new() };
    let mut pre = Pre { text, macros: HashMap::new(), conditions: Vec::new(), folders: Vec::new() };
    let known = EXTENSIONS.iter().map(|e| (*e, "1"));
    for (name, value) in known.chain([("VULKAN", "100"), ("GL_SPIRV", "100"), ("__VERSION__", "450")]) {
        pre.define(name, value);
    }
    pre.file(source, path)?;
    match pre.text.tokens.len() {
        0 => {
            let file = path.display().to_string();
            Err(Refusal { file, line: 1, what: "there is nothing in it".to_owned() })
        }
        _ => Ok(pre.text),
    }
}

impl Pre {
    fn define(&mut self, name: &str, value: &str) {
        let body = tokens(value, 0).unwrap_or_default();
        self.macros.insert(name.into(), Macro { parameters: None, body });
    }

    fn active(&self) -> bool {
        self.conditions.last().is_none_or(|c| c.active)
    }

    fn file(&mut self, source: &str, path: &Path) -> Result<()> {
        let file = self.text.files.len() as u16;
        self.text.files.push(path.display().to_string());
        self.folders.push(path.parent().unwrap_or(Path::new("")).to_owned());
        let list =
            tokens(source, file).map_err(|(line, what)| Refusal { file: path.display().to_string(), line, what })?;
        let open = self.conditions.len();
        let mut at = 0;
        while at < list.len() {
            let line = &list[at];
            if line.first && &*line.text == "#" {
                let end = (at + 1..list.len()).find(|n| list[*n].first).unwrap_or(list.len());
                self.directive(line, &list[at + 1..end])?;
                at = end;
            } else {
                let end = (at + 1..list.len()).find(|n| list[*n].first && &*list[*n].text == "#").unwrap_or(list.len());
                if self.active() {
                    let made = self.expand(&list[at..end], &mut Vec::new())?;
                    self.text.tokens.extend(made);
                }
                at = end;
            }
        }
        if let (Some(last), true) = (list.last(), self.conditions.len() > open) {
            return Err(self.text.refuse(last, "an #if has no #endif"));
        }
        self.folders.pop();
        Ok(())
    }

    fn directive(&mut self, hash: &Token, rest: &[Token]) -> Result<()> {
        let Some((name, rest)) = rest.split_first() else { return Ok(()) };
        let active = self.active();
        match &*name.text {
            "ifdef" | "ifndef" => {
                let [word, ..] = rest else { return Err(self.text.refuse(hash, "#ifdef wants a name")) };
                let holds = self.macros.contains_key(&word.text) == (&*name.text == "ifdef");
                let holds = active && holds;
                self.conditions.push(Condition { active: holds, taken: holds, outer: active, otherwise: false });
            }
            "if" => {
                let holds = active && self.holds(hash, rest)?;
                self.conditions.push(Condition { active: holds, taken: holds, outer: active, otherwise: false });
            }
            "elif" | "else" | "endif" => {
                let Some(condition) = self.conditions.last() else {
                    return Err(self.text.refuse(hash, format!("#{} without #if", name.text)));
                };
                if condition.otherwise && &*name.text != "endif" {
                    return Err(self.text.refuse(hash, format!("#{} behind #else", name.text)));
                }
                let open = condition.outer && !condition.taken;
                let holds = match &*name.text {
                    "elif" => open && self.holds(hash, rest)?,
                    other => open && other == "else",
                };
                if &*name.text == "endif" {
                    self.conditions.pop();
                } else if let Some(condition) = self.conditions.last_mut() {
                    condition.active = holds;
                    condition.taken |= holds;
                    condition.otherwise |= &*name.text == "else";
                }
            }
            _ if !active => {}
            "define" => self.defined(hash, rest)?,
            "undef" => {
                if let [word, ..] = rest {
                    self.macros.remove(&word.text);
                }
            }
            "version" => self.version(hash, rest)?,
            "extension" => self.extension(hash, rest)?,
            "include" => self.include(hash, rest)?,
            "error" => {
                let words: Vec<&str> = rest.iter().map(|t| &*t.text).collect();
                return Err(self.text.refuse(hash, format!("#error {}", words.join(" "))));
            }
            "pragma" => {
                if let [word, ..] = rest
                    && &*word.text == "use_vulkan_memory_model"
                {
                    return Err(self.text.refuse(word, "`#pragma use_vulkan_memory_model` is not known"));
                }
            }
            "line" => {}
            other => return Err(self.text.refuse(hash, format!("#{other} is no directive"))),
        }
        Ok(())
    }

    fn version(&mut self, hash: &Token, rest: &[Token]) -> Result<()> {
        let number = rest.first().and_then(|t| t.text.parse::<u32>().ok());
        let profile = rest.get(1).map_or("core", |t| &t.text);
        match (number, profile) {
            (Some(n @ (310 | 320)), "es") => {
                self.text.version = n;
                self.define("GL_ES", "1");
            }
            (Some(n @ 430..=460), "core") => self.text.version = n,
            _ => {
                let given: Vec<&str> = rest.iter().map(|t| &*t.text).collect();
                let what = format!(
                    "#version {}: compute shaders are written in 430, 440, 450, 460, 310 es and 320 es",
                    given.join(" ")
                );
                return Err(self.text.refuse(hash, what));
            }
        }
        let version = self.text.version.to_string();
        self.define("__VERSION__", &version);
        Ok(())
    }

    fn extension(&mut self, hash: &Token, rest: &[Token]) -> Result<()> {
        let [name, colon, behavior, ..] = rest else {
            return Err(self.text.refuse(hash, "#extension wants NAME : BEHAVIOR"));
        };
        if &*colon.text != ":" {
            return Err(self.text.refuse(hash, "#extension wants NAME : BEHAVIOR"));
        }
        match &*behavior.text {
            "require" if !EXTENSIONS.contains(&&*name.text) => {
                Err(self.text.refuse(name, format!("the extension {} is not known", name.text)))
            }
            "disable" => Ok(()),
            _ => {
                self.text.extensions.push(name.text.to_string());
                Ok(())
            }
        }
    }

    fn include(&mut self, hash: &Token, rest: &[Token]) -> Result<()> {
        let name = match rest {
            [one] if one.kind == Kind::Text => one.text.to_string(),
            [open, name @ .., close] if &*open.text == "<" && &*close.text == ">" => {
                name.iter().map(|t| &*t.text).collect()
            }
            _ => return Err(self.text.refuse(hash, "#include wants \"FILE\"")),
        };
        if self.folders.len() > DEEPEST || self.text.files.len() > 1000 {
            return Err(self.text.refuse(hash, "files include each other without end"));
        }
        let place = self.folders.last().cloned().unwrap_or_default().join(&name);
        let bytes = std::fs::metadata(&place).map_or(0, |m| m.len());
        let read = if bytes > MOST_BYTES {
            Err(std::io::ErrorKind::FileTooLarge.into())
        } else {
            std::fs::read_to_string(&place)
        };
        let source = read.map_err(|e| self.text.refuse(hash, format!("#include {}: {e}", place.display())))?;
        self.file(&source, &place)
    }

    fn defined(&mut self, hash: &Token, rest: &[Token]) -> Result<()> {
        let [name, rest @ ..] = rest else { return Err(self.text.refuse(hash, "#define wants a name")) };
        let list = rest.first().is_some_and(|t| &*t.text == "(" && !t.spaced);
        let (parameters, body) = match list {
            false => (None, rest),
            true => {
                let end = rest.iter().position(|t| &*t.text == ")");
                let end = end.ok_or_else(|| self.text.refuse(hash, "the macro's list has no end"))?;
                let names = rest[1..end].iter().filter(|t| &*t.text != ",").map(|t| t.text.clone()).collect();
                (Some(names), &rest[end + 1..])
            }
        };
        self.macros.insert(name.text.clone(), Macro { parameters, body: body.to_vec() });
        Ok(())
    }

    /// The list with its macros replaced, but for those of `hidden`, which it comes from.
    fn expand(&self, list: &[Token], hidden: &mut Vec<Rc<str>>) -> Result<Vec<Token>> {
        let (mut at, mut out) = (0, Vec::new());
        while let Some(token) = list.get(at) {
            at += 1;
            if out.len() > MOST_TOKENS || hidden.len() > DEEPEST {
                return Err(self.text.refuse(token, "macros make too much of this"));
            }
            let known =
                (token.kind == Kind::Word && !hidden.contains(&token.text)).then(|| self.macros.get(&token.text));
            let line = (&*token.text == "__LINE__").then(|| Token {
                kind: Kind::Number,
                text: token.line.to_string().into(),
                ..token.clone()
            });
            let Some(found) = known.flatten() else {
                out.push(line.unwrap_or_else(|| token.clone()));
                continue;
            };
            let body = match &found.parameters {
                None => self.paste(found.body.clone()),
                Some(names) => {
                    if list.get(at).is_none_or(|t| &*t.text != "(") {
                        out.push(token.clone());
                        continue;
                    }
                    let (arguments, end) = self.arguments(token, list, at)?;
                    at = end;
                    if arguments.len() != names.len()
                        && !(names.is_empty() && arguments.len() == 1 && arguments[0].is_empty())
                    {
                        let what = format!("{} takes {} arguments, not {}", token.text, names.len(), arguments.len());
                        return Err(self.text.refuse(token, what));
                    }
                    self.replaced(&found.body, names, &arguments, hidden)?
                }
            };
            // What comes of a macro is where the macro is used.
            let placed = |t: Token| Token { line: token.line, file: token.file, first: false, ..t };
            let body: Vec<Token> = body.into_iter().map(placed).collect();
            hidden.push(token.text.clone());
            out.extend(self.expand(&body, hidden)?);
            hidden.pop();
        }
        Ok(out)
    }

    /// A macro's body with its arguments, each expanded but beside `##`.
    fn replaced(
        &self,
        body: &[Token],
        names: &[Rc<str>],
        arguments: &[Vec<Token>],
        hidden: &mut Vec<Rc<str>>,
    ) -> Result<Vec<Token>> {
        let joins = |n: Option<usize>| n.and_then(|n| body.get(n)).is_some_and(|t| &*t.text == "##");
        let mut out = Vec::new();
        for (n, part) in body.iter().enumerate() {
            match names.iter().position(|name| part.kind == Kind::Word && *name == part.text) {
                Some(which) if joins(n.checked_sub(1)) || joins(Some(n + 1)) => {
                    out.extend_from_slice(&arguments[which])
                }
                Some(which) => out.extend(self.expand(&arguments[which], hidden)?),
                None => out.push(part.clone()),
            }
            if out.len() > MOST_TOKENS {
                return Err(self.text.refuse(part, "macros make too much of this"));
            }
        }
        Ok(self.paste(out))
    }

    fn paste(&self, list: Vec<Token>) -> Vec<Token> {
        let mut out: Vec<Token> = Vec::with_capacity(list.len());
        let mut list = list.into_iter();
        while let Some(token) = list.next() {
            match (&*token.text == "##", out.last_mut()) {
                (true, Some(last)) => {
                    if let Some(next) = list.next() {
                        last.text = format!("{}{}", last.text, next.text).into();
                    }
                }
                _ => out.push(token),
            }
        }
        out
    }

    /// The arguments of the list that opens at `open`, and what is behind it.
    fn arguments(&self, name: &Token, list: &[Token], open: usize) -> Result<(Vec<Vec<Token>>, usize)> {
        let (mut depth, mut out) = (0, vec![Vec::new()]);
        for (n, token) in list.iter().enumerate().skip(open) {
            match &*token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            match &*token.text {
                ")" if depth == 0 => return Ok((out, n + 1)),
                "(" if depth == 1 && n == open => {}
                "," if depth == 1 => out.push(Vec::new()),
                _ => out.last_mut().into_iter().for_each(|last| last.push(token.clone())),
            }
        }
        Err(self.text.refuse(name, format!("the arguments of {} have no end", name.text)))
    }

    fn holds(&self, hash: &Token, rest: &[Token]) -> Result<bool> {
        let (mut at, mut list) = (0, Vec::new());
        while let Some(token) = rest.get(at) {
            at += 1;
            if &*token.text != "defined" {
                list.push(token.clone());
                continue;
            }
            let bracket = rest.get(at).is_some_and(|t| &*t.text == "(");
            let name = rest.get(at + usize::from(bracket));
            let known = name.is_some_and(|n| self.macros.contains_key(&n.text));
            list.push(Token { kind: Kind::Number, text: u8::from(known).to_string().into(), ..token.clone() });
            at += if bracket { 3 } else { 1 };
        }
        let list = self.expand(&list, &mut Vec::new())?;
        let mut sum = Sum { list: &list, at: 0, depth: 0 };
        match sum.binary(0) {
            Some(value) if sum.at == list.len() => Ok(value != 0),
            _ => Err(self.text.refuse(hash, "the condition is no expression of integers")),
        }
    }
}

/// An expression of integers behind `#if`.
struct Sum<'a> {
    list: &'a [Token],
    at: usize,
    depth: usize,
}

impl Sum<'_> {
    fn binary(&mut self, level: usize) -> Option<i64> {
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(sign) = self.list.get(self.at).filter(|t| signs.contains(&&*t.text)) {
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = match &*sign.text {
                "||" => i64::from(left != 0 || right != 0),
                "&&" => i64::from(left != 0 && right != 0),
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "==" => i64::from(left == right),
                "!=" => i64::from(left != right),
                "<" => i64::from(left < right),
                ">" => i64::from(left > right),
                "<=" => i64::from(left <= right),
                ">=" => i64::from(left >= right),
                "<<" => left.wrapping_shl(right as u32),
                ">>" => left.wrapping_shr(right as u32),
                "+" => left.wrapping_add(right),
                "-" => left.wrapping_sub(right),
                "*" => left.wrapping_mul(right),
                "/" => left.checked_div(right)?,
                "%" => left.checked_rem(right)?,
                // ^^ is none of the preprocessor's.
                _ => return None,
            };
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<i64> {
        let token = self.list.get(self.at)?;
        self.at += 1;
        self.depth += 1;
        if self.depth > 4 * DEEPEST {
            return None;
        }
        match &*token.text {
            "!" => self.unary().map(|v| i64::from(v == 0)),
            "-" => self.unary().map(i64::wrapping_neg),
            "+" => self.unary(),
            "~" => self.unary().map(|v| !v),
            "(" => {
                let value = self.binary(0)?;
                let close = self.list.get(self.at)?;
                self.at += 1;
                (&*close.text == ")").then_some(value)
            }
            text => {
                let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
                match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
                    Some(hex) => i64::from_str_radix(hex, 16).ok(),
                    None => text.parse().ok(),
                }
            }
        }
    }
}
