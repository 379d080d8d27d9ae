//! debugPrintfEXT (NonSemantic.DebugPrintf): a message of each lane to the thread trace, in turn.

use super::module::Instr;
use super::translate::Translator;
use super::types::Ty;
use crate::error::Result;
use crate::ir::{self, Alu, Value, Width};
use wavepipe_hw::site::{Argument, MAX_PAYLOAD, ScalarKind, SiteKind};

/// NonSemantic.DebugPrintf's one instruction.
const DEBUG_PRINTF: u32 = 1;

impl Translator<'_> {
    pub fn print(&mut self, i: &Instr<'_>) -> Result<()> {
        // A set of no semantics: what it does not have yet is nothing.
        if self.arg(i, 1)? != DEBUG_PRINTF {
            return Ok(());
        }
        let format = self.arg(i, 2)?;
        let Some(format) = self.m.strings.get(&format).cloned() else {
            return Err(self.malformed(i, format!("%{format} is no OpString")));
        };
        let (mut arguments, mut payload) = (Vec::new(), Vec::new());
        for &id in &i.args[3..] {
            let argument = self.argument_type(i, id)?;
            let mut dwords = Vec::new();
            if argument.components > 0 {
                for &v in self.flat(i, id)?.iter() {
                    self.printed(v, argument.scalar, &mut dwords);
                }
            }
            let fits = payload.len() + dwords.len() <= MAX_PAYLOAD;
            arguments.push(Argument { components: if fits { argument.components } else { 0 }, ..argument });
            payload.extend(dwords.into_iter().filter(|_| fits));
        }
        let site = self.site(i, SiteKind::Print { format, arguments })?;
        self.by_lanes(i, |t| {
            t.b.inst(ir::Op::Trace { site, finding: false }, payload, &[]);
        });
        Ok(())
    }

    /// How a value is sent; without components if it is no number and no vector.
    pub(super) fn argument_type(&self, i: &Instr<'_>, id: u32) -> Result<Argument> {
        Ok(self.printed_type(self.type_of(i, id)?))
    }

    /// The same of a type.
    pub(super) fn printed_type(&self, ty: u32) -> Argument {
        let (elem, components) = match *self.types.get(ty) {
            Ty::Vector { elem, n } => (elem, n),
            _ => (ty, 1),
        };
        let (scalar, width) = match *self.types.get(elem) {
            Ty::Bool => (ScalarKind::Bool, Width::B1),
            Ty::Int { width, signed: true } => (ScalarKind::Int, width),
            Ty::Int { width, signed: false } => (ScalarKind::Uint, width),
            Ty::Float(width) => (ScalarKind::Float, width),
            Ty::Pointer { .. } => (ScalarKind::Uint, Width::B64),
            _ => return Argument { scalar: ScalarKind::Uint, bits: 32, components: 0 },
        };
        Argument { scalar, bits: width.bits().max(32), components }
    }

    /// The dwords of a scalar.
    pub(super) fn printed(&mut self, v: Value, scalar: ScalarKind, out: &mut Vec<Value>) {
        let convert = match scalar {
            ScalarKind::Bool => Alu::BoolToInt,
            ScalarKind::Int => Alu::SConvert,
            ScalarKind::Uint => Alu::UConvert,
            ScalarKind::Float => Alu::FConvert,
        };
        match self.b.width(v) {
            Width::B64 => {
                out.push(self.b.alu(Alu::Lo32, Width::B32, &[v]));
                out.push(self.b.alu(Alu::Hi32, Width::B32, &[v]));
            }
            Width::B32 => out.push(v),
            _ => out.push(self.b.alu(convert, Width::B32, &[v])),
        }
    }
}
