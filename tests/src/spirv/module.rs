//! A module as lists of instructions, each an opcode, its results and its operand words.

use rspirv::binary::Assemble;
use rspirv::dr;
use rspirv::spirv::{MAGIC_NUMBER, Op};
use std::collections::HashSet;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inst {
    pub op: Op,
    /// 0 if it has none.
    pub ty: u32,
    /// 0 if it has none.
    pub id: u32,
    /// The words after result type and result.
    pub args: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    pub label: u32,
    /// To the terminator, which is the last.
    pub insts: Vec<Inst>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    pub def: Inst,
    pub params: Vec<Inst>,
    pub blocks: Vec<Block>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Module {
    pub version: u32,
    pub bound: u32,
    /// Capabilities to global variables, in a module's order.
    pub globals: Vec<Inst>,
    pub functions: Vec<Function>,
}

impl Inst {
    /// `ty` and `id` are 0 where the instruction has none.
    pub fn new(op: Op, ty: u32, id: u32, args: impl Into<Vec<u32>>) -> Inst {
        Inst { op, ty, id, args: args.into() }
    }

    fn put(&self, out: &mut Vec<u32>) {
        let start = out.len();
        out.push(self.op as u32);
        out.extend([self.ty, self.id].into_iter().filter(|&w| w != 0));
        out.extend(&self.args);
        out[start] |= ((out.len() - start) as u32) << 16;
    }

    /// Blocks that a terminator may go to, without repetition. `wide`: those ids that are integers of 64 bits.
    pub fn targets(&self, wide: &HashSet<u32>) -> Vec<u32> {
        let mut all: Vec<u32> = match self.op {
            Op::Branch => self.args.clone(),
            Op::BranchConditional => self.args[1..3].to_vec(),
            Op::Switch => {
                let case = if wide.contains(&self.args[0]) { 3 } else { 2 };
                let cases = self.args[2..].chunks(case).filter_map(|c| c.get(case - 1));
                [self.args[1]].iter().chain(cases).copied().collect()
            }
            _ => Vec::new(),
        };
        let mut seen = HashSet::new();
        all.retain(|&t| seen.insert(t));
        all
    }
}

fn plain(i: &dr::Instruction) -> Inst {
    let mut args = Vec::new();
    i.operands.iter().for_each(|o| o.assemble_into(&mut args));
    Inst { op: i.class.opcode, ty: i.result_type.unwrap_or(0), id: i.result_id.unwrap_or(0), args }
}

impl Module {
    /// From words, by rspirv's reader.
    pub fn parse(words: &[u32]) -> Result<Module, String> {
        let m = dr::load_words(words).map_err(|e| e.to_string())?;
        let header = m.header.as_ref().ok_or("no header")?;
        let function = |f: &dr::Function| -> Option<Function> {
            let block = |b: &dr::Block| {
                let label = b.label.as_ref()?.result_id?;
                Some(Block { label, insts: b.instructions.iter().map(plain).collect() })
            };
            Some(Function {
                def: plain(f.def.as_ref()?),
                params: f.parameters.iter().map(plain).collect(),
                blocks: f.blocks.iter().map(block).collect::<Option<_>>()?,
            })
        };
        Ok(Module {
            version: header.version,
            bound: header.bound,
            globals: m.global_inst_iter().map(plain).collect(),
            functions: m.functions.iter().map(function).collect::<Option<_>>().ok_or("a function without its parts")?,
        })
    }

    pub fn words(&self) -> Vec<u32> {
        let mut out = vec![MAGIC_NUMBER, self.version, 0, self.bound, 0];
        self.globals.iter().for_each(|i| i.put(&mut out));
        for f in &self.functions {
            f.def.put(&mut out);
            f.params.iter().for_each(|i| i.put(&mut out));
            for b in &f.blocks {
                Inst::new(Op::Label, 0, b.label, []).put(&mut out);
                b.insts.iter().for_each(|i| i.put(&mut out));
            }
            Inst::new(Op::FunctionEnd, 0, 0, []).put(&mut out);
        }
        out
    }

    /// The ids that are integers of 64 bits.
    pub fn wide(&self) -> HashSet<u32> {
        let ty = |i: &&Inst| i.op == Op::TypeInt && i.args[0] == 64;
        let types: HashSet<u32> = self.globals.iter().filter(ty).map(|i| i.id).collect();
        let params = self.functions.iter().flat_map(|f| &f.params);
        self.globals.iter().chain(params).chain(self.body()).filter(|i| types.contains(&i.ty)).map(|i| i.id).collect()
    }

    /// Instructions of all functions.
    pub fn body(&self) -> impl Iterator<Item = &Inst> {
        self.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.insts)
    }
}
