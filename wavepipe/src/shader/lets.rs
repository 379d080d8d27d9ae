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

#[cfg(test)]
mod tests {
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    use std::path::Path;
    use wavepipe_runtime::compiler::{self, Options};
    use wavepipe_runtime::hw::code::CodeObject;
    use wavepipe_runtime::{code_lines, simple};

    /// Code without the names, and with them; `None` where it asks for what nobody gave.
    fn codes(source: &str, path: &Path) -> Option<[CodeObject; 2]> {
        let module = super::super::parse_wgsl(source, path).unwrap();
        if !module.overrides.is_empty() {
            return None;
        }
        let validate = |m: &_| Validator::new(ValidationFlags::all(), Capabilities::all()).validate(m).unwrap();
        let mut named = module.clone();
        super::keep(&mut named, &validate(&module));
        Some([module, named].map(|module| {
            let words = super::super::write(&module, &validate(&module), source, "shader.wgsl").unwrap();
            let entry = compiler::spirv::reflect(&words).unwrap().remove(0);
            let layout = simple::layout_of(&entry).unwrap();
            let options = Options { names: true, ..Options::new(&entry.name, layout.layout()) };
            compiler::compile(&words, &options).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
        }))
    }

    fn names(code: &CodeObject) -> Vec<&str> {
        code.variables.iter().flat_map(|v| &v.all).map(|v| v.name.as_str()).collect()
    }

    #[test]
    fn values_have_the_names_of_the_source() {
        let source = "
struct Two { a: f32, b: array<f32, 2> }
@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> count: atomic<u32>;
fn twice(given: f32) -> f32 { return given * 2.0; }
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = id.x;
    let fixed = 7u;
    let before = atomicAdd(&count, 1u);
    let doubled = twice(data[at]);
    let both = Two(doubled, array(data[at + 1u], data[at + before]));
    let pointer = &data[at + fixed];
    if (at > 3u) {
        let again = 8u;
        let inner = mat2x2<f32>(data[again], doubled, both.a, both.b[1]);
        *pointer = inner[0].x + inner[1].y * inner[0].y;
    } else {
        let again = 9u;
        data[at] = f32(again);
    }
}";
        let [plain, named] = codes(source, Path::new("names.wgsl")).unwrap();
        assert!(!names(&plain).contains(&"at"), "{:?}", names(&plain));
        for name in ["id", "at", "fixed", "before", "doubled", "both", "inner", "given"] {
            assert!(names(&named).contains(&name), "{name} of {:?}", names(&named));
        }
        for name in ["pointer", "again"] {
            assert!(!names(&named).contains(&name), "{name} of {:?}", names(&named));
        }
    }

    /// What may come in any order may come in another.
    #[test]
    fn names_cost_no_instruction() {
        let mut seen = 0;
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut folders =
            ["samples", "wavepipe/puzzles", "playground/examples", "tests/planted"].map(|f| root.join(f)).to_vec();
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "wgsl") {
                    let source = std::fs::read_to_string(&path).unwrap();
                    let Some(codes) = codes(&source, &path) else { continue };
                    let [plain, named] = codes.map(|code| {
                        let name = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
                        let mut names: Vec<String> = code_lines(&code).iter().map(|l| name(&l.text)).collect();
                        names.sort();
                        names
                    });
                    assert_eq!(plain, named, "{}", path.display());
                    seen += 1;
                }
            }
        }
        assert!(seen > 50, "{seen}");
    }
}
