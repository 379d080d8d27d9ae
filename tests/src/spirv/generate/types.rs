//! Types, constants and the layout of buffers.

use super::{Gen, Inst, UNIFORMS};
use rspirv::spirv::{Capability, Decoration, Op, StorageClass};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Void,
    Bool,
    Int {
        bits: u32,
        signed: bool,
    },
    Float {
        bits: u32,
    },
    Vector {
        of: u32,
        n: u32,
    },
    Matrix {
        of: u32,
        n: u32,
    },
    Array {
        of: u32,
        n: u32,
    },
    Struct(Vec<u32>),
    Function(Vec<u32>),
    /// To a word of the item's slots: a value like others, with VariablePointers.
    Pointer,
}

/// A type as it is laid out in a buffer: its own id, beside that of the same type without layout.
#[derive(Clone, Debug, Default)]
pub struct Laid {
    pub id: u32,
    pub plain: u32,
    pub parts: Vec<Laid>,
}

/// The structure of a work-item in the record buffer.
#[derive(Clone, Debug, Default)]
pub struct Record {
    pub laid: Laid,
    pub stride: u32,
}

impl Gen {
    pub fn choose_scalars(&mut self) {
        let mut all = vec![self.uint(), self.int(32, true)];
        for bits in [8, 16, 64] {
            if self.r.one_in(3) {
                all.push(self.int(bits, false));
                all.push(self.int(bits, true));
            }
        }
        for (bits, often) in [(32, 1), (16, 4), (64, 4)] {
            if self.r.one_in(often) {
                all.push(self.float(bits));
            }
        }
        self.scalars = all;
    }

    fn declare(&mut self, kind: Kind) -> u32 {
        if let Some(&id) = self.types.get(&kind) {
            return id;
        }
        let id = self.declare_anew(kind.clone());
        self.types.insert(kind, id);
        id
    }

    fn declare_anew(&mut self, kind: Kind) -> u32 {
        let (op, args) = match &kind {
            Kind::Void => (Op::TypeVoid, vec![]),
            Kind::Bool => (Op::TypeBool, vec![]),
            Kind::Int { bits, signed } => (Op::TypeInt, vec![*bits, u32::from(*signed)]),
            Kind::Float { bits } => (Op::TypeFloat, vec![*bits]),
            Kind::Vector { of, n } => (Op::TypeVector, vec![*of, *n]),
            Kind::Matrix { of, n } => (Op::TypeMatrix, vec![*of, *n]),
            Kind::Array { of, n } => (Op::TypeArray, vec![*of, self.word(*n)]),
            Kind::Struct(members) => (Op::TypeStruct, members.clone()),
            Kind::Function(all) => (Op::TypeFunction, all.clone()),
            // Declared by `pointer`.
            Kind::Pointer => (Op::Nop, vec![]),
        };
        match kind {
            Kind::Int { bits: 8, .. } => self.need(Capability::Int8),
            Kind::Int { bits: 16, .. } => self.need(Capability::Int16),
            Kind::Int { bits: 64, .. } => self.need(Capability::Int64),
            Kind::Float { bits: 16 } => self.need(Capability::Float16),
            Kind::Float { bits: 64 } => self.need(Capability::Float64),
            _ => {}
        }
        let id = self.id();
        self.declarations.push(Inst::new(op, 0, id, args));
        self.kinds.insert(id, kind);
        id
    }

    pub fn kind(&self, ty: u32) -> Kind {
        self.kinds[&ty].clone()
    }

    pub fn void(&mut self) -> u32 {
        self.declare(Kind::Void)
    }

    pub fn bool(&mut self) -> u32 {
        self.declare(Kind::Bool)
    }

    pub fn int(&mut self, bits: u32, signed: bool) -> u32 {
        self.declare(Kind::Int { bits, signed })
    }

    pub fn uint(&mut self) -> u32 {
        self.int(32, false)
    }

    pub fn float(&mut self, bits: u32) -> u32 {
        self.declare(Kind::Float { bits })
    }

    pub fn vector(&mut self, of: u32, n: u32) -> u32 {
        self.declare(Kind::Vector { of, n })
    }

    pub fn array(&mut self, of: u32, n: u32) -> u32 {
        self.declare(Kind::Array { of, n })
    }

    /// Of `n` columns.
    pub fn matrix(&mut self, of: u32, n: u32) -> u32 {
        self.declare(Kind::Matrix { of, n })
    }

    pub fn structure(&mut self, members: Vec<u32>) -> u32 {
        self.declare(Kind::Struct(members))
    }

    pub fn function_type(&mut self, result: u32, params: &[u32]) -> u32 {
        let mut all = vec![result];
        all.extend(params);
        self.declare(Kind::Function(all))
    }

    pub fn pointer(&mut self, class: StorageClass, to: u32) -> u32 {
        if let Some(&id) = self.pointers.get(&(class as u32, to)) {
            return id;
        }
        let id = self.id();
        self.declarations.push(Inst::new(Op::TypePointer, 0, id, [class as u32, to]));
        self.pointers.insert((class as u32, to), id);
        id
    }

    /// A type for what flows through phis, calls and choices: any, or a pointer.
    pub fn flowing_type(&mut self) -> u32 {
        if self.pointer_values && self.r.one_in(5) { self.slot_pointer() } else { self.any_type() }
    }

    /// The type of pointers that are values.
    pub fn slot_pointer(&mut self) -> u32 {
        let uint = self.uint();
        let id = self.pointer(StorageClass::StorageBuffer, uint);
        self.kinds.insert(id, Kind::Pointer);
        id
    }

    /// `ty` with its scalars, or its vector's components, replaced by `scalar`.
    pub fn like(&mut self, ty: u32, scalar: u32) -> u32 {
        match self.kind(ty) {
            Kind::Vector { n, .. } => self.vector(scalar, n),
            _ => scalar,
        }
    }

    /// The scalar type of a scalar or vector.
    pub fn scalar_of(&self, ty: u32) -> u32 {
        match self.kinds[&ty] {
            Kind::Vector { of, .. } => of,
            Kind::Matrix { of, .. } => self.scalar_of(of),
            _ => ty,
        }
    }

    pub fn bits_of(&self, ty: u32) -> u32 {
        match self.kinds[&self.scalar_of(ty)] {
            Kind::Int { bits, .. } | Kind::Float { bits } => bits,
            _ => 1,
        }
    }

    pub fn is_float(&self, ty: u32) -> bool {
        matches!(self.kinds[&self.scalar_of(ty)], Kind::Float { .. })
    }

    pub fn is_int(&self, ty: u32) -> bool {
        matches!(self.kinds[&self.scalar_of(ty)], Kind::Int { .. })
    }

    /// Components of a vector, 1 for a scalar, 0 for what is neither.
    pub fn components(&self, ty: u32) -> u32 {
        match self.kinds[&ty] {
            Kind::Vector { n, .. } => n,
            Kind::Bool | Kind::Int { .. } | Kind::Float { .. } => 1,
            _ => 0,
        }
    }

    /// Types of a composite's parts.
    pub fn part_types(&self, ty: u32) -> Vec<u32> {
        match &self.kinds[&ty] {
            Kind::Vector { of, n } | Kind::Matrix { of, n } | Kind::Array { of, n } => vec![*of; *n as usize],
            Kind::Struct(members) => members.clone(),
            _ => Vec::new(),
        }
    }

    pub fn scalar_type(&mut self) -> u32 {
        let all = self.scalars.clone();
        self.r.pick(&all)
    }

    /// An integer type, or a vector of integers.
    pub fn int_type(&mut self) -> u32 {
        let all: Vec<u32> = self.scalars.iter().copied().filter(|&t| self.is_int(t)).collect();
        let scalar = self.r.pick(&all);
        self.maybe_vector(scalar)
    }

    /// Floats, if this module has any.
    pub fn float_type(&mut self) -> Option<u32> {
        let all: Vec<u32> = self.scalars.iter().copied().filter(|&t| self.is_float(t)).collect();
        let scalar = if all.is_empty() { return None } else { self.r.pick(&all) };
        Some(self.maybe_vector(scalar))
    }

    pub fn maybe_vector(&mut self, scalar: u32) -> u32 {
        let n = [1, 1, 1, 2, 3, 4][self.r.below(6)];
        if n == 1 { scalar } else { self.vector(scalar, n) }
    }

    pub fn matrix_type(&mut self) -> Option<u32> {
        let scalar = self.float_type().map(|t| self.scalar_of(t))?;
        let (rows, n) = (2 + self.r.below(3) as u32, 2 + self.r.below(3) as u32);
        let of = self.vector(scalar, rows);
        Some(self.declare(Kind::Matrix { of, n }))
    }

    /// Scalars, vectors, now and then booleans, matrices, arrays and structures.
    pub fn any_type(&mut self) -> u32 {
        self.type_of_depth(2, true)
    }

    fn type_of_depth(&mut self, depth: u32, bools: bool) -> u32 {
        match self.r.below(if depth > 0 { 12 } else { 7 }) {
            6 if bools => {
                let bool = self.bool();
                self.maybe_vector(bool)
            }
            7 => {
                let scalar = self.scalar_type();
                self.matrix_type().unwrap_or(scalar)
            }
            8 | 9 => {
                let of = self.type_of_depth(depth - 1, bools);
                let n = 1 + self.r.below(4) as u32;
                self.array(of, n)
            }
            10 | 11 => {
                let members = (0..1 + self.r.below(4)).map(|_| self.type_of_depth(depth - 1, bools)).collect();
                self.structure(members)
            }
            _ => {
                let scalar = self.scalar_type();
                self.maybe_vector(scalar)
            }
        }
    }

    /// A scalar constant.
    pub fn scalar_constant(&mut self, ty: u32, bits: u64) -> u32 {
        let width = self.bits_of(ty);
        let (op, words) = match self.kinds[&ty] {
            Kind::Bool => (if bits & 1 == 1 { Op::ConstantTrue } else { Op::ConstantFalse }, vec![]),
            // Narrow numbers are extended by their sign.
            Kind::Int { signed: true, .. } if width < 32 => {
                (Op::Constant, vec![bits as u32 & ((1 << width) - 1) | sign_bits(bits, width)])
            }
            _ if width == 64 => (Op::Constant, vec![bits as u32, (bits >> 32) as u32]),
            _ if width < 32 => (Op::Constant, vec![bits as u32 & ((1 << width) - 1)]),
            _ => (Op::Constant, vec![bits as u32]),
        };
        let mut key = words.clone();
        key.push(op as u32);
        if let Some(&id) = self.constants.get(&(ty, key.clone())) {
            return id;
        }
        let id = self.id();
        self.declarations.push(Inst::new(op, ty, id, words));
        self.constants.insert((ty, key), id);
        id
    }

    pub fn word(&mut self, n: u32) -> u32 {
        let ty = self.uint();
        self.scalar_constant(ty, u64::from(n))
    }

    /// Some constant of a type.
    pub fn constant_of(&mut self, ty: u32) -> u32 {
        let parts = self.part_types(ty);
        if parts.is_empty() {
            let bits = self.interesting(ty);
            return if self.r.one_in(12) { self.spec_constant(ty, bits) } else { self.scalar_constant(ty, bits) };
        }
        if self.r.one_in(6) {
            let id = self.id();
            self.declarations.push(Inst::new(Op::ConstantNull, ty, id, []));
            return id;
        }
        let parts: Vec<u32> = parts.into_iter().map(|t| self.constant_of(t)).collect();
        let id = self.id();
        let spec = parts.iter().any(|p| self.specialised.contains(p));
        if spec {
            self.specialised.insert(id);
        }
        let op = if spec { Op::SpecConstantComposite } else { Op::ConstantComposite };
        self.declarations.push(Inst::new(op, ty, id, parts));
        id
    }

    /// A specialization constant, or an operation on two of them, that a pipeline may give another value.
    fn spec_constant(&mut self, ty: u32, bits: u64) -> u32 {
        let plain = self.scalar_constant(ty, bits);
        let (op, words) = match self.declarations.iter().find(|i| i.id == plain) {
            Some(i) if i.op == Op::ConstantTrue => (Op::SpecConstantTrue, vec![]),
            Some(i) if i.op == Op::ConstantFalse => (Op::SpecConstantFalse, vec![]),
            Some(i) => (Op::SpecConstant, i.args.clone()),
            None => return plain,
        };
        let id = self.id();
        self.declarations.push(Inst::new(op, ty, id, words));
        self.decorate(id, Decoration::SpecId, &[id]);
        self.specialised.insert(id);
        if !self.is_int(ty) || self.r.one_in(2) {
            return id;
        }
        let operation = self.r.pick(&[Op::IAdd, Op::ISub, Op::IMul, Op::BitwiseXor, Op::BitwiseAnd, Op::BitwiseOr]);
        let result = self.id();
        self.declarations.push(Inst::new(Op::SpecConstantOp, ty, result, [operation as u32, id, plain]));
        self.specialised.insert(result);
        result
    }

    /// Bits of a scalar that are worth trying.
    fn interesting(&mut self, ty: u32) -> u64 {
        if let Kind::Float { bits } = self.kinds[&ty] {
            let small = [0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 100.0, 1e-3, 65504.0, f64::INFINITY, -0.0, 1e-7, 1e30];
            let v = self.r.pick(&small);
            return match bits {
                16 => u64::from(half::f16::from_f64(v).to_bits()),
                32 => u64::from((v as f32).to_bits()),
                _ => v.to_bits(),
            };
        }
        let width = self.bits_of(ty);
        let small = [0, 1, 2, 3, 5, 7, 31, 255, u64::MAX, 1 << (width - 1), (1 << (width - 1)) - 1, u64::MAX - 1];
        if self.r.one_in(3) { self.r.bits() } else { self.r.pick(&small) }
    }

    pub fn global_variable(&mut self, ty: u32, class: StorageClass, init: Option<u32>) -> u32 {
        let pointer = self.pointer(class, ty);
        let id = self.id();
        let mut args = vec![class as u32];
        args.extend(init);
        self.declarations.push(Inst::new(Op::Variable, pointer, id, args));
        id
    }

    fn bind(&mut self, variable: u32, binding: u32) {
        self.decorate(variable, Decoration::DescriptorSet, &[0]);
        self.decorate(variable, Decoration::Binding, &[binding]);
    }

    /// A buffer of a structure with one array of words: of `n`, or open.
    pub fn word_buffer(&mut self, binding: u32, n: Option<u32>) -> u32 {
        let uint = self.uint();
        let array = match n {
            Some(n) => self.declare_anew(Kind::Array { of: uint, n }),
            None => {
                let id = self.id();
                self.declarations.push(Inst::new(Op::TypeRuntimeArray, 0, id, [uint]));
                id
            }
        };
        self.decorate(array, Decoration::ArrayStride, &[4]);
        let variable = self.block_variable(array, StorageClass::StorageBuffer);
        self.bind(variable, binding);
        variable
    }

    /// A variable of a block with an array in it.
    fn block_variable(&mut self, array: u32, class: StorageClass) -> u32 {
        let block = self.declare_anew(Kind::Struct(vec![array]));
        self.decorate(block, Decoration::Block, &[]);
        self.annotations.push(Inst::new(Op::MemberDecorate, 0, 0, [block, 0, Decoration::Offset as u32, 0]));
        self.global_variable(block, class, None)
    }

    /// A random structure, laid out; its size and alignment.
    fn laid_structure(&mut self) -> (Laid, u32, u32) {
        let members: Vec<u32> = (0..2 + self.r.below(4)).map(|_| self.type_of_depth(2, false)).collect();
        let plain = self.structure(members);
        self.lay(plain, None)
    }

    pub fn uniform_buffer(&mut self, binding: u32) {
        let (laid, size, align) = self.laid_structure();
        for (narrow, capability) in [
            (Capability::StorageBuffer8BitAccess, Capability::UniformAndStorageBuffer8BitAccess),
            (Capability::StorageBuffer16BitAccess, Capability::UniformAndStorageBuffer16BitAccess),
        ] {
            if self.capabilities.contains(&narrow) {
                self.need(capability);
            }
        }
        let stride = size.next_multiple_of(align);
        let array = self.declare_anew(Kind::Array { of: laid.id, n: UNIFORMS });
        self.decorate(array, Decoration::ArrayStride, &[stride]);
        let variable = self.block_variable(array, StorageClass::Uniform);
        self.bind(variable, binding);
        self.uniform_bytes = UNIFORMS * stride;
        self.blocks_to_read.push((variable, StorageClass::Uniform, laid));
    }

    pub fn push_constants(&mut self) {
        let (laid, size, _) = self.laid_structure();
        if size > 128 {
            return;
        }
        for (narrow, capability) in [
            (Capability::StorageBuffer8BitAccess, Capability::StoragePushConstant8),
            (Capability::StorageBuffer16BitAccess, Capability::StoragePushConstant16),
        ] {
            if self.capabilities.contains(&narrow) {
                self.need(capability);
            }
        }
        self.decorate(laid.id, Decoration::Block, &[]);
        let variable = self.global_variable(laid.id, StorageClass::PushConstant, None);
        self.push_bytes = size.next_multiple_of(4);
        self.blocks_to_read.push((variable, StorageClass::PushConstant, laid));
    }

    pub fn record_buffer(&mut self, binding: u32) {
        let (laid, size, align) = self.laid_structure();
        let stride = (size + self.r.below(3) as u32 * align).next_multiple_of(align);
        let array = self.id();
        self.declarations.push(Inst::new(Op::TypeRuntimeArray, 0, array, [laid.id]));
        self.decorate(array, Decoration::ArrayStride, &[stride]);
        let variable = self.block_variable(array, StorageClass::StorageBuffer);
        self.bind(variable, binding);
        self.record = (variable, Record { laid, stride });
    }

    /// A type with a layout; `rows` says a matrix's stride and whether it is row-major. Also size and alignment.
    fn lay(&mut self, plain: u32, matrix: Option<(u32, bool)>) -> (Laid, u32, u32) {
        let bytes = self.bits_of_any(plain) / 8;
        let leaf = Laid { id: plain, plain, parts: Vec::new() };
        match self.kind(plain) {
            Kind::Int { bits: 8, .. } => {
                self.need(Capability::StorageBuffer8BitAccess);
                (leaf, 1, 1)
            }
            Kind::Int { bits: 16, .. } | Kind::Float { bits: 16 } => {
                self.need(Capability::StorageBuffer16BitAccess);
                (leaf, 2, 2)
            }
            Kind::Vector { of, n } => {
                let (_, size, align) = self.lay(of, None);
                (leaf, size * n, align)
            }
            Kind::Matrix { of, n } => {
                let (_, column, align) = self.lay(of, None);
                let rows = self.components(of);
                let (stride, major) = matrix.unwrap_or((column, false));
                (leaf, stride * if major { rows } else { n }, align)
            }
            Kind::Array { of, n } => {
                let (inner, size, align) = self.lay(of, matrix);
                let stride = (size + self.r.below(2) as u32 * align).next_multiple_of(align);
                let id = self.declare_anew(Kind::Array { of: inner.id, n });
                self.decorate(id, Decoration::ArrayStride, &[stride]);
                (Laid { id, plain, parts: vec![inner; n as usize] }, stride * (n - 1) + size, align)
            }
            Kind::Struct(members) => {
                let (mut parts, mut places, mut end, mut most) = (Vec::new(), Vec::new(), 0u32, 1);
                for &m in &members {
                    let matrix = self.matrix_layout(m);
                    let (laid, size, align) = self.lay(m, matrix);
                    let at = end.next_multiple_of(align) + if self.r.one_in(4) { align } else { 0 };
                    places.push((at, matrix));
                    parts.push(laid);
                    end = at + size;
                    most = most.max(align);
                }
                let id = self.declare_anew(Kind::Struct(parts.iter().map(|p| p.id).collect()));
                for (n, (at, matrix)) in places.into_iter().enumerate() {
                    let mut member = |d: Decoration, args: &[u32]| {
                        let mut words = vec![id, n as u32, d as u32];
                        words.extend(args);
                        self.annotations.push(Inst::new(Op::MemberDecorate, 0, 0, words));
                    };
                    member(Decoration::Offset, &[at]);
                    if let Some((stride, rows)) = matrix {
                        member(Decoration::MatrixStride, &[stride]);
                        member(if rows { Decoration::RowMajor } else { Decoration::ColMajor }, &[]);
                    }
                }
                (Laid { id, plain, parts }, end.next_multiple_of(most), most)
            }
            _ => (leaf, bytes, bytes),
        }
    }

    fn bits_of_any(&self, ty: u32) -> u32 {
        match self.kinds[&ty] {
            Kind::Array { .. } | Kind::Struct(_) => 32,
            _ => self.bits_of(ty),
        }
    }

    /// A layout for the matrices in a member, if it is a matrix or arrays of matrices.
    fn matrix_layout(&mut self, ty: u32) -> Option<(u32, bool)> {
        match self.kind(ty) {
            Kind::Array { of, .. } => self.matrix_layout(of),
            Kind::Matrix { of, n } => {
                let (rows, bytes) = (self.r.one_in(2), self.bits_of(of) / 8);
                let tight = bytes * if rows { n } else { self.components(of) };
                Some((tight + bytes * self.r.below(3) as u32, rows))
            }
            _ => None,
        }
    }
}

fn sign_bits(bits: u64, width: u32) -> u32 {
    if bits >> (width - 1) & 1 == 1 { u32::MAX << width } else { 0 }
}
