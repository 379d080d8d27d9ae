//! Operands that stay in memory: an instruction takes its last one from there, so that nothing is loaded for what it alone reads.
//!
//! ```text
//! who:   a guest register's row; a constant, as a vector of it, or with AVX-512 as one word for all lanes, and a scalar there, too: if no
//!        host register holds it, and nobody asks for it again soon
//! where: as the last operand; factors, and what else may change places, do. Of what cannot be last, and of a second one, the
//!        value is loaded in front of the node
//! ```

use super::super::registers::{Home, Reg};
use super::{Done, Emitter, Refused, SCALARS, Value, Values, avx2, scalar_at, tables, ymm, zmm};
use crate::record::{F, Id, Node};
use crate::step::{LESS, Plan};
use crate::x86::X86Isa;
use iced_x86::{Code, Instruction, MemoryOperand, Register};

/// Within so many steps a home that is asked for again is loaded.
const SOON: u32 = 12;

/// An instruction's last operand.
#[derive(Clone, Copy)]
pub(super) enum Source {
    Word(Reg),
    Memory(Home),
}

impl Emitter {
    /// Whether an operand of the step that is asked for once may stay in memory.
    pub(super) fn stays(&self, home: Home, plan: &Plan) -> bool {
        let current = match home {
            // What is written is loaded anyway, for lanes that do not live keep it.
            Home::Vgpr(v, _) => self.replaces(false) || plan.vectors_written().all(|w| w != v),
            Home::Scalar(_) => self.host.target == X86Isa::Avx512 && self.words.newer(home).is_none(),
            Home::Constant(v) => self.host.target == X86Isa::Avx512 || v != 0,
        };
        current && self.moving.is_none() && !self.registers.has(home) && !self.registers.asks_within(home, SOON)
    }

    /// Of the node's operands that are in memory those are loaded that its instruction does not take from there, and those that have been
    /// loaded meanwhile are in a register.
    pub(super) fn fetch(&mut self, node: &Node, state: &mut Values) -> Done<()> {
        let stays = self.from_memory(node, state);
        for may_stay in [false, true] {
            let args = node.args.into_iter().zip(stays).filter(|&(id, stays)| id != Id::MAX && stays == may_stay);
            for (id, _) in args {
                if let Some(Value::Away(home)) = state.of[usize::from(id)]
                    && (!may_stay || self.registers.has(home))
                {
                    state.of[usize::from(id)] = Some(Value::Word(self.home(home)?));
                }
            }
        }
        Ok(())
    }

    /// Which operands the instruction takes from memory, if they are there: of factors, and of others that change places, one.
    fn from_memory(&self, node: &Node, state: &Values) -> [bool; 6] {
        use F::*;
        let wide = self.host.target == X86Isa::Avx512;
        let away = |k: usize| state.is_away(node.args[k]);
        let of = |at: &[usize]| std::array::from_fn(|k| at.contains(&k));
        match node.f {
            _ if changes_places(node) => of(&[usize::from(away(1))]),
            ffma => of(&[usize::from(away(1)), 2]),
            sub | fless | fmore | fadd => of(&[1]),
            feq | flt | fle => of(&[1]),
            slt if !wide => of(&[0]),
            slt | ult => of(&[1]),
            sel => of(&[1]),
            bits => of(&[2]),
            shl | shr | sar | rotate if !wide || node.args[1] != Id::MAX => of(&[]),
            _ if tables::unary(node).is_some() && (wide || avx2::unary(node).is_some()) => of(&[0]),
            _ => of(&[]),
        }
    }

    /// The node's first two operands; one in memory goes last, where they may change places.
    pub(super) fn last_in_memory(&self, node: &Node, state: &Values) -> [Id; 2] {
        let [a, b, ..] = node.args;
        if state.is_away(a) && (node.f == F::ffma || changes_places(node)) { [b, a] } else { [a, b] }
    }

    pub(super) fn last(&self, id: Id, state: &Values) -> Done<Source> {
        match state.of.get(usize::from(id)) {
            Some(Some(Value::Word(r))) => Ok(Source::Word(*r)),
            Some(Some(Value::Away(home))) => Ok(Source::Memory(*home)),
            _ => Err(Refused),
        }
    }

    /// Where a home is in memory; a word of AVX-512's, for all lanes.
    pub(super) fn row_or_word(&mut self, home: Home) -> MemoryOperand {
        let word = match home {
            Home::Vgpr(v, chunk) => return self.register_at(v, chunk),
            Home::Scalar(i) => scalar_at(SCALARS, i),
            Home::Constant(v) if self.host.target == X86Isa::Avx2 => return self.constants_at(&[v; 8]),
            Home::Constant(v) => self.constant(v),
        };
        MemoryOperand { is_broadcast: true, ..word }
    }

    pub(super) fn vector(&self, r: Reg) -> Register {
        match self.host.target {
            X86Isa::Avx512 => zmm(r),
            X86Isa::Avx2 => ymm(r),
        }
    }

    pub(super) fn last2(&mut self, code: Code, d: Register, a: Source) -> Done<&mut Instruction> {
        match a {
            Source::Word(r) => self.op2(code, d, self.vector(r)),
            Source::Memory(home) => {
                let at = self.row_or_word(home);
                self.push(Instruction::with2(code, d, at))
            }
        }
    }

    pub(super) fn last3(&mut self, code: Code, d: Register, a: Reg, b: Source) -> Done<&mut Instruction> {
        let a = self.vector(a);
        match b {
            Source::Word(r) => self.op3(code, d, a, self.vector(r)),
            Source::Memory(home) => {
                let at = self.row_or_word(home);
                self.push(Instruction::with3(code, d, a, at))
            }
        }
    }

    /// Of one operand, with an immediate.
    pub(super) fn last2_imm(&mut self, code: Code, d: Register, a: Source, i: i32) -> Done<&mut Instruction> {
        match a {
            Source::Word(r) => self.imm2(code, d, self.vector(r), i),
            Source::Memory(home) => {
                let at = self.row_or_word(home);
                self.push(Instruction::with3(code, d, at, i))
            }
        }
    }

    pub(super) fn last3_imm(&mut self, code: Code, d: Register, a: Reg, b: Source, i: i32) -> Done<&mut Instruction> {
        let a = self.vector(a);
        match b {
            Source::Word(r) => self.imm3(code, d, a, self.vector(r), i),
            Source::Memory(home) => {
                let at = self.row_or_word(home);
                self.push(Instruction::with4(code, d, a, at, i))
            }
        }
    }

    /// All lanes of it.
    pub(super) fn bring_all(&mut self, d: Reg, s: Source) -> Done<()> {
        match s {
            Source::Word(r) => self.copy(d, r),
            Source::Memory(home) => self.bring(d, home),
        }
    }

    /// The lanes of EXEC.
    pub(super) fn bring_live(&mut self, d: Reg, s: Source) -> Done<()> {
        match s {
            Source::Word(r) => self.merge(d, r),
            Source::Memory(home) if self.host.target == X86Isa::Avx512 => {
                self.bring(d, home)?;
                let live = self.live();
                self.code.last_mut().ok_or(Refused)?.set_op_mask(live);
                Ok(())
            }
            Source::Memory(_) => Err(Refused),
        }
    }

    /// a · b + c, in a temporary.
    pub(super) fn multiply_add(&mut self, node: &Node, codes: [Code; 2], state: &Values) -> Done<Reg> {
        let [sum, product] = codes;
        let ([a, b], c) = (self.last_in_memory(node, state), node.args[2]);
        let dies = |e: &Self, id: Id| {
            e.word(id, state).ok().filter(|&r| state.uses[usize::from(id)] == 1 && e.registers.dies(r))
        };
        let (x, y, z) = (self.word(a, state)?, self.last(b, state)?, self.last(c, state)?);
        let (d, code, x, last) = if let Some(d) = dies(self, c) {
            (d, sum, x, y)
        } else if let (Some(d), Source::Word(y)) = (dies(self, a), y) {
            (d, product, y, z)
        } else if let (Some(d), Source::Word(_)) = (dies(self, b), y) {
            (d, product, x, z)
        } else {
            let d = self.temporary()?;
            self.bring_all(d, z)?;
            self.last3(sum, self.vector(d), x, y)?;
            return Ok(d);
        };
        self.registers.pin(d);
        self.last3(code, self.vector(d), x, last)?;
        Ok(d)
    }

    /// a · b + c, into the home that `into` finds, whose register is pinned once more; the addend by `first`.
    pub(super) fn multiply_add_into(
        &mut self,
        (node, codes): (&Node, [Code; 2]),
        state: &Values,
        into: impl FnOnce(&mut Self) -> Done<Reg>,
        first: impl FnOnce(&mut Self, Reg, Source) -> Done<()>,
    ) -> Done<Reg> {
        let [sum, product] = codes;
        let ([a, b], c) = (self.last_in_memory(node, state), node.args[2]);
        let (x, mut y, z) = (self.word(a, state)?, self.last(b, state)?, self.last(c, state)?);
        let home = into(self)?;
        let is_home = |s: Source| matches!(s, Source::Word(r) if r == home);
        let mut loaded = None;
        if let (true, Source::Memory(of)) = (home == x && !is_home(z), y) {
            // It is a factor that the addend would write over.
            let r = self.home(of)?;
            (loaded, y) = (Some(r), Source::Word(r));
        }
        let (code, x, last) = match y {
            _ if is_home(z) => (sum, x, y),
            Source::Word(y) if home == x => (product, y, z),
            Source::Word(y) if home == y => (product, x, z),
            _ => {
                first(self, home, z)?;
                (sum, x, y)
            }
        };
        self.last3(code, self.vector(home), x, last)?;
        loaded.into_iter().for_each(|r| self.registers.unpin(r));
        Ok(home)
    }
}

/// Whether a node of two operands gives the same if they change places.
fn changes_places(node: &Node) -> bool {
    use F::*;
    match node.f {
        fadd => node.literal != LESS,
        add | mul | and | or | xor | smin | smax | umin | umax | fmul | eq => true,
        _ => false,
    }
}
