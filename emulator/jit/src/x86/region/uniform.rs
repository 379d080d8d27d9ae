//! Loads from LDS at an address that is known to be one for all live lanes: loops over what a work-group shares have no other ones.
//!
//! ```text
//! known:  of each register, the scalar or the constant that a move put into all live lanes: until either is written, EXEC changes, or
//!         the node ends
//! load:   one check, and one word for all lanes of all chunks
//! ```

use super::super::emit::{Done, lanes_at};
use super::super::registers::Home;
use super::choose::loaded;
use super::{Builder, Code, Instruction, Register};
use crate::items::Item;
use crate::record::F;
use crate::step::{EXEC, Plan, ResultPlace, operand};
use wavepipe_core::wave::{Access, Across, Act, Motion, Node, Operand, Origin, Shared, Step};
use wavepipe_isa::Src;

/// What registers hold in all live lanes, where that is known.
#[derive(Default)]
pub struct Uniform {
    of: Vec<(u32, Shared)>,
}

impl Uniform {
    /// What is known behind an item.
    pub fn saw(&mut self, item: &Item<'_>) {
        let scalars = item.scalars();
        if scalars.has(EXEC) || scalars.has(EXEC + 1) {
            return self.of.clear();
        }
        self.of.retain(|(_, word)| !matches!(word, Shared::Scalar(i) if scalars.has(*i)));
        match item {
            Item::Step(_, step, plan) => {
                plan.vectors_written().for_each(|v| self.forget(v));
                self.of.extend(moved(step, plan));
            }
            Item::Access(_, access) => loaded(access).for_each(|v| self.forget(v)),
            Item::Across(_, Across::Write { to, .. } | Across::Take { to, .. } | Across::Give { to, .. }) => {
                self.forget(*to)
            }
            Item::Across(_, Across::Read { .. }) | Item::Fetch(..) | Item::Pc(..) | Item::Wait => {}
            Item::Halt(..) | Item::Call(_) => self.of.clear(),
        }
    }

    fn forget(&mut self, v: u32) {
        self.of.retain(|(w, _)| *w != v);
    }

    /// The offset of all live lanes of a load from LDS.
    pub fn offset(&self, access: &Access) -> Option<Shared> {
        let loads = access.motion == Motion::Load && access.element.is_none() && access.place == Origin::Lds;
        let address = access.address.filter(|_| loads)?;
        self.of.iter().find(|(v, _)| *v == address).map(|(_, word)| *word)
    }
}

/// A register that becomes one word in all live lanes, and that word.
fn moved(step: &Step, plan: &Plan) -> Option<(u32, Shared)> {
    let &[(ResultPlace::Vgpr(v), id)] = &plan.results[..] else { return None };
    let node = plan.nodes.get(usize::from(id)).filter(|_| step.movement.is_none())?;
    let word = match (node.f, operand(step, node.literal)) {
        (F::literal, _) => Shared::Constant(node.literal),
        // Scalars behind NULL may change by themselves.
        (F::source, Some(Operand::Scalar(words))) => {
            let i = words[node.literal as usize & 1];
            Shared::Scalar(Some(i).filter(|&i| u16::from(i) < Src::NULL.0)?)
        }
        _ => return None,
    };
    Some((v, word))
}

impl Builder<'_> {
    pub(super) fn load_uniform(&mut self, act: &Act, access: &Access, node: &Node, offset: Shared) -> Done<()> {
        let (slow, on) = self.with_slow_way(act, node, &[])?;
        match offset {
            Shared::Constant(c) => {
                self.e.push(Instruction::with2(Code::Mov_r32_imm32, Register::EDI, c))?;
            }
            Shared::Scalar(i) => self.e.with_scalar(Code::Mov_r32_rm32, Register::EDI, i)?,
        }
        self.lds(access, slow)?;
        self.e.push(Instruction::with2(Code::Cmp_r64_rm64, Register::RDI, Register::RCX))?;
        self.jump(Code::Ja_rel32_64, slow)?;
        let mut values = Vec::new();
        for part in access.parts.iter().flatten() {
            for dword in 0..access.dwords {
                let r = self.e.temporary()?;
                self.e.broadcast(r, lanes_at(Register::RDI, (part.offset + 4 * dword).into()))?;
                values.push((part.data + dword, r));
            }
        }
        for chunk in 0..self.e.chunks() {
            self.e.live_lanes(chunk)?;
            for &(v, r) in &values {
                let home = self.e.home(Home::Vgpr(v, chunk))?;
                self.e.merge(home, r)?;
                self.e.registers.soil(home);
                self.e.registers.unpin(home);
            }
        }
        values.into_iter().for_each(|(_, r)| self.e.registers.unpin(r));
        self.e.settle()?;
        self.here(on);
        Ok(())
    }
}
