//! Appends instructions to a kernel under construction: constants are shared and folded on the way, and pure instructions
//! that a visible earlier one already computes are not emitted again (value numbering, scoped by region).
//!
//! Invariant: every constant stands at the start of the kernel's body, once.

use super::fold::{fold, mask};
use super::rules;
use super::{kernel::*, types::*};
use std::collections::HashMap;
use wavepipe_hw::code::FloatMode;

/// What the builder knows of a value's definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Def {
    #[default]
    Other,
    Const(u64),
    /// Operation, operands (unused ones repeat the first), exactness.
    Alu(Alu, [Value; 4], bool),
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    op: u64,
    offset: u32,
    args: Vec<Value>,
    width: Width,
    exact: bool,
}

/// A kernel being written. Regions are opened by [`Builder::begin`] and closed by [`Builder::end`].
#[derive(Clone)]
pub struct Builder {
    pub kernel: Kernel,
    /// Position given to the instructions that follow.
    pub loc: Loc,
    /// The arithmetic that follows must not be contracted or reassociated.
    pub exact: bool,
    /// Instructions made so far, also those that were thrown away.
    pub made: usize,
    constants: HashMap<(Width, u64), Value>,
    constant_nodes: Vec<Node>,
    defs: Vec<Def>,
    open: Vec<Vec<Node>>,
    /// Value numbers, with the keys to forget when a region closes.
    numbered: HashMap<Key, Value>,
    scopes: Vec<Vec<Key>>,
}

impl Builder {
    /// Starts with the kernel's body empty; all else of `kernel` is kept.
    pub fn new(mut kernel: Kernel) -> Builder {
        kernel.body = Region { nodes: Vec::new(), exit: Exit::Yield(Vec::new()) };
        let defs = vec![Def::Other; kernel.values.len()];
        Builder {
            kernel,
            loc: Loc::default(),
            exact: false,
            made: 0,
            constants: HashMap::new(),
            constant_nodes: Vec::new(),
            defs,
            open: vec![Vec::new()],
            numbered: HashMap::new(),
            scopes: vec![Vec::new()],
        }
    }

    /// Closes the body and returns the kernel.
    pub fn finish(mut self, exit: Exit) -> Kernel {
        let mut nodes = self.constant_nodes;
        nodes.extend(self.open.drain(..).flatten());
        self.kernel.body = Region { nodes, exit };
        self.kernel
    }

    pub fn begin(&mut self) {
        self.open.push(Vec::new());
        self.scopes.push(Vec::new());
    }

    pub fn end(&mut self, exit: Exit) -> Region {
        for key in self.scopes.pop().unwrap_or_default() {
            self.numbered.remove(&key);
        }
        Region { nodes: self.open.pop().unwrap_or_default(), exit }
    }

    pub fn push(&mut self, node: Node) {
        if let Some(nodes) = self.open.last_mut() {
            nodes.push(node);
        }
    }

    pub fn value(&mut self, width: Width) -> Value {
        self.kernel.value(width)
    }

    pub fn width(&self, v: Value) -> Width {
        self.kernel.width(v)
    }

    pub fn def(&self, v: Value) -> Def {
        self.defs.get(v.0 as usize).copied().unwrap_or_default()
    }

    /// The value's bits, if it is a constant.
    pub fn known(&self, v: Value) -> Option<u64> {
        match self.def(v) {
            Def::Const(c) => Some(c),
            _ => None,
        }
    }

    fn record(&mut self, v: Value, def: Def) {
        if self.defs.len() <= v.0 as usize {
            self.defs.resize(v.0 as usize + 1, Def::Other);
        }
        self.defs[v.0 as usize] = def;
    }

    pub fn constant(&mut self, width: Width, bits: u64) -> Value {
        let bits = bits & mask(width);
        if let Some(&v) = self.constants.get(&(width, bits)) {
            return v;
        }
        let v = self.value(width);
        self.constant_nodes.push(Node::Inst(Inst {
            op: Op::Const(bits),
            args: Vec::new(),
            results: vec![v],
            exact: false,
            loc: Loc::default(),
        }));
        self.constants.insert((width, bits), v);
        self.record(v, Def::Const(bits));
        v
    }

    pub fn u32(&mut self, bits: u32) -> Value {
        self.constant(Width::B32, u64::from(bits))
    }

    pub fn f32(&mut self, x: f32) -> Value {
        self.u32(x.to_bits())
    }

    pub fn bool(&mut self, b: bool) -> Value {
        self.constant(Width::B1, u64::from(b))
    }

    /// The operands as value numbering and the rules spell them: constants to the right, else the lower number first.
    fn spelled(&self, alu: Alu, args: &[Value]) -> ([Value; 4], usize) {
        let n = args.len().min(4);
        let mut ops = [args.first().copied().unwrap_or(Value(0)); 4];
        ops[..n].copy_from_slice(&args[..n]);
        if alu.commutes() && n == 2 {
            let key = |v: Value| (self.known(v).is_some(), v);
            if key(ops[0]) > key(ops[1]) {
                ops.swap(0, 1);
            }
        }
        (ops, n)
    }

    /// What pure arithmetic folds to, or is by a rule without being done.
    pub fn simplified(&mut self, alu: Alu, width: Width, args: &[Value]) -> Option<Value> {
        // Folding and the identities of floats are those of the usual mode.
        if self.kernel.mode != FloatMode::VULKAN && alu.reads_mode() {
            return None;
        }
        let (ops, n) = self.spelled(alu, args);
        let mut bits = [0; 4];
        let known = (0..n).all(|i| self.known(ops[i]).map(|c| bits[i] = c).is_some());
        let from = self.width(ops[0]);
        if let Some(c) = known.then(|| fold(alu, &bits[..n], from, width)).flatten() {
            return Some(self.constant(width, c));
        }
        rules::simplify(self, alu, width, &ops[..n])
    }

    /// Pure arithmetic: folded, simplified, value-numbered, or emitted. `width` is that of the result.
    pub fn alu(&mut self, alu: Alu, width: Width, args: &[Value]) -> Value {
        if let Some(v) = self.simplified(alu, width, args) {
            return v;
        }
        let (ops, n) = self.spelled(alu, args);
        let exact = self.exact;
        let key = Key { op: alu as u64, offset: 0, args: ops[..n].to_vec(), width, exact };
        if let Some(&v) = self.numbered.get(&key) {
            return v;
        }
        let v = self.inst(Op::Alu(alu), ops[..n].to_vec(), &[width])[0];
        self.record(v, Def::Alu(alu, ops, exact));
        self.number(key, v);
        v
    }

    fn number(&mut self, key: Key, v: Value) {
        if let Some(s) = self.scopes.last_mut() {
            s.push(key.clone());
        }
        self.numbered.insert(key, v);
    }

    /// Any instruction, emitted as it is, with fresh results.
    pub fn inst(&mut self, op: Op, args: Vec<Value>, widths: &[Width]) -> Vec<Value> {
        let results: Vec<Value> = widths.iter().map(|&w| self.value(w)).collect();
        let node = Inst { op, args, results: results.clone(), exact: self.exact, loc: self.loc };
        self.made += 1;
        self.push(Node::Inst(node));
        results
    }

    /// A pure one-result instruction that is not arithmetic, shared with an equal visible one.
    pub fn shared(&mut self, op: Op, args: Vec<Value>, width: Width) -> Value {
        let (code, offset) = match &op {
            Op::Builtin(b) => {
                let (n, i) = match b {
                    Builtin::LocalInvocationId(i) => (0, *i),
                    Builtin::WorkGroupId(i) => (1, *i),
                    Builtin::NumWorkGroups(i) => (2, *i),
                    Builtin::LocalInvocationIndex => (3, 0),
                    Builtin::SubgroupInvocationId => (4, 0),
                    Builtin::SubgroupId => (5, 0),
                    Builtin::NumSubgroups => (6, 0),
                    Builtin::SubgroupSize => (7, 0),
                };
                (1 << 60 | n << 8 | u64::from(i), 0)
            }
            Op::Descriptor { set, binding, kind } => (2 << 60 | (*kind as u64) << 32 | u64::from(*set), *binding),
            Op::DescriptorSize => (3 << 60, 0),
            Op::Undef => (4 << 60, 0),
            _ => return self.inst(op, args, &[width])[0],
        };
        let key = Key { op: code, offset, args, width, exact: false };
        if let Some(&v) = self.numbered.get(&key) {
            return v;
        }
        let v = self.inst(op, key.args.clone(), &[width])[0];
        self.number(key, v);
        v
    }

    pub fn builtin(&mut self, b: Builtin) -> Value {
        self.shared(Op::Builtin(b), Vec::new(), Width::B32)
    }

    pub fn undef(&mut self, width: Width) -> Value {
        self.shared(Op::Undef, Vec::new(), width)
    }

    pub fn iadd(&mut self, a: Value, b: Value) -> Value {
        self.alu(Alu::IAdd, self.width(a), &[a, b])
    }

    pub fn imul(&mut self, a: Value, b: Value) -> Value {
        self.alu(Alu::IMul, self.width(a), &[a, b])
    }

    pub fn select(&mut self, cond: Value, a: Value, b: Value) -> Value {
        self.alu(Alu::Select, self.width(a), &[cond, a, b])
    }

    /// Zero-extends or truncates to 32 bits; booleans become 0 or 1.
    pub fn to_u32(&mut self, v: Value) -> Value {
        match self.width(v) {
            Width::B32 => v,
            Width::B1 => self.alu(Alu::BoolToInt, Width::B32, &[v]),
            _ => self.alu(Alu::UConvert, Width::B32, &[v]),
        }
    }
}
