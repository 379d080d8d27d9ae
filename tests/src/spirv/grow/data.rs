//! Types that grow in depth and size, and what moves values of them.

use super::{Axis, Sketch, axis, up_to};
use rspirv::spirv::{Decoration, Op, StorageClass};

/// Arrays of more words are larger than what addresses reach.
const WORDS: u32 = 1 << 28;

pub const AXES: &[Axis] = &[
    up_to(4096, "structures of two in depth", deep_structs),
    up_to(4096, "arrays of one in depth", deep_arrays),
    up_to(4096, "arrays of two in depth", deep_pairs),
    up_to(16_000, "members of a structure", members),
    up_to(16_000, "members copied at once", members_copied),
    axis("structures and pointers to them", struct_types),
    up_to(WORDS, "words of a private array", |n| array(n, StorageClass::Private)),
    up_to(WORDS, "words of a function's array", |n| array(n, StorageClass::Function)),
    up_to(WORDS, "words of a shared array", |n| array(n, StorageClass::Workgroup)),
    up_to(WORDS, "words of an array that begins as null", null_array),
    up_to(WORDS, "words copied between buffers", |n| copy(n, Copy::Memory)),
    up_to(WORDS, "words loaded and stored", |n| copy(n, Copy::Value)),
    up_to(WORDS, "words of structures copied between buffers", |n| struct_copy(n, 0)),
    up_to(WORDS, "words of structures with gaps copied between buffers", |n| struct_copy(n, 4)),
    up_to(WORDS, "words of a null", null_store),
    up_to(65_000, "a table of constants", table),
    axis("composites of composites", composites),
    axis("large values in a chain", inserts),
    axis("private arrays by constant index", constant_indexes),
    axis("arrays returned by calls", array_calls),
    axis("large copies in sequence", copies_in_sequence),
];

fn deep_structs(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let x = s.input(0);
    let mut ty = s.uint;
    for _ in 0..n {
        ty = s.fresh_type(Op::TypeStruct, &[ty, ty]);
    }
    let v = s.variable(StorageClass::Private, ty);
    let zero = s.word(0);
    let p = s.chain(StorageClass::Private, s.uint, v, &vec![zero; n as usize]);
    s.put(Op::Store, &[p, x]);
    s.finish()
}

fn deep(n: u32, each: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let x = s.input(0);
    let mut ty = s.uint;
    for _ in 0..n {
        ty = s.array(ty, each);
    }
    let v = s.variable(StorageClass::Private, ty);
    let zero = s.word(0);
    let p = s.chain(StorageClass::Private, s.uint, v, &vec![zero; n as usize]);
    s.put(Op::Store, &[p, x]);
    let whole = s.emit(Op::Load, ty, &[v]);
    let first = s.emit(Op::CompositeExtract, s.uint, &[&[whole], &vec![0; n as usize][..]].concat());
    s.show(first);
    s.finish()
}

fn deep_arrays(n: u32) -> Vec<u32> {
    deep(n, 1)
}

fn deep_pairs(n: u32) -> Vec<u32> {
    deep(n, 2)
}

/// A buffer of a structure with `n` words as members, each read and written.
fn members(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let types = vec![s.uint; n as usize];
    let offsets: Vec<u32> = (0..n).map(|k| 4 * k).collect();
    let b = s.buffer(&types, &offsets);
    let mine = s.fresh_type(Op::TypeStruct, &types);
    let v = s.variable(StorageClass::Private, mine);
    for k in 0..n {
        let k = s.word(k);
        let p = s.chain(StorageClass::StorageBuffer, s.uint, b, &[k]);
        let x = s.emit(Op::Load, s.uint, &[p]);
        let q = s.chain(StorageClass::Private, s.uint, v, &[k]);
        s.put(Op::Store, &[q, x]);
    }
    let first = s.word(0);
    let p = s.chain(StorageClass::Private, s.uint, v, &[first]);
    let x = s.emit(Op::Load, s.uint, &[p]);
    s.show(x);
    s.finish()
}

fn members_copied(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let types = vec![s.uint; n as usize];
    let offsets: Vec<u32> = (0..n).map(|k| 4 * k).collect();
    let inner = s.fresh_type(Op::TypeStruct, &types);
    offsets.iter().enumerate().for_each(|(k, &at)| s.member(inner, k as u32, Decoration::Offset, &[at]));
    let (a, b) = (s.buffer(&[inner], &[0]), s.buffer(&[inner], &[0]));
    let zero = s.word(0);
    let merge = s.only_first_lane();
    let from = s.chain(StorageClass::StorageBuffer, inner, a, &[zero]);
    let to = s.chain(StorageClass::StorageBuffer, inner, b, &[zero]);
    let value = s.emit(Op::Load, inner, &[from]);
    s.put(Op::Store, &[to, value]);
    s.close_if(merge);
    s.finish()
}

fn struct_types(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let x = s.input(0);
    for k in 0..n {
        let ty = s.fresh_type(Op::TypeStruct, &[s.uint, s.float, s.uint]);
        let v = s.variable(StorageClass::Private, ty);
        let two = s.word(2 * (k % 2));
        let p = s.chain(StorageClass::Private, s.uint, v, &[two]);
        s.put(Op::Store, &[p, x]);
        let y = s.emit(Op::Load, s.uint, &[p]);
        s.show(y);
    }
    s.finish()
}

fn array(n: u32, class: StorageClass) -> Vec<u32> {
    let mut s = Sketch::new();
    let words = s.array(s.uint, n);
    let v = s.variable(class, words);
    let (x, y) = (s.input(0), s.input(1));
    let p = s.chain(class, s.uint, v, &[x]);
    s.put(Op::Store, &[p, y]);
    let q = s.chain(class, s.uint, v, &[y]);
    let z = s.emit(Op::Load, s.uint, &[q]);
    s.show(z);
    s.finish()
}

fn null_array(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let words = s.array(s.uint, n);
    let null = s.declare(Op::ConstantNull, words, &[]);
    let ty = s.pointer(StorageClass::Private, words);
    let v = s.declare(Op::Variable, ty, &[StorageClass::Private as u32, null]);
    let x = s.input(0);
    let p = s.chain(StorageClass::Private, s.uint, v, &[x]);
    let z = s.emit(Op::Load, s.uint, &[p]);
    s.put(Op::Store, &[p, x]);
    s.show(z);
    s.finish()
}

#[derive(Clone, Copy)]
enum Copy {
    Memory,
    Value,
}

fn copy(n: u32, how: Copy) -> Vec<u32> {
    let mut s = Sketch::new();
    let words = s.words(n);
    let (a, b) = (s.buffer(&[words], &[0]), s.buffer(&[words], &[0]));
    let zero = s.word(0);
    let merge = s.only_first_lane();
    let from = s.chain(StorageClass::StorageBuffer, words, a, &[zero]);
    let to = s.chain(StorageClass::StorageBuffer, words, b, &[zero]);
    match how {
        Copy::Memory => s.put(Op::CopyMemory, &[to, from]),
        Copy::Value => {
            let value = s.emit(Op::Load, words, &[from]);
            s.put(Op::Store, &[to, value]);
        }
    }
    s.close_if(merge);
    s.finish()
}

/// `struct { T a, b; }` of structures of structures … of `n` words in all; with a gap of so many bytes behind each.
fn struct_copy(n: u32, gap: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let (mut ty, mut size, mut words) = (s.uint, 4, 1);
    while words < n && size < 1 << 29 {
        ty = s.fresh_type(Op::TypeStruct, &[ty, ty]);
        s.member(ty, 0, Decoration::Offset, &[0]);
        s.member(ty, 1, Decoration::Offset, &[size + gap]);
        (size, words) = (2 * size + gap, 2 * words);
    }
    let (a, b) = (s.buffer(&[ty], &[0]), s.buffer(&[ty], &[0]));
    let zero = s.word(0);
    let merge = s.only_first_lane();
    let from = s.chain(StorageClass::StorageBuffer, ty, a, &[zero]);
    let to = s.chain(StorageClass::StorageBuffer, ty, b, &[zero]);
    s.put(Op::CopyMemory, &[to, from]);
    s.close_if(merge);
    s.finish()
}

fn null_store(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let words = s.words(n);
    let b = s.buffer(&[words], &[0]);
    let null = s.declare(Op::ConstantNull, words, &[]);
    let zero = s.word(0);
    let merge = s.only_first_lane();
    let to = s.chain(StorageClass::StorageBuffer, words, b, &[zero]);
    s.put(Op::Store, &[to, null]);
    s.close_if(merge);
    s.finish()
}

fn table(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let parts: Vec<u32> = (0..n).map(|k| s.word(k.wrapping_mul(0x9e37_79b9))).collect();
    let words = s.array(s.uint, n);
    let table = s.declare(Op::ConstantComposite, words, &parts);
    let ty = s.pointer(StorageClass::Private, words);
    let v = s.declare(Op::Variable, ty, &[StorageClass::Private as u32, table]);
    let x = s.input(0);
    let p = s.chain(StorageClass::Private, s.uint, v, &[x]);
    let z = s.emit(Op::Load, s.uint, &[p]);
    s.show(z);
    s.finish()
}

/// Constants of many scalars that are made of few constants.
fn composites(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let one = s.word(1);
    let small = s.array(s.uint, 128);
    let large = s.array(small, 64);
    let inner = s.declare(Op::ConstantComposite, small, &[one; 128]);
    for k in 0..n {
        let k = s.word(k);
        let other = s.declare(Op::ConstantComposite, small, &[k; 128]);
        let outer = s.declare(Op::ConstantComposite, large, &[[other].as_slice(), &[inner; 63]].concat());
        let x = s.emit(Op::CompositeExtract, s.uint, &[outer, 0, 0]);
        s.show(x);
    }
    s.finish()
}

/// A value of two hundred scalars, changed `n` times.
fn inserts(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let words = s.array(s.uint, 200);
    let null = s.declare(Op::ConstantNull, words, &[]);
    let x = s.input(0);
    let mut v = null;
    for k in 0..n {
        v = s.emit(Op::CompositeInsert, words, &[x, v, k % 200]);
    }
    let y = s.emit(Op::CompositeExtract, s.uint, &[v, 7]);
    s.show(y);
    s.finish()
}

fn constant_indexes(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let words = s.array(s.uint, n);
    let v = s.variable(StorageClass::Private, words);
    let x = s.input(0);
    let zero = s.word(0);
    let cond = s.less(zero, x);
    let merge = s.open_if(cond);
    for k in 0..n {
        let k = s.word(k);
        let p = s.chain(StorageClass::Private, s.uint, v, &[k]);
        let y = s.add(x, k);
        s.put(Op::Store, &[p, y]);
    }
    s.close_if(merge);
    let mut sum = x;
    for k in 0..n {
        let k = s.word(k);
        let p = s.chain(StorageClass::Private, s.uint, v, &[k]);
        let y = s.emit(Op::Load, s.uint, &[p]);
        sum = s.emit(Op::IMul, s.uint, &[sum, y]);
    }
    s.show(sum);
    s.finish()
}

/// A function that returns an array of a thousand words, called `n` times.
fn array_calls(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let words = s.array(s.uint, 1000);
    let x = s.input(0);
    let main = s.suspend();
    s.open_function();
    let param = s.id();
    let v = s.variable(StorageClass::Function, words);
    let p = s.chain(StorageClass::Function, s.uint, v, &[param]);
    s.put(Op::Store, &[p, param]);
    let whole = s.emit(Op::Load, words, &[v]);
    s.put(Op::ReturnValue, &[whole]);
    let f = s.close_function(words, &[(s.uint, param)]);
    s.resume(main);
    for k in 0..n {
        let a = s.emit(Op::FunctionCall, words, &[f, x]);
        let y = s.emit(Op::CompositeExtract, s.uint, &[a, k % 1000]);
        s.show(y);
    }
    s.finish()
}

fn copies_in_sequence(n: u32) -> Vec<u32> {
    let mut s = Sketch::new();
    let words = s.words(250);
    let (a, b) = (s.buffer(&[words], &[0]), s.buffer(&[words], &[0]));
    let zero = s.word(0);
    let merge = s.only_first_lane();
    let from = s.chain(StorageClass::StorageBuffer, words, a, &[zero]);
    let to = s.chain(StorageClass::StorageBuffer, words, b, &[zero]);
    for _ in 0..n {
        s.put(Op::CopyMemory, &[to, from]);
        let value = s.emit(Op::Load, words, &[to]);
        s.put(Op::Store, &[from, value]);
    }
    s.close_if(merge);
    s.finish()
}
