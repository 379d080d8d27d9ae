//! Decoded code: blocks, and the cache that all work-groups share.
//!
//! A block starts where a wave jumped to and runs on over conditional branches that are not taken, up to an instruction
//! after which something else always happens, or [`MAX_OPS`]. What cannot be decoded or executed becomes an operation that
//! faults when it is reached, so code that nothing reaches is never judged.

use super::access::Slot;
use super::check::registers::LazyFootprint;
use super::env::Env;
use super::hot::Heat;
use super::indexed::{self, Vectors};
use super::lower::{Lower, Pool, Refused};
use super::made::Host;
use super::op::{Known, MicroOp};
use super::region::{Compiled, HostCode};
use super::regs::Loc;
use super::state::Wave;
use super::stretch::{self, Stretch};
use super::{control, table};
use crate::memory::MemoryMap;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use wavepipe_hw::fault::FaultKind;
use wavepipe_isa::alu::FpMode;
use wavepipe_isa::instr::Flags;
use wavepipe_isa::row::Sem;
use wavepipe_isa::watch::ModeParts;
use wavepipe_isa::{Gen, Instr, decode, disasm};
use wavepipe_lanes::Operands;

/// Longest block, in instructions; the budget is honoured between blocks.
const MAX_OPS: usize = 256;
/// Dwords of the longest encoding, with room.
const MAX_DWORDS: usize = 6;

/// One place in a block, for reports and observers.
pub(crate) struct BlockEntry {
    /// Bytes from the block's start.
    pub offset: u32,
    pub words: [u32; 2],
    pub instr: Option<Instr>,
    /// Of what a check has seen.
    pub footprint: LazyFootprint,
}

impl BlockEntry {
    fn new(offset: u32, words: [u32; 2], instr: Option<Instr>) -> BlockEntry {
        BlockEntry { offset, words, instr, footprint: LazyFootprint::default() }
    }
}

pub(crate) struct Block {
    pub start: u64,
    pub end: u64,
    pub ops: Box<[MicroOp]>,
    pub places: Box<[BlockEntry]>,
    pub lanes: u32,
    pub isa: Gen,
    pub heat: Heat,
    /// Its bytes have changed, or may have.
    gone: AtomicBool,
    /// For observers; made when the first asks.
    stretches: OnceLock<Box<[Stretch]>>,
    /// What the operations' constants point into.
    _pool: Pool,
}

/// What decoded code depends on besides its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key {
    pub pc: u64,
    /// 1: wave32, 2: wave64.
    pub halves: usize,
    /// What of MODE is not as [`wavepipe_isa::alu::Nearest`] computes.
    pub unusual: ModeParts,
    /// What else MODE says of vector instructions.
    pub vectors: Vectors,
    /// Registers of the wave: operations that name others are illegal.
    pub vgprs: u32,
    /// The same for all code of a device, so no part of [`Key::word`].
    pub isa: Gen,
}

/// First address that no wave can execute at.
pub(crate) const PC_END: u64 = 1 << 48;

impl Key {
    pub fn of(w: &Wave) -> Key {
        let unusual = ModeParts::unusual(FpMode::from_bits(w.mode));
        Key { pc: w.pc, halves: w.halves, unusual, vectors: Vectors::of(w), vgprs: w.vgprs, isa: w.isa }
    }

    /// The key as one word; `pc` is below [`PC_END`] and dword-aligned.
    #[inline(always)]
    pub fn word(&self) -> u64 {
        let small = u64::from(self.vgprs & 0x1ff) << 2 | (self.halves as u64 & 2);
        (self.vectors as u64) << 60 | (self.pc >> 2) << 14 | small << 3 | u64::from(self.unusual.bits())
    }
}

/// Reaching it is the fault: undecodable, unexecutable or unmapped code.
unsafe fn fault(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    let lanes = w.exec64();
    let kind = match op.dst {
        // Behind it nothing is known: its own address is the next one.
        UNMAPPED => FaultKind::WildAddress { address: op.next, bytes: 4, write: false, nearest: None },
        UNIMPLEMENTED => FaultKind::Unimplemented,
        _ => FaultKind::IllegalInstruction { words: [op.literal, op.imm as u32] },
    };
    w.fail(kind, lanes)
}
const ILLEGAL: u32 = 0;
const UNIMPLEMENTED: u32 = 1;
const UNMAPPED: u32 = 2;

fn faulting(kind: u32, words: [u32; 2], next: u64) -> MicroOp {
    MicroOp {
        operands: Operands { src: [Loc::row(0); 3], dst: kind, dst2: 0, s: [125; 8], constant: 0, splat: 0, wide: 0 },
        f: fault,
        next,
        flags: Flags::empty(),
        cross: super::op::CrossLane::default(),
        literal: words[0],
        imm: words[1] as i32,
        op: wavepipe_isa::insts::S_NOP,
        row: wavepipe_isa::insts::S_NOP.row(),
        known: Known::No,
        ext: None,
    }
}

impl Block {
    pub fn decode(map: &MemoryMap, key: Key, tables: &'static table::Tables) -> Block {
        let mut lower = Lower {
            tables,
            isa: key.isa,
            halves: key.halves,
            vectors: key.vectors,
            unusual: key.unusual,
            pool: Pool::default(),
            vgprs: 0,
        };
        let (mut ops, mut places) = (Vec::new(), Vec::new());
        let mut pc = key.pc;
        while ops.len() < MAX_OPS {
            let mut words = [0; MAX_DWORDS];
            let mut have = 0;
            if let Some((region, off)) = map.span(pc, 4) {
                while have < MAX_DWORDS
                    && let Some(word) = region.backing.load32(off + 4 * have as u64)
                {
                    words[have] = word;
                    have += 1;
                }
            }
            let offset = (pc - key.pc) as u32;
            let first = [words[0], words[1]];
            let mut stop = |kind, instr, next| {
                ops.push(faulting(kind, first, next));
                places.push(BlockEntry::new(offset, first, instr));
            };
            if have == 0 {
                stop(UNMAPPED, None, pc);
                break;
            }
            let Ok((instr, dwords)) = decode::decode(&words[..have], key.isa) else {
                stop(ILLEGAL, None, pc + 4);
                break;
            };
            let next = pc + 4 * dwords as u64;
            match lower.lower(&instr, next) {
                Ok(op) if lower.vgprs <= key.vgprs => {
                    ops.push(op);
                    places.push(indexed::entry(BlockEntry::new(offset, first, Some(instr)), key));
                    pc = next;
                }
                Err(Refused::Unimplemented) => {
                    stop(UNIMPLEMENTED, Some(instr), next);
                    break;
                }
                Ok(_) | Err(Refused::Illegal) => {
                    stop(ILLEGAL, Some(instr), next);
                    break;
                }
            }
            if matches!(instr.op.row().sem, Sem::Control(c) if control::ends_block(c)) {
                break;
            }
        }
        Block {
            start: key.pc,
            end: pc,
            ops: ops.into(),
            places: places.into(),
            lanes: 32 * key.halves as u32,
            isa: key.isa,
            heat: Heat::default(),
            gone: AtomicBool::new(false),
            stretches: OnceLock::new(),
            _pool: lower.pool,
        }
    }

    /// What of it observers can be shown as a whole, in order.
    pub fn stretches(&self) -> &[Stretch] {
        self.stretches.get_or_init(|| stretch::of(&self.places, self.lanes, self.isa))
    }

    /// Whether it is as long as a block can be, so that what follows it is the next one.
    pub fn is_cut(&self) -> bool {
        self.ops.len() == MAX_OPS
    }

    /// Whether something else is there now.
    pub fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Acquire)
    }

    /// Address and text of operation `i`.
    pub fn site(&self, i: usize) -> (u64, String) {
        let Some(p) = self.places.get(i) else { return (self.start, String::new()) };
        let text = match &p.instr {
            Some(instr) => disasm::text(instr, self.isa, self.lanes),
            None => format!(".long 0x{:08x}", p.words[0]),
        };
        (self.start + u64::from(p.offset), text)
    }
}

/// Decoded code, shared by all work-groups.
#[derive(Default)]
pub struct CodeCache {
    blocks: RwLock<HashMap<u64, Arc<Block>>>,
    /// Counts invalidations.
    generation: AtomicU64,
    host: Option<Host>,
}

impl CodeCache {
    /// The interpreter runs everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Host code of this engine runs what is hot.
    pub fn with_host_code(host: Arc<dyn HostCode>) -> Self {
        CodeCache { host: Some(Host::new(host)), ..Self::default() }
    }

    #[inline(always)]
    pub(crate) fn host(&self) -> Option<&Host> {
        self.host.as_ref()
    }

    /// As [`HostCode::publish`].
    pub(crate) fn publish(&self) {
        if let Some(host) = &self.host {
            host.publish();
        }
    }

    /// Forgets what was decoded from these addresses.
    pub fn invalidate(&self, range: Range<u64>) {
        let mut blocks = self.blocks.write();
        blocks.retain(|_, b| {
            let stays = b.end <= range.start || b.start >= range.end;
            if !stays {
                b.gone.store(true, Ordering::Release);
            }
            stays
        });
        drop(blocks);
        if let Some(host) = &self.host {
            host.forget();
        }
        self.generation.fetch_add(1, Ordering::Release);
    }

    /// Changes when blocks or their host code are forgotten.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire) + self.host.as_ref().map_or(0, Host::evictions)
    }

    /// The block for `key`, if somebody has decoded it.
    pub(crate) fn known(&self, key: Key) -> Option<Arc<Block>> {
        self.blocks.read().get(&key.word()).cloned()
    }

    /// The block for `key`, decoded now if nobody has yet.
    pub(crate) fn get(&self, map: &MemoryMap, key: Key) -> Arc<Block> {
        let word = key.word();
        if let Some(b) = self.blocks.read().get(&word) {
            return b.clone();
        }
        let before = self.generation();
        let block = Arc::new(Block::decode(map, key, table::tables()));
        let mut blocks = self.blocks.write();
        // Code that was invalidated while it was decoded is used this once.
        if self.generation() == before {
            return blocks.entry(word).or_insert(block).clone();
        }
        block
    }
}

/// Entries of a work-group's own cache in front of the shared one.
const FRONT: usize = 256;

/// A block, and host code from it on.
struct Kept {
    word: u64,
    block: Arc<Block>,
    host: Option<HostEntry>,
}

impl Kept {
    fn of(map: &MemoryMap, code: &CodeCache, key: Key) -> Kept {
        Kept { word: key.word(), block: code.get(map, key), host: None }
    }
}

/// Host code, and what it knows of memory.
struct HostEntry {
    code: Arc<Compiled>,
    slots: Box<[Slot]>,
    /// What they were filled from: a memory map, and bytes of a lane's private memory.
    from: (u64, u32),
}

impl HostEntry {
    /// For runs of such waves with this memory map.
    #[inline(always)]
    fn of(&mut self, map: u64, w: &Wave) -> (&Compiled, &mut [Slot]) {
        let from = (map, w.private_bytes);
        if self.from != from {
            self.slots.fill(Slot::default());
            self.from = from;
        }
        (&self.code, &mut self.slots)
    }
}

/// A direct-mapped cache without locks.
pub(crate) struct Front {
    slots: Vec<Option<Kept>>,
    generation: u64,
    /// The memory map that slots are filled from.
    map: u64,
    last: Option<Last>,
}

/// Waves mostly go on where the one before them did.
#[derive(Clone, Copy)]
struct Last {
    mode: u32,
    /// Of a wave in this MODE.
    key: Key,
    /// Where there is host code from that pc on.
    slot: Option<usize>,
}

impl Last {
    /// Whether its key is the wave's but for the pc: what MODE means to code is asked when it is another one.
    #[inline(always)]
    fn is_of(&self, w: &Wave) -> bool {
        self.mode == w.mode && self.key.halves == w.halves && self.key.vgprs == w.vgprs && self.key.isa == w.isa
    }
}

fn slot_of(pc: u64) -> usize {
    (pc >> 2) as usize % FRONT
}

impl Default for Front {
    fn default() -> Self {
        Front { slots: (0..FRONT).map(|_| None).collect(), generation: 0, map: 0, last: None }
    }
}

impl Front {
    /// At the beginning of a work-group's run: empties the cache if the shared one forgot something since.
    pub fn refresh(&mut self, map: &MemoryMap, code: &CodeCache) {
        self.map = map.id();
        let now = code.generation();
        if now != self.generation {
            self.slots.fill_with(|| None);
            self.last = None;
            self.generation = now;
        }
    }

    #[inline(always)]
    fn slot(&mut self, map: &MemoryMap, code: &CodeCache, key: Key) -> (usize, &mut Kept) {
        let (word, n) = (key.word(), slot_of(key.pc));
        let slot = &mut self.slots[n];
        if !matches!(slot, Some(kept) if kept.word == word) {
            *slot = None;
        }
        (n, slot.get_or_insert_with(|| Kept::of(map, code, key)))
    }

    /// The block where a wave of the running work-group is, for the interpreter.
    #[inline(always)]
    pub fn get(&mut self, map: &MemoryMap, code: &CodeCache, w: &Wave) -> &Arc<Block> {
        let key = match &mut self.last {
            Some(last) if last.is_of(w) => {
                last.slot = None;
                Key { pc: w.pc, ..last.key }
            }
            _ => {
                let key = Key::of(w);
                self.last = Some(Last { mode: w.mode, key, slot: None });
                key
            }
        };
        &self.slot(map, code, key).1.block
    }

    /// The slot of what a wave was looked up for last, if this one is at the same place and there is host code.
    #[inline(always)]
    fn last_of(&self, w: &Wave) -> Option<usize> {
        let last = self.last.as_ref()?;
        last.slot.filter(|_| last.key.pc == w.pc && last.is_of(w))
    }

    /// The host code from where the wave is, with its slots, if there is any in the cache for its MODE; no execution is counted.
    #[inline(always)]
    pub fn hosted(&mut self, w: &Wave) -> Option<(&Compiled, &mut [Slot])> {
        if !Compiled::takes(w) {
            return None;
        }
        let (n, now) = (self.last_of(w).or_else(|| self.find(w))?, self.map);
        self.slots[n].as_mut()?.host.as_mut().map(|host| host.of(now, w))
    }

    fn find(&mut self, w: &Wave) -> Option<usize> {
        let (key, n) = (self.key_of(w), slot_of(w.pc));
        let kept = self.slots[n].as_ref()?;
        let found = kept.word == key.word() && kept.host.is_some();
        self.last = found.then_some(Last { mode: w.mode, key, slot: Some(n) });
        found.then_some(n)
    }

    #[inline(always)]
    fn key_of(&self, w: &Wave) -> Key {
        match &self.last {
            Some(last) if last.is_of(w) => Key { pc: w.pc, ..last.key },
            _ => Key::of(w),
        }
    }

    /// Where a wave of the running work-group is: the block, and its host code with its slots, if it has run often and there is any.
    #[inline(always)]
    pub fn hot(
        &mut self,
        map: &MemoryMap,
        code: &CodeCache,
        w: &Wave,
    ) -> (&Arc<Block>, Option<(&Compiled, &mut [Slot])>) {
        let n = self.last_of(w).unwrap_or_else(|| self.warm(map, code, w));
        let now = self.map;
        let Kept { block, host, .. } = self.slots[n].get_or_insert_with(|| Kept::of(map, code, Key::of(w)));
        (block, host.as_mut().map(|host| host.of(now, w)))
    }

    /// Looks it up, and counts an execution if that is how there may come to be host code.
    fn warm(&mut self, map: &MemoryMap, code: &CodeCache, w: &Wave) -> usize {
        let (key, now) = (self.key_of(w), self.map);
        let (n, kept) = self.slot(map, code, key);
        if kept.host.is_none()
            && let Some(host) = code.host()
            && let Some(code) = host.of(&kept.block, (key, w.stale), map, code)
        {
            kept.host = Some(HostEntry { slots: code.empty_slots(), code, from: (now, w.private_bytes) });
        }
        let slot = kept.host.is_some().then_some(n);
        self.last = Some(Last { mode: w.mode, key, slot });
        n
    }

    /// A block, to be kept.
    pub fn shared(&mut self, map: &MemoryMap, code: &CodeCache, key: Key) -> Arc<Block> {
        self.last = None;
        self.slot(map, code, key).1.block.clone()
    }
}
