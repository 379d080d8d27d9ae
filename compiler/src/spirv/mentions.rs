//! What a module's functions mention: buffers that may be written, global variables that an entry point uses.

use super::module::{Entry, Module};
use spirv::Op;
use std::collections::{HashMap, HashSet};

/// Whether the module declares that it knows of subgroups.
pub fn subgroups(m: &Module<'_>) -> bool {
    use spirv::Capability::*;
    let known = [
        GroupNonUniform,
        GroupNonUniformVote,
        GroupNonUniformArithmetic,
        GroupNonUniformBallot,
        GroupNonUniformShuffle,
        GroupNonUniformShuffleRelative,
        GroupNonUniformClustered,
        GroupNonUniformQuad,
        GroupNonUniformRotateKHR,
        GroupNonUniformPartitionedEXT,
        SubgroupBallotKHR,
        SubgroupVoteKHR,
        QuadControlKHR,
        ComputeDerivativeGroupQuadsKHR,
        ComputeDerivativeGroupLinearKHR,
    ]
    .map(|capability| capability as u32);
    m.instrs.iter().any(|i| i.op == Op::Capability && i.arg(0).is_some_and(|c| known.contains(&c)))
}

/// The (set, binding) of every buffer that some function may write; None if that cannot be told.
pub fn written(m: &Module<'_>) -> Option<HashSet<(u32, u32)>> {
    let mut root: HashMap<u32, u32> = HashMap::new();
    let mut out = HashSet::new();
    let mut parameters = HashSet::new();
    let mut initial = Vec::new();
    for i in &m.instrs {
        match i.op {
            // An address may be that of any buffer.
            Op::Capability if i.arg(0) == Some(spirv::Capability::PhysicalStorageBufferAddresses as u32) => {
                return None;
            }
            Op::Variable => {
                root.insert(i.id, i.id);
                initial.extend(i.arg(1));
            }
            Op::FunctionParameter => {
                parameters.insert(i.id);
            }
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::CopyObject => {
                match i.arg(0).and_then(|b| root.get(&b)).copied() {
                    Some(r) => {
                        root.insert(i.id, r);
                    }
                    // What a parameter points to is known where the call is: all arguments count as written.
                    None if i.arg(0).is_some_and(|b| parameters.contains(&b)) => {
                        parameters.insert(i.id);
                    }
                    None => {}
                }
            }
            op => {
                let destinations: &[u32] = match op {
                    Op::CopyMemory | Op::CopyMemorySized => i.args.get(..1).unwrap_or(&[]),
                    // A pointer stored, chosen, passed or returned may be written through.
                    Op::Store | Op::CompositeInsert => i.args.get(..2).unwrap_or(&[]),
                    Op::FunctionCall | Op::Phi | Op::Select | Op::ReturnValue | Op::CompositeConstruct => i.args,
                    Op::ExtInst => i.args.get(2..).unwrap_or(&[]),
                    Op::AtomicStore
                    | Op::AtomicExchange
                    | Op::AtomicCompareExchange
                    | Op::AtomicCompareExchangeWeak
                    | Op::AtomicIIncrement
                    | Op::AtomicIDecrement
                    | Op::AtomicIAdd
                    | Op::AtomicISub
                    | Op::AtomicSMin
                    | Op::AtomicUMin
                    | Op::AtomicSMax
                    | Op::AtomicUMax
                    | Op::AtomicAnd
                    | Op::AtomicOr
                    | Op::AtomicXor
                    | Op::AtomicFMinEXT
                    | Op::AtomicFMaxEXT
                    | Op::AtomicFAddEXT => i.args.get(..1).unwrap_or(&[]),
                    _ => &[],
                };
                for d in destinations {
                    let Some(&var) = root.get(d) else { continue };
                    out.extend(m.place(var));
                }
            }
        }
    }
    // A variable may begin as a pointer to a buffer.
    for id in initial {
        out.extend(m.place(id));
    }
    Some(out)
}

/// Global variables that the entry's functions mention.
pub fn used_globals(m: &Module<'_>, entry: &Entry) -> HashSet<u32> {
    let mut seen = HashSet::new();
    let mut work = vec![entry.function];
    let mut used = HashSet::new();
    while let Some(f) = work.pop() {
        let Some(function) = m.functions.get(&f).filter(|_| seen.insert(f)) else { continue };
        for b in &function.blocks {
            for i in &m.instrs[b.body.start..=b.end] {
                if i.op == Op::FunctionCall {
                    work.extend(i.arg(0));
                }
                used.extend(i.args);
            }
        }
    }
    // A variable's initial value may be a pointer to another.
    for i in m.instrs[m.globals.clone()].iter().rev() {
        if i.op == Op::Variable && used.contains(&i.id) {
            used.extend(i.arg(1));
        }
    }
    used
}
