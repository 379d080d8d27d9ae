//! Atomics and barriers.

use super::{Lower, Lvalue, Val};
use crate::Result;
use crate::syntax::{At, Expr};
use crate::types::{INT, Image, Scalar, Ty, UINT};
use spirv::{Capability, Op, StorageClass};

/// Scopes and semantics, by SPIR-V's numbers.
const DEVICE: u32 = 1;
const WORKGROUP: u32 = 2;
const SUBGROUP: u32 = 3;
const ACQUIRE_RELEASE: u32 = 8;
const UNIFORM: u32 = 0x40;
const SHARED: u32 = 0x100;
const IMAGE: u32 = 0x800;

/// Barriers of memory without one of control: scope, semantics.
const BARRIERS: &[(&str, u32, u32)] = &[
    ("memoryBarrier", DEVICE, ACQUIRE_RELEASE | UNIFORM | SHARED | IMAGE),
    ("memoryBarrierBuffer", DEVICE, ACQUIRE_RELEASE | UNIFORM),
    ("memoryBarrierShared", DEVICE, ACQUIRE_RELEASE | SHARED),
    ("memoryBarrierImage", DEVICE, ACQUIRE_RELEASE | IMAGE),
    ("groupMemoryBarrier", WORKGROUP, ACQUIRE_RELEASE | UNIFORM | SHARED | IMAGE),
    ("subgroupMemoryBarrier", SUBGROUP, ACQUIRE_RELEASE | UNIFORM | SHARED | IMAGE),
    ("subgroupMemoryBarrierBuffer", SUBGROUP, ACQUIRE_RELEASE | UNIFORM),
    ("subgroupMemoryBarrierShared", SUBGROUP, ACQUIRE_RELEASE | SHARED),
    ("subgroupMemoryBarrierImage", SUBGROUP, ACQUIRE_RELEASE | IMAGE),
];

impl Lower<'_> {
    fn numbers(&mut self, numbers: &[u32]) -> Vec<u32> {
        numbers.iter().map(|n| self.uint(*n)).collect()
    }

    pub(super) fn atomic(&mut self, name: &str, arguments: &[Expr], at: At) -> Result<Option<Val>> {
        self.go(at);
        if let (Some((_, scope, semantics)), []) = (BARRIERS.iter().find(|(n, ..)| *n == name), arguments) {
            let words = self.numbers(&[*scope, *semantics]);
            self.b.effect(Op::MemoryBarrier, &words);
            return Ok(Some(self.void()));
        }
        match (name, arguments) {
            ("barrier", []) => {
                let words = self.numbers(&[WORKGROUP, WORKGROUP, ACQUIRE_RELEASE | SHARED]);
                self.b.effect(Op::ControlBarrier, &words);
                return Ok(Some(self.void()));
            }
            ("subgroupBarrier", []) => {
                self.b.capability(Capability::GroupNonUniform);
                let words = self.numbers(&[SUBGROUP, SUBGROUP, ACQUIRE_RELEASE | UNIFORM | SHARED | IMAGE]);
                self.b.effect(Op::ControlBarrier, &words);
                return Ok(Some(self.void()));
            }
            ("controlBarrier", [execution, memory, storage, semantics]) => {
                let said = [self.semantics(execution)?, self.semantics(memory)?];
                let semantics = self.semantics(storage)? | self.ordered(semantics)?;
                let words = self.numbers(&[said[0], said[1], semantics]);
                self.b.effect(Op::ControlBarrier, &words);
                return Ok(Some(self.void()));
            }
            ("memoryBarrier", [scope, storage, semantics]) => {
                let scope = self.semantics(scope)?;
                let semantics = self.semantics(storage)? | self.ordered(semantics)?;
                let words = self.numbers(&[scope, semantics]);
                self.b.effect(Op::MemoryBarrier, &words);
                return Ok(Some(self.void()));
            }
            _ => {}
        }
        let image = name.strip_prefix("imageAtomic");
        let Some(what) = image.or(name.strip_prefix("atomic")) else { return Ok(None) };
        let known = ["Add", "Min", "Max", "And", "Or", "Xor", "Exchange", "CompSwap", "Load", "Store"];
        let [of, rest @ ..] = arguments else { return Ok(None) };
        if !known.contains(&what) {
            return Ok(None);
        }
        let place = self.must_place(of)?;
        let (pointer, scalar, rest) = match image {
            None => {
                let Ty::Scalar(scalar) = place.ty else {
                    return Err(self.refuse(format!("`{name}` wants a number in memory")));
                };
                use StorageClass::{PhysicalStorageBuffer, StorageBuffer, Workgroup};
                if !matches!(place.class, StorageBuffer | Workgroup | PhysicalStorageBuffer) {
                    return Err(self.refuse(format!("`{name}` wants memory of a buffer or of the work-group")));
                }
                if place.fixed || place.memory.readonly && what != "Load" {
                    return Err(self.refuse("this writes what cannot be written"));
                }
                (self.address(&place)?, scalar, rest)
            }
            Some(_) => self.texel(&place, rest)?,
        };
        if scalar.bits() == 64 {
            self.b.capability(Capability::Int64Atomics);
        }
        if scalar == Scalar::Float(32) && !matches!(what, "Exchange" | "Load" | "Store")
            || matches!(scalar, Scalar::Bool | Scalar::Float(16 | 64))
            || scalar.bits() < 32
        {
            return Err(self.refuse(format!("`{name}` of a {} is not known", self.type_name(&Ty::Scalar(scalar)))));
        }
        self.atomic_on(name, what, (pointer, scalar), rest, at).map(Some)
    }

    /// An atomic on memory at a pointer; `rest` is what stands behind it.
    fn atomic_on(
        &mut self,
        name: &str,
        what: &str,
        (pointer, scalar): (u32, Scalar),
        rest: &[Expr],
        at: At,
    ) -> Result<Val> {
        let ty = Ty::Scalar(scalar);
        let count = match what {
            "Load" => 0,
            "CompSwap" => 2,
            _ => 1,
        };
        let said = match rest.len() - count.min(rest.len()) {
            0 if rest.len() == count => None,
            3 => Some(&rest[count..]),
            5 if what == "CompSwap" => Some(&rest[count..]),
            _ => return Err(self.refuse(format!("`{name}` does not take {} arguments here", rest.len()))),
        };
        let mut values = Vec::new();
        for e in &rest[..count] {
            let value = self.expr(e)?;
            values.push(self.becoming(&value, &ty).or_else(|_| self.convert(&value, scalar))?.id);
        }
        let (scope, semantics, unequal) = match said {
            None => (DEVICE, 0, 0),
            Some(said) => {
                let (scope, own) = (self.semantics(&said[0])?, self.semantics(&said[1])?);
                let order = self.ordered(&said[2])?;
                let unequal = match said {
                    [_, _, _, storage, order] => match self.ordered(order)? {
                        0 => 0,
                        order => order | self.semantics(storage)?,
                    },
                    _ => order & !ACQUIRE_RELEASE,
                };
                (scope, if order == 0 { 0 } else { order | own }, unequal)
            }
        };
        self.go(at);
        let by = |signed: Op, unsigned: Op| if matches!(scalar, Scalar::Int(_)) { signed } else { unsigned };
        let op = match what {
            "Add" => Op::AtomicIAdd,
            "Min" => by(Op::AtomicSMin, Op::AtomicUMin),
            "Max" => by(Op::AtomicSMax, Op::AtomicUMax),
            "And" => Op::AtomicAnd,
            "Or" => Op::AtomicOr,
            "Xor" => Op::AtomicXor,
            "Exchange" => Op::AtomicExchange,
            "Load" => Op::AtomicLoad,
            "Store" => Op::AtomicStore,
            _ => Op::AtomicCompareExchange,
        };
        let said = self.numbers(&[scope, semantics]);
        let mut words = vec![pointer, said[0], said[1]];
        if what == "CompSwap" {
            // GLSL names what is compared first, SPIR-V last.
            words.push(self.uint(unequal));
            words.extend([values[1], values[0]]);
        } else {
            words.extend(values);
        }
        if what == "Store" {
            self.b.effect(op, &words);
            return Ok(self.void());
        }
        self.value(op, &ty, &words)
    }

    /// Semantics that are made available and visible are a matter of the Vulkan memory model, which is not declared.
    fn ordered(&mut self, e: &Expr) -> Result<u32> {
        let said = self.semantics(e)?;
        if said & !0xe != 0 {
            return Err(self.refuse("these semantics need the Vulkan memory model, which is not known here"));
        }
        Ok(said)
    }

    /// A texel that an atomic works on, its type, and the arguments behind it.
    fn texel<'e>(&mut self, place: &Lvalue, rest: &'e [Expr]) -> Result<(u32, Scalar, &'e [Expr])> {
        let Ty::Image(Image { storage: true, scalar, samples, .. }) = place.ty else {
            return Err(self.refuse("an image is wanted that is read without a sampler"));
        };
        let Ty::Image(image) = place.ty else { return Err(self.refuse("an image is wanted")) };
        let [at, rest @ ..] = rest else { return Err(self.refuse("it wants a place in the image")) };
        let at = self.expr(at)?;
        let at = self.becoming(&at, &crate::types::vector(INT, image.coordinates()))?;
        let (sample, rest) = match (samples, rest) {
            (false, rest) => (self.uint(0), rest),
            (true, [sample, rest @ ..]) => (self.expr(sample)?.id, rest),
            _ => return Err(self.refuse("it wants a sample of the image")),
        };
        let pointer = self.address(place)?;
        let of = self.ty(&Ty::Scalar(scalar))?;
        let ty = self.pointer(StorageClass::Image, of);
        let id = self.b.value(Op::ImageTexelPointer, ty, &[pointer, at.id, sample]);
        if self.nonuniform.contains(&pointer) {
            self.b.decorate(id, spirv::Decoration::NonUniform, &[]);
        }
        Ok((id, scalar, rest))
    }

    pub(super) fn scope_subgroup(&mut self) -> u32 {
        self.uint(SUBGROUP)
    }

    pub(super) fn as_uint(&mut self, value: &Val) -> Result<Val> {
        self.convert(value, UINT)
    }
}
