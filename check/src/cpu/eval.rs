//! A plain interpreter of naga's IR, as far as functions of numbers go: no lowering, no machine code, nothing that the device's
//! compiler has a part in. What it has no meaning for is an error by name.

use super::math;
use super::value::{Num, Result, Root, Spot, Value};
use naga::{Block, Expression, Function, Handle, Module, Statement, SwitchValue, TypeInner};

/// Statements and expressions of one call from outside, at most.
const BUDGET: u64 = 1 << 26;
/// Calls within calls.
const DEPTH: usize = 64;

/// What a module's buffers hold.
pub trait Memory {
    /// Whether there is a variable of that name.
    fn has(&self, name: &str) -> bool;
    /// What lies at the end of a path into a variable.
    fn load(&self, name: &str, path: &[usize]) -> Result<Value>;
    /// How many elements its array has.
    fn length(&self, name: &str) -> Result<usize>;
}

pub struct Machine<'a> {
    module: &'a Module,
    memory: &'a dyn Memory,
    left: u64,
    /// The outermost call's first.
    frames: Vec<Frame<'a>>,
}

struct Frame<'a> {
    function: &'a Function,
    arguments: Vec<Value>,
    values: Vec<Option<Value>>,
    locals: Vec<Value>,
}

/// How a block ends.
enum Flow {
    On,
    Break,
    Continue,
    Return(Option<Value>),
}

impl<'a> Machine<'a> {
    pub fn new(module: &'a Module, memory: &'a dyn Memory) -> Machine<'a> {
        Machine { module, memory, left: BUDGET, frames: Vec::new() }
    }

    /// Calls a function.
    pub fn call(&mut self, function: &'a Function, arguments: Vec<Value>) -> Result<Option<Value>> {
        if self.frames.len() >= DEPTH {
            return Err(format!("more than {DEPTH} calls within calls"));
        }
        if self.frames.is_empty() {
            self.left = BUDGET;
        }
        let zero = |(_, l): (_, &naga::LocalVariable)| Value::zero(&self.module.types, l.ty);
        let locals = function.local_variables.iter().map(zero).collect::<Result<_>>()?;
        let values = vec![None; function.expressions.len()];
        self.frames.push(Frame { function, arguments, values, locals });
        let result = self.body(function);
        self.frames.pop();
        result
    }

    fn body(&mut self, function: &'a Function) -> Result<Option<Value>> {
        for (handle, local) in function.local_variables.iter() {
            if let Some(init) = local.init {
                let value = self.value(init)?;
                self.frame().locals[handle.index()] = value;
            }
        }
        match self.block(&function.body)? {
            Flow::Return(value) => Ok(value),
            _ => Ok(None),
        }
    }

    fn frame(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("a call is under way")
    }

    fn step(&mut self) -> Result<()> {
        self.left = self.left.checked_sub(1).ok_or("it runs without an end")?;
        Ok(())
    }

    fn block(&mut self, block: &'a Block) -> Result<Flow> {
        for statement in block.iter() {
            match self.statement(statement)? {
                Flow::On => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::On)
    }

    fn statement(&mut self, statement: &'a Statement) -> Result<Flow> {
        self.step()?;
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    let value = self.evaluate(handle)?;
                    self.frame().values[handle.index()] = Some(value);
                }
            }
            Statement::Block(block) => return self.block(block),
            Statement::If { condition, accept, reject } => {
                let taken = self.value(*condition)?.scalar()?.truth()?;
                return self.block(if taken { accept } else { reject });
            }
            Statement::Switch { selector, cases } => {
                let chosen = self.value(*selector)?.scalar()?.int();
                let is = |v: &SwitchValue| match v {
                    SwitchValue::I32(i) => chosen == i128::from(*i),
                    SwitchValue::U32(u) => chosen == i128::from(*u),
                    SwitchValue::Default => false,
                };
                let default = || cases.iter().position(|c| c.value == SwitchValue::Default);
                let first = cases.iter().position(|c| is(&c.value)).or_else(default);
                for case in cases.iter().skip(first.unwrap_or(cases.len())) {
                    match self.block(&case.body)? {
                        Flow::On if case.fall_through => {}
                        Flow::On | Flow::Break => break,
                        other => return Ok(other),
                    }
                }
            }
            Statement::Loop { body, continuing, break_if } => loop {
                self.step()?;
                match self.block(body)? {
                    Flow::On | Flow::Continue => {}
                    Flow::Break => break,
                    other => return Ok(other),
                }
                self.block(continuing)?;
                if let Some(condition) = break_if
                    && self.value(*condition)?.scalar()?.truth()?
                {
                    break;
                }
            },
            Statement::Break => return Ok(Flow::Break),
            Statement::Continue => return Ok(Flow::Continue),
            Statement::Return { value } => return Ok(Flow::Return(value.map(|v| self.value(v)).transpose()?)),
            Statement::Store { pointer, value } => {
                let (spot, value) = (self.spot(*pointer)?, self.value(*value)?);
                self.variable(&spot.root)?.put(&spot.path, value)?;
            }
            Statement::Call { function, arguments, result } => {
                let arguments: Vec<Value> =
                    arguments.iter().map(|a| self.value(*a).map(|v| self.outer(v))).collect::<Result<_>>()?;
                let value = self.call(&self.module.functions[*function], arguments)?;
                if let (Some(result), Some(value)) = (result, value) {
                    self.frame().values[result.index()] = Some(value);
                }
            }
            other => {
                let text = format!("{other:?}");
                let name = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("statement").to_owned();
                return Err(format!("a reference on the CPU has no {name}"));
            }
        }
        Ok(Flow::On)
    }

    /// A pointer to a local variable, as the function sees it that is called.
    fn outer(&self, value: Value) -> Value {
        match value {
            Value::Pointer(Spot { root: Root::Local(l), path }) => {
                Value::Pointer(Spot { root: Root::Outer(self.frames.len() - 1, l), path })
            }
            other => other,
        }
    }

    fn variable(&mut self, root: &Root) -> Result<&mut Value> {
        let last = self.frames.len() - 1;
        match root {
            Root::Local(l) => Ok(&mut self.frames[last].locals[l.index()]),
            Root::Outer(frame, l) => Ok(&mut self.frames[*frame].locals[l.index()]),
            Root::Global(_) => Err("a reference stores to no buffer".into()),
        }
    }

    fn spot(&mut self, pointer: Handle<Expression>) -> Result<Spot> {
        match self.value(pointer)? {
            Value::Pointer(spot) => Ok(spot),
            other => Err(format!("{} where a pointer is wanted", other.kind())),
        }
    }

    fn load(&mut self, spot: &Spot) -> Result<Value> {
        match &spot.root {
            Root::Global(g) => {
                let (name, path) = self.named(*g, &spot.path);
                self.memory.load(name, path)
            }
            root => {
                let value = self.variable(root)?.clone();
                spot.path.iter().try_fold(value, |value, n| value.part(*n))
            }
        }
    }

    /// A variable of memory and the way into it: what a block of GLSL has no name for is its members'.
    fn named<'p>(&self, global: Handle<naga::GlobalVariable>, path: &'p [usize]) -> (&'a str, &'p [usize]) {
        let variable = &self.module.global_variables[global];
        let name = variable.name.as_deref().unwrap_or("");
        match (&self.module.types[variable.ty].inner, path.split_first()) {
            (TypeInner::Struct { members, .. }, Some((member, rest))) if !self.memory.has(name) => {
                (members.get(*member).and_then(|m| m.name.as_deref()).unwrap_or(""), rest)
            }
            _ => (name, path),
        }
    }

    /// What an expression is: as it was emitted, or, of what needs none, now.
    fn value(&mut self, handle: Handle<Expression>) -> Result<Value> {
        match &self.frame().values[handle.index()] {
            Some(value) => Ok(value.clone()),
            None => self.evaluate(handle),
        }
    }

    fn evaluate(&mut self, handle: Handle<Expression>) -> Result<Value> {
        self.step()?;
        let expression = &self.frame().function.expressions[handle];
        match expression {
            Expression::FunctionArgument(n) => Ok(self.frame().arguments[*n as usize].clone()),
            Expression::GlobalVariable(g) => Ok(Value::Pointer(Spot { root: Root::Global(*g), path: Vec::new() })),
            Expression::LocalVariable(l) => Ok(Value::Pointer(Spot { root: Root::Local(*l), path: Vec::new() })),
            Expression::Load { pointer } => {
                let spot = self.spot(*pointer)?;
                self.load(&spot)
            }
            Expression::Access { base, index } => {
                let index = self.value(*index)?.scalar()?.int();
                let index = usize::try_from(index).map_err(|_| format!("index {index} is below 0"))?;
                self.part(*base, index)
            }
            Expression::AccessIndex { base, index } => self.part(*base, *index as usize),
            Expression::ArrayLength(array) => {
                let spot = self.spot(*array)?;
                let Root::Global(g) = spot.root else { return Err("the length of no buffer".into()) };
                let (name, _) = self.named(g, &spot.path);
                Ok(Value::Scalar(Num::U32(self.memory.length(name)? as u32)))
            }
            Expression::CallResult(_) => Err("a result of a call that was not made".into()),
            plain => {
                let plain = plain.clone();
                self.plain(&plain, &mut |machine, h| machine.value(h))
            }
        }
    }

    fn part(&mut self, base: Handle<Expression>, index: usize) -> Result<Value> {
        match self.value(base)? {
            Value::Pointer(mut spot) => {
                spot.path.push(index);
                Ok(Value::Pointer(spot))
            }
            value => value.part(index),
        }
    }

    fn constant(&mut self, handle: Handle<Expression>) -> Result<Value> {
        self.step()?;
        match &self.module.global_expressions[handle] {
            Expression::AccessIndex { base, index } => self.constant(*base)?.part(*index as usize),
            plain => self.plain(plain, &mut |machine, h| machine.constant(h)),
        }
    }

    /// What has the same meaning in functions and in constants.
    fn plain(
        &mut self,
        expression: &Expression,
        of: &mut dyn FnMut(&mut Self, Handle<Expression>) -> Result<Value>,
    ) -> Result<Value> {
        let types = &self.module.types;
        match expression {
            Expression::Literal(literal) => Ok(Value::Scalar(Num::of_literal(*literal))),
            Expression::Constant(c) => self.constant(self.module.constants[*c].init),
            Expression::ZeroValue(ty) => Value::zero(types, *ty),
            Expression::Compose { ty, components } => {
                let parts: Vec<Value> = components.iter().map(|c| of(self, *c)).collect::<Result<_>>()?;
                match &types[*ty].inner {
                    TypeInner::Vector { .. } => {
                        let nums: Vec<Num> =
                            parts.iter().map(|p| p.nums().map(<[Num]>::to_vec)).collect::<Result<Vec<_>>>()?.concat();
                        Value::vector(&nums)
                    }
                    TypeInner::Matrix { .. } => Ok(Value::Matrix(parts)),
                    _ => Ok(Value::Composite(parts)),
                }
            }
            Expression::Splat { size, value } => Ok(Value::Vector(*size as u8, [of(self, *value)?.scalar()?; 4])),
            Expression::Swizzle { size, vector, pattern } => {
                let vector = of(self, *vector)?;
                let nums = vector.nums()?;
                let pick = |p: &naga::SwizzleComponent| nums.get(*p as usize).copied().ok_or("no such component");
                let picked: Vec<Num> =
                    pattern[..*size as usize].iter().map(pick).collect::<std::result::Result<_, _>>()?;
                Value::vector(&picked)
            }
            Expression::Unary { op, expr } => math::unary(*op, &of(self, *expr)?),
            Expression::Binary { op, left, right } => math::binary(*op, &of(self, *left)?, &of(self, *right)?),
            Expression::Select { condition, accept, reject } => {
                let (condition, accept, reject) = (of(self, *condition)?, of(self, *accept)?, of(self, *reject)?);
                match &condition {
                    Value::Scalar(truth) => Ok(if truth.truth()? { accept } else { reject }),
                    _ => {
                        let (a, r) = (accept.nums()?, reject.nums()?);
                        let choose = |(n, c): (usize, &Num)| Ok::<_, String>(if c.truth()? { a[n] } else { r[n] });
                        let all: Vec<Num> = condition.nums()?.iter().enumerate().map(choose).collect::<Result<_>>()?;
                        Value::vector(&all)
                    }
                }
            }
            Expression::Relational { fun, argument } => {
                use naga::RelationalFunction as R;
                let argument = of(self, *argument)?;
                let truths = || argument.nums()?.iter().map(|n| n.truth()).collect::<Result<Vec<bool>>>();
                match fun {
                    R::All => Ok(Value::Scalar(Num::Bool(truths()?.iter().all(|t| *t)))),
                    R::Any => Ok(Value::Scalar(Num::Bool(truths()?.iter().any(|t| *t)))),
                    R::IsNan => argument.map(&mut |x| Ok(Num::Bool(x.float().is_nan()))),
                    R::IsInf => argument.map(&mut |x| Ok(Num::Bool(x.float().is_infinite()))),
                }
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let mut args = vec![of(self, *arg)?];
                for more in [arg1, arg2, arg3].into_iter().flatten() {
                    args.push(of(self, *more)?);
                }
                math::call(*fun, &args)
            }
            Expression::As { expr, kind, convert } => {
                let value = of(self, *expr)?;
                match convert {
                    Some(width) => value.map(&mut |x| x.convert(*kind, *width)),
                    None => value.map(&mut |x| x.bitcast(*kind)),
                }
            }
            other => {
                let text = format!("{other:?}");
                let name = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("expression");
                Err(format!("a reference on the CPU has no {name}"))
            }
        }
    }
}
