//! The whole-wave interpreter and the plain machine side by side: before each instruction the interpreter's registers are
//! held against what the plain machine made of the instruction before.

use super::exact::Format;
use super::machine::{Loose, Machine, Stop};
use super::transcendental::place;
use std::sync::Arc;
use wavepipe_core::memory::{Memory, MemoryMap};
use wavepipe_core::wave::{CodeCache, Issue, Launch, Outcome, Probe, WaveView, WorkGroup};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::fault::FaultKind;
use wavepipe_isa::insts::{self as i, Op};
use wavepipe_isa::{Gen, Instr, asm, disasm, encode};

/// VGPRs of a wave: programs use v0 … v31, the frame the rest.
pub const VGPRS: u32 = 40;
pub const RANDOM_VGPRS: u32 = 32;

/// What stands where in the data region: VGPRs lane by lane; SGPRs, VCC, EXEC, M0, SCC; the first LDS contents; the heap.
const SCALARS: usize = 0x2000;
const LDS: usize = 0x2800;
pub const LDS_BYTES: usize = 0x2000;
pub const HEAP: usize = 0x8000;
pub const HEAP_BYTES: usize = 0x4000;
pub const REGION: usize = HEAP + HEAP_BYTES;

/// SGPR pair that holds the heap's address.
pub const HEAP_BASE: u32 = 64;
/// V# of base 0, for whole addresses of buffers.
pub const NO_BASE: u32 = 68;
/// SGPRs that blocks start with; the frame's own follow.
const SGPRS: u32 = 80;

/// One program and the state it starts from.
#[derive(Clone, Debug)]
pub struct Block {
    pub isa: Gen,
    pub wave: WaveSize,
    pub mode: u32,
    pub items: Vec<Item>,
    /// Registers and memory before.
    pub state: Arc<Registers>,
    pub uses_lds: bool,
}

#[derive(Clone, Debug)]
pub struct Item {
    pub instr: Instr,
    /// Index of the item that a branch goes to.
    pub target: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct Registers {
    /// [lane][register]
    pub v: Vec<[u32; RANDOM_VGPRS as usize]>,
    pub s: [u32; 96],
    pub vcc: u64,
    pub exec: u64,
    pub m0: u32,
    pub scc: bool,
    pub lds: Vec<u8>,
    pub heap: Vec<u8>,
}

/// How a run of both ended badly.
#[derive(Clone, Debug)]
pub struct Failure {
    pub kind: Kind,
    /// The instruction, if there is one.
    pub op: Option<Op>,
    /// Index of the item; `None` in the frame.
    pub item: Option<usize>,
    pub text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The machines differ.
    Mismatch,
    /// The interpreter does not execute the instruction.
    Refused,
    /// The interpreter faulted otherwise.
    Fault,
    /// The plain machine has no meaning for it.
    Unknown,
    /// Nothing to compare: an address that M0 or EXEC led astray, a NaN of free payload in memory.
    Aside,
}

/// A world for blocks to run in, used again and again.
pub struct Bench {
    isa: Gen,
    memory: Memory,
    cache: CodeCache,
    group: WorkGroup,
    data: u64,
    code: u64,
    code_used: u64,
    frames: [Frame; 4],
}

const CODE_BYTES: u64 = 1 << 22;

/// A block in memory, ready to start.
pub struct Placed {
    pub launch: Arc<Launch>,
    pub words: Vec<u32>,
    /// Of each item, in dwords.
    pub offsets: Vec<usize>,
    pub image: Vec<u8>,
    pub map: Arc<MemoryMap>,
}

struct Frame {
    prologue: Vec<u32>,
    epilogue: Vec<u32>,
}

impl Frame {
    fn new(lanes: u32, lds: bool, isa: Gen) -> Frame {
        // Of scalar memory, in bytes.
        let unit = if isa.caps().smem_dwords { 4 } else { 1 };
        let by_buffers = super::generate::by_buffers(isa);
        let load = |to: u32, words: u32, offset: u32| match by_buffers {
            true => {
                let size = if words == 4 { "x4" } else { "x2" };
                let last = to + words - 1;
                format!("buffer_load_dword{size} v[{to}:{last}], v[33:34], s[88:91], 0 addr64 offset:{offset}\n")
            }
            false => format!("global_load_dwordx4 v[{to}:{}], v33, s[88:89] offset:{offset}\n", to + 3),
        };
        let from = |at: usize| match by_buffers {
            true => format!(
                "s_add_u32 s88, s80, 0x{at:x}\n s_addc_u32 s89, s81, 0\n s_mov_b32 s90, 0\n s_mov_b32 s91, 0xf000\n"
            ),
            false => format!("s_add_u32 s88, s80, 0x{at:x}\n s_addc_u32 s89, s81, 0\n"),
        };
        let mut text = String::from("s_mov_b64 s[80:81], s[0:1]\n v_lshlrev_b32 v33, 7, v0\n v_mov_b32 v34, 0\n");
        text += "s_mov_b32 m0, -1\n";
        if lds {
            text += &from(LDS);
            for k in (0..128).step_by(16) {
                text += &load(36, 4, k);
                text += &format!("ds_write_b64 v33, v[36:37] offset:{k}\n");
                text += &format!("ds_write_b64 v33, v[38:39] offset:{}\n", k + 8);
            }
        }
        text += &from(0);
        for k in (0..RANDOM_VGPRS).step_by(4).rev() {
            text += &load(k, 4, 4 * k);
        }
        text += &format!("s_add_u32 s82, s80, 0x{SCALARS:x}\n s_addc_u32 s83, s81, 0\n");
        for k in (0..SGPRS).step_by(16) {
            text += &format!("s_load_dwordx16 s[{k}:{}], s[82:83], 0x{:x}\n", k + 15, 4 * k / unit);
        }
        let [vcc, rest] = [0x180, 0x188].map(|at| at / unit);
        text += &format!("s_load_dwordx2 vcc, s[82:83], 0x{vcc:x}\n s_load_dwordx4 s[84:87], s[82:83], 0x{rest:x}\n");
        text += "s_mov_b32 m0, s86\n s_mov_b64 exec, s[84:85]\n s_cmp_lg_u32 s87, 0\n";
        let mut end = String::new();
        if lds {
            end += "s_mov_b64 exec, -1\n v_mbcnt_lo_u32_b32 v33, -1, 0\n v_mbcnt_hi_u32_b32 v33, -1, v33\n";
            end += "v_lshlrev_b32 v33, 7, v33\n s_mov_b32 m0, -1\n";
            for k in (0..128).step_by(16) {
                end += &format!("ds_read_b64 v[36:37], v33 offset:{k}\n");
                end += &format!("ds_read_b64 v[38:39], v33 offset:{}\n", k + 8);
            }
        }
        end += "s_endpgm\n";
        // VOP3 is the form of these where it is their home, not where they are at home in VOP2.
        let words = |t: &str| asm::assemble(t, isa, lanes).unwrap_or_else(|e| panic!("the frame of {isa:?}: {e:?}"));
        Frame { prologue: words(&text), epilogue: words(&end) }
    }
}

impl Bench {
    pub fn new(isa: Gen) -> Bench {
        let memory = Memory::new(1 << 30);
        let data = memory.allocate(REGION as u64, "data").expect("memory for data").va;
        let code = memory.allocate(CODE_BYTES + 4096, "code").expect("memory for code").va;
        assert_eq!(data % HEAP_BYTES as u64, 0, "heap addresses are made by or");
        let frames = [(32, false), (32, true), (64, false), (64, true)].map(|(lanes, lds)| Frame::new(lanes, lds, isa));
        let cache = crate::bench::host::code_cache();
        Bench { isa, memory, cache, group: WorkGroup::new(), data, code, code_used: 0, frames }
    }

    /// Runs a block on both machines; gives the ops that both executed, in order.
    pub fn run(&mut self, block: &Block) -> Result<Vec<Op>, Failure> {
        match self.attempt(block, false) {
            // Something was written that should not have been: once more, looking at everything after every step.
            Err(f) if f.kind == Kind::Mismatch && f.op.is_none() => {
                let again = self.attempt(block, true);
                Err(again.err().unwrap_or(f))
            }
            other => other,
        }
    }

    /// Puts the block's code and first state into memory.
    pub fn place(&mut self, block: &Block) -> Placed {
        let lanes = block.wave.lanes();
        let frame = &self.frames[2 * usize::from(lanes == 64) + usize::from(block.uses_lds)];
        let mut words = frame.prologue.clone();
        let (code, offsets) = encode_items(&block.items, words.len(), self.isa);
        words.extend(code);
        words.extend(&frame.epilogue);
        let room = 4 * words.len() as u64 + 256;
        if self.code_used + room > CODE_BYTES {
            *self = Bench::new(self.isa);
        }
        let code_va = self.code + self.code_used;
        self.code_used += room.next_multiple_of(256);
        let map = self.memory.snapshot();
        let image = image(&block.state, self.data);
        map.write(self.data, &image).expect("data is mapped");
        map.write(code_va, bytemuck::cast_slice(&words)).expect("code is mapped");

        let mut user_data = [0; 16];
        user_data[0] = self.data as u32;
        user_data[1] = (self.data >> 32) as u32;
        let launch = Launch {
            vgprs: VGPRS,
            sgprs: 96,
            lds_bytes: LDS_BYTES as u32,
            mode: block.mode,
            user_data,
            user_sgprs: 2,
            workgroup: [lanes, 1, 1],
            ..Launch::of_one_wave(self.isa, code_va, block.wave)
        };
        Placed { launch: Arc::new(launch), words, offsets, image, map }
    }

    /// Where the data region begins.
    pub fn data(&self) -> u64 {
        self.data
    }

    fn attempt(&mut self, block: &Block, everything: bool) -> Result<Vec<Op>, Failure> {
        let lanes = block.wave.lanes();
        let Placed { launch, words, offsets, image, map } = self.place(block);
        let (code_va, user_data) = (launch.code_va, launch.user_data);
        let mut plain = Machine {
            isa: self.isa,
            lanes,
            s: [0; 128],
            v: vec![[0; 64]; VGPRS as usize],
            scc: false,
            mode: block.mode,
            pc: code_va,
            ended: false,
            lds: vec![0; LDS_BYTES],
            base: self.data,
            memory: image,
            code_va,
            code: words,
            wrote_v: Vec::new(),
            wrote_s: Vec::new(),
            loose: Vec::new(),
        };
        plain.s[0] = user_data[0];
        plain.s[1] = user_data[1];
        plain.s[126] = !0;
        plain.s[127] = if lanes == 64 { !0 } else { 0 };
        for lane in 0..lanes {
            plain.v[0][lane as usize] = lane;
        }
        let mut watch = Watch { plain, last: None, done: Vec::new(), failure: None, everything, offsets, lanes };
        self.group.start(&launch, [0; 3], 0);
        let outcome = self.group.run_with(&map, &self.cache, 100_000, &mut watch);
        watch.finish(outcome, &self.group, &map)
    }
}

fn image(state: &Registers, data: u64) -> Vec<u8> {
    let mut image = vec![0; REGION];
    let mut put = |at: usize, word: u32| image[at..at + 4].copy_from_slice(&word.to_le_bytes());
    for (lane, registers) in state.v.iter().enumerate() {
        for (n, &word) in registers.iter().enumerate() {
            put(128 * lane + 4 * n, word);
        }
    }
    for (n, &word) in state.s.iter().enumerate() {
        put(SCALARS + 4 * n, word);
    }
    let heap = data + HEAP as u64;
    put(SCALARS + 4 * HEAP_BASE as usize, heap as u32);
    put(SCALARS + 4 * HEAP_BASE as usize + 4, (heap >> 32) as u32);
    for (n, word) in [0, 0, 0, 0xf000].into_iter().enumerate() {
        put(SCALARS + 4 * (NO_BASE as usize + n), word);
    }
    let rest = [state.vcc as u32, (state.vcc >> 32) as u32, state.exec as u32, (state.exec >> 32) as u32];
    for (n, word) in rest.into_iter().chain([state.m0, u32::from(state.scc)]).enumerate() {
        put(SCALARS + 0x180 + 4 * n, word);
    }
    image[LDS..LDS + LDS_BYTES].copy_from_slice(&state.lds);
    image[HEAP..].copy_from_slice(&state.heap);
    image
}

/// Words of the items with their branches resolved, and each item's offset in dwords from `start` on.
fn encode_items(items: &[Item], start: usize, isa: Gen) -> (Vec<u32>, Vec<usize>) {
    let mut words = Vec::new();
    let mut offsets = Vec::new();
    for item in items {
        offsets.push(start + words.len());
        encode::encode(&item.instr, isa, &mut words).expect("generated instructions encode");
    }
    offsets.push(start + words.len());
    let mut fixed = Vec::new();
    for (n, item) in items.iter().enumerate() {
        let mut instr = item.instr;
        match item.target {
            // A distance from here, in bytes.
            Some(target) if instr.op == i::S_ADD_U32 => instr.literal = 4 * (offsets[target] - offsets[n]) as u32,
            Some(target) => instr.imm = offsets[target] as i32 - offsets[n + 1] as i32,
            None => {}
        }
        encode::encode(&instr, isa, &mut fixed).expect("generated instructions encode");
    }
    (fixed, offsets)
}

struct Watch {
    plain: Machine,
    /// The instruction that the plain machine ran last, its item, and what it read.
    last: Option<(Instr, Option<usize>, Option<Box<Machine>>)>,
    done: Vec<Op>,
    failure: Option<Failure>,
    everything: bool,
    offsets: Vec<usize>,
    lanes: u32,
}

impl Probe for Watch {
    const ACTIVE: bool = true;

    fn issue(&mut self, wave: &WaveView<'_>, issue: &Issue<'_>) {
        let (pc, instr) = (issue.pc, issue.instr);
        if self.failure.is_some() {
            return;
        }
        if let Err((text, lane)) = self.agree(wave) {
            return self.fail_in(Kind::Mismatch, text, lane);
        }
        let words = (pc.wrapping_sub(self.plain.code_va) / 4) as usize;
        let item = self.offsets.iter().position(|&o| o == words).filter(|&n| n + 1 < self.offsets.len());
        if self.plain.pc != pc {
            let text = format!(
                "pc {:#x}, want {:#x} (from the code's start)",
                pc - self.plain.code_va,
                self.plain.pc - self.plain.code_va
            );
            return self.fail(Kind::Mismatch, text);
        }
        let before = self.everything.then(|| Box::new(self.plain.clone()));
        self.last = Some((*instr, item, before));
        if item.is_some() {
            self.done.push(instr.op);
        }
        match self.plain.step() {
            Ok(()) => {}
            Err(stop @ (Stop::Wild | Stop::Open)) => self.fail(Kind::Aside, format!("{stop:?}")),
            Err(stop) => self.fail(Kind::Unknown, format!("{stop:?}")),
        }
    }
}

/// What an instruction reads and writes, as it starts: of one lane, for reports.
fn reads(m: &Machine, instr: &Instr, lane: u32) -> String {
    let mut out =
        format!("before: EXEC {:#x} VCC {:#x} M0 {:#x} MODE {:#x}\n", m.exec(), m.mask(106), m.s[124], m.mode);
    for access in instr.uses(m.lanes).chain(instr.defs(m.lanes)) {
        for k in 0..access.dwords.min(4) {
            if access.reg.is_vgpr() {
                let n = access.reg.vgpr() + k;
                out += &format!("  v{n} = {:#x} in lane {lane}\n", m.v[n as usize % m.v.len()][lane as usize & 63]);
            } else if access.reg.0 < 128 {
                let n = usize::from(access.reg.0) + k as usize;
                out += &format!("  s{n} = {:#x}\n", m.s[n & 127]);
            }
        }
    }
    out
}

impl Watch {
    fn fail(&mut self, kind: Kind, text: String) {
        self.fail_in(kind, text, 0);
    }

    fn fail_in(&mut self, kind: Kind, text: String, lane: u32) {
        let (mut op, mut item, mut report) = (None, None, String::new());
        if let Some((instr, at, before)) = &self.last {
            (op, item) = (Some(instr.op), *at);
            report = disasm::text(instr, self.plain.isa, self.lanes);
            if let Some(m) = before {
                report += "\n";
                report += &reads(m, instr, lane);
            }
        }
        self.failure = Some(Failure { kind, op, item, text: format!("{report}\n{text}\n") });
    }

    /// Holds the interpreter's registers against the plain machine's.
    fn agree(&mut self, w: &WaveView<'_>) -> Result<(), (String, u32)> {
        if w.scc() != self.plain.scc {
            return Err((format!("SCC {}, want {}", w.scc(), self.plain.scc), 0));
        }
        if w.mode() != self.plain.mode {
            return Err((format!("MODE {:#x}, want {:#x}", w.mode(), self.plain.mode), 0));
        }
        let scalars =
            if self.everything { (0..108).chain([124, 126, 127]).collect() } else { self.plain.wrote_s.clone() };
        for n in scalars {
            let (got, want) = (w.sgpr(n), self.plain.s[n as usize]);
            if got != want {
                // Of a lane mask, the lane.
                return Err((format!("s{n} {got:#x}, want {want:#x}"), (got ^ want).trailing_zeros() + 32 * (n & 1)));
            }
        }
        let vectors = if self.everything { (0..VGPRS).collect() } else { self.plain.wrote_v.clone() };
        for n in vectors {
            for lane in 0..self.lanes {
                let (got, want) = (w.vgpr(n, lane), self.plain.v[n as usize][lane as usize]);
                if got != want && !self.adopted(w, n, lane) {
                    let text = format!("v{n} lane {lane} {got:#x}, want {want:#x}{}", self.bounds(n, lane));
                    return Err((text, lane));
                }
            }
        }
        Ok(())
    }

    fn bounds(&self, n: u32, lane: u32) -> String {
        let found = self.plain.loose.iter().find(|l| l.vgpr == n && l.lane == lane && l.bounds.is_some());
        found.map_or(String::new(), |l| format!(" (within {:x?})", l.bounds))
    }

    /// Takes over a result that the architecture leaves open, if the interpreter's is admissible.
    fn adopted(&mut self, w: &WaveView<'_>, n: u32, lane: u32) -> bool {
        let mine: Vec<Loose> = self.plain.loose.iter().copied().filter(|l| l.lane == lane).collect();
        for l in mine {
            let wide = l.format == super::exact::F64;
            if n != l.vgpr && !(wide && n == l.vgpr + 1) {
                continue;
            }
            let mask = l.format.bits();
            let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
            let got = pair(w.vgpr(l.vgpr, lane), if wide { w.vgpr(l.vgpr + 1, lane) } else { 0 });
            let v = &mut self.plain.v;
            let second = (l.vgpr + 1) as usize;
            let want = pair(v[l.vgpr as usize][lane as usize], if wide { v[second][lane as usize] } else { 0 });
            let field = got >> l.shift & mask;
            if !admissible(&l, field) {
                return false;
            }
            let merged = want & !(mask << l.shift) | field << l.shift;
            v[l.vgpr as usize][lane as usize] = merged as u32;
            if wide {
                v[second][lane as usize] = (merged >> 32) as u32;
            }
            if v[n as usize][lane as usize] == w.vgpr(n, lane) {
                return true;
            }
        }
        false
    }

    fn finish(mut self, outcome: Outcome, group: &WorkGroup, map: &MemoryMap) -> Result<Vec<Op>, Failure> {
        match outcome {
            Outcome::Done => {
                if self.failure.is_none()
                    && let Some(w) = group.wave(0)
                {
                    if let Err((text, lane)) = self.agree(&w) {
                        self.fail_in(Kind::Mismatch, text, lane);
                    } else {
                        // Anything that neither said it wrote.
                        self.last = None;
                        self.everything = true;
                        if let Err((text, lane)) = self.agree(&w) {
                            self.fail_in(Kind::Mismatch, text, lane);
                        } else if let Err(text) = self.same_memory(map) {
                            self.fail(Kind::Mismatch, text);
                        }
                    }
                }
            }
            Outcome::Budget if self.failure.is_none() => self.fail(Kind::Fault, "never ends".into()),
            Outcome::Fault(fault) if self.failure.is_none() => {
                let kind = match fault.kind {
                    FaultKind::Unimplemented | FaultKind::IllegalInstruction { .. } => Kind::Refused,
                    _ => Kind::Fault,
                };
                // The instruction that faulted has been issued; one that was refused has not.
                let text = format!("{:?}", fault.kind);
                let place = fault.site.as_ref().map_or(0, |s| (s.pc_offset / 4) as usize);
                let item = self.offsets.iter().position(|&o| o == place);
                let words = self.plain.code.get(place..).unwrap_or(&[]);
                let instr = wavepipe_isa::decode::decode(words, self.plain.isa).ok().map(|d| d.0);
                if let Some(instr) = instr {
                    self.last = Some((instr, item, None));
                }
                self.fail(kind, text);
            }
            Outcome::Budget | Outcome::Fault(_) => {}
        }
        match self.failure {
            Some(f) => Err(f),
            None => Ok(self.done),
        }
    }

    fn same_memory(&self, map: &MemoryMap) -> Result<(), String> {
        let mut got = vec![0; REGION];
        map.read(self.plain.base, &mut got).ok_or("the data region is gone")?;
        let words = |bytes: &[u8], n: usize| u32::from_le_bytes([bytes[n], bytes[n + 1], bytes[n + 2], bytes[n + 3]]);
        for n in (0..REGION).step_by(4) {
            let (got, want) = (words(&got, n), words(&self.plain.memory, n));
            if got != want {
                return Err(format!("memory at offset {n:#x}: {got:#x}, want {want:#x}"));
            }
        }
        Ok(())
    }
}

fn admissible(l: &Loose, bits: u64) -> bool {
    let f: Format = l.format;
    match l.bounds {
        None => f.is_nan(bits),
        Some((low, high)) => {
            let at = place(f, bits);
            !f.is_nan(bits) && place(f, low) <= at && at <= place(f, high)
        }
    }
}

/// The least part of a block that still fails at the same instruction, with everything looked at.
pub fn shrink(bench: &mut Bench, block: &Block, first: &Failure) -> (Block, Failure) {
    let same = |f: &Failure| f.kind == first.kind && f.op == first.op;
    let (mut best, mut failure) = (block.clone(), first.clone());
    if let Some(item) = failure.item {
        let mut cut = best.clone();
        cut.items.truncate(item + 1);
        retarget(&mut cut, None);
        if let Err(f) = bench.run(&cut)
            && same(&f)
        {
            (best, failure) = (cut, f);
        }
    }
    // Again until nothing goes: an address is needed only while its access is there.
    let mut before = usize::MAX;
    while best.items.len() < before {
        before = best.items.len();
        for n in (0..before).rev() {
            let mut less = best.clone();
            less.items.remove(n);
            retarget(&mut less, Some(n));
            if let Err(f) = bench.run(&less)
                && same(&f)
            {
                (best, failure) = (less, f);
            }
        }
    }
    if let Err(f) = bench.attempt(&best, true) {
        failure = f;
    }
    (best, failure)
}

/// After an item was taken out, branches still go where they went, or to the end.
pub fn retarget(block: &mut Block, gone: Option<usize>) {
    let end = block.items.len();
    for item in &mut block.items {
        item.target = item.target.map(|t| if gone.is_some_and(|n| t > n) { t - 1 } else { t }.min(end));
    }
}

/// A block as assembly.
pub fn listing(block: &Block) -> String {
    let lanes = block.wave.lanes();
    let mut out = format!("; {:?}, MODE {:#x}, EXEC {:#x}\n", block.wave, block.mode, block.state.exec);
    for (n, item) in block.items.iter().enumerate() {
        let text = disasm::text(&item.instr, block.isa, lanes);
        let to = item.target.map_or(String::new(), |t| format!("   ; to {t}"));
        out += &format!("{n:3}: {text}{to}\n");
    }
    out
}
