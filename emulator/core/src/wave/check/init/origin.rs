//! Where undefined bits come from: the first thing that was read without having been written.

use std::collections::HashMap;
use wavepipe_hw::finding::NeverWritten;
use wavepipe_isa::Instr;

/// Numbers an [`Origin`] of a work-group; 0 is one that nothing more is known of, then come the registers.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct OriginId(u16);

/// Operand numbers of registers.
const REGISTERS: u16 = 512;

/// Bytes of a buffer that are looked at as one.
const ROW: u64 = 256;

impl OriginId {
    /// A register that nothing was written to, by its operand number.
    pub const fn register(n: u16) -> OriginId {
        OriginId(1 + n)
    }

    /// One of too many to know each, of unchanged copies.
    const COPIED: OriginId = OriginId(u16::MAX);
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Origin {
    pub what: NeverWritten,
    /// The instruction that read it, if that is another one than the first that uses it; its wave and lane.
    pub pc: u64,
    pub wave: u32,
    pub lane: u32,
    /// An unchanged copy of memory, dword by dword: what is undefined of it may be padding.
    pub copied: bool,
}

/// The origins of a work-group.
#[derive(Default)]
pub(super) struct Origins {
    all: Vec<Origin>,
    /// Lanes that read the same thing at the same place have one origin, that of the first.
    ids: HashMap<(NeverWritten, u64, bool), OriginId>,
    instrs: HashMap<u64, Instr>,
}

impl Origins {
    pub fn clear(&mut self) {
        self.all.clear();
        self.ids.clear();
    }

    pub fn id(&mut self, origin: Origin, instr: Option<&Instr>) -> OriginId {
        if let Some(instr) = instr {
            self.instrs.entry(origin.pc).or_insert(*instr);
        }
        // Of a buffer a wave's row is one thing.
        let what = match origin.what {
            NeverWritten::Memory(at) => NeverWritten::Memory(at / ROW),
            what => what,
        };
        let key = (what, origin.pc, origin.copied);
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        let number = u16::try_from(self.all.len() + 1 + usize::from(REGISTERS)).ok();
        let Some(number) = number.filter(|n| *n < OriginId::COPIED.0) else {
            return if origin.copied { OriginId::COPIED } else { OriginId::default() };
        };
        self.all.push(origin);
        self.ids.insert(key, OriginId(number));
        OriginId(number)
    }

    pub fn get(&self, id: OriginId) -> Option<Origin> {
        let n = id.0.checked_sub(1)?;
        if id == OriginId::COPIED {
            return Some(Origin { what: NeverWritten::Unknown, pc: 0, wave: 0, lane: 0, copied: true });
        }
        match n.checked_sub(REGISTERS) {
            Some(n) => self.all.get(usize::from(n)).copied(),
            None => Some(Origin { what: NeverWritten::Register(n), pc: 0, wave: 0, lane: 0, copied: false }),
        }
    }

    /// The same, of a value that was computed from it.
    pub fn computed(&mut self, id: OriginId) -> OriginId {
        match self.get(id) {
            Some(origin) if origin.copied => self.id(Origin { copied: false, ..origin }, None),
            _ => id,
        }
    }

    pub fn is_copied(&self, id: OriginId) -> bool {
        self.get(id).is_some_and(|o| o.copied)
    }

    pub fn instr(&self, pc: u64) -> Option<Instr> {
        self.instrs.get(&pc).copied()
    }
}
