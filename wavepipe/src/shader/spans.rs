//! A place in the source for statements that have none: naga's front ends make some, as the exit of a `while`, and its back
//! end takes them for the first line.

use naga::{Arena, Block, Expression, Function, Module, Span, Statement};

/// Gives every statement a place: that of its condition, or of the statement in front of it or around it.
pub fn fill(module: &mut Module) {
    let functions = module.functions.iter_mut().map(|(_, f)| f);
    for Function { body, expressions, .. } in functions.chain(module.entry_points.iter_mut().map(|e| &mut e.function)) {
        block(body, expressions, Span::UNDEFINED);
    }
}

fn block(statements: &mut Block, expressions: &Arena<Expression>, around: Span) {
    let mut last = around;
    for (statement, span) in statements.span_iter_mut() {
        if let Some(span) = span {
            if !span.is_defined() {
                let own = match statement {
                    Statement::If { condition, .. } => expressions.get_span(*condition),
                    Statement::Switch { selector, .. } => expressions.get_span(*selector),
                    _ => Span::UNDEFINED,
                };
                *span = if own.is_defined() { own } else { last };
            }
            last = *span;
        }
        inside(statement, |b| block(b, expressions, last));
    }
}

/// The blocks that a statement is made of.
pub fn inside(statement: &mut Statement, each: impl FnMut(&mut Block)) {
    match statement {
        Statement::Block(body) => [body].into_iter().for_each(each),
        Statement::If { accept, reject, .. } => [accept, reject].into_iter().for_each(each),
        Statement::Switch { cases, .. } => cases.iter_mut().map(|c| &mut c.body).for_each(each),
        Statement::Loop { body, continuing, .. } => [body, continuing].into_iter().for_each(each),
        _ => {}
    }
}
