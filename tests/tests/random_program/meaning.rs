//! What a program computes, by walking its tree.

use super::{ARRAY, Binary, Compare, Condition, Expression, Function, Program, Statement, Unary, VARIABLES};

/// The word of one lane.
pub fn evaluate(program: &Program, lane: u32, inputs: &[u32]) -> u32 {
    let machine = Machine { program, lane, inputs };
    machine.call(program.functions.len() - 1, lane, 3)
}

struct Machine<'a> {
    program: &'a Program,
    lane: u32,
    inputs: &'a [u32],
}

struct Frame {
    variables: [u32; VARIABLES],
    array: [u32; ARRAY as usize],
}

/// How a block ended.
enum End {
    Through,
    Break,
    Continue,
    Return(u32),
}

impl Machine<'_> {
    fn call(&self, number: usize, a: u32, b: u32) -> u32 {
        let Function { body } = &self.program.functions[number];
        let mut frame = Frame { variables: [a, b, 2000, 3000], array: [0; ARRAY as usize] };
        if let End::Return(value) = self.block(body, &mut frame) {
            return value;
        }
        let [a, b, c, d] = frame.variables;
        let mix = a ^ b.wrapping_mul(3) ^ c.wrapping_mul(5) ^ d.wrapping_mul(7);
        frame.array.iter().fold(mix, |mix, word| mix ^ word)
    }

    fn block(&self, statements: &[Statement], frame: &mut Frame) -> End {
        for statement in statements {
            let end = self.statement(statement, frame);
            if !matches!(end, End::Through) {
                return end;
            }
        }
        End::Through
    }

    fn statement(&self, statement: &Statement, frame: &mut Frame) -> End {
        match statement {
            Statement::Assign(variable, value) => frame.variables[*variable] = self.value(value, frame),
            Statement::Store(index, value) => {
                let index = self.value(index, frame) & 3;
                frame.array[index as usize] = self.value(value, frame);
            }
            Statement::If(test, then, other) => {
                return self.block(if self.holds(test, frame) { then } else { other }, frame);
            }
            Statement::Switch(value, cases) => {
                let case = self.value(value, frame) & 3;
                return self.block(&cases[case as usize], frame);
            }
            Statement::Loop(bound, body) => {
                for _ in 0..self.value(bound, frame) & 7 {
                    match self.block(body, frame) {
                        End::Through | End::Continue => {}
                        End::Break => break,
                        end @ End::Return(_) => return end,
                    }
                }
            }
            Statement::Break(test) if self.holds(test, frame) => return End::Break,
            Statement::Continue(test) if self.holds(test, frame) => return End::Continue,
            Statement::Return(test, value) if self.holds(test, frame) => return End::Return(self.value(value, frame)),
            Statement::Break(_) | Statement::Continue(_) | Statement::Return(..) => {}
        }
        End::Through
    }

    fn holds(&self, condition: &Condition, frame: &Frame) -> bool {
        let (left, right) = (self.value(&condition.left, frame), self.value(&condition.right, frame));
        match condition.compare {
            Compare::Equal => left & 3 == right & 3,
            Compare::Less => left < right,
            Compare::SignedLess => (left as i32) < right as i32,
            Compare::Bit => left >> (right & 31) & 1 != 0,
        }
    }

    fn value(&self, expression: &Expression, frame: &Frame) -> u32 {
        let of = |e: &Expression| self.value(e, frame);
        match expression {
            Expression::Constant(value) => *value,
            Expression::Variable(variable) => frame.variables[*variable],
            Expression::Lane => self.lane,
            Expression::Input(index) => self.inputs[of(index) as usize & 15],
            Expression::Load(index) => frame.array[of(index) as usize & 3],
            Expression::Binary(operation, a, b) => binary(*operation, of(a), of(b)),
            Expression::Unary(operation, a) => match operation {
                Unary::Not => !of(a),
                Unary::Ones => of(a).count_ones(),
                Unary::Reverse => of(a).reverse_bits(),
                Unary::LeadingZeros => of(a).leading_zeros(),
            },
            Expression::Select(test, a, b) => {
                if self.holds(test, frame) {
                    of(a)
                } else {
                    of(b)
                }
            }
            Expression::Call(number, a, b) => self.call(*number, of(a), of(b)),
        }
    }
}

/// WGSL's arithmetic: wrapping, and a division by zero gives the dividend, its remainder zero.
fn binary(operation: Binary, a: u32, b: u32) -> u32 {
    match operation {
        Binary::Add => a.wrapping_add(b),
        Binary::Subtract => a.wrapping_sub(b),
        Binary::Multiply => a.wrapping_mul(b),
        Binary::Divide => a.checked_div(b).unwrap_or(a),
        Binary::Remainder => a.checked_rem(b).unwrap_or(0),
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Left => a << (b & 31),
        Binary::Right => a >> (b & 31),
        Binary::Arithmetic => ((a as i32) >> (b & 31)) as u32,
        Binary::Minimum => a.min(b),
        Binary::Maximum => a.max(b),
    }
}
