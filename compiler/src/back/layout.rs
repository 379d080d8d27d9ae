//! Where the pieces of the code stand, and how branches reach beyond 32,767 dwords.
//!
//! A branch holds its distance in 16 bits. One that is too far from its target goes to an *island*: an `s_branch` on the way
//! that takes control on, over as many islands as it takes; all branches to one target share them. An island needs no
//! register and no flag, so it is right wherever SCC, VCC, EXEC or any SGPR are live, and a conditional branch stays one
//! dword. LLVM and ACO rather replace the far branch itself by s_getpc, s_add, s_addc and s_setpc behind an inverted branch:
//! any distance in one hop, for two free SGPRs and SCC, which register allocation would have to keep at every branch
//! of a function whose length it does not know yet. Islands cost a hop of one branch in 32,767 dwords, and nothing where
//! they stand behind a jump; in the middle of straight code one more branch leads around them.
//!
//! Algorithm: one walk over the pieces, last to first, that knows exactly how many dwords follow the place where it is.
//! A branch forward finds its target laid; one backward waits for it. Targets that branches further up still want, and
//! branches that wait, stand in a queue with the last place where an island is in reach: all reach equally far, so
//! the queue is in order of need. Where the next gap would be too late for the first of them, islands are laid for all whose
//! need is near; in a gap that control does not cross, earlier. Since all distances forward are exact when the branch is laid,
//! so is the nop behind one of 0x3f dwords, which RDNA 1 gets wrong. Every piece and every island is looked at once.

use std::collections::{HashMap, VecDeque};

/// The branch distance in dwords that gfx10 gets wrong.
const BAD_DISTANCE: usize = 0x3f;

/// Dwords that a branch forward skips at most; one backward goes a dword further.
pub const REACH: usize = i16::MAX as usize;

/// Dwords before an island's last place from which it joins others, or takes a gap that control does not cross.
const NEAR: usize = 2048;
const NEAR_FREE: usize = 8192;
/// Dwords after which such a gap is thought about again.
const THOUGHT: usize = 128;

/// What hardware wants of branches.
#[derive(Clone, Copy, Debug)]
pub struct Quirks {
    /// A branch by [`BAD_DISTANCE`] goes astray.
    pub bad_distance: bool,
    /// A branch between LDS and vector memory instructions wants a wait ([`Laid::Wait`]).
    pub wait: bool,
}

/// Something that stays together: an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Dwords, at least one.
    pub words: u32,
    pub flow: Flow,
    /// Nothing may come between this piece and the one before.
    pub glued: bool,
}

/// Where control goes behind a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    Next,
    /// Nowhere.
    Stop,
    /// A branch to before the piece `target`, or to the end if there is none; `always`, or else to the next piece too.
    Branch {
        target: usize,
        always: bool,
    },
}

/// The code in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Laid {
    /// A piece by number; of a branch, with the distance in dwords from behind it.
    Piece(usize, i16),
    /// An `s_branch` that is no piece: an island, or the way around some.
    Branch(i16),
    /// One dword that lengthens the branch before it.
    Nop,
    /// Follows in straight code where islands were put: a branch between LDS and vector memory instructions is a hazard
    /// (LdsBranchVmemWARHazard) that `s_waitcnt_vscnt null, 0` before the branch resolves.
    Wait,
}

/// Why an island is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Want {
    /// Branches before here go forward to the target.
    Target,
    /// Branches behind here go backward to it.
    Waiting,
}

/// A target that wants an island before `last` dwords follow.
#[derive(Clone, Copy, Debug)]
struct Need {
    target: usize,
    want: Want,
    last: usize,
}

struct Layout<'a> {
    quirks: Quirks,
    pieces: &'a [Piece],
    /// Dwords and branches of the pieces before each.
    dwords: Vec<usize>,
    branches: Vec<usize>,
    /// By target: the first branch that goes forward to it, and how many of them are not laid yet.
    first: Vec<usize>,
    left: Vec<usize>,
    /// Dwords behind the target's start or its nearest island.
    anchor: Vec<usize>,
    /// Branches laid that go back to a target: index in `out`, and dwords behind them.
    waiting: HashMap<usize, Vec<(usize, usize)>>,
    needs: VecDeque<Need>,
    /// Needs that are not met yet.
    open: usize,
    /// Last first.
    out: Vec<Laid>,
    /// Dwords in `out`.
    at: usize,
    /// Where a gap that control does not cross was last thought about.
    thought: usize,
}

/// The pieces with what has to stand between them, and the distance of each branch.
pub fn lay(pieces: &[Piece], quirks: &Quirks) -> Result<Vec<Laid>, String> {
    let n = pieces.len();
    let mut l = Layout {
        quirks: *quirks,
        pieces,
        dwords: Vec::with_capacity(n + 1),
        branches: Vec::with_capacity(n + 1),
        first: vec![usize::MAX; n + 1],
        left: vec![0; n + 1],
        anchor: vec![0; n + 1],
        waiting: HashMap::new(),
        needs: VecDeque::new(),
        open: 0,
        out: Vec::with_capacity(n),
        at: 0,
        thought: 0,
    };
    let (mut dwords, mut branches) = (0, 0);
    for (k, p) in pieces.iter().enumerate() {
        l.dwords.push(dwords);
        l.branches.push(branches);
        dwords += p.words as usize;
        if let Flow::Branch { target, .. } = p.flow {
            branches += 1;
            if target > k {
                l.first[target] = l.first[target].min(k);
                l.left[target] += 1;
            }
        }
    }
    l.dwords.push(dwords);
    l.branches.push(branches);
    l.label(n)?;
    // Most dwords that come before the next gap above.
    let mut step = 0;
    let mut steps = vec![0; n];
    for (k, p) in pieces.iter().enumerate() {
        // A nop behind the branch counts.
        let words = p.words as usize + usize::from(matches!(p.flow, Flow::Branch { .. }));
        step = if p.glued { step + words } else { words };
        steps[k] = step;
    }
    for k in (0..n).rev() {
        if pieces.get(k + 1).is_none_or(|p| !p.glued) {
            l.gap(k, steps[k])?;
        }
        l.piece(k)?;
        l.label(k)?;
    }
    l.out.reverse();
    Ok(l.out)
}

impl Layout<'_> {
    fn put(&mut self, laid: Laid, words: usize) {
        self.out.push(laid);
        self.at += words;
    }

    fn need(&mut self, target: usize, want: Want, from: usize) {
        self.needs.push_back(Need { target, want, last: from + REACH });
        self.open += 1;
    }

    /// Nothing has met the need since it arose.
    fn is_open(&self, need: &Need) -> bool {
        let from = need.last - REACH;
        match need.want {
            Want::Target => self.left[need.target] > 0 && self.anchor[need.target] == from,
            Want::Waiting => self.waiting.get(&need.target).is_some_and(|w| w[0].1 == from),
        }
    }

    /// The place before piece `k`.
    fn label(&mut self, k: usize) -> Result<(), String> {
        if let Some(waiting) = self.waiting.remove(&k) {
            self.open -= 1;
            self.resolve(&waiting)?;
        }
        if self.left[k] > 0 {
            self.anchor[k] = self.at;
            self.need(k, Want::Target, self.at);
        }
        Ok(())
    }

    /// What waited goes to here.
    fn resolve(&mut self, waiting: &[(usize, usize)]) -> Result<(), String> {
        for &(index, behind) in waiting {
            let far = i16::try_from(behind as i64 - self.at as i64).map_err(|_| self.failed())?;
            match &mut self.out[index] {
                Laid::Piece(_, distance) | Laid::Branch(distance) => *distance = far,
                Laid::Nop | Laid::Wait => {}
            }
        }
        Ok(())
    }

    /// Distance to `anchor` from here; with a nop laid if that is one that the hardware gets wrong.
    fn forward(&mut self, anchor: usize) -> Result<i16, String> {
        if self.quirks.bad_distance && self.at - anchor == BAD_DISTANCE {
            self.put(Laid::Nop, 1);
        }
        i16::try_from(self.at - anchor).map_err(|_| self.failed())
    }

    fn piece(&mut self, k: usize) -> Result<(), String> {
        let piece = self.pieces[k];
        let mut distance = 0;
        if let Flow::Branch { target, .. } = piece.flow {
            if target > k {
                distance = self.forward(self.anchor[target])?;
                self.left[target] -= 1;
                self.open -= usize::from(self.left[target] == 0);
            } else {
                self.wait(target);
            }
        }
        self.put(Laid::Piece(k, distance), piece.words as usize);
        Ok(())
    }

    /// The branch that is laid next goes back to `target`.
    fn wait(&mut self, target: usize) {
        let this = (self.out.len(), self.at);
        let waiting = self.waiting.entry(target).or_default();
        waiting.push(this);
        if waiting.len() == 1 {
            self.need(target, Want::Waiting, self.at);
        }
    }

    /// What is wanted is in reach even after `more` dwords here, if nothing but nops comes between.
    fn fits(&self, need: &Need, k: usize, more: usize) -> bool {
        let (to, slack) = match need.want {
            Want::Target => (self.first[need.target] + 1, 0),
            Want::Waiting => (need.target, 1),
        };
        let dwords = self.dwords[k + 1] - self.dwords[to];
        let nops = self.branches[k + 1] - self.branches[to];
        self.at + more + dwords + nops <= need.last + slack
    }

    /// The gap behind piece `k`, `step` dwords before the next one above: lays islands, if it must or if it costs nothing.
    fn gap(&mut self, k: usize, step: usize) -> Result<(), String> {
        let free = match self.pieces[k].flow {
            Flow::Stop => true,
            Flow::Branch { always, .. } => always,
            Flow::Next => false,
        };
        // Islands, with what may come around them here and at the next gap.
        let pool = self.open + 8;
        if 3 * pool > REACH {
            return Err(self.failed());
        }
        let early = if free && self.at >= self.thought + THOUGHT { NEAR_FREE } else { 0 };
        if early > 0 {
            self.thought = self.at;
        }
        while self.needs.front().is_some_and(|n| !self.is_open(n)) {
            self.needs.pop_front();
        }
        let due = |n: &&Need| n.last < self.at + step + pool + early;
        let wanted = self.needs.iter().take_while(due).any(|n| self.is_open(n) && !self.fits(n, k, 0));
        if !wanted {
            return Ok(());
        }
        let near = self.at + 2 * pool + step + if free { NEAR_FREE } else { NEAR };
        let (before, mut kept) = (self.at, Vec::new());
        while let Some(&need) = self.needs.front().filter(|n| n.last <= near) {
            self.needs.pop_front();
            if !self.is_open(&need) {
                continue;
            }
            if self.fits(&need, k, pool) {
                kept.push(need);
                continue;
            }
            self.open -= 1;
            self.island(need)?;
        }
        kept.into_iter().rev().for_each(|n| self.needs.push_front(n));
        if !free && self.at > before {
            let distance = self.forward(before)?;
            self.put(Laid::Branch(distance), 1);
            if self.quirks.wait {
                self.put(Laid::Wait, 1);
            }
        }
        Ok(())
    }

    fn island(&mut self, need: Need) -> Result<(), String> {
        match need.want {
            Want::Target => {
                let distance = self.forward(self.anchor[need.target])?;
                self.put(Laid::Branch(distance), 1);
                self.anchor[need.target] = self.at;
                self.need(need.target, Want::Target, self.at);
            }
            Want::Waiting => {
                let from = self.waiting.remove(&need.target).unwrap_or_default();
                self.wait(need.target);
                self.put(Laid::Branch(0), 1);
                self.resolve(&from)?;
            }
        }
        Ok(())
    }

    fn failed(&self) -> String {
        format!("{} places are branched to over more than {REACH} dwords at once", self.open)
    }
}
