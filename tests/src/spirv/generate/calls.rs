//! Functions with parameters by value and by pointer, and their calls.

use super::{Callee, Gen, Inst, Var};
use rspirv::spirv::{FunctionControl, Op, StorageClass};

impl Gen {
    /// A function that may call those before it.
    pub fn callee(&mut self) {
        let result = if self.r.one_in(4) { self.void() } else { self.flowing_type() };
        let pointees: Vec<Option<u32>> =
            (0..self.r.below(4)).map(|_| if self.r.one_in(3) { Some(self.any_type()) } else { None }).collect();
        let mut params = Vec::new();
        for pointee in pointees {
            params.push(match pointee {
                Some(to) => (self.pointer(StorageClass::Function, to), Some(to)),
                None => (self.flowing_type(), None),
            });
        }
        self.begin_function(false, result);
        let mut words = Vec::new();
        for &(ty, pointee) in &params {
            let id = self.id();
            words.push(Inst::new(Op::FunctionParameter, ty, id, []));
            match pointee {
                Some(pointee) => self.variables.push(Var { id, pointee, class: StorageClass::Function }),
                None => self.offer(id, ty, false),
            }
        }
        if self.body(0) {
            self.leave();
        }
        let id = self.id();
        let types: Vec<u32> = params.iter().map(|p| p.0).collect();
        let ty = self.function_type(result, &types);
        let control = self.r.pick(&[FunctionControl::NONE, FunctionControl::DONT_INLINE, FunctionControl::INLINE]);
        self.end_function(Inst::new(Op::Function, result, id, [control.bits(), ty]), words);
        self.callees.push(Callee { id, result, params });
    }

    pub fn call(&mut self) {
        if self.callees.is_empty() {
            return;
        }
        let at = self.r.below(self.callees.len());
        let callee = self.callees[at].clone();
        let mut args = vec![callee.id];
        let mut given = Vec::new();
        for &(ty, pointee) in &callee.params {
            let arg = match pointee {
                None => self.value(ty),
                Some(to) => {
                    // Two parameters for one variable would alias.
                    let own = |v: &&Var| v.class == StorageClass::Function && v.pointee == to && !given.contains(&v.id);
                    let all: Vec<u32> = self.variables.iter().filter(own).map(|v| v.id).collect();
                    let id = if all.is_empty() { self.variable_for(ty, to) } else { self.r.pick(&all) };
                    given.push(id);
                    id
                }
            };
            args.push(arg);
        }
        let id = self.emit(Op::FunctionCall, callee.result, &args);
        if callee.result != self.void() {
            self.offer(id, callee.result, false);
        }
    }

    /// A variable of the function, declared at its beginning; it has a value by a store here.
    fn variable_for(&mut self, pointer: u32, pointee: u32) -> u32 {
        let id = self.id();
        let i = Inst::new(Op::Variable, pointer, id, [StorageClass::Function as u32]);
        self.blocks[0].insts.insert(0, i);
        let value = self.value(pointee);
        self.put(Inst::new(Op::Store, 0, 0, [id, value]));
        id
    }
}
