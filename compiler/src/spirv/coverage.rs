//! Coverage: blocks and branches of the source count the lanes that come to them, in messages that are only counted
//! (`wavepipe_hw::site`). Such a message is an effect of its region, so a branch of which an arm counts stays one: what the passes
//! would make a select, hoist or merge changes no count.
//!
//! A block counts its lanes where it begins. A branch counts where it is taken, by its condition, so that what comes to a target by
//! other ways is no part of it. Both sides have a site, though one may be translated nowhere.

use super::instrumentation::Instrument;
use super::module::{Block, ExtSet, Instr};
use super::translate::Translator;
use crate::error::Result;
use crate::ir::{self, Alu, Exit, Node, Value, Width};
use spirv::Op;
use wavepipe_hw::site::SiteKind;

/// NonSemantic.Shader.DebugInfo.100.
const DEBUG_LINE: u32 = 103;
const DEBUG_NO_LINE: u32 = 104;

impl Translator<'_> {
    fn counts(&self) -> bool {
        self.instrumentation.flags.contains(Instrument::COVERAGE)
    }

    /// Counts who comes to a block, which begins here.
    pub fn count_block(&mut self, block: &Block) -> Result<()> {
        if !self.counts() {
            return Ok(());
        }
        let lines = self.lines(block);
        let Some(&(file, line)) = lines.first() else { return Ok(()) };
        let at = Instr { loc: ir::Loc { file, line, point: 0 }, ..self.m.instrs[block.end] };
        let site = self.site(&at, SiteKind::Block { label: block.label, lines })?;
        self.b.loc = at.loc;
        self.b.inst(ir::Op::Count { site }, Vec::new(), &[]);
        Ok(())
    }

    /// Lines of a block's instructions. Where no line is said a compiler has made them for reasons of its own; a line does not
    /// reach from one block into the next.
    fn lines(&self, block: &Block) -> Vec<(u32, u32)> {
        let mut lines = Vec::new();
        let mut said = false;
        for i in &self.m.instrs[block.body.start..=block.end] {
            let debug =
                i.op == Op::ExtInst && i.arg(0).is_some_and(|s| self.m.ext_sets.get(&s) == Some(&ExtSet::NonSemantic));
            match (i.op, i.arg(1)) {
                (Op::Line, _) => said = true,
                (Op::NoLine, _) => said = false,
                (Op::ExtInst, Some(DEBUG_LINE)) if debug => said = true,
                (Op::ExtInst, Some(DEBUG_NO_LINE)) if debug => said = false,
                _ if debug || matches!(i.op, Op::Phi | Op::Variable | Op::Nop | Op::Undef) => {}
                _ if said && i.loc.line != 0 && !lines.contains(&(i.loc.file, i.loc.line)) => {
                    lines.push((i.loc.file, i.loc.line));
                }
                _ => {}
            }
        }
        lines
    }

    /// Counts which way each lane goes at a branch of the block `label`.
    pub fn count_branch(&mut self, i: &Instr<'_>, label: u32, cond: Value) -> Result<()> {
        // `while (true)` decides nothing. A specialization constant does.
        let constant = |g: &Instr<'_>| matches!(g.op, Op::ConstantTrue | Op::ConstantFalse) && i.arg(0) == Some(g.id);
        if !self.counts() || self.m.instrs[self.m.globals.clone()].iter().any(constant) {
            return Ok(());
        }
        let yes = self.arm(i, label, 0, "true".into())?;
        let no = self.arm(i, label, 1, "false".into())?;
        self.count_either(i, cond, Some(yes), Some(no));
        Ok(())
    }

    /// The same of a switch: each target with its literals, the default last.
    pub fn count_switch(
        &mut self,
        i: &Instr<'_>,
        label: u32,
        cases: &[(u32, Vec<u64>)],
        hit: &dyn Fn(&mut Self, &[u64]) -> Value,
    ) -> Result<()> {
        if !self.counts() {
            return Ok(());
        }
        let mut others = self.b.bool(true);
        for (n, (_, literals)) in cases.iter().enumerate() {
            let names: Vec<String> = literals.iter().map(u64::to_string).collect();
            let site = self.arm(i, label, n as u32, format!("case {}", names.join(", ")))?;
            let cond = hit(self, literals);
            self.count_either(i, cond, Some(site), None);
            let not = self.b.alu(Alu::Not, Width::B1, &[cond]);
            others = self.b.alu(Alu::And, Width::B1, &[others, not]);
        }
        let site = self.arm(i, label, cases.len() as u32, "default".into())?;
        self.count_either(i, others, Some(site), None);
        Ok(())
    }

    fn arm(&mut self, i: &Instr<'_>, label: u32, arm: u32, what: String) -> Result<u32> {
        self.site(i, SiteKind::Arm { label, arm, what })
    }

    fn count_either(&mut self, i: &Instr<'_>, cond: Value, yes: Option<u32>, no: Option<u32>) {
        let [then, els] = [yes, no].map(|site| {
            self.begin();
            if let Some(site) = site {
                self.b.inst(ir::Op::Count { site }, Vec::new(), &[]);
            }
            self.end(Exit::Yield(Vec::new()))
        });
        self.b.push(Node::If { cond, then, els, results: Vec::new(), loc: i.loc });
    }
}
