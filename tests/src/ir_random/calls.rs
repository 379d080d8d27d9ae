//! Random kernels that call functions: each has private memory of its own, indexed while it runs, changes what all have
//! together, and calls functions behind it, under whatever control flow there is.

use super::*;

/// Bytes of the private array that each function has, and of the one that all share.
const ARRAY: u32 = 32;

/// A function that may be called: its number and signature.
pub(super) struct Callee {
    number: u32,
    params: Vec<Width>,
    results: Vec<Width>,
}

/// A kernel with 1 to 5 functions from a seed.
pub fn kernel_with_functions(seed: u64, workgroup: u32, subgroups: bool) -> Kernel {
    let mut r = Random(seed);
    let mut main = Kernel::new("random", [workgroup, 1, 1]);
    main.shared_scratch = ARRAY;
    main.scratch_bytes = ARRAY;
    let count = 1 + r.below(5) as u32;
    let mut functions = Vec::new();
    let mut callees: Vec<Callee> = Vec::new();
    for number in (0..count).rev() {
        let mut f = main.shell(&format!("f{number}"));
        let widths = |r: &mut Random, most: usize| {
            (0..r.below(most + 1)).map(|_| if r.below(5) == 0 { Width::B64 } else { Width::B32 }).collect::<Vec<_>>()
        };
        let most = if r.below(6) == 0 { 16 } else { 5 };
        let (params, results) = (widths(&mut r, most), widths(&mut r, 4));
        f.params = params.iter().map(|&w| f.value(w)).collect();
        f.results.clone_from(&results);
        f.locals = vec![Local { offset: ARRAY, size: ARRAY }];
        f.scratch_bytes = 2 * ARRAY;
        let budget = 4 + r.below(14);
        let (f, rest) = body(f, Random(r.bits()), budget, subgroups, callees);
        callees = rest;
        callees.push(Callee { number, params, results });
        functions.push(f);
    }
    functions.reverse();
    let (mut main, _) = body(main, r, 24, subgroups, callees);
    main.functions = functions;
    main
}

/// Fills in the body of a kernel or function, which may call `callees`.
fn body(k: Kernel, r: Random, budget: usize, subgroups: bool, callees: Vec<Callee>) -> (Kernel, Vec<Callee>) {
    let (workgroup, called) = (k.workgroup[0], !k.locals.is_empty());
    let params = k.params.clone();
    let mut g = Gen { callees, memory: true, ..Gen::new(k, r, budget, subgroups) };
    let mut nodes = Vec::new();
    let n = &mut nodes;
    g.begin(n, workgroup);
    for p in params {
        let v = match g.k.width(p) {
            Width::B64 => {
                let (low, high) =
                    (g.emit(n, Op::Alu(Alu::Lo32), &[p], Width::B32), g.emit(n, Op::Alu(Alu::Hi32), &[p], Width::B32));
                g.emit(n, Op::Alu(Alu::Xor), &[low, high], Width::B32)
            }
            _ => p,
        };
        g.scope.push(v);
    }
    // Private memory holds something when it is read.
    let base = if called { ARRAY } else { 0 };
    for word in 0..ARRAY / 4 {
        let (zero, v) = (g.constant(n, 0), g.value(n, Width::B32));
        let op = Op::Store { space: Space::Scratch, offset: base + 4 * word, access: Access::default() };
        n.push(Node::Inst(inst(op, vec![zero, v], vec![])));
    }
    let mut exit = Exit::Yield(Vec::new());
    g.body(n, 0, &mut exit);
    let results = g.k.results.clone();
    let given = results.iter().map(|&w| g.wide(n, w)).collect();
    if !called {
        for _ in 0..3 {
            let v = g.value(n, Width::B32);
            g.store(n, v);
        }
    }
    g.k.body = Region { nodes, exit: Exit::Yield(given) };
    (g.k, g.callees)
}

impl Gen {
    /// Some value of 32 or 64 bits.
    fn wide(&mut self, nodes: &mut Vec<Node>, width: Width) -> Value {
        let low = self.value(nodes, Width::B32);
        match width {
            Width::B64 => {
                let high = self.value(nodes, Width::B32);
                self.emit(nodes, Op::Alu(Alu::Pack64), &[low, high], Width::B64)
            }
            _ => low,
        }
    }

    /// A call, or a step in private memory; None: there is neither.
    pub(super) fn call(&mut self, nodes: &mut Vec<Node>) -> Option<Value> {
        if !self.memory || self.callees.is_empty() && self.r.below(2) == 0 {
            return None;
        }
        if self.callees.is_empty() || self.r.below(3) == 0 {
            return Some(self.private(nodes));
        }
        let at = self.r.below(self.callees.len());
        let Callee { number, params, results } = &self.callees[at];
        let (function, params, results) = (*number, params.clone(), results.clone());
        let args = params.iter().map(|&w| self.wide(nodes, w)).collect();
        let given = self.fresh(&results);
        nodes.push(Node::Inst(inst(Op::Call { function, effects: true }, args, given.clone())));
        let mut last = None;
        for v in given {
            let v = match self.k.width(v) {
                Width::B64 => self.emit(nodes, Op::Alu(Alu::Hi32), &[v], Width::B32),
                _ => v,
            };
            self.scope.push(v);
            last = Some(v);
        }
        last
    }

    /// Writes one element of an array in private memory, this function's or everybody's, and reads one.
    fn private(&mut self, nodes: &mut Vec<Node>) -> Value {
        let own = !self.k.locals.is_empty() && self.r.below(2) == 0;
        let offset = if own { ARRAY } else { 0 };
        let mask = self.constant(nodes, u64::from(ARRAY - 4));
        let at = |g: &mut Self, nodes: &mut Vec<Node>| {
            let v = g.value(nodes, Width::B32);
            g.emit(nodes, Op::Alu(Alu::And), &[v, mask], Width::B32)
        };
        let (to, from) = (at(self, nodes), at(self, nodes));
        let v = self.value(nodes, Width::B32);
        let op = Op::Store { space: Space::Scratch, offset, access: Access::default() };
        nodes.push(Node::Inst(inst(op, vec![to, v], vec![])));
        self.emit(nodes, Op::Load { space: Space::Scratch, offset, access: Access::default() }, &[from], Width::B32)
    }
}
