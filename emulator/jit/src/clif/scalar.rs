//! Scalar steps: words of 32 bits, conditions of 8 that are 0 or 1.

use super::region::Builder;
use crate::record::{F, Id, Node};
use crate::step::{Plan, ResultPlace, SCC, operand};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};
use wavepipe_core::wave::{Operand, Step};

/// Whether a node of a scalar step has a value here.
pub fn takes(f: F) -> bool {
    use F::*;
    matches!(
        f,
        literal
            | truth
            | source
            | condition
            | sel
            | cand
            | cor
            | cnot
            | add
            | sub
            | mul
            | umulhi
            | smulhi
            | and
            | or
            | xor
            | not
            | shl
            | shr
            | sar
            | brev
            | popcnt
            | clz
            | ctz
            | eq
            | ult
            | slt
    )
}

impl Builder<'_, '_> {
    pub fn scalar_step(&mut self, step: &Step, plan: &Plan) -> Option<()> {
        let mut of = Vec::with_capacity(plan.nodes.len());
        for node in &plan.nodes {
            let value = self.scalar_node(step, node, &of)?;
            of.push(value);
        }
        for &(place, id) in &plan.results {
            let v = of[usize::from(id)];
            match place {
                ResultPlace::Scalar(i) => self.set_scalar(i, v),
                ResultPlace::Scc => {
                    let v = self.f.ins().uextend(I32, v);
                    self.set_scalar(SCC, v);
                }
                ResultPlace::SccNonZero => {
                    let any = self.f.ins().icmp_imm_u(IntCC::NotEqual, v, 0);
                    let v = self.f.ins().uextend(I32, any);
                    self.set_scalar(SCC, v);
                }
                ResultPlace::Vgpr(_) | ResultPlace::Mask(_) => return None,
            }
        }
        Some(())
    }

    fn scalar_node(&mut self, step: &Step, node: &Node, of: &[Value]) -> Option<Value> {
        use F::*;
        let x = |k: usize| of[usize::from(node.args[k])];
        let word = |v: u32| i64::from(v);
        Some(match node.f {
            literal => self.f.ins().iconst(I32, word(node.literal)),
            truth => self.f.ins().iconst(I8, word(node.literal)),
            source => {
                let at = node.literal as usize & 1;
                match operand(step, node.literal)? {
                    Operand::Constant(words) => self.f.ins().iconst(I32, word(words[at])),
                    Operand::Scalar(words) => self.scalar(words[at]),
                    Operand::Vgpr(_) => return None,
                }
            }
            condition => {
                let v = self.scalar(step.condition?);
                self.f.ins().icmp_imm_u(IntCC::NotEqual, v, 0)
            }
            sel => self.f.ins().select(x(0), x(1), x(2)),
            cnot => self.f.ins().bxor_imm_u(x(0), 1),
            add => self.f.ins().iadd(x(0), x(1)),
            sub => self.f.ins().isub(x(0), x(1)),
            mul => self.f.ins().imul(x(0), x(1)),
            and | cand => self.f.ins().band(x(0), x(1)),
            or | cor => self.f.ins().bor(x(0), x(1)),
            xor => self.f.ins().bxor(x(0), x(1)),
            not => self.f.ins().bnot(x(0)),
            umulhi | smulhi => {
                let wide = [x(0), x(1)].map(|v| match node.f {
                    umulhi => self.f.ins().uextend(I64, v),
                    _ => self.f.ins().sextend(I64, v),
                });
                let product = self.f.ins().imul(wide[0], wide[1]);
                let upper = self.f.ins().ushr_imm_u(product, 32);
                self.f.ins().ireduce(I32, upper)
            }
            // Counts are taken by 32, as Cranelift does it.
            shl if node.args[1] == Id::MAX => self.f.ins().ishl_imm_u(x(0), word(node.literal)),
            shr if node.args[1] == Id::MAX => self.f.ins().ushr_imm_u(x(0), word(node.literal)),
            sar if node.args[1] == Id::MAX => self.f.ins().sshr_imm_u(x(0), word(node.literal)),
            shl => self.f.ins().ishl(x(0), x(1)),
            shr => self.f.ins().ushr(x(0), x(1)),
            sar => self.f.ins().sshr(x(0), x(1)),
            brev => self.f.ins().bitrev(x(0)),
            popcnt => self.f.ins().popcnt(x(0)),
            clz => self.f.ins().clz(x(0)),
            ctz => self.f.ins().ctz(x(0)),
            eq => self.f.ins().icmp(IntCC::Equal, x(0), x(1)),
            ult => self.f.ins().icmp(IntCC::UnsignedLessThan, x(0), x(1)),
            slt => self.f.ins().icmp(IntCC::SignedLessThan, x(0), x(1)),
            _ => return None,
        })
    }
}
