//! The module as a list of instructions with their positions, and the indexes that the translation asks: names,
//! decorations, entry points, functions and their blocks.

use crate::error::{CompileError, ErrorKind, Result, Site};
use crate::ir::Loc;
use rspirv::grammar::{INSTRUCTION_TABLE, OperandKind};
use spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

/// One instruction. `args` are the words after result type and result.
#[derive(Clone, Copy, Debug)]
pub struct Instr<'a> {
    pub op: Op,
    /// Word offset in the module.
    pub word: usize,
    /// 0 if it has none.
    pub ty: u32,
    /// 0 if it has none.
    pub id: u32,
    pub args: &'a [u32],
    pub loc: Loc,
}

/// A declared merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    None,
    Selection(u32),
    Loop { merge: u32, cont: u32 },
}

#[derive(Clone, Debug)]
pub struct Block {
    pub label: u32,
    /// Instructions after the label and before merge and terminator: a range of [`Module::instrs`].
    pub body: std::ops::Range<usize>,
    pub merge: Merge,
    /// Index of the terminator.
    pub end: usize,
    /// Blocks that jump here (each edge once).
    pub preds: u32,
    /// Indexes of the blocks that this one may jump to.
    pub successors: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
pub struct Function {
    pub id: u32,
    pub ty: u32,
    /// (type, id)
    pub params: Vec<(u32, u32)>,
    pub blocks: Vec<Block>,
    pub index: HashMap<u32, usize>,
}

#[derive(Clone, Debug)]
pub struct Entry {
    pub function: u32,
    pub name: String,
    pub word: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExtSet {
    Glsl,
    NonSemantic,
    /// NonSemantic.DebugPrintf.
    Print,
    Other,
}

#[derive(Default)]
pub struct Module<'a> {
    pub instrs: Vec<Instr<'a>>,
    /// Types, constants and global variables: everything before the first function.
    pub globals: std::ops::Range<usize>,
    pub names: HashMap<u32, String>,
    /// Of members of structures.
    pub member_names: HashMap<(u32, u32), String>,
    pub strings: HashMap<u32, String>,
    /// The set NonSemantic.Shader.DebugInfo.100, and the names of its local variables.
    pub debug_set: Option<u32>,
    pub debug_locals: HashMap<u32, String>,
    /// The first decoration of each kind of an id, and of a structure's member.
    decorations: HashMap<(u32, Decoration), &'a [u32]>,
    member_decorations: HashMap<(u32, u32, Decoration), &'a [u32]>,
    /// Groups whose decorations an id or a member has, too.
    groups: HashMap<u32, Vec<u32>>,
    member_groups: HashMap<(u32, u32), Vec<u32>>,
    /// Some constant is the size of the work-group.
    pub sized_by_constant: bool,
    /// Some variable may overlap another one.
    pub aliases: bool,
    mentions: OnceCell<HashMap<u32, u32>>,
    pub entries: Vec<Entry>,
    pub modes: Vec<(u32, ExecutionMode, &'a [u32], Instr<'a>)>,
    pub functions: HashMap<u32, Function>,
    pub ext_sets: HashMap<u32, ExtSet>,
    pub files: Vec<String>,
}

/// The largest id bound that SPIR-V's universal limits promise.
const MAX_BOUND: u32 = 4_194_303;

impl Instr<'_> {
    pub fn name(&self) -> String {
        format!("Op{:?}", self.op)
    }
}

impl<'a> Instr<'a> {
    /// Operand word `n`.
    pub fn arg(&self, n: usize) -> Option<u32> {
        self.args.get(n).copied()
    }
}

/// A literal string, and the words it takes.
pub fn string(words: &[u32]) -> (String, usize) {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    (String::from_utf8_lossy(&bytes[..end]).into_owned(), (end / 4 + 1).min(words.len()))
}

fn malformed(word: usize, instruction: &str, message: impl Into<String>) -> CompileError {
    let site = Site { word: Some(word), instruction: instruction.to_string(), source: None };
    CompileError { kind: ErrorKind::Malformed, site: Some(site), message: message.into() }
}

impl<'a> Module<'a> {
    /// Splits `words` into instructions and indexes them.
    pub fn parse(words: &'a [u32]) -> Result<Module<'a>> {
        if words.len() < 5 {
            return Err(malformed(0, "header", format!("{} words, a module has at least 5", words.len())));
        }
        if words[0] != spirv::MAGIC_NUMBER {
            return Err(malformed(
                0,
                "header",
                format!("the magic number is {:#010x}, expected {:#010x}", words[0], spirv::MAGIC_NUMBER),
            ));
        }
        if words[3] > MAX_BOUND {
            return Err(malformed(3, "header", format!("id bound {} is over the limit of {MAX_BOUND}", words[3])));
        }
        let bound = words[3];
        let mut m = Module::default();
        let mut file_index: HashMap<String, u32> = HashMap::new();
        let mut debug_sources: HashMap<u32, u32> = HashMap::new();
        let mut integers: HashMap<u32, u32> = HashMap::new();
        let mut loc = Loc::default();
        // Whether an opcode has a result type and a result: the grammar's table is a list.
        let mut shapes: HashMap<u32, (bool, bool)> = HashMap::new();
        let mut at = 5;
        while at < words.len() {
            let (count, code) = ((words[at] >> 16) as usize, words[at] & 0xffff);
            let Some(op) = Op::from_u32(code).or(mixed_dot(code)) else {
                let e = malformed(
                    at,
                    &format!("opcode {code}"),
                    "an instruction that SPIR-V 1.6 and its registered extensions do not have",
                );
                return Err(CompileError { kind: ErrorKind::Unsupported, ..e });
            };
            let name = || format!("Op{op:?}");
            if count == 0 || at + count > words.len() {
                return Err(malformed(at, &name(), format!("{count} words long, {} remain", words.len() - at)));
            }
            let (typed, valued) = *shapes.entry(code).or_insert_with(|| {
                let grammar = INSTRUCTION_TABLE.lookup_opcode(op as u32);
                let has = |k: OperandKind| grammar.is_some_and(|g| g.operands.iter().any(|o| o.kind == k));
                (has(OperandKind::IdResultType), has(OperandKind::IdResult))
            });
            let mut args = &words[at + 1..at + count];
            let (mut ty, mut id) = (0, 0);
            for (wanted, slot) in [(typed, &mut ty), (valued, &mut id)] {
                if wanted {
                    let Some((&first, rest)) = args.split_first() else {
                        return Err(malformed(at, &name(), "too short for its result"));
                    };
                    if first == 0 || first >= bound {
                        return Err(malformed(at, &name(), format!("id %{first} is not below the bound {bound}")));
                    }
                    (*slot, args) = (first, rest);
                }
            }
            match op {
                Op::String => {
                    m.strings.insert(id, string(args).0);
                }
                Op::Line => {
                    let line = args.get(1).copied().unwrap_or(0);
                    let file = args.first().and_then(|f| m.strings.get(f)).cloned().unwrap_or_default();
                    loc = Loc { file: m.file(&mut file_index, file), line, point: 0 };
                }
                Op::NoLine => loc = Loc::default(),
                Op::FunctionEnd => loc = Loc::default(),
                Op::Constant => {
                    integers.insert(id, args.first().copied().unwrap_or(0));
                }
                Op::ExtInst if args.first().and_then(|s| m.ext_sets.get(s)) == Some(&ExtSet::NonSemantic) => {
                    // NonSemantic.Shader.DebugInfo.100: 35 DebugSource (file), 103 DebugLine (source, line …),
                    // 104 DebugNoLine.
                    match args.get(1) {
                        Some(35) => {
                            let file = args.get(2).and_then(|f| m.strings.get(f)).cloned().unwrap_or_default();
                            let n = m.file(&mut file_index, file);
                            debug_sources.insert(id, n);
                        }
                        Some(103) => {
                            let file = args.get(2).and_then(|s| debug_sources.get(s)).copied().unwrap_or(0);
                            let line = args.get(3).and_then(|l| integers.get(l)).copied().unwrap_or(0);
                            loc = Loc { file, line, point: 0 };
                        }
                        Some(104) => loc = Loc::default(),
                        _ => {}
                    }
                }
                _ => {}
            }
            let instr = Instr { op, word: at, ty, id, args, loc };
            m.index(&instr)?;
            m.instrs.push(instr);
            at += count;
        }
        m.split_functions()?;
        Ok(m)
    }

    fn file(&mut self, index: &mut HashMap<String, u32>, name: String) -> u32 {
        let files = &mut self.files;
        *index.entry(name).or_insert_with_key(|n| {
            files.push(n.clone());
            files.len() as u32 - 1
        })
    }

    fn index(&mut self, i: &Instr<'a>) -> Result<()> {
        let short = || malformed(i.word, &i.name(), "operands missing");
        let arg = |n: usize| i.arg(n).ok_or_else(short);
        match i.op {
            Op::ExtInstImport => {
                let set = match string(i.args).0.as_str() {
                    "GLSL.std.450" => ExtSet::Glsl,
                    "NonSemantic.DebugPrintf" => ExtSet::Print,
                    "NonSemantic.Shader.DebugInfo.100" => {
                        self.debug_set = Some(i.id);
                        ExtSet::NonSemantic
                    }
                    s if s.starts_with("NonSemantic.") => ExtSet::NonSemantic,
                    // Debugging sets of before the convention of that name.
                    "OpenCL.DebugInfo.100" | "DebugInfo" => ExtSet::NonSemantic,
                    _ => ExtSet::Other,
                };
                self.ext_sets.insert(i.id, set);
            }
            Op::ExtInst if self.debug_set.is_some() && i.arg(0) == self.debug_set => self.debug(i),
            Op::Name => {
                self.names.insert(arg(0)?, string(&i.args[1..]).0);
            }
            Op::MemberName => {
                self.member_names.insert((arg(0)?, arg(1)?), string(&i.args[2..]).0);
            }
            Op::EntryPoint => {
                let (model, function) = (arg(0)?, arg(1)?);
                let (name, _) = string(&i.args[2..]);
                if model == ExecutionModel::GLCompute as u32 {
                    self.entries.push(Entry { function, name, word: i.word });
                }
            }
            Op::ExecutionMode | Op::ExecutionModeId => {
                let (function, mode) = (arg(0)?, arg(1)?);
                if let Some(mode) = ExecutionMode::from_u32(mode) {
                    self.modes.push((function, mode, &i.args[2..], *i));
                }
            }
            Op::Decorate => {
                let (target, d) = (arg(0)?, arg(1)?);
                if let Some(d) = Decoration::from_u32(d) {
                    let args = &i.args[2..];
                    self.sized_by_constant |=
                        d == Decoration::BuiltIn && args.first() == Some(&(BuiltIn::WorkgroupSize as u32));
                    self.aliases |= matches!(d, Decoration::Aliased | Decoration::AliasedPointer);
                    self.decorations.entry((target, d)).or_insert(args);
                }
            }
            Op::MemberDecorate => {
                let (target, member, d) = (arg(0)?, arg(1)?, arg(2)?);
                if let Some(d) = Decoration::from_u32(d) {
                    self.member_decorations.entry((target, member, d)).or_insert(&i.args[3..]);
                }
            }
            Op::GroupDecorate => {
                let group = arg(0)?;
                for &target in &i.args[1..] {
                    self.groups.entry(target).or_default().push(group);
                }
            }
            Op::GroupMemberDecorate => {
                let group = arg(0)?;
                for target in i.args[1..].chunks_exact(2) {
                    self.member_groups.entry((target[0], target[1])).or_default().push(group);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// An instruction of NonSemantic.Shader.DebugInfo.100: 26 DebugLocalVariable (name …), 28 DebugDeclare (local variable,
    /// variable …), 18 DebugGlobalVariable (name, type, source, line, column, parent, linkage name, variable …).
    fn debug(&mut self, i: &Instr<'a>) {
        let at = |n: usize| i.arg(n).unwrap_or(0);
        let known = |id: u32| self.strings.get(&id).or_else(|| self.debug_locals.get(&id)).cloned();
        let (id, name) = match at(1) {
            26 => {
                self.debug_locals.extend(known(at(2)).map(|name| (i.id, name)));
                return;
            }
            28 => (at(3), known(at(2))),
            18 => (at(9), known(at(2))),
            _ => return,
        };
        if let Some(name) = name {
            self.names.entry(id).or_insert(name);
        }
    }

    fn split_functions(&mut self) -> Result<()> {
        let first = self.instrs.iter().position(|i| i.op == Op::Function).unwrap_or(self.instrs.len());
        self.globals = 0..first;
        let mut function: Option<Function> = None;
        let mut block: Option<Block> = None;
        for n in first..self.instrs.len() {
            let i = self.instrs[n];
            let bad = |m: &str| malformed(i.word, &i.name(), m);
            let arg = |n: usize| i.arg(n).ok_or_else(|| bad("operands missing"));
            match i.op {
                Op::Function if function.is_some() => return Err(bad("a function inside of a function")),
                Op::Function => function = Some(Function { id: i.id, ty: i.ty, ..Default::default() }),
                Op::FunctionEnd => {
                    if block.is_some() {
                        return Err(bad("the last block has no terminator"));
                    }
                    let f = function.take().ok_or_else(|| bad("no function begun"))?;
                    self.functions.insert(f.id, f);
                }
                Op::FunctionParameter => {
                    function.as_mut().ok_or_else(|| bad("no function begun"))?.params.push((i.ty, i.id))
                }
                Op::Label => {
                    if function.is_none() || block.is_some() {
                        return Err(bad("a block begins inside of a block or outside of a function"));
                    }
                    block = Some(Block {
                        label: i.id,
                        body: n + 1..n + 1,
                        merge: Merge::None,
                        end: n,
                        preds: 0,
                        successors: Vec::new(),
                    });
                }
                Op::Line | Op::NoLine | Op::Nop | Op::Undef if block.is_none() => {}
                Op::ExtInst if block.is_none() => {}
                _ => {
                    let b = block.as_mut().ok_or_else(|| bad("outside of a block"))?;
                    match i.op {
                        Op::SelectionMerge => b.merge = Merge::Selection(arg(0)?),
                        Op::LoopMerge => b.merge = Merge::Loop { merge: arg(0)?, cont: arg(1)? },
                        op if rspirv::grammar::reflect::is_block_terminator(op) => {
                            b.end = n;
                            let f = function.as_mut().ok_or_else(|| bad("outside of a function"))?;
                            if f.index.insert(b.label, f.blocks.len()).is_some() {
                                return Err(bad("two blocks with one label"));
                            }
                            f.blocks.extend(block.take());
                        }
                        // Merges and lines may stand between the body and the terminator; they are skipped by opcode.
                        _ => b.body.end = n + 1,
                    }
                }
            }
        }
        if function.is_some() {
            return Err(malformed(
                self.instrs.last().map_or(5, |i| i.word),
                "OpFunction",
                "the last function does not end",
            ));
        }
        let instrs = &self.instrs;
        // Selectors of 64 bits have literals of two words.
        let long: HashSet<u32> =
            instrs.iter().filter(|i| i.op == Op::TypeInt && i.arg(0) == Some(64)).map(|i| i.id).collect();
        let long: HashSet<u32> = instrs.iter().filter(|i| long.contains(&i.ty)).map(|i| i.id).collect();
        for f in self.functions.values_mut() {
            for n in 0..f.blocks.len() {
                let end = &instrs[f.blocks[n].end];
                let words = if i_is_long(end, &long) { 2 } else { 1 };
                let mut seen: Vec<usize> = Vec::new();
                for t in successors(end, words) {
                    if let Some(&b) = f.index.get(&t)
                        && !seen.contains(&b)
                    {
                        seen.push(b);
                        f.blocks[b].preds += 1;
                    }
                }
                f.blocks[n].successors = seen;
            }
        }
        Ok(())
    }

    /// The instruction at a word.
    pub fn at(&self, word: usize) -> Option<&Instr<'a>> {
        self.instrs.binary_search_by_key(&word, |i| i.word).ok().map(|n| &self.instrs[n])
    }

    /// How often a word that may be the id stands among the operands of functions' instructions.
    pub fn mentions(&self, id: u32) -> u32 {
        let count = || {
            let mut all = HashMap::new();
            for i in &self.instrs[self.globals.end..] {
                i.args.iter().for_each(|&a| *all.entry(a).or_default() += 1);
            }
            all
        };
        self.mentions.get_or_init(count).get(&id).copied().unwrap_or(0)
    }

    /// An error at `i`.
    pub fn error(&self, kind: ErrorKind, i: &Instr<'_>, message: impl Into<String>) -> CompileError {
        let source = (i.loc.line != 0)
            .then(|| format!("{}:{}", self.files.get(i.loc.file as usize).map_or("?", String::as_str), i.loc.line));
        CompileError {
            kind,
            site: Some(Site { word: Some(i.word), instruction: i.name(), source }),
            message: message.into(),
        }
    }

    pub fn malformed(&self, i: &Instr<'_>, message: impl Into<String>) -> CompileError {
        self.error(ErrorKind::Malformed, i, message)
    }

    pub fn unsupported(&self, i: &Instr<'_>, message: impl Into<String>) -> CompileError {
        self.error(ErrorKind::Unsupported, i, message)
    }

    pub fn decoration(&self, id: u32, d: Decoration) -> Option<&'a [u32]> {
        self.decorations.get(&(id, d)).copied().or_else(|| self.of_groups(self.groups.get(&id)?, d))
    }

    /// The (set, binding) of a variable.
    pub fn place(&self, variable: u32) -> Option<(u32, u32)> {
        let number = |d| self.decoration(variable, d).and_then(|a| a.first()).copied();
        Some((number(Decoration::DescriptorSet)?, number(Decoration::Binding)?))
    }

    pub fn member_decoration(&self, id: u32, member: u32, d: Decoration) -> Option<&'a [u32]> {
        let own = self.member_decorations.get(&(id, member, d)).copied();
        own.or_else(|| self.of_groups(self.member_groups.get(&(id, member))?, d))
    }

    fn of_groups(&self, groups: &[u32], d: Decoration) -> Option<&'a [u32]> {
        groups.iter().find_map(|&g| self.decorations.get(&(g, d)).copied())
    }
}

/// Literal and target of each case of a switch whose selector has `words` words, after the default.
pub fn switch_cases(args: &[u32], words: usize) -> Vec<(u64, u32)> {
    args.get(2..)
        .unwrap_or(&[])
        .chunks_exact(words + 1)
        .map(|c| (c[..words].iter().rev().fold(0, |v, &w| v << 32 | u64::from(w)), c[words]))
        .collect()
}

fn i_is_long(switch: &Instr<'_>, long: &HashSet<u32>) -> bool {
    switch.op == Op::Switch && switch.arg(0).is_some_and(|selector| long.contains(&selector))
}

/// SPV_VALVE_mixed_float_dot_product, which the grammar crate does not know: 6916 and 6917 are a dot product of two vectors
/// of f16 with a third operand, the accumulator, of f32 and of f16.
fn mixed_dot(code: u32) -> Option<Op> {
    matches!(code, 6916 | 6917).then_some(Op::Dot)
}

/// The labels that a terminator may jump to; a switch's literals have `words` words.
fn successors(i: &Instr<'_>, words: usize) -> Vec<u32> {
    match i.op {
        Op::Branch => i.args.iter().take(1).copied().collect(),
        Op::BranchConditional => i.args.iter().skip(1).take(2).copied().collect(),
        Op::Switch => {
            i.args.get(1).copied().into_iter().chain(switch_cases(i.args, words).into_iter().map(|c| c.1)).collect()
        }
        _ => Vec::new(),
    }
}
