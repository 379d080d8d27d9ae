//! A program as WGSL.

use super::{ARRAY, Binary, Compare, Condition, Expression, Function, Program, Statement, Unary, VARIABLES};
use std::fmt::Write;

/// The program for work-groups of `group` lanes: binding 0 its inputs, binding 1 a word for each lane.
pub fn wgsl(program: &Program, group: u32) -> String {
    let mut out = String::from(
        "@group(0) @binding(0) var<storage, read> inputs: array<u32, 16>;\n\
         @group(0) @binding(1) var<storage, read_write> results: array<u32>;\n\
         var<private> lane: u32;\n",
    );
    for (number, function) in program.functions.iter().enumerate() {
        print_function(&mut out, number, function);
    }
    let last = program.functions.len() - 1;
    write!(
        out,
        "@compute @workgroup_size({group})\nfn main(@builtin(global_invocation_id) id: vec3<u32>) {{\n    \
         lane = id.x;\n    results[id.x] = f{last}(id.x, 3u);\n}}\n"
    )
    .unwrap();
    out
}

fn print_function(out: &mut String, number: usize, function: &Function) {
    writeln!(out, "fn f{number}(a: u32, b: u32) -> u32 {{").unwrap();
    writeln!(out, "    var x: array<u32, {ARRAY}>;").unwrap();
    for variable in 0..VARIABLES {
        let start = ["a".to_owned(), "b".to_owned()].get(variable).cloned().unwrap_or(format!("{}u", variable * 1000));
        writeln!(out, "    var v{variable} = {start};").unwrap();
    }
    let mut loops = 0;
    block(out, &function.body, 1, &mut loops);
    writeln!(out, "    return v0 ^ (v1 * 3u) ^ (v2 * 5u) ^ (v3 * 7u) ^ x[0] ^ x[1] ^ x[2] ^ x[3];\n}}").unwrap();
}

fn block(out: &mut String, statements: &[Statement], depth: usize, loops: &mut u32) {
    let pad = "    ".repeat(depth);
    for statement in statements {
        match statement {
            Statement::Assign(variable, value) => writeln!(out, "{pad}v{variable} = {};", expression(value)),
            Statement::Store(index, value) => {
                writeln!(out, "{pad}x[{} & 3u] = {};", expression(index), expression(value))
            }
            Statement::If(test, then, other) => {
                writeln!(out, "{pad}if {} {{", condition(test)).unwrap();
                block(out, then, depth + 1, loops);
                if !other.is_empty() {
                    writeln!(out, "{pad}}} else {{").unwrap();
                    block(out, other, depth + 1, loops);
                }
                writeln!(out, "{pad}}}")
            }
            Statement::Switch(value, cases) => {
                writeln!(out, "{pad}switch {} & 3u {{", expression(value)).unwrap();
                for (label, case) in ["case 0u", "case 1u", "case 2u", "default"].into_iter().zip(cases) {
                    writeln!(out, "{pad}{label}: {{").unwrap();
                    block(out, case, depth + 1, loops);
                    writeln!(out, "{pad}}}").unwrap();
                }
                writeln!(out, "{pad}}}")
            }
            Statement::Loop(bound, body) => {
                let i = *loops;
                *loops += 1;
                writeln!(out, "{pad}let n{i} = {} & 7u;", expression(bound)).unwrap();
                writeln!(out, "{pad}for (var i{i} = 0u; i{i} < n{i}; i{i}++) {{").unwrap();
                block(out, body, depth + 1, loops);
                writeln!(out, "{pad}}}")
            }
            Statement::Break(test) => writeln!(out, "{pad}if {} {{ break; }}", condition(test)),
            Statement::Continue(test) => writeln!(out, "{pad}if {} {{ continue; }}", condition(test)),
            Statement::Return(test, value) => {
                writeln!(out, "{pad}if {} {{ return {}; }}", condition(test), expression(value))
            }
        }
        .unwrap();
    }
}

fn condition(c: &Condition) -> String {
    let (left, right) = (expression(&c.left), expression(&c.right));
    match c.compare {
        Compare::Equal => format!("(({left} & 3u) == ({right} & 3u))"),
        Compare::Less => format!("({left} < {right})"),
        Compare::SignedLess => format!("(i32({left}) < i32({right}))"),
        Compare::Bit => format!("((({left} >> ({right} & 31u)) & 1u) != 0u)"),
    }
}

fn expression(e: &Expression) -> String {
    match e {
        // naga folds constants and calls an overflow an error; a constant behind a variable is a constant no more.
        Expression::Constant(value) => format!("({value}u ^ (lane & 0u))"),
        Expression::Variable(variable) => format!("v{variable}"),
        Expression::Lane => "lane".to_owned(),
        Expression::Input(index) => format!("inputs[{} & 15u]", expression(index)),
        Expression::Load(index) => format!("x[{} & 3u]", expression(index)),
        Expression::Binary(operation, a, b) => binary(*operation, &expression(a), &expression(b)),
        Expression::Unary(operation, a) => {
            let a = expression(a);
            match operation {
                Unary::Not => format!("(~{a})"),
                Unary::Ones => format!("countOneBits({a})"),
                Unary::Reverse => format!("reverseBits({a})"),
                Unary::LeadingZeros => format!("countLeadingZeros({a})"),
            }
        }
        Expression::Select(test, a, b) => {
            format!("select({}, {}, {})", expression(b), expression(a), condition(test))
        }
        Expression::Call(number, a, b) => format!("f{number}({}, {})", expression(a), expression(b)),
    }
}

fn binary(operation: Binary, a: &str, b: &str) -> String {
    let infix = |sign: &str| format!("({a} {sign} {b})");
    match operation {
        Binary::Add => infix("+"),
        Binary::Subtract => infix("-"),
        Binary::Multiply => infix("*"),
        Binary::Divide => infix("/"),
        Binary::Remainder => infix("%"),
        Binary::And => infix("&"),
        Binary::Or => infix("|"),
        Binary::Xor => infix("^"),
        Binary::Left => format!("({a} << ({b} & 31u))"),
        Binary::Right => format!("({a} >> ({b} & 31u))"),
        Binary::Arithmetic => format!("u32(i32({a}) >> ({b} & 31u))"),
        Binary::Minimum => format!("min({a}, {b})"),
        Binary::Maximum => format!("max({a}, {b})"),
    }
}
