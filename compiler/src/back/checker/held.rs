//! Where source variables are at each instruction: the checker's walk once more, noting instead of checking.
//!
//! A variable is where some place holds the value that it has at the instruction's point. Two things are stricter than for the
//! checker: at a join a place holds what it holds on every edge, and a register that jumps write for whom they
//! arrive at has its value only from where they arrive, until a jump writes it again.

use super::*;
use crate::back::select::Kept;
use crate::ir::Named;
use crate::ir::named::{PieceOf, Point};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use wavepipe_hw::variable::{NumberKind, Piece, Shape, Whereabouts};
use wavepipe_isa::row::Ty;

/// Instructions of a body beyond which nothing is known: each costs time by the registers and the variables.
const MAX_INSTRUCTIONS: usize = 1 << 16;
/// Scalars of a variable that are followed.
const MAX_PIECES: usize = 1 << 12;

/// Stands for all dwords of a variable that is in memory.
pub const WHOLE: u32 = u32::MAX;

/// What is known where an instruction is: of each dword of the visible variables, in order.
#[derive(Debug, PartialEq, Default)]
pub struct View {
    pub scope: u32,
    pub at: Vec<(u32, u32, Option<Whereabouts>)>,
}

/// Views of a kernel and its functions, by number from 1.
#[derive(Default)]
pub struct Views(pub Vec<View>);

impl Views {
    fn note(&mut self, view: View) -> u32 {
        if self.0.last() != Some(&view) {
            self.0.push(view);
        }
        self.0.len() as u32
    }
}

#[derive(Clone, PartialEq)]
struct Known {
    holdings: Holdings,
    /// Registers that jumps write and that have their values.
    arrived: BTreeSet<u32>,
}

impl Known {
    fn meet(&self, other: &Known) -> Known {
        let holds = self.holdings.holds.iter().filter_map(|(&p, units)| {
            let both: Vec<u32> = units.iter().copied().filter(|&u| other.holdings.has(p, u)).collect();
            (!both.is_empty()).then_some((p, both))
        });
        let mut defined = self.holdings.defined.clone();
        other.holdings.defined.iter().for_each(|u| defined.insert(u));
        let arrived = self.arrived.intersection(&other.arrived).copied().collect();
        Known { holdings: Holdings { holds: holds.collect(), defined }, arrived }
    }
}

/// Notes views, and for each instruction which it has: by block, in order.
pub fn views(
    before: &Func,
    after: &Allocated<'_>,
    named: &Named,
    kept: &Kept,
    private: bool,
    views: &mut Views,
) -> Result<Vec<Vec<u32>>, Mismatch> {
    let f = after.func;
    let mut numbers: Vec<Vec<u32>> = f.blocks.iter().map(|b| vec![0; b.insts.len()]).collect();
    if f.insts().count() > MAX_INSTRUCTIONS {
        return Ok(numbers);
    }
    let resident = HashSet::new();
    let mut c = Checker { before, after, units: Units::new(before), resident, pairs: Vec::new(), follows: true };
    c.pairs = vec![Vec::new(); f.blocks.len()];
    for &b in &f.order {
        c.pairs[b as usize] = c.pair(b)?;
    }
    let (scalars, _) = c.known(Bank::S, kept)?;
    let (vectors, behind) = c.known(Bank::V, kept)?;
    let mut from = vec![Vec::new(); f.blocks.len()];
    for (k, &b) in f.order.iter().enumerate() {
        f.linear(k).for_each(|to| from[to as usize].push(b));
    }
    let mut pieces = Pieces::default();
    let mut values = Values::default();
    for &b in &f.order {
        let (Some(s), Some(v)) = (&scalars[b as usize], &vectors[b as usize]) else { continue };
        // Until EXEC is written, the lanes that are active are those of where control comes from.
        let came = from[b as usize].iter().filter_map(|&p| behind[p as usize].as_ref());
        let mut now = [s.clone(), came.fold(v.clone(), |all, p| all.meet(p))];
        let mut lanes = Some(v.clone());
        now.iter_mut().chain(&mut lanes).for_each(|k| c.arrive(b, kept, k));
        let insts = &f.blocks[b as usize].insts;
        // What a place holds is looked up by value.
        let mut number = None;
        for (n, inst) in insts.iter().enumerate() {
            let point = inst.loc.point;
            if point != 0 {
                let moved = values.go(named, point);
                number = Some(match number {
                    Some(same) if !moved && n > 0 && !c.changes(&insts[n - 1]) => same,
                    _ => {
                        let looked = Look { c: &c, kept, named, private, now: &now };
                        views.note(looked.view(point, &values, &mut pieces))
                    }
                });
                numbers[b as usize][n] = number.unwrap_or(0);
            }
            let pair = c.pairs[b as usize][n];
            for (bank, known) in [Bank::S, Bank::V].into_iter().zip(&mut now) {
                c.step(bank, b, inst, pair, kept, known)?;
            }
            if let Some(known) = &mut lanes {
                c.step(Bank::V, b, inst, pair, kept, known)?;
            }
            if writes_exec(inst)
                && let Some(known) = lanes.take()
            {
                now[1] = known;
            }
        }
    }
    Ok(numbers)
}

impl Checker<'_> {
    /// Whether an instruction does anything to registers.
    fn changes(&self, inst: &Inst) -> bool {
        inst.dst.iter().any(|d| *d != Arg::None) || inst.op().is_none()
    }

    fn arrive(&self, b: BlockId, kept: &Kept, known: &mut Known) {
        known.arrived.extend(kept.arrivals.get(&b).into_iter().flatten());
    }

    fn step(
        &self,
        bank: Bank,
        b: BlockId,
        inst: &Inst,
        pair: Option<usize>,
        kept: &Kept,
        known: &mut Known,
    ) -> Result<(), Mismatch> {
        match pair {
            Some(n) => {
                let old = &self.before.blocks[b as usize].insts[n];
                self.original(bank, b, old, inst, &mut known.holdings)?;
                for p in old.defs().filter(|p| kept.slots.contains(&p.reg)) {
                    known.arrived.remove(&p.reg);
                }
            }
            None => self.spill_code(bank, b, inst, &mut known.holdings)?,
        }
        Ok(())
    }

    /// What is known where each block begins and ends, until nothing changes.
    fn known(&self, bank: Bank, kept: &Kept) -> Result<Ways, Mismatch> {
        let f = self.after.func;
        let mut entry: Vec<Option<Known>> = vec![None; f.blocks.len()];
        let mut behind = entry.clone();
        let Some(&first) = f.order.first() else { return Ok((entry, behind)) };
        let holdings = Holdings { holds: BTreeMap::new(), defined: BitSet::new(self.units.count) };
        entry[first as usize] = Some(Known { holdings, arrived: BTreeSet::new() });
        let mut index = vec![0; f.blocks.len()];
        f.order.iter().enumerate().for_each(|(k, &b)| index[b as usize] = k);
        let mut stale: BTreeSet<usize> = [0].into();
        while let Some(k) = stale.pop_first() {
            let b = f.order[k];
            let Some(mut known) = entry[b as usize].clone() else { continue };
            self.arrive(b, kept, &mut known);
            for (inst, &pair) in f.blocks[b as usize].insts.iter().zip(&self.pairs[b as usize]) {
                self.step(bank, b, inst, pair, kept, &mut known)?;
            }
            known.holdings.holds.retain(|_, h| !h.is_empty());
            behind[b as usize] = Some(known.clone());
            let to: Vec<BlockId> = match bank {
                Bank::S => f.linear(k).collect(),
                Bank::V => f.blocks[b as usize].logical.clone(),
            };
            for t in to {
                let old = &mut entry[t as usize];
                let next = old.as_ref().map_or_else(|| known.clone(), |o| o.meet(&known));
                if old.as_ref() != Some(&next) {
                    *old = Some(next);
                    stale.insert(index[t as usize]);
                }
            }
        }
        Ok((entry, behind))
    }
}

/// What is known at the begin and the end of each block.
type Ways = (Vec<Option<Known>>, Vec<Option<Known>>);

fn writes_exec(inst: &Inst) -> bool {
    inst.dst.contains(&Arg::Phys(Src::EXEC_LO)) || inst.op().is_some_and(|op| op.row().dst.contains(&Ty::Exec))
}

/// The values of variables at a point.
#[derive(Default)]
struct Values {
    at: u32,
    known: BTreeMap<PieceOf, Option<crate::ir::Value>>,
}

impl Values {
    /// Goes to a point; whether anything is different there.
    fn go(&mut self, named: &Named, to: u32) -> bool {
        if self.at == to {
            return false;
        }
        let path = named.between(self.at, to);
        let joins = path.first().map_or(to, |&first| named.point(first).parent) == self.at && to > self.at;
        let path = if joins {
            path
        } else {
            self.known.clear();
            named.between(0, to)
        };
        self.known.extend(path.into_iter().filter_map(|n| named.point(n).set));
        self.at = to;
        true
    }
}

/// Shapes' scalars, by variable.
#[derive(Default)]
struct Pieces(HashMap<u32, Rc<[Piece]>>);

impl Pieces {
    fn of(&mut self, variable: u32, shape: &Shape) -> Rc<[Piece]> {
        self.0.entry(variable).or_insert_with(|| shape.numbers(MAX_PIECES).into()).clone()
    }
}

struct Look<'a> {
    c: &'a Checker<'a>,
    kept: &'a Kept,
    named: &'a Named,
    private: bool,
    now: &'a [Known; 2],
}

impl Look<'_> {
    fn view(&self, point: u32, values: &Values, pieces: &mut Pieces) -> View {
        let Point { scope, .. } = self.named.point(point);
        let mut around = BTreeSet::from([scope]);
        let mut at = scope;
        while let Some(parent) = self.named.scopes.get(at as usize).and_then(|s| s.parent).filter(|&p| around.insert(p))
        {
            at = parent;
        }
        let visible = |variable: u32| {
            self.named.variables.get(variable as usize).filter(|v| around.contains(&v.scope)).map(|v| &v.shape)
        };
        let mut out = Vec::new();
        for (&PieceOf { variable, piece }, value) in &values.known {
            let Some(shape) = visible(variable).filter(|_| !self.named.private.contains_key(&variable)) else {
                continue;
            };
            let all = pieces.of(variable, shape);
            let Some(piece) = all.get(piece as usize) else { continue };
            let found = value.and_then(|v| self.find(v, piece));
            for n in 0..piece.number.dwords() {
                out.push((variable, piece.dword + n, found.as_ref().map(|f| f[n as usize])));
            }
        }
        let private = self.named.private.iter().filter(|_| self.private).map(|(&v, &at)| (v, Whereabouts::Private(at)));
        let lds = self.named.lds.iter().map(|&(v, at)| (v, Whereabouts::Lds(at)));
        out.extend(private.chain(lds).filter(|(v, _)| visible(*v).is_some()).map(|(v, at)| (v, WHOLE, Some(at))));
        out.sort_by_key(|row| (row.0, row.1));
        View { scope, at: out }
    }

    /// The places of a value's dwords, if all are somewhere.
    fn find(&self, v: crate::ir::Value, piece: &Piece) -> Option<Vec<Whereabouts>> {
        let words = self.kept.values.get(&v)?;
        if piece.number.kind == NumberKind::Bool {
            let found: Vec<Whereabouts> = words.iter().map(|&w| self.word(w)).collect::<Option<_>>()?;
            let mask = found.iter().zip(0..).all(|(w, n)| match (found[0], *w) {
                (Whereabouts::Sgpr(first), Whereabouts::Sgpr(this)) => this == first + n,
                _ => false,
            });
            return match found.first()? {
                Whereabouts::Constant(c) => Some(vec![Whereabouts::Constant(*c)]),
                Whereabouts::Sgpr(first) if mask => Some(vec![Whereabouts::Mask(*first)]),
                _ => None,
            };
        }
        words.get(..piece.number.dwords() as usize)?.iter().map(|&w| self.word(w)).collect()
    }

    fn word(&self, arg: Arg) -> Option<Whereabouts> {
        let p = match arg {
            Arg::Imm(n) => return Some(Whereabouts::Constant(n)),
            Arg::Reg(p) => p,
            Arg::None | Arg::Phys(_) => return None,
        };
        let known = &self.now[usize::from(self.c.before.info(p).bank == Bank::V)];
        if self.kept.slots.contains(&p.reg) && !known.arrived.contains(&p.reg) {
            return None;
        }
        let unit = self.c.unit(p, 0);
        let own = (p.reg as usize) < self.c.after.func.regs.len();
        let own = own.then(|| self.c.place(p, 0)).filter(|&at| known.holdings.has(at, unit));
        let any = || known.holdings.holds.iter().find(|(_, units)| units.contains(&unit)).map(|(&at, _)| at);
        Some(match own.or_else(any)? {
            Location::Sgpr(n) => Whereabouts::Sgpr(n),
            Location::Vgpr(n) => Whereabouts::Vgpr(n),
            Location::Lane(vgpr, lane) => Whereabouts::Lane { vgpr, lane },
            Location::Scratch(at) if self.private => Whereabouts::Private(at),
            Location::Scratch(_) => return None,
        })
    }
}
