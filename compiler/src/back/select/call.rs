//! Functions and calls: registers by the convention of [`crate::back::calls`].
//!
//! What the convention fixes is noted here and numbered once all functions of the kernel are selected: only then is it known
//! which of the launch's registers somebody reads.

use super::control::{Frame, ResultSlot};
use super::launch::Argument;
use super::*;
use crate::Options;
use crate::analysis::divergence::SCALAR_DWORDS;
use crate::back::calls::Convention;
use crate::back::spill;
use std::collections::BTreeSet;

/// What stands in a register that the convention fixes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Agreed {
    /// V# of the scratch ring.
    Ring,
    Frame,
    /// Return address.
    Back,
    /// Address of the function called.
    Target,
    /// Dword of the parameters, by bank; vector dwords are those of results too.
    Scalar(u32),
    Vector(u32),
}

/// What a kernel's functions know of each other, and what this one has of the convention.
#[derive(Default)]
pub(super) struct Calls<'a> {
    /// All functions, and what is known of their values; empty if the kernel has none.
    pub functions: &'a [Kernel],
    pub divergence: &'a [Divergence],
    /// This is a function, not the kernel.
    pub called: bool,
    pub agreed: Vec<(u32, Agreed)>,
    ring: Option<Part>,
    frame: Option<Part>,
    /// Return address of this function.
    back: Option<Part>,
}

/// A kernel's code, that of its functions, and what they stand on.
pub struct Selected {
    pub funcs: Vec<Func>,
    /// Of each: what its source variables are.
    pub kept: Vec<Kept>,
    /// Of each: V# and frame pointer for spilling.
    pub scratch: Vec<spill::Scratch>,
    pub launch: LaunchInfo,
    pub convention: Convention,
}

/// VGPRs for SGPRs that are spilled.
const LANES_FOR_SGPRS: u32 = 8;

/// Translates a kernel and its functions.
pub fn select_all(
    kernel: &Kernel,
    divergence: &(Divergence, Vec<Divergence>),
    options: &Options<'_>,
    reserve_scratch: bool,
) -> Result<Selected> {
    let (main, others) = divergence;
    if kernel.functions.is_empty() {
        let (f, launch, kept) = select(kernel, main, options, reserve_scratch)?;
        let scratch = vec![launch.scratch];
        let kept = vec![kept];
        return Ok(Selected { funcs: vec![f], kept, scratch, launch, convention: Convention::default() });
    }
    let calls = |called| Calls { functions: &kernel.functions, divergence: others, called, ..Calls::default() };
    let mut parts = vec![translate(kernel, main, options, true, calls(false))?];
    let mut made = parts[0].f.insts().count();
    for (f, facts) in kernel.functions.iter().zip(others) {
        let part = translate(f, facts, options, true, calls(true))?;
        made += part.f.insts().count();
        super::bounded(made)?;
        parts.push(part);
    }
    agree(parts)
}

/// One body: its code, what it wants of the launch, and of the convention.
pub(super) struct Translated {
    pub f: Func,
    pub launch: Launch,
    pub agreed: Vec<(u32, Agreed)>,
    pub scratch: spill::Scratch,
    pub kept: Kept,
}

/// Gives all bodies the same registers for the same things.
fn agree(mut parts: Vec<Translated>) -> Result<Selected> {
    let mut arguments: BTreeSet<Argument> = BTreeSet::new();
    let mut ids = [false; 3];
    let mut window = 0;
    for p in &parts {
        arguments.extend(p.launch.arguments.keys());
        ids.iter_mut().zip(&p.launch.ids).for_each(|(all, id)| *all |= id.is_some());
        let resident = p.f.regs.iter().filter(|r| r.resident && r.bank == Bank::V);
        window = resident.map(|r| u32::from(r.dwords)).sum::<u32>().max(window);
    }
    let (mut launch, places) = launch::places(arguments.into_iter(), ids)?;
    let ring = launch.sgprs.next_multiple_of(4);
    let back = ring + 6;
    let scalar = back + 4;
    let vector = launch.tidig_comp_cnt + 1;
    for p in &mut parts {
        launch::fix(&mut p.f, &p.launch, &places);
        for &(r, what) in &p.agreed {
            p.f.regs[r as usize].fixed = Some(match what {
                Agreed::Ring => Src::s(ring),
                Agreed::Frame => Src::s(ring + 4),
                Agreed::Back => Src::s(back),
                Agreed::Target => Src::s(back + 2),
                Agreed::Scalar(n) => Src::s(scalar + n),
                Agreed::Vector(n) => Src::v(vector + n),
            });
        }
    }
    launch.sgprs = launch.sgprs.max(scalar);
    launch.scratch = parts[0].scratch;
    Ok(Selected {
        scratch: parts.iter().map(|p| p.scratch).collect(),
        kept: parts.iter_mut().map(|p| std::mem::take(&mut p.kept)).collect(),
        funcs: parts.into_iter().map(|p| p.f).collect(),
        launch,
        // Target and return address are free between calls.
        convention: Convention { sgprs: ring + 5, vgprs: vector, window: window + LANES_FOR_SGPRS },
    })
}

impl Selector<'_> {
    fn agreed(&mut self, what: Agreed, bank: Bank, dwords: u32) -> Part {
        let p = self.f.reg(bank, dwords);
        self.f.regs[p.reg as usize].align = 1;
        self.calls.agreed.push((p.reg, what));
        p
    }

    /// V# of the scratch ring and this function's frame pointer.
    pub(super) fn frame(&mut self) -> (Part, Part) {
        if let (Some(ring), Some(frame)) = (self.calls.ring, self.calls.frame) {
            return (ring, frame);
        }
        let ring = self.agreed(Agreed::Ring, Bank::S, 4);
        let frame = self.agreed(Agreed::Frame, Bank::S, 1);
        (self.calls.ring, self.calls.frame) = (Some(ring), Some(frame));
        (ring, frame)
    }

    /// What stands in its registers when the function, or the kernel, begins. A kernel makes the frame pointer.
    pub(super) fn begin_calls(&mut self) {
        if self.calls.functions.is_empty() {
            return;
        }
        let (ring, frame) = self.frame();
        if !self.calls.called {
            let address = self.ring_address();
            self.scalar_read(i::S_LOAD_DWORDX4, ring, address, (Arg::None, 0));
            let wave = self.wave_offset();
            let bytes = self.k.shared_scratch * self.f.wave.lanes();
            self.raw(i::S_ADD_U32, &[frame.into()], &[wave.into(), Arg::Imm(bytes)]);
            return;
        }
        let back = self.agreed(Agreed::Back, Bank::S, 2);
        let mut defs: Vec<Arg> = vec![ring.into(), frame.into(), back.into()];
        let address = self.new_s(2);
        let mut copy = Inst::pseudo(Pseudo::Copy, vec![address.into()], vec![back.into()]);
        let homes: Vec<Home> = self.k.params.iter().map(|&p| self.home(p)).collect();
        for (&p, from) in self.k.params.iter().zip(self.parameters(self.k, &homes)) {
            let to = self.f.reg(self.f.info(from).bank, from.len.into());
            defs.push(from.into());
            copy.dst.push(to.into());
            copy.src.push(from.into());
            self.set_reg(p, to);
        }
        self.launch.defs = defs;
        self.calls.back = Some(address);
        self.push(copy);
    }

    /// Fixed registers for the parameters of `f`.
    fn parameters(&mut self, f: &Kernel, homes: &[Home]) -> Vec<Part> {
        let (mut s, mut v) = (0, 0);
        let mut out = Vec::new();
        for (&p, &home) in f.params.iter().zip(homes) {
            let dwords = f.width(p).bits().div_ceil(32);
            let (bank, at, what): (_, _, fn(u32) -> Agreed) = match home {
                Home::Scalar => (Bank::S, &mut s, Agreed::Scalar),
                _ => (Bank::V, &mut v, Agreed::Vector),
            };
            let what = what(*at);
            *at += dwords;
            out.push(self.agreed(what, bank, dwords));
        }
        debug_assert!(s <= SCALAR_DWORDS);
        out
    }

    fn results(&mut self, widths: &[Width]) -> Vec<Part> {
        let mut at = 0;
        let mut out = Vec::new();
        for w in widths {
            let dwords = w.bits().div_ceil(32);
            out.push(self.agreed(Agreed::Vector(at), Bank::V, dwords));
            at += dwords;
        }
        out
    }

    /// One parallel copy, or none where there is nothing to copy.
    fn copy_all(&mut self, words: Vec<(Part, Arg)>) {
        if !words.is_empty() {
            let (to, from) = words.into_iter().map(|(to, from)| (Arg::from(to), from)).unzip();
            self.push(Inst::pseudo(Pseudo::Copy, to, from));
        }
    }

    pub(super) fn call(&mut self, function: u32, inst: &IrInst) -> Result<()> {
        let (functions, facts) = (self.calls.functions, self.calls.divergence);
        let (Some(f), Some(facts)) = (functions.get(function as usize), facts.get(function as usize)) else {
            return Err(self.internal("a call of a function that is not there"));
        };
        let homes: Vec<Home> = f.params.iter().map(|&p| facts.home(p)).collect();
        let params = self.parameters(f, &homes);
        let mut words: Vec<(Part, Arg)> = Vec::new();
        for (&v, &to) in inst.args.iter().zip(&params) {
            for (n, word) in (0..).zip(self.dwords(v)) {
                let word = if self.f.info(to).bank == Bank::S { self.to_s(word) } else { word };
                words.push((to.at(n), word));
            }
        }
        self.copy_all(words);
        let (ring, frame) = self.frame();
        let back = self.agreed(Agreed::Back, Bank::S, 2);
        let target = self.agreed(Agreed::Target, Bank::S, 2);
        let results = self.results(&f.results);
        let mut call = Inst::pseudo(Pseudo::Call, vec![back.into(), target.into()], vec![frame.into(), ring.into()]);
        call.dst.extend(results.iter().map(|&p| Arg::from(p)));
        call.src.extend(params.into_iter().map(Arg::from));
        call.imm = function as i32;
        self.push(call);
        let mut kept = Vec::new();
        for (&r, from) in inst.results.iter().zip(results) {
            let to = self.new_v(from.len.into());
            kept.push((to, from.into()));
            self.set_reg(r, to);
        }
        self.copy_all(kept);
        // What the block has made so far would have to live across the call.
        self.literals.clear();
        self.vector_constants.clear();
        self.doubles = Default::default();
        Ok(())
    }

    /// A function's body, under lanes of which the caller may have more, up to `end`; its results go to `values`. Some: lanes
    /// may be lost where control comes to `end`, and these are those that the function began with.
    fn in_lanes_of_caller(&mut self, values: &[Part], end: BlockId) -> Result<Option<Part>> {
        let (entry, at) = (self.f.order[0] as usize, 1);
        self.control.dead.push(end);
        self.control.frames.push(Frame::DivergentIf);
        let slots: Vec<ResultSlot> = values.iter().map(|&p| ResultSlot::Reg(p)).collect();
        let body = &self.k.body;
        self.region(body, &slots)?;
        let cur = self.cur as usize;
        if self.f.blocks[cur].logical.is_empty() {
            self.f.blocks[cur].logical = vec![end];
        }
        let goes = |b: &Block| matches!(b.term, Term::Jump(t) | Term::Branch { target: t, .. } if t == end);
        if !self.f.blocks.iter().any(goes) {
            return Ok(None);
        }
        let saved = self.new_mask();
        let op = if self.wave64() { i::S_MOV_B64 } else { i::S_MOV_B32 };
        self.f.blocks[entry].insts.insert(at, Inst::isa(op, vec![saved.into()], vec![EXEC]));
        Ok(Some(saved))
    }

    /// A function's body and its return.
    pub(super) fn function_body(&mut self) -> Result<()> {
        let end = self.new_block();
        let widths = self.k.results.clone();
        let values: Vec<Part> = widths.iter().map(|w| self.new_v(w.bits().div_ceil(32))).collect();
        let arrived = self.in_lanes_of_caller(&values, end)?;
        self.begin(end);
        // Where lanes were lost on the way, the caller's come back.
        if let Some(saved) = arrived {
            self.mask_into(i::S_MOV_B32, i::S_MOV_B64, EXEC, &[saved.into()]);
        }
        let results = self.results(&widths);
        self.copy_all(results.iter().copied().zip(values.into_iter().map(Arg::from)).collect());
        let Some(back) = self.calls.back else { return Err(self.internal("a function without a return address")) };
        let mut src = vec![Arg::from(back)];
        src.extend(results.into_iter().map(Arg::from));
        self.push(Inst::pseudo(Pseudo::Return, vec![], src));
        self.f.blocks[end as usize].term = Term::Return;
        Ok(())
    }
}
