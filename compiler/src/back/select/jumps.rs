//! Jumps: lanes leave a construct, or go on with its next round ([`super::control`]).

use super::control::{Frame, ResultSlot};
use super::*;
use crate::ir::{Exit, Label, Region};

impl Selector<'_> {
    /// `if (c) jump;`: the lanes just leave. What a `Break` carries in VGPRs is written by the lanes that stay, too: nothing reads
    /// it of them before they have left and written it themselves.
    pub(super) fn lone_jump(&mut self, c: Arg, arm: &Region, inverted: bool) -> Result<bool> {
        let (label, values, is_continue) = match &arm.exit {
            Exit::Break(l, v) => (*l, v, false),
            Exit::Continue(l, v) if v.is_empty() => (*l, v, true),
            _ => return Ok(false),
        };
        if !arm.nodes.is_empty() {
            return Ok(false);
        }
        let Some(t) = self.control.targets.iter().rposition(|t| t.label == label) else { return Ok(false) };
        if !values.is_empty() {
            let slots = self.control.targets[t].results.clone();
            if !slots.iter().all(|s| matches!(s, ResultSlot::Reg(p) if self.f.info(*p).bank == Bank::V)) {
                return Ok(false);
            }
            self.write(&slots, values);
        }
        let records = self.records(t, is_continue);
        if !records.is_empty() {
            let (w32, w64) = if inverted { (i::S_ANDN2_B32, i::S_ANDN2_B64) } else { (i::S_AND_B32, i::S_AND_B64) };
            let leaving = self.mask_op(w32, w64, &[EXEC, c]);
            for m in records {
                self.mask_into(i::S_OR_B32, i::S_OR_B64, m.into(), &[m.into(), leaving.into()]);
            }
        }
        let (w32, w64) = if inverted { (i::S_AND_B32, i::S_AND_B64) } else { (i::S_ANDN2_B32, i::S_ANDN2_B64) };
        self.mask_into(w32, w64, EXEC, &[EXEC, c]);
        let from = self.cur;
        self.check_dead();
        let to = self.destination(t, is_continue);
        self.f.blocks[from as usize].logical.push(to);
        Ok(true)
    }

    /// The masks that a divergent jump to target `t` adds its lanes to.
    fn records(&self, t: usize, is_continue: bool) -> Vec<Part> {
        let mut out = Vec::new();
        for f in self.control.frames.iter().rev() {
            let Frame::Target(n) = *f else { continue };
            let target = &self.control.targets[n];
            if n == t {
                if is_continue {
                    out.extend(target.cont);
                }
                break;
            }
            out.extend(target.past);
        }
        out
    }

    fn destination(&self, t: usize, is_continue: bool) -> BlockId {
        let target = &self.control.targets[t];
        target.latch.filter(|_| is_continue).unwrap_or(target.exit)
    }

    /// Where the next value of loop `t`'s scalar parameter `p` waits for the latch: one place for all `Continue`s, of
    /// which any may have no lanes.
    fn next_value(&mut self, t: usize, p: Part) -> Part {
        if let Some(&(_, next)) = self.control.targets[t].next.iter().find(|(param, _)| *param == p) {
            return next;
        }
        let next = self.f.reg(Bank::S, p.len.into());
        self.control.targets[t].next.push((p, next));
        next
    }

    pub(super) fn jump(&mut self, label: Label, values: &[Value], is_continue: bool) -> Result<()> {
        let Some(t) = self.control.targets.iter().rposition(|t| t.label == label) else {
            return Err(self.internal("a jump to a label that encloses nothing"));
        };
        let all_lanes = self.control.frames.iter().rev().take_while(|&&f| f != Frame::Target(t)).all(|f| match f {
            Frame::UniformIf => true,
            Frame::DivergentIf | Frame::DivergentCase => false,
            Frame::Target(n) => !self.control.targets[*n].info.divergent,
        });
        let mut slots =
            if is_continue { self.control.targets[t].params.clone() } else { self.control.targets[t].results.clone() };
        if is_continue && (!all_lanes || self.control.targets[t].cont.is_some()) {
            for s in &mut slots {
                match s {
                    ResultSlot::Reg(p) if self.f.info(*p).bank == Bank::S => *p = self.next_value(t, *p),
                    ResultSlot::Mask { reg, divergent: false } => *reg = self.next_value(t, *reg),
                    _ => {}
                }
            }
        }
        self.write(&slots, values);
        let to = self.destination(t, is_continue);
        self.set_logical(self.cur, &[to]);
        if all_lanes {
            let target = &self.control.targets[t];
            match (is_continue, target.cont, target.latch) {
                // Lanes may wait at the latch for their next iteration.
                (false, Some(_), Some(latch)) => {
                    self.mask_into(i::S_MOV_B32, i::S_MOV_B64, EXEC, &[Arg::Imm(0)]);
                    self.jump_to(latch);
                }
                _ => self.jump_to(to),
            }
            return Ok(());
        }
        for m in self.records(t, is_continue) {
            self.mask_into(i::S_OR_B32, i::S_OR_B64, m.into(), &[m.into(), EXEC]);
        }
        // Behind these, EXEC is made anew.
        if !matches!(self.control.frames.last(), Some(Frame::DivergentIf | Frame::DivergentCase)) {
            self.mask_into(i::S_MOV_B32, i::S_MOV_B64, EXEC, &[Arg::Imm(0)]);
            let dead = self.control.dead();
            self.jump_to(dead);
        }
        Ok(())
    }
}
