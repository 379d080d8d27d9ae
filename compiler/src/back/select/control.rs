//! Control flow: regions to blocks, and EXEC where lanes part.
//!
//! Uniform conditions branch on SCC. A divergent `If` narrows EXEC for each arm and joins with the lanes that arrive:
//!   saved = EXEC; EXEC &= c;  then;  EXEC = saved & ~c;  else;  EXEC = saved
//! A jump that not all lanes of a construct take removes its lanes from EXEC instead of branching:
//!   - `Break` of L needs nothing more: L's exit sets EXEC to what it was at L's entry, minus L's `past`;
//!   - `Continue` of L adds them to L's `cont`, which L's latch puts back into EXEC;
//!   - every construct between that lanes would wait in adds them to its `past`, so that its exit leaves them out.
//! Wherever EXEC may have become empty, control branches to the region's `dead` block: the next place where lanes may
//! come back. Nothing with a scalar effect therefore runs without lanes.
//! Values cross by moves in the jumping lanes: into VGPRs under EXEC, or merged into masks.

use super::regions::{cheap, is_empty, jumps_out};
use super::*;
use crate::analysis::divergence::LabelInfo;
use crate::ir::{Exit, Label, Node, Region};

#[derive(Default)]
pub(super) struct Control {
    pub(super) frames: Vec<Frame>,
    pub(super) targets: Vec<LabelTarget>,
    pub(super) dead: Vec<BlockId>,
    /// Points of the structured nodes around here, if source variables are followed.
    inside: Vec<u32>,
    pub(super) slots: HashSet<u32>,
    pub(super) arrivals: HashMap<BlockId, Vec<u32>>,
}

impl Control {
    /// Some lanes may be waiting elsewhere.
    pub(super) fn divergent(&self) -> bool {
        self.frames.iter().any(|f| match f {
            Frame::UniformIf => false,
            Frame::DivergentIf | Frame::DivergentCase => true,
            Frame::Target(t) => self.targets[*t].info.divergent,
        })
    }

    pub(super) fn dead(&self) -> BlockId {
        self.dead.last().copied().unwrap_or(0)
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Frame {
    UniformIf,
    DivergentIf,
    /// In a case of a switch that each lane enters by a value of its own.
    DivergentCase,
    /// Index into `targets`.
    Target(usize),
}

/// A loop or block that is being translated.
pub(super) struct LabelTarget {
    pub(super) label: Label,
    pub(super) info: LabelInfo,
    /// Where `Continue` goes.
    pub(super) latch: Option<BlockId>,
    pub(super) exit: BlockId,
    /// Lanes that jumped past the exit, and to the latch.
    pub(super) past: Option<Part>,
    pub(super) cont: Option<Part>,
    pub(super) params: Vec<ResultSlot>,
    /// Scalar parameters' and uniform masks' next values, where a divergent `Continue` must not touch the current ones.
    pub(super) next: Vec<(Part, Part)>,
    pub(super) results: Vec<ResultSlot>,
}

/// Lanes that were active where a construct was entered, and those that jumped past its exit.
pub(super) struct Waiting {
    entry: Option<Part>,
    past: Option<Part>,
}

/// Where a value that several edges give is collected.
#[derive(Clone, Copy)]
pub(super) enum ResultSlot {
    Reg(Part),
    Mask { reg: Part, divergent: bool },
}

/// How translation of a region ended.
#[derive(PartialEq)]
pub(super) enum Flow {
    Falls,
    Jumped,
}

impl Selector<'_> {
    pub(super) fn kernel_body(&mut self) -> Result<()> {
        let end = self.new_block();
        self.control.dead.push(end);
        let body = &self.k.body;
        self.region(body, &[])?;
        let cur = self.cur as usize;
        if self.f.blocks[cur].logical.is_empty() {
            self.f.blocks[cur].logical = vec![end];
        }
        self.begin(end);
        self.f.blocks[end as usize].term = Term::End;
        Ok(())
    }

    /// Emits a region; a `Yield` writes `slots`.
    pub(super) fn region(&mut self, r: &Region, slots: &[ResultSlot]) -> Result<Flow> {
        for n in &r.nodes {
            match n {
                Node::Inst(i) => self.inst(i)?,
                Node::If { cond, then, els, results, loc } => {
                    self.enter(*loc);
                    let slots = self.slots(results)?;
                    if self.div.divergent(*cond) {
                        self.divergent_if(*cond, then, els, &slots)?;
                    } else {
                        self.uniform_if(*cond, then, els, &slots)?;
                    }
                    self.bind(results, &slots);
                    self.left();
                }
                Node::Loop { label, params, init, body, results, loc } => {
                    self.enter(*loc);
                    self.construct(*label, Some((params, init)), body, results)?;
                    self.left();
                }
                Node::Block { label, body, results, loc } => {
                    self.enter(*loc);
                    self.construct(*label, None, body, results)?;
                    self.left();
                }
                Node::Switch { label, selector, cases, results, loc } => {
                    self.enter(*loc);
                    self.switch(*label, *selector, cases, results)?;
                    self.left();
                }
            }
        }
        let flow = self.exit(&r.exit, slots);
        self.behind();
        flow
    }

    fn exit(&mut self, exit: &Exit, slots: &[ResultSlot]) -> Result<Flow> {
        match exit {
            Exit::Yield(v) => {
                self.write(slots, v);
                Ok(Flow::Falls)
            }
            Exit::Break(l, v) => {
                self.jump(*l, v, false)?;
                Ok(Flow::Jumped)
            }
            Exit::Continue(l, v) => {
                self.jump(*l, v, true)?;
                Ok(Flow::Jumped)
            }
            Exit::Unreachable => Ok(Flow::Jumped),
        }
    }

    fn enter(&mut self, loc: Loc) {
        self.loc = self.loc.then(loc);
        self.control.inside.push(self.loc.point);
    }

    /// What follows is behind the innermost structured node's region, as far as source variables go.
    fn behind(&mut self) {
        if let (Some(&node), Some(named)) = (self.control.inside.last(), &self.k.named) {
            let after = named.point(node).after;
            self.loc.point = if after == 0 { node } else { after };
        }
    }

    fn left(&mut self) {
        self.behind();
        self.control.inside.pop();
    }

    // ---- values across edges ----

    pub(super) fn slots(&mut self, values: &[Value]) -> Result<Vec<ResultSlot>> {
        let mut out = Vec::new();
        for &v in values {
            let slot = match self.width(v) {
                Width::B1 => {
                    let divergent = self.div.divergent(v);
                    let reg = self.new_mask();
                    // Merging reads the old mask; it must be something.
                    self.mask_into(i::S_MOV_B32, i::S_MOV_B64, reg.into(), &[Arg::Imm(0)]);
                    ResultSlot::Mask { reg, divergent }
                }
                w if w.is_descriptor() && self.home(v) != Home::Scalar => {
                    return Err(self.unsupported("a choice between descriptors that differs between lanes"));
                }
                w => ResultSlot::Reg({
                    let bank = self.bank(v);
                    self.f.reg(bank, w.bits().div_ceil(32))
                }),
            };
            let (ResultSlot::Reg(p) | ResultSlot::Mask { reg: p, .. }) = slot;
            if self.k.named.is_some() {
                self.control.slots.insert(p.reg);
            }
            out.push(slot);
        }
        Ok(out)
    }

    pub(super) fn bind(&mut self, values: &[Value], slots: &[ResultSlot]) {
        for (&v, s) in values.iter().zip(slots) {
            let (ResultSlot::Reg(p) | ResultSlot::Mask { reg: p, .. }) = *s;
            if self.k.named.is_some() {
                self.control.arrivals.entry(self.cur).or_default().push(p.reg);
            }
            match *s {
                ResultSlot::Reg(p) => self.set_reg(v, p),
                ResultSlot::Mask { reg, .. } => self.set_bool(v, Bool::Mask(reg)),
            }
        }
    }

    /// slots = values, all at once, in the active lanes.
    pub(super) fn write(&mut self, slots: &[ResultSlot], values: &[Value]) {
        let mut copy = Inst::pseudo(Pseudo::Copy, vec![], vec![]);
        let mut merges = Vec::new();
        for (s, &v) in slots.iter().zip(values) {
            match *s {
                ResultSlot::Reg(p) => {
                    let words = match self.resource(v) {
                        Some(q) if q.len == p.len => (0..q.len.into()).map(|n| q.at(n).into()).collect(),
                        _ => self.dwords(v),
                    };
                    for (n, &w) in words.iter().enumerate() {
                        let w = if self.f.info(p).bank == Bank::S { self.to_s(w) } else { w };
                        if w != Arg::Reg(p.at(n as u32)) {
                            copy.dst.push(p.at(n as u32).into());
                            copy.src.push(w);
                        }
                    }
                }
                ResultSlot::Mask { reg, divergent: false } => {
                    let m = self.mask(v);
                    for n in 0..u32::from(reg.len) {
                        copy.dst.push(reg.at(n).into());
                        copy.src.push(m.part().map_or(m, |p| p.at(n).into()));
                    }
                }
                ResultSlot::Mask { reg, .. } => merges.push((reg, self.clean_mask(v))),
            }
        }
        for (reg, m) in merges {
            match m {
                Arg::Imm(_) => self.mask_into(i::S_ANDN2_B32, i::S_ANDN2_B64, reg.into(), &[reg.into(), EXEC]),
                EXEC => self.mask_into(i::S_OR_B32, i::S_OR_B64, reg.into(), &[reg.into(), EXEC]),
                m => {
                    let rest = self.mask_op(i::S_ANDN2_B32, i::S_ANDN2_B64, &[reg.into(), EXEC]);
                    self.mask_into(i::S_OR_B32, i::S_OR_B64, reg.into(), &[rest.into(), m]);
                }
            }
        }
        if !copy.dst.is_empty() {
            self.push(copy);
        }
    }

    // ---- ifs ----

    pub(super) fn set_logical(&mut self, b: BlockId, to: &[BlockId]) {
        self.f.blocks[b as usize].logical = to.to_vec();
    }

    pub(super) fn branch(&mut self, cond: Cond, target: BlockId) {
        self.f.blocks[self.cur as usize].term = Term::Branch { cond, target };
    }

    pub(super) fn jump_to(&mut self, target: BlockId) {
        self.f.blocks[self.cur as usize].term = Term::Jump(target);
    }

    fn uniform_if(&mut self, cond: Value, then: &Region, els: &Region, slots: &[ResultSlot]) -> Result<()> {
        let has_else = !is_empty(els);
        let (t, join) = (self.new_block(), self.new_block());
        let e = if has_else { self.new_block() } else { join };
        self.to_scc(cond);
        self.branch(Cond::Scc0, e);
        self.set_logical(self.cur, &[t, e]);
        self.control.frames.push(Frame::UniformIf);
        self.begin(t);
        if self.region(then, slots)? == Flow::Falls {
            self.set_logical(self.cur, &[join]);
            self.jump_to(join);
        }
        if has_else {
            self.begin(e);
            if self.region(els, slots)? == Flow::Falls {
                self.set_logical(self.cur, &[join]);
                self.jump_to(join);
            }
        }
        self.control.frames.pop();
        self.begin(join);
        Ok(())
    }

    fn divergent_if(&mut self, cond: Value, then: &Region, els: &Region, slots: &[ResultSlot]) -> Result<()> {
        let c = self.mask(cond);
        if is_empty(els) && self.lone_jump(c, then, false)? || is_empty(then) && self.lone_jump(c, els, true)? {
            return Ok(());
        }
        let (then_jumps, else_jumps) = (jumps_out(then), jumps_out(els));
        let has_else = !is_empty(els);
        let (t, join) = (self.new_block(), self.new_block());
        let e = if has_else || then_jumps { self.new_block() } else { join };
        // The condition is read again behind the first arm, where a jump may have given it, as a loop's parameter, its next
        // value.
        let c = if then_jumps { self.mask_op(i::S_MOV_B32, i::S_MOV_B64, &[c]).into() } else { c };
        let saved = self.mask_op(i::S_AND_SAVEEXEC_B32, i::S_AND_SAVEEXEC_B64, &[c]);
        if !cheap(then) {
            self.branch(Cond::Execz, e);
        }
        self.set_logical(self.cur, &[t, e]);
        self.control.frames.push(Frame::DivergentIf);

        self.begin(t);
        self.control.dead.push(e);
        let then_falls = self.region(then, slots)? == Flow::Falls;
        self.control.dead.pop();
        if then_falls {
            self.set_logical(self.cur, &[join]);
        }
        if e == join {
            self.control.frames.pop();
            self.begin(join);
            self.mask_into(i::S_MOV_B32, i::S_MOV_B64, EXEC, &[saved.into()]);
            return Ok(());
        }

        self.begin(e);
        // Lanes that came out of the first arm.
        let arrived = match (then_falls, then_jumps || else_jumps) {
            (true, true) => Some(self.mask_op(i::S_MOV_B32, i::S_MOV_B64, &[EXEC])),
            _ => None,
        };
        if then_jumps {
            self.mask_into(i::S_ANDN2_B32, i::S_ANDN2_B64, EXEC, &[saved.into(), c]);
        } else {
            // EXEC is still saved & c, or empty because that is.
            self.mask_into(i::S_XOR_B32, i::S_XOR_B64, EXEC, &[saved.into(), EXEC]);
        }
        let mut else_falls = true;
        if has_else {
            if !cheap(els) {
                let body = self.new_block();
                self.branch(Cond::Execz, join);
                self.set_logical(self.cur, &[body]);
                self.begin(body);
            }
            self.control.dead.push(join);
            else_falls = self.region(els, slots)? == Flow::Falls;
            self.control.dead.pop();
        }
        self.control.frames.pop();
        if else_falls {
            self.set_logical(self.cur, &[join]);
        }
        self.begin(join);
        if !then_jumps && !else_jumps {
            self.mask_into(i::S_MOV_B32, i::S_MOV_B64, EXEC, &[saved.into()]);
            return Ok(());
        }
        match (arrived, else_falls) {
            (Some(a), true) => self.mask_into(i::S_OR_B32, i::S_OR_B64, EXEC, &[EXEC, a.into()]),
            (Some(a), false) => self.mask_into(i::S_MOV_B32, i::S_MOV_B64, EXEC, &[a.into()]),
            (None, true) => {}
            (None, false) => self.mask_into(i::S_MOV_B32, i::S_MOV_B64, EXEC, &[Arg::Imm(0)]),
        }
        self.check_dead();
        Ok(())
    }

    /// Leaves the region if no lane is left.
    pub(super) fn check_dead(&mut self) {
        let dead = self.control.dead();
        let next = self.new_block();
        self.branch(Cond::Execz, dead);
        self.set_logical(self.cur, &[next]);
        self.begin(next);
    }

    // ---- loops and blocks ----

    fn construct(
        &mut self,
        label: Label,
        looped: Option<(&[Value], &[Value])>,
        body: &Region,
        results: &[Value],
    ) -> Result<()> {
        let info = self.div.label(label);
        let (params, init) = looped.unwrap_or((&[], &[]));
        let params_slots = self.slots(params)?;
        let result_slots = self.slots(results)?;
        self.write_initial(&params_slots, init);
        let waiting = self.waiting(info);
        let exit = self.new_block();
        let mut latch = None;
        let mut header = exit;
        let mut cont = None;
        if looped.is_some() {
            self.depth += 1;
            header = self.new_block();
            latch = Some(self.new_block());
            self.set_logical(self.cur, &[header]);
            self.begin(header);
            cont = info.divergent_continue.then(|| self.zero_mask());
        }
        self.bind(params, &params_slots);
        let dead = match (info.divergent, cont, latch) {
            (false, ..) => self.control.dead(),
            (true, Some(_), Some(latch)) => latch,
            _ => exit,
        };
        let t = self.control.targets.len();
        self.control.targets.push(LabelTarget {
            label,
            info,
            latch,
            exit,
            past: waiting.past,
            cont,
            params: params_slots,
            next: Vec::new(),
            results: result_slots.clone(),
        });
        self.control.frames.push(Frame::Target(t));
        self.control.dead.push(dead);
        if self.region(body, &result_slots)? == Flow::Falls {
            self.set_logical(self.cur, &[exit]);
            self.jump_to(exit);
        }
        self.control.dead.pop();
        self.control.frames.pop();
        let target = self.control.targets.pop();
        if let Some(latch) = latch {
            self.begin(latch);
            self.set_logical(latch, &[header]);
            for (p, next) in target.map(|t| t.next).unwrap_or_default() {
                let mut copy = Inst::pseudo(Pseudo::Copy, vec![], vec![]);
                for n in 0..p.len.into() {
                    copy.dst.push(p.at(n).into());
                    copy.src.push(next.at(n).into());
                }
                self.push(copy);
            }
            match cont {
                Some(c) => {
                    self.mask_into(i::S_OR_B32, i::S_OR_B64, EXEC, &[EXEC, c.into()]);
                    self.branch(Cond::Execnz, header);
                }
                None => self.jump_to(header),
            }
            self.depth -= 1;
        }
        self.leave(exit, waiting);
        self.bind(results, &result_slots);
        Ok(())
    }

    /// The masks that a construct's exit needs.
    pub(super) fn waiting(&mut self, info: LabelInfo) -> Waiting {
        let entry = info.divergent.then(|| self.mask_op(i::S_MOV_B32, i::S_MOV_B64, &[EXEC]));
        let past = (info.divergent && info.crossed).then(|| self.zero_mask());
        Waiting { entry, past }
    }

    /// A construct without a latch that jumps may name from here on.
    pub(super) fn open(&mut self, label: Label, exit: BlockId, waiting: &Waiting, results: Vec<ResultSlot>) {
        let t = self.control.targets.len();
        self.control.targets.push(LabelTarget {
            label,
            info: self.div.label(label),
            latch: None,
            exit,
            past: waiting.past,
            cont: None,
            params: Vec::new(),
            next: Vec::new(),
            results,
        });
        self.control.frames.push(Frame::Target(t));
    }

    pub(super) fn close(&mut self) {
        self.control.frames.pop();
        self.control.targets.pop();
    }

    /// The exit of a construct: all that entered it go on together, less those that jumped past.
    pub(super) fn leave(&mut self, exit: BlockId, waiting: Waiting) {
        self.begin(exit);
        match (waiting.entry, waiting.past) {
            (Some(e), Some(p)) => {
                self.mask_into(i::S_ANDN2_B32, i::S_ANDN2_B64, EXEC, &[e.into(), p.into()]);
                self.check_dead();
            }
            (Some(e), None) => self.mask_into(i::S_MOV_B32, i::S_MOV_B64, EXEC, &[e.into()]),
            _ => {}
        }
    }

    /// Loop parameters at entry: masks are copied whole.
    pub(super) fn write_initial(&mut self, slots: &[ResultSlot], values: &[Value]) {
        let whole: Vec<ResultSlot> = slots
            .iter()
            .map(|s| match *s {
                ResultSlot::Mask { reg, .. } => ResultSlot::Mask { reg, divergent: false },
                s => s,
            })
            .collect();
        self.write(&whole, values);
    }
}
