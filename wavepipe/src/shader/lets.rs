//! Names for the values of WGSL's `let` and of parameters. naga's back end writes names of variables only, so each of these becomes a
//! variable that is stored once, where the value comes to be, and never read: no instruction is made for it, and debuggers find the
//! value by its name wherever a register holds it.

use super::spans::inside;
use naga::proc::TypeResolution;
use naga::valid::{FunctionInfo, ModuleInfo, TypeFlags};
use naga::{Block, Expression, Function, Handle, LocalVariable, Module, Span, Statement, Type, TypeInner, UniqueArena};
use std::collections::HashMap;

/// Stores by the value that is stored: the variable, as an expression.
type Stores = HashMap<Handle<Expression>, Handle<Expression>>;

/// Makes the variables. `info` is of the module as it is.
pub fn keep(module: &mut Module, info: &ModuleInfo) {
    let Module { functions, entry_points, types, .. } = module;
    let all = functions.iter_mut().map(|(handle, f)| (f, &info[handle]));
    let entries = entry_points.iter_mut().enumerate().map(|(n, e)| (&mut e.function, info.get_entry_point(n)));
    for (function, own) in all.chain(entries) {
        name(function, own, types, info);
    }
}

fn name(function: &mut Function, own: &FunctionInfo, types: &mut UniqueArena<Type>, info: &ModuleInfo) {
    let taken = |name: &str, f: &Function| {
        let others = f.local_variables.iter().filter_map(|(_, v)| v.name.as_deref());
        others.chain(f.named_expressions.values().map(String::as_str)).filter(|other| *other == name).count() > 1
    };
    let mut stores = Stores::new();
    let mut begin = Block::new();
    // The line of a parameter or a constant is none that is executed.
    let first = function.body.span_iter().next().map_or(Span::UNDEFINED, |(_, span)| *span);
    for (value, name) in function.named_expressions.clone() {
        let Some(ty) = kind(&own[value].ty, types, info) else { continue };
        let early = function.expressions[value].needs_pre_emit();
        // It is there from the function's begin on: another of its name would be there with it.
        if early && taken(&name, function) {
            continue;
        }
        let span = function.expressions.get_span(value);
        let variable = function.local_variables.append(LocalVariable { name: Some(name), ty, init: None }, span);
        let pointer = function.expressions.append(Expression::LocalVariable(variable), span);
        if early {
            begin.push(Statement::Store { pointer, value }, first);
        } else {
            stores.insert(value, pointer);
        }
    }
    block(&mut function.body, &stores);
    begin.append(&mut function.body);
    function.body = begin;
}

/// The type of a variable that can hold such a value: of numbers, vectors, matrices, and structures and arrays of them.
fn kind(ty: &TypeResolution, types: &mut UniqueArena<Type>, info: &ModuleInfo) -> Option<Handle<Type>> {
    match ty {
        TypeResolution::Handle(handle) => {
            let held = TypeFlags::CONSTRUCTIBLE | TypeFlags::DATA | TypeFlags::SIZED;
            info[*handle].contains(held).then_some(*handle)
        }
        TypeResolution::Value(inner) => {
            use TypeInner::{Matrix, Scalar, Vector};
            let plain = matches!(inner, Scalar(_) | Vector { .. } | Matrix { .. });
            plain.then(|| types.insert(Type { name: None, inner: inner.clone() }, Span::UNDEFINED))
        }
    }
}

/// Puts the stores behind what makes their values.
fn block(statements: &mut Block, stores: &Stores) {
    let mut out = Block::with_capacity(statements.len());
    for (mut statement, span) in std::mem::take(statements).span_into_iter() {
        inside(&mut statement, |b| block(b, stores));
        let made = made(&statement);
        out.push(statement, span);
        for value in made {
            if let Some(pointer) = stores.get(&value) {
                out.push(Statement::Store { pointer: *pointer, value }, span);
            }
        }
    }
    *statements = out;
}

/// The values that are there behind a statement.
fn made(statement: &Statement) -> Vec<Handle<Expression>> {
    match statement {
        Statement::Emit(range) => range.clone().collect(),
        Statement::Call { result, .. } | Statement::Atomic { result, .. } => result.iter().copied().collect(),
        Statement::WorkGroupUniformLoad { result, .. }
        | Statement::SubgroupBallot { result, .. }
        | Statement::SubgroupGather { result, .. }
        | Statement::SubgroupCollectiveOperation { result, .. } => vec![*result],
        _ => Vec::new(),
    }
}
