//! A plain interpreter of `compiler::ir`: the second implementation that machine code is compared with.
//!
//! All work-items of a work-group go in lockstep under a mask, one work-group after the other. Nothing is fast and nothing
//! is shared with the compiler but the data types: arithmetic is written again in [`alu`], from the operations'
//! documentation.

mod alu;

use std::collections::HashMap;
use wavepipe_runtime::compiler::ir::*;

/// Inputs and outputs of a kernel.
#[derive(Clone, Default)]
pub struct Machine {
    /// By set and binding. Reads beyond the end give zero, writes are dropped.
    pub buffers: HashMap<(u32, u32), Vec<u8>>,
    pub push: Vec<u8>,
    pub groups: [u32; 3],
    /// Lanes of a subgroup.
    pub wave: u32,
    /// What was sent to the thread trace; the messages of one wave are in their order.
    pub traced: Vec<Traced>,
    /// Lanes that came to each site.
    pub counted: HashMap<u32, u64>,
}

/// A message to the thread trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    pub group: [u32; 3],
    pub wave: u32,
    pub exec: u64,
    pub site: u32,
    pub payload: Vec<u32>,
}

type Mask = Vec<bool>;

struct Run<'a> {
    /// The kernel or function that runs, and the kernel.
    k: &'a Kernel,
    kernel: &'a Kernel,
    m: &'a mut Machine,
    /// Bits of each value by lane.
    values: Vec<Vec<u64>>,
    /// The lanes that jumped to a label, by label: (left, continued).
    jumps: Vec<(Mask, Mask)>,
    /// Where a jump to the label puts its values: (results, parameters).
    feeds: Vec<(Vec<Value>, Vec<Value>)>,
    lds: Vec<u8>,
    scratch: Vec<Vec<u8>>,
    group: [u32; 3],
    lanes: usize,
}

/// Runs every work-group of the kernel.
pub fn run(kernel: &Kernel, machine: &mut Machine) {
    let lanes = kernel.workgroup.iter().product::<u32>() as usize;
    let [nx, ny, nz] = machine.groups;
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let mut r = Run {
                    k: kernel,
                    kernel,
                    m: machine,
                    values: vec![vec![0; lanes]; kernel.values.len()],
                    jumps: vec![(vec![false; lanes], vec![false; lanes]); kernel.labels as usize],
                    feeds: vec![(Vec::new(), Vec::new()); kernel.labels as usize],
                    lds: vec![0; kernel.lds_bytes as usize],
                    scratch: vec![vec![0; kernel.scratch_bytes as usize]; lanes],
                    group: [x, y, z],
                    lanes,
                };
                r.region(&kernel.body, &vec![true; lanes], &[]);
            }
        }
    }
}

fn any(mask: &[bool]) -> bool {
    mask.contains(&true)
}

fn or(a: &[bool], b: &[bool]) -> Mask {
    a.iter().zip(b).map(|(a, b)| *a || *b).collect()
}

impl Run<'_> {
    fn get(&self, v: Value, lane: usize) -> u64 {
        self.values[v.0 as usize][lane]
    }

    fn set(&mut self, v: Value, lane: usize, bits: u64) {
        let width = self.k.width(v).bits();
        self.values[v.0 as usize][lane] = if width >= 64 { bits } else { bits & ((1 << width) - 1) };
    }

    /// Copies values to their destinations in the active lanes, all at once.
    fn assign(&mut self, to: &[Value], from: &[Value], mask: &[bool]) {
        for lane in (0..self.lanes).filter(|&l| mask[l]) {
            let bits: Vec<u64> = from.iter().map(|&v| self.get(v, lane)).collect();
            to.iter().zip(bits).for_each(|(&v, b)| self.set(v, lane, b));
        }
    }

    /// Runs the region in the active lanes; the lanes that fall out of its end.
    fn region(&mut self, region: &Region, mask: &Mask, yields: &[Value]) -> Mask {
        let mut mask = mask.clone();
        for node in &region.nodes {
            if !any(&mask) {
                return mask;
            }
            mask = self.node(node, &mask);
        }
        let none = vec![false; self.lanes];
        match &region.exit {
            Exit::Yield(v) => {
                self.assign(yields, v, &mask);
                mask
            }
            Exit::Break(l, v) => {
                let to = self.feeds[l.0 as usize].0.clone();
                self.assign(&to, v, &mask);
                self.jumps[l.0 as usize].0 = or(&self.jumps[l.0 as usize].0, &mask);
                none
            }
            Exit::Continue(l, v) => {
                let to = self.feeds[l.0 as usize].1.clone();
                self.assign(&to, v, &mask);
                self.jumps[l.0 as usize].1 = or(&self.jumps[l.0 as usize].1, &mask);
                none
            }
            Exit::Unreachable => {
                assert!(!any(&mask), "unreachable code ran");
                none
            }
        }
    }

    fn node(&mut self, node: &Node, mask: &Mask) -> Mask {
        match node {
            Node::Inst(i) => {
                self.inst(i, mask);
                mask.clone()
            }
            Node::If { cond, then, els, results, .. } => {
                let side =
                    |r: &Self, want: u64| (0..r.lanes).map(|l| mask[l] && r.get(*cond, l) == want).collect::<Mask>();
                let (yes, no) = (side(self, 1), side(self, 0));
                let a = self.region(then, &yes, results);
                let b = self.region(els, &no, results);
                or(&a, &b)
            }
            Node::Block { label, body, results, .. } => {
                self.enter(*label, results, &[]);
                let fell = self.region(body, mask, results);
                or(&fell, &self.jumps[label.0 as usize].0)
            }
            Node::Loop { label, params, init, body, results, .. } => {
                self.enter(*label, results, params);
                self.assign(params, init, mask);
                let mut active = mask.clone();
                while any(&active) {
                    self.region(body, &active, &[]);
                    active = std::mem::replace(&mut self.jumps[label.0 as usize].1, vec![false; self.lanes]);
                }
                self.jumps[label.0 as usize].0.clone()
            }
            Node::Switch { label, selector, cases, results, .. } => {
                self.enter(*label, results, &[]);
                let named = |v: u64| cases.iter().any(|c| c.values.iter().any(|&x| u64::from(x) == v));
                let mut fell = vec![false; self.lanes];
                for (n, case) in cases.iter().enumerate() {
                    let chosen = |l: usize| {
                        let v = self.get(*selector, l);
                        case.values.iter().any(|&x| u64::from(x) == v) || case.default && !named(v)
                    };
                    let enters: Mask = (0..self.lanes).map(|l| mask[l] && chosen(l)).collect();
                    self.assign(&case.params, &case.init, &enters);
                    let feeds = cases.get(n + 1).map_or(results, |c| &c.params);
                    fell = self.region(&case.body, &or(&fell, &enters), feeds);
                }
                or(&fell, &self.jumps[label.0 as usize].0)
            }
        }
    }

    fn enter(&mut self, label: Label, results: &[Value], params: &[Value]) {
        self.jumps[label.0 as usize] = (vec![false; self.lanes], vec![false; self.lanes]);
        self.feeds[label.0 as usize] = (results.to_vec(), params.to_vec());
    }

    /// The lanes of `lane`'s subgroup.
    fn subgroup(&self, lane: usize) -> std::ops::Range<usize> {
        let wave = self.m.wave as usize;
        let first = lane / wave * wave;
        first..(first + wave).min(self.lanes)
    }

    fn inst(&mut self, i: &Inst, mask: &Mask) {
        let active: Vec<usize> = (0..self.lanes).filter(|&l| mask[l]).collect();
        match &i.op {
            Op::Const(bits) => active.iter().for_each(|&l| self.set(i.results[0], l, *bits)),
            Op::Undef => active.iter().for_each(|&l| self.set(i.results[0], l, 0)),
            // It does nothing: debug information.
            Op::Mark(_) => {}
            Op::Alu(a) => {
                for &l in &active {
                    let args: Vec<u64> = i.args.iter().map(|&v| self.get(v, l)).collect();
                    let from = i.args.first().map_or(32, |&v| self.k.width(v).bits());
                    // A select's operands are its second and third.
                    let from = if *a == Alu::Select { self.k.width(i.args[1]).bits() } else { from };
                    let to = self.k.width(i.results[0]).bits();
                    self.set(i.results[0], l, alu::eval(*a, &args, from, to));
                }
            }
            Op::Builtin(b) => active.iter().for_each(|&l| self.set(i.results[0], l, self.builtin(*b, l))),
            Op::Descriptor { set, binding, .. } => {
                for &l in &active {
                    self.set(i.results[0], l, u64::from(*set) << 32 | u64::from(*binding));
                }
            }
            Op::DescriptorSize => {
                for &l in &active {
                    let d = self.get(i.args[0], l);
                    let size = self.m.buffers.get(&((d >> 32) as u32, d as u32)).map_or(0, Vec::len);
                    self.set(i.results[0], l, size as u64);
                }
            }
            Op::Load { space, offset, .. } => {
                for &l in &active {
                    let step = u64::from(self.k.width(i.results[0]).bits().max(8) / 8);
                    for (n, &r) in i.results.iter().enumerate() {
                        let bits = self.load(*space, &i.args, *offset, n as u64 * step, step, l);
                        self.set(r, l, bits);
                    }
                }
            }
            Op::Store { space, offset, .. } => {
                let n = space.address_operands();
                for &l in &active {
                    let step = u64::from(self.k.width(i.args[n]).bits().max(8) / 8);
                    for (at, &v) in i.args[n..].iter().enumerate() {
                        let bits = self.get(v, l);
                        self.store(*space, &i.args, *offset, at as u64 * step, step, l, bits);
                    }
                }
            }
            Op::Atomic { op, space, offset } => {
                let n = space.address_operands();
                for &l in &active {
                    let data: Vec<u64> = i.args[n..].iter().map(|&v| self.get(v, l)).collect();
                    let width = i.args.get(n).or(i.results.first()).map_or(32, |&v| self.k.width(v).bits());
                    let step = u64::from(width / 8);
                    let old = self.load(*space, &i.args, *offset, 0, step, l);
                    if let Some(new) = alu::atomic(*op, old, &data, width) {
                        self.store(*space, &i.args, *offset, 0, step, l, new);
                    }
                    i.results.iter().for_each(|&r| self.set(r, l, old));
                }
            }
            Op::Subgroup(s) => self.cross(*s, i, mask),
            Op::Image(_) => panic!("images are not generated here"),
            // Lockstep is a barrier after every instruction.
            Op::Barrier { .. } => {}
            Op::Trace { site, .. } => {
                let wave = self.m.wave as usize;
                for first in (0..self.lanes).step_by(wave) {
                    let lanes = active.iter().filter(|&&l| l / wave == first / wave);
                    let exec = lanes.clone().fold(0, |exec, l| exec | 1u64 << (l % wave));
                    let Some(&lane) = lanes.clone().next() else { continue };
                    let payload = i.args.iter().map(|&v| self.get(v, lane) as u32).collect();
                    let (group, wave) = (self.group, (first / wave) as u32);
                    self.m.traced.push(Traced { group, wave, exec, site: *site, payload });
                }
            }
            Op::Count { site } => *self.m.counted.entry(*site).or_default() += active.len() as u64,
            Op::Call { function, .. } => self.call(*function, i, mask),
            Op::Clock { .. } => active.iter().for_each(|&l| self.set(i.results[0], l, 0)),
        }
    }

    /// Runs a function in the active lanes, with values, labels and a frame of private memory of its own.
    fn call(&mut self, function: u32, i: &Inst, mask: &Mask) {
        let f = &self.kernel.functions[function as usize];
        let args: Vec<Vec<u64>> = i.args.iter().map(|&v| self.values[v.0 as usize].clone()).collect();
        let outer_k = std::mem::replace(&mut self.k, f);
        let outer_values = std::mem::replace(&mut self.values, vec![vec![0; self.lanes]; f.values.len()]);
        let none = (vec![false; self.lanes], vec![false; self.lanes]);
        let outer_jumps = std::mem::replace(&mut self.jumps, vec![none; f.labels as usize]);
        let outer_feeds = std::mem::replace(&mut self.feeds, vec![(Vec::new(), Vec::new()); f.labels as usize]);
        let shared = f.shared_scratch as usize;
        let own = f.scratch_bytes as usize;
        let frames: Vec<Vec<u8>> = self
            .scratch
            .iter_mut()
            .map(|s| {
                let frame = s.split_off(shared.min(s.len()));
                s.resize(own, 0);
                frame
            })
            .collect();
        for lane in (0..self.lanes).filter(|&l| mask[l]) {
            f.params.iter().zip(&args).for_each(|(&p, a)| self.set(p, lane, a[lane]));
        }
        self.region(&f.body, mask, &[]);
        // Lanes may have fallen out of the body's end at different times, but all did.
        let Exit::Yield(given) = &f.body.exit else { panic!("a function that never returns ran") };
        let given: Vec<Vec<u64>> = given.iter().map(|&v| self.values[v.0 as usize].clone()).collect();
        for (s, frame) in self.scratch.iter_mut().zip(frames) {
            s.truncate(shared);
            s.extend(frame);
        }
        (self.k, self.values, self.jumps, self.feeds) = (outer_k, outer_values, outer_jumps, outer_feeds);
        for lane in (0..self.lanes).filter(|&l| mask[l]) {
            i.results.iter().zip(&given).for_each(|(&r, g)| self.set(r, lane, g[lane]));
        }
    }

    fn builtin(&self, b: Builtin, lane: usize) -> u64 {
        let [x, y, _] = self.k.workgroup;
        let l = lane as u32;
        let wave = self.m.wave;
        u64::from(match b {
            Builtin::LocalInvocationId(0) => l % x,
            Builtin::LocalInvocationId(1) => l / x % y,
            Builtin::LocalInvocationId(_) => l / (x * y),
            Builtin::LocalInvocationIndex => l,
            Builtin::WorkGroupId(c) => self.group[c as usize],
            Builtin::NumWorkGroups(c) => self.m.groups[c as usize],
            Builtin::SubgroupInvocationId => l % wave,
            Builtin::SubgroupId => l / wave,
            Builtin::NumSubgroups => (self.lanes as u32).div_ceil(wave),
            Builtin::SubgroupSize => wave,
        })
    }

    /// The memory that an access touches and its byte offset there.
    fn place(&mut self, space: Space, args: &[Value], offset: u32, lane: usize) -> (&mut [u8], u64) {
        let address = |r: &Self, n: usize| r.get(args[n], lane);
        match space {
            Space::Buffer => {
                let d = address(self, 0);
                let at = u64::from(address(self, 1) as u32) + u64::from(offset);
                let memory = self.m.buffers.get_mut(&((d >> 32) as u32, d as u32));
                (memory.map_or(&mut [][..], |b| &mut b[..]), at)
            }
            Space::Lds => {
                let at = u64::from((address(self, 0) as u32).wrapping_add(offset));
                (&mut self.lds[..], at)
            }
            Space::Scratch => {
                let at = u64::from((address(self, 0) as u32).wrapping_add(offset));
                (&mut self.scratch[lane][..], at)
            }
            Space::Push => {
                let at = u64::from((address(self, 0) as u32).wrapping_add(offset));
                (&mut self.m.push[..], at)
            }
            Space::Constant | Space::Global => panic!("{space:?} accesses are not generated here"),
        }
    }

    fn load(&mut self, space: Space, args: &[Value], offset: u32, extra: u64, bytes: u64, lane: usize) -> u64 {
        if space == Space::Constant {
            let at = (self.get(args[0], lane) as u32).wrapping_add(offset) as u64 + extra;
            return read(&self.kernel.constants, at, bytes);
        }
        let (memory, at) = self.place(space, args, offset, lane);
        read(memory, at + extra, bytes)
    }

    #[allow(clippy::too_many_arguments)] // the operands of a store
    fn store(&mut self, space: Space, args: &[Value], offset: u32, extra: u64, bytes: u64, lane: usize, bits: u64) {
        let (memory, at) = self.place(space, args, offset, lane);
        let at = at + extra;
        if at + bytes <= memory.len() as u64 {
            memory[at as usize..(at + bytes) as usize].copy_from_slice(&bits.to_le_bytes()[..bytes as usize]);
        }
    }

    fn cross(&mut self, s: Subgroup, i: &Inst, mask: &Mask) {
        let before: Vec<Vec<u64>> = i.args.iter().map(|&v| self.values[v.0 as usize].clone()).collect();
        let width = i.args.first().map_or(1, |&v| self.k.width(v).bits());
        for lane in (0..self.lanes).filter(|&l| mask[l]) {
            let group = self.subgroup(lane);
            let base = group.start;
            let active: Vec<usize> = group.clone().filter(|&l| mask[l]).collect();
            let first = active[0];
            let from = |l: usize| before[0][l];
            // A lane outside of the subgroup or inactive gives an undefined value: zero here, and tests do not look.
            let other = |l: i64| {
                let l = base as i64 + l;
                if group.contains(&(l as usize)) && mask[l as usize] { from(l as usize) } else { 0 }
            };
            let here = (lane - base) as i64;
            let arg = |n: usize| before[n][lane] as i64;
            let bits = match s {
                Subgroup::Nobody => 0,
                Subgroup::Elect => u64::from(lane == first),
                Subgroup::All => u64::from(active.iter().all(|&l| from(l) == 1)),
                Subgroup::Any => u64::from(active.iter().any(|&l| from(l) == 1)),
                Subgroup::AllEqual => u64::from(active.iter().all(|&l| from(l) == from(first))),
                Subgroup::Ballot => {
                    for (word, &r) in i.results.iter().enumerate() {
                        let bit =
                            |n: usize| active.contains(&(base + 32 * word + n)) && from(base + 32 * word + n) == 1;
                        let bits = (0..32).filter(|&n| bit(n)).fold(0u64, |w, n| w | 1 << n);
                        self.set(r, lane, bits);
                    }
                    continue;
                }
                Subgroup::InverseBallot => before[here as usize / 32][lane] >> (here % 32) & 1,
                Subgroup::BroadcastFirst => from(first),
                Subgroup::Broadcast | Subgroup::Shuffle => other(arg(1)),
                Subgroup::ShuffleXor => other(here ^ arg(1)),
                Subgroup::ShuffleUp => other(here - arg(1)),
                Subgroup::ShuffleDown => other(here + arg(1)),
                Subgroup::Reduce { op, kind, cluster } => {
                    let size = if cluster == 0 { self.m.wave as usize } else { cluster as usize };
                    let start = base + (lane - base) / size * size;
                    let members = active.iter().copied().filter(|&l| l >= start && l < start + size);
                    let taken = members.filter(|&l| match kind {
                        ReduceKind::Reduce => true,
                        ReduceKind::InclusiveScan => l <= lane,
                        ReduceKind::ExclusiveScan => l < lane,
                    });
                    taken.fold(alu::identity(op, width), |sum, l| alu::combine(op, sum, from(l), width))
                }
            };
            self.set(i.results[0], lane, bits);
        }
    }
}

fn read(memory: &[u8], at: u64, bytes: u64) -> u64 {
    let mut raw = [0; 8];
    if at + bytes <= memory.len() as u64 {
        raw[..bytes as usize].copy_from_slice(&memory[at as usize..(at + bytes) as usize]);
    }
    u64::from_le_bytes(raw)
}
