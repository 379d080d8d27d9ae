//! Multiply and add become one fused operation.
//!
//! `a·b + c` is `fma(a, b, c)`, `a·b − c` is `fma(a, b, −c)`, and `c − a·b` is `fma(−a, b, c)`, where neither operation is
//! exact (NoContraction) and the product has no other reader. The Vulkan specification allows it: the result is rounded
//! once instead of twice.

use crate::ir::*;
use std::collections::HashMap;

pub fn contract(kernel: &mut Kernel) {
    let mut uses: HashMap<Value, u32> = HashMap::new();
    kernel.body.for_each_use(&mut |v| *uses.entry(v).or_default() += 1);
    let mut products: HashMap<Value, (Value, Value)> = HashMap::new();
    kernel.body.for_each_inst(&mut |i| {
        if let (Op::Alu(Alu::FMul), [a, b], [r], false) = (&i.op, &i.args[..], &i.results[..], i.exact)
            && uses.get(r) == Some(&1)
        {
            products.insert(*r, (*a, *b));
        }
    });
    let mut body = std::mem::replace(&mut kernel.body, Region { nodes: Vec::new(), exit: Exit::Unreachable });
    region(kernel, &mut body, &products);
    kernel.body = body;
}

fn region(kernel: &mut Kernel, r: &mut Region, products: &HashMap<Value, (Value, Value)>) {
    let mut nodes = Vec::with_capacity(r.nodes.len());
    for mut node in std::mem::take(&mut r.nodes) {
        node.regions_mut().for_each(|r| region(kernel, r, products));
        if let Node::Inst(i) = &mut node {
            fuse(kernel, i, products, &mut nodes);
        }
        nodes.push(node);
    }
    r.nodes = nodes;
}

fn fuse(kernel: &mut Kernel, i: &mut Inst, products: &HashMap<Value, (Value, Value)>, out: &mut Vec<Node>) {
    let (Op::Alu(alu @ (Alu::FAdd | Alu::FSub)), [x, y], false) = (&i.op, &i.args[..], i.exact) else { return };
    let (alu, x, y) = (*alu, *x, *y);
    let mut negate = |v: Value| {
        let result = kernel.value(kernel.width(v));
        let inst = Inst { op: Op::Alu(Alu::FNeg), args: vec![v], results: vec![result], exact: false, loc: i.loc };
        out.push(Node::Inst(inst));
        result
    };
    i.args = match (alu, products.get(&x), products.get(&y)) {
        (Alu::FAdd, Some(&(a, b)), _) => vec![a, b, y],
        (Alu::FAdd, _, Some(&(a, b))) => vec![a, b, x],
        (Alu::FSub, Some(&(a, b)), _) => vec![a, b, negate(y)],
        (Alu::FSub, _, Some(&(a, b))) => vec![negate(a), b, x],
        _ => return,
    };
    i.op = Op::Alu(Alu::FFma);
}
