//! Straight lines, and how much is alive at once.

use super::{Axis, Sketch, axis};
use rspirv::spirv::{Capability, Decoration, GlslStd450Op as GLOp, Op, StorageClass};

pub const AXES: &[Axis] = &[
    axis("a straight line", straight),
    axis("a tree of expressions", tree),
    axis("one expression again and again", repeated),
    axis("vector values alive at once", |n| alive(n, false)),
    axis("scalar values alive at once", |n| alive(n, true)),
    axis("values alive over a loop", alive_over_loop),
    axis("values alive over ifs", alive_over_ifs),
    axis("variables", variables),
    axis("variables in branches", variables_in_branches),
    axis("constants", constants),
    axis("specialization constants", specialization),
    axis("functions", functions),
    axis("buffers", buffers),
    axis("loads and stores in turns", loads_and_stores),
    axis("loads of neighbours", neighbours),
    axis("stores backwards", stores_backwards),
    axis("atomics", atomics),
    axis("divisions of 64 bits", wide_divisions),
    axis("doubles", doubles),
    axis("transcendental functions", transcendental),
    axis("subgroup operations", subgroups),
    axis("descriptors by divergent index", divergent_descriptors),
    axis("matrices", matrices),
    axis("pointers to choose from", pointers),
    axis("names and lines", names),
    axis("decorations", decorations),
    axis("a group of decorations", decoration_group),
    axis("bytes", bytes),
];

fn straight(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let first = s.input(0);
    let mut x = first;
    for k in 0..n {
        x = s.emit(if k % 2 == 0 { Op::IMul } else { Op::IAdd }, s.uint, &[x, first]);
    }
    s.show(x);
    s.finish()
}

fn tree(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let mut level: Vec<u32> = (0..n).map(|k| s.input(k)).collect();
    while level.len() > 1 {
        level = level.chunks(2).map(|c| s.emit(Op::IMul, s.uint, &[c[0], *c.last().unwrap_or(&c[0])])).collect();
    }
    s.show(level[0]);
    s.finish()
}

fn repeated(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let (a, b) = (s.input(0), s.input(1));
    let mut x = a;
    for _ in 0..n {
        let y = s.add(a, b);
        x = s.emit(Op::BitwiseXor, s.uint, &[x, y]);
    }
    s.show(x);
    s.finish()
}

/// `n` loaded words, then used in the order in which they came.
fn alive(n: u32, uniform: bool) -> Vec<u32> {
    let mut s = Sketch::new();
    let words = s.words(n);
    let readonly = s.buffer(&[words], &[0]);
    s.decorate(readonly, Decoration::NonWritable, &[]);
    let zero = s.word(0);
    let values: Vec<u32> = (0..n)
        .map(|k| {
            let k = s.word(k);
            let at = if uniform { k } else { s.add(s.lane, k) };
            let p = s.chain(StorageClass::StorageBuffer, s.uint, readonly, &[zero, at]);
            s.emit(Op::Load, s.uint, &[p])
        })
        .collect();
    let mut x = s.product(values[0], &values);
    s.show(x);
    for v in values {
        x = s.emit(Op::BitwiseXor, s.uint, &[x, v]);
    }
    s.show(x);
    s.finish()
}

fn alive_over_loop(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let values: Vec<u32> = (0..n).map(|k| s.input(k)).collect();
    let round = s.open_loop(values[0]);
    s.store(round.counter, values[0]);
    s.close_loop(&round);
    let x = s.product(s.lane, &values);
    s.show(x);
    s.finish()
}

/// An `if` after each load, all of them used at the end: blocks times registers.
fn alive_over_ifs(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let mut values = Vec::new();
    for k in 0..n {
        let v = s.input(k);
        let at = s.word(k);
        let cond = s.less(v, at);
        let merge = s.open_if(cond);
        s.store(at, v);
        s.close_if(merge);
        values.push(v);
    }
    let x = s.product(s.lane, &values);
    s.show(x);
    s.finish()
}

/// Ends with the product of `x` and what stands in the variables.
fn finish_with_all(mut s: Sketch, x: u32, vars: &[u32]) -> Vec<u32> {
    let mut sum = x;
    for &v in vars {
        let y = s.emit(Op::Load, s.uint, &[v]);
        sum = s.emit(Op::IMul, s.uint, &[sum, y]);
    }
    s.show(sum);
    s.finish()
}

fn variables(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let x = s.input(0);
    let vars: Vec<u32> = (0..n).map(|_| s.variable(StorageClass::Private, s.uint)).collect();
    for (k, &v) in vars.iter().enumerate() {
        let k = s.word(k as u32);
        let y = s.add(x, k);
        s.put(Op::Store, &[v, y]);
    }
    finish_with_all(s, x, &vars)
}

/// Each variable is stored in an `if` of its own, and all are used at the end.
fn variables_in_branches(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let x = s.input(0);
    let vars: Vec<u32> = (0..n).map(|_| s.variable(StorageClass::Private, s.uint)).collect();
    for (k, &v) in vars.iter().enumerate() {
        let k = s.word(k as u32);
        let cond = s.less(x, k);
        let merge = s.open_if(cond);
        s.put(Op::Store, &[v, k]);
        s.store(k, x);
        s.close_if(merge);
    }
    finish_with_all(s, x, &vars)
}

fn constants(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let mut x = s.input(0);
    for k in 0..n {
        let k = s.word(k.wrapping_mul(0x9e37_79b9));
        x = s.emit(Op::BitwiseXor, s.uint, &[x, k]);
        x = s.emit(Op::IMul, s.uint, &[x, k]);
    }
    s.show(x);
    s.finish()
}

fn specialization(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let mut c = s.declare(Op::SpecConstant, s.uint, &[1]);
    s.decorate(c, Decoration::SpecId, &[0]);
    for k in 0..n {
        let k = s.word(k);
        c = s.declare(Op::SpecConstantOp, s.uint, &[Op::IAdd as u32, c, k]);
    }
    s.show(c);
    s.finish()
}

fn functions(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let mut x = s.input(0);
    let main = s.suspend();
    let all: Vec<u32> = (0..n)
        .map(|k| {
            s.open_function();
            let param = s.id();
            let k = s.word(k);
            let v = s.emit(Op::IMul, s.uint, &[param, k]);
            s.put(Op::ReturnValue, &[v]);
            s.close_function(s.uint, &[(s.uint, param)])
        })
        .collect();
    s.resume(main);
    for f in all {
        x = s.emit(Op::FunctionCall, s.uint, &[f, x]);
    }
    s.show(x);
    s.finish()
}

fn buffers(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let mut x = s.input(0);
    let zero = s.word(0);
    let words = s.words(64);
    for _ in 0..n {
        let b = s.buffer(&[words], &[0]);
        let p = s.chain(StorageClass::StorageBuffer, s.uint, b, &[zero, s.lane]);
        let y = s.emit(Op::Load, s.uint, &[p]);
        x = s.emit(Op::IMul, s.uint, &[x, y]);
        s.put(Op::Store, &[p, x]);
    }
    s.finish()
}

fn loads_and_stores(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let mut x = s.input(0);
    for k in 0..n {
        let k = s.word(k * 5);
        let y = s.load(x);
        x = s.add(y, k);
        s.store(k, x);
    }
    s.finish()
}

fn neighbours(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    // All first, so that all are candidates; each its own address.
    let values: Vec<u32> = (0..n).map(|k| s.input(k.wrapping_mul(7919) % (n + 3))).collect();
    let mut x = s.lane;
    for v in values {
        x = s.add(x, v);
    }
    s.show(x);
    s.finish()
}

fn stores_backwards(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let x = s.input(0);
    for k in (0..n).rev() {
        let k = s.word(k);
        let at = s.add(s.lane, k);
        s.store(at, x);
    }
    s.finish()
}

fn atomics(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let mut x = s.input(0);
    let (scope, relaxed) = (s.word(1), s.word(0));
    for _ in 0..n {
        let p = s.at(x);
        x = s.emit(Op::AtomicIAdd, s.uint, &[p, scope, relaxed, x]);
    }
    s.show(x);
    s.finish()
}

fn wide_divisions(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    s.need(Capability::Int64);
    let long = s.ty(Op::TypeInt, &[64, 0]);
    let (a, b) = (s.input(0), s.input(1));
    let mut x = s.emit(Op::UConvert, long, &[a]);
    let y = s.emit(Op::UConvert, long, &[b]);
    for _ in 0..n {
        x = s.emit(Op::UDiv, long, &[x, y]);
        x = s.emit(Op::Not, long, &[x]);
    }
    let x = s.emit(Op::UConvert, s.uint, &[x]);
    s.show(x);
    s.finish()
}

fn doubles(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    s.need(Capability::Float64);
    let double = s.ty(Op::TypeFloat, &[64]);
    let (a, b) = (s.input(0), s.input(1));
    let mut x = s.emit(Op::ConvertUToF, double, &[a]);
    let y = s.emit(Op::ConvertUToF, double, &[b]);
    for _ in 0..n {
        x = s.emit(Op::FDiv, double, &[x, y]);
        x = s.emit(Op::ExtInst, double, &[s.glsl, GLOp::Sqrt as u32, x]);
    }
    s.show_real(x);
    s.finish()
}

fn transcendental(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let a = s.input(0);
    let mut x = s.emit(Op::ConvertUToF, s.float, &[a]);
    let all = [GLOp::Asin, GLOp::Sinh, GLOp::Pow, GLOp::Atan2, GLOp::Acosh, GLOp::Tan];
    for k in 0..n {
        let op = all[k as usize % all.len()];
        let args = [s.glsl, op as u32, x, x];
        let count = if matches!(op, GLOp::Pow | GLOp::Atan2) { 4 } else { 3 };
        x = s.emit(Op::ExtInst, s.float, &args[..count]);
    }
    s.show_real(x);
    s.finish()
}

fn subgroups(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    s.need(Capability::GroupNonUniform);
    s.need(Capability::GroupNonUniformArithmetic);
    s.need(Capability::GroupNonUniformShuffle);
    let mut x = s.input(0);
    let scope = s.word(3);
    for k in 0..n {
        x = match k % 3 {
            0 => s.emit(Op::GroupNonUniformIAdd, s.uint, &[scope, 1, x]),
            1 => s.emit(Op::GroupNonUniformUMax, s.uint, &[scope, 0, x]),
            _ => s.emit(Op::GroupNonUniformShuffle, s.uint, &[scope, x, s.lane]),
        };
    }
    s.show(x);
    s.finish()
}

fn divergent_descriptors(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    s.need(Capability::ShaderNonUniform);
    s.need(Capability::StorageBufferArrayNonUniformIndexing);
    let zero = s.word(0);
    let count = s.word(64);
    let words = s.words(64);
    let block = s.fresh_type(Op::TypeStruct, &[words]);
    s.decorate(block, Decoration::Block, &[]);
    s.member(block, 0, Decoration::Offset, &[0]);
    let many = s.fresh_type(Op::TypeArray, &[block, count]);
    let b = s.variable(StorageClass::StorageBuffer, many);
    s.decorate(b, Decoration::DescriptorSet, &[1]);
    s.decorate(b, Decoration::Binding, &[0]);
    let mut x = s.input(0);
    for _ in 0..n {
        s.decorate(x, Decoration::NonUniform, &[]);
        let p = s.chain(StorageClass::StorageBuffer, s.uint, b, &[x, zero, zero]);
        s.decorate(p, Decoration::NonUniform, &[]);
        x = s.emit(Op::Load, s.uint, &[p]);
    }
    s.show(x);
    s.finish()
}

fn matrices(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let four = s.vector(s.float, 4);
    let matrix = s.ty(Op::TypeMatrix, &[four, 4]);
    let x = s.input(0);
    let f = s.emit(Op::ConvertUToF, s.float, &[x]);
    let column = s.emit(Op::CompositeConstruct, four, &[f; 4]);
    let first = s.emit(Op::CompositeConstruct, matrix, &[column; 4]);
    let mut m = first;
    for _ in 0..n {
        m = s.emit(Op::MatrixTimesMatrix, matrix, &[m, first]);
    }
    let y = s.emit(Op::CompositeExtract, s.float, &[m, 1, 2]);
    let y = s.emit(Op::Bitcast, s.uint, &[y]);
    s.show(y);
    s.finish()
}

/// A pointer chosen among `n` shared variables, and as many accesses through it.
fn pointers(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    s.need(Capability::VariablePointers);
    s.need(Capability::VariablePointersStorageBuffer);
    let x = s.input(0);
    let zero = s.word(0);
    let words = s.words(64);
    let ty = s.pointer(StorageClass::StorageBuffer, s.uint);
    let mut p = s.at(x);
    for k in 0..n {
        let b = s.buffer(&[words], &[0]);
        let q = s.chain(StorageClass::StorageBuffer, s.uint, b, &[zero, s.lane]);
        let k = s.word(k);
        let cond = s.less(x, k);
        p = s.emit(Op::Select, ty, &[cond, p, q]);
        let v = s.emit(Op::Load, s.uint, &[p]);
        s.show(v);
    }
    s.finish()
}

fn names(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let mut x = s.input(0);
    for k in 0..n {
        let file = s.debug_string(&format!("file {k}.comp"));
        s.put(Op::Line, &[file, k, 0]);
        x = s.add(x, s.lane);
    }
    s.show(x);
    s.finish()
}

fn decorations(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let f = s.input(0);
    let mut x = s.emit(Op::ConvertUToF, s.float, &[f]);
    for _ in 0..n {
        x = s.emit(Op::FAdd, s.float, &[x, x]);
        s.decorate(x, Decoration::NoContraction, &[]);
    }
    // All on one id, too.
    for _ in 0..n {
        s.decorate(x, Decoration::RelaxedPrecision, &[]);
    }
    s.show_real(x);
    s.finish()
}

/// `n` decorations for each of `n` values, by a group.
fn decoration_group(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let group = s.id();
    let f = s.input(0);
    let mut x = s.emit(Op::ConvertUToF, s.float, &[f]);
    let mut targets = vec![group];
    for _ in 0..n {
        s.decorate(group, Decoration::RelaxedPrecision, &[]);
        x = s.emit(Op::FAdd, s.float, &[x, x]);
        targets.push(x);
    }
    s.show_real(x);
    s.annotate(crate::spirv::Inst::new(Op::DecorationGroup, 0, group, []));
    for part in targets[1..].chunks(60_000) {
        s.annotate(crate::spirv::Inst::new(Op::GroupDecorate, 0, 0, [&[group], part].concat()));
    }
    s.finish()
}

fn bytes(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    s.need(Capability::Int8);
    let byte = s.ty(Op::TypeInt, &[8, 0]);
    let four = s.vector(byte, 4);
    let x = s.input(0);
    let mut v = s.emit(Op::Bitcast, four, &[x]);
    let first = v;
    for k in 0..n {
        v = s.emit(if k % 2 == 0 { Op::IMul } else { Op::UMod }, four, &[v, first]);
    }
    let x = s.emit(Op::Bitcast, s.uint, &[v]);
    s.show(x);
    s.finish()
}
