//! Random programs as trees, their text, and their meaning.

mod meaning;
mod text;

use wavepipe_tests::split_mix::split_mix;

pub use meaning::evaluate;
pub use text::wgsl;

/// Words of the variables that a function has, and of its array.
pub const VARIABLES: usize = 4;
pub const ARRAY: u32 = 4;

/// Functions; the last is the program's, and each calls only those before it.
pub struct Program {
    pub functions: Vec<Function>,
}

/// `fn f(a, b) -> u32`: variables 0 and 1 start as a and b, the others as constants; the value is a mix of them all.
pub struct Function {
    pub body: Vec<Statement>,
}

pub enum Statement {
    Assign(usize, Expression),
    /// array[index & 3] = value
    Store(Expression, Expression),
    If(Condition, Vec<Statement>, Vec<Statement>),
    /// switch value & 3 { cases 0, 1, 2, default }
    Switch(Expression, [Vec<Statement>; 4]),
    /// At most seven rounds: while counter < (bound & 7).
    Loop(Expression, Vec<Statement>),
    Break(Condition),
    Continue(Condition),
    Return(Condition, Expression),
}

pub enum Expression {
    Constant(u32),
    Variable(usize),
    Lane,
    /// inputs[index & 15]
    Input(Box<Expression>),
    /// array[index & 3]
    Load(Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>),
    Unary(Unary, Box<Expression>),
    Select(Box<Condition>, Box<Expression>, Box<Expression>),
    Call(usize, Box<Expression>, Box<Expression>),
}

#[derive(Clone, Copy)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    Left,
    Right,
    Arithmetic,
    Minimum,
    Maximum,
}

#[derive(Clone, Copy)]
pub enum Unary {
    Not,
    Ones,
    Reverse,
    LeadingZeros,
}

pub struct Condition {
    pub compare: Compare,
    pub left: Expression,
    pub right: Expression,
}

#[derive(Clone, Copy)]
pub enum Compare {
    Equal,
    Less,
    SignedLess,
    /// Bit `right & 31` of `left`.
    Bit,
}

impl Program {
    /// The same program for the same seed.
    pub fn random(seed: u64) -> Program {
        let mut dice = Dice { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d };
        let count = 1 + dice.roll(3) as usize;
        let functions = (0..count)
            .map(|callable| Function {
                body: dice.block(StatementContext { depth: 0, in_loop: false, callable, work: 7 }),
            })
            .collect();
        Program { functions }
    }
}

/// Random decisions.
struct Dice {
    state: u64,
}

#[derive(Clone, Copy)]
struct StatementContext {
    depth: u32,
    in_loop: bool,
    /// Functions with a smaller number may be called.
    callable: usize,
    /// Statements, about.
    work: u32,
}

impl Dice {
    fn roll(&mut self, sides: u32) -> u32 {
        ((split_mix(&mut self.state) >> 33) % u64::from(sides)) as u32
    }

    fn block(&mut self, place: StatementContext) -> Vec<Statement> {
        let count = 1 + self.roll(place.work.max(1));
        (0..count).map(|_| self.statement(place)).collect()
    }

    fn statement(&mut self, place: StatementContext) -> Statement {
        let inner = StatementContext { depth: place.depth + 1, work: place.work / 2, ..place };
        match self.roll(if place.depth < 4 { 14 } else { 8 }) {
            0..=3 => Statement::Assign(self.roll(VARIABLES as u32) as usize, self.expression(3, place.callable)),
            4 => Statement::Store(self.expression(1, 0), self.expression(2, place.callable)),
            5 if place.in_loop => Statement::Break(self.condition()),
            6 if place.in_loop => Statement::Continue(self.condition()),
            7 if place.depth > 0 => Statement::Return(self.condition(), self.expression(1, 0)),
            5..=7 => Statement::Assign(self.roll(VARIABLES as u32) as usize, self.expression(2, place.callable)),
            8..=10 => {
                let other = if self.roll(2) == 0 { Vec::new() } else { self.block(inner) };
                Statement::If(self.condition(), self.block(inner), other)
            }
            11 => {
                // Inside a switch a break would leave the switch.
                let case = StatementContext { in_loop: false, ..inner };
                Statement::Switch(self.expression(1, 0), std::array::from_fn(|_| self.block(case)))
            }
            // A call in a loop in a loop in a call is work for nothing.
            _ => Statement::Loop(
                self.expression(1, 0),
                self.block(StatementContext { in_loop: true, callable: 0, ..inner }),
            ),
        }
    }

    fn condition(&mut self) -> Condition {
        let compare = [Compare::Equal, Compare::Less, Compare::SignedLess, Compare::Bit][self.roll(4) as usize];
        Condition { compare, left: self.expression(1, 0), right: self.expression(1, 0) }
    }

    fn expression(&mut self, depth: u32, callable: usize) -> Expression {
        if depth == 0 || self.roll(5) == 0 {
            return match self.roll(6) {
                0 => Expression::Constant(self.roll(8)),
                1 => Expression::Constant(self.roll(u32::MAX)),
                2 => Expression::Lane,
                _ => Expression::Variable(self.roll(VARIABLES as u32) as usize),
            };
        }
        let part = |dice: &mut Dice| Box::new(dice.expression(depth - 1, callable));
        match self.roll(16) {
            0 => Expression::Input(part(self)),
            1 => Expression::Load(part(self)),
            2 => Expression::Select(Box::new(self.condition()), part(self), part(self)),
            3 if callable > 0 => Expression::Call(self.roll(callable as u32) as usize, part(self), part(self)),
            3 | 4 => {
                let which = [Unary::Not, Unary::Ones, Unary::Reverse, Unary::LeadingZeros][self.roll(4) as usize];
                Expression::Unary(which, part(self))
            }
            _ => Expression::Binary(BINARY[self.roll(BINARY.len() as u32) as usize], part(self), part(self)),
        }
    }
}

const BINARY: [Binary; 13] = [
    Binary::Add,
    Binary::Subtract,
    Binary::Multiply,
    Binary::Divide,
    Binary::Remainder,
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::Left,
    Binary::Right,
    Binary::Arithmetic,
    Binary::Minimum,
    Binary::Maximum,
];
