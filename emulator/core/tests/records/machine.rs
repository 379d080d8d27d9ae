//! One wave on the interpreter, from given registers to those after a piece of code.

use super::{SGPRS, VGPRS, WaveRegisters};
use std::sync::Arc;
use wavepipe_core::memory::Memory;
use wavepipe_core::wave::{CodeCache, Launch, Outcome, WorkGroup};
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::{Gen, asm};

/// Round to nearest, f32 denormals flushed, f16 and f64 denormals kept, DX10_CLAMP, IEEE.
const MODE: u32 = 0x3c0;
const CODE_BYTES: u64 = 1 << 22;

/// Registers from memory at s[0:1]: SGPRs, VCC at 0x80, SCC at 0x88, VGPRs from 0x400 on at 256 bytes each.
const PROLOGUE: &str = "
    v_lshlrev_b32 v12, 2, v0
    v_or_b32 v12, 0x800, v12
    s_mov_b64 s[96:97], s[0:1]
    s_load_dwordx2 vcc, s[96:97], 0x80
    s_load_dword s98, s[96:97], 0x88
    s_load_dwordx16 s[0:15], s[96:97], 0x0
    s_load_dwordx16 s[16:31], s[96:97], 0x40
    LOADS
    s_waitcnt 0
    v_mov_b32 v12, 0
    s_cmp_lg_u32 s98, 0
    s_mov_b32 s98, 0
    s_mov_b64 s[96:97], 0";

/// v255 the lane's number, s[80:81] the address of a pointer to memory, all else clear; private memory behind it.
const PROGRAM_PROLOGUE: &str = "
    s_add_u32 s2, s0, 0x8000
    s_addc_u32 s3, s1, 0
    s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s2
    s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s3
    s_mov_b64 s[2:3], 0
    s_cmp_lg_u32 s2, s3
    v_mov_b32 v255, v0
    v_mov_b32 v0, 0
    s_mov_b64 s[80:81], s[0:1]
    s_mov_b64 s[0:1], 0";

/// Code placed for a machine, with the prologue that its kind needs.
#[derive(Clone, Copy, Debug)]
pub struct PlacedCode(u64);

pub struct Machine {
    memory: Memory,
    cache: CodeCache,
    group: WorkGroup,
    code: u64,
    used: u64,
    data: u64,
    isa: Gen,
    prologues: [[Vec<u32>; 2]; 2],
}

impl Machine {
    pub fn new(isa: Gen) -> Machine {
        let memory = Memory::new(1 << 30);
        let code = memory.allocate(CODE_BYTES, "code").expect("memory").va;
        let data = memory.allocate(1 << 16, "data").expect("memory").va;
        let loads: String = (0..VGPRS)
            .map(|r| format!("global_load_dword v{r}, v12, s[96:97] offset:{}\n", 256 * r as i32 - 1024))
            .collect();
        let single = PROLOGUE.replace("LOADS", &loads);
        // Programs are gfx1010's.
        let prologues = [(single.as_str(), isa), (PROGRAM_PROLOGUE, Gen::Gfx1010)]
            .map(|(text, isa)| [32, 64].map(|lanes| asm::assemble(text, isa, lanes).expect("the prologue assembles")));
        let cache = crate::bench::host::code_cache();
        Machine { memory, cache, group: WorkGroup::new(), code, used: 0, data, isa, prologues }
    }

    fn place(&mut self, kind: usize, wave: WaveSize, words: &[u32]) -> PlacedCode {
        const END: u32 = 0xbf81_0000;
        let at = self.code + self.used;
        let all = self.prologues[kind][usize::from(wave == WaveSize::W64)].iter().chain(words).chain([&END]);
        let map = self.memory.snapshot();
        for &w in all {
            map.store32(self.code + self.used, w).expect("room for the code");
            self.used += 4;
        }
        self.used = self.used.next_multiple_of(64);
        PlacedCode(at)
    }

    /// Code that starts with a [`WaveRegisters`]. All code is placed before the first of it runs.
    pub fn single(&mut self, wave: WaveSize, words: &[u32]) -> PlacedCode {
        self.place(0, wave, words)
    }

    /// Code that starts with clear registers but the lane's number in v255 and a pointer at s[80:81].
    pub fn program(&mut self, words: &[u32]) -> PlacedCode {
        self.place(1, WaveSize::W32, words)
    }

    fn start(
        &mut self,
        code: PlacedCode,
        wave: WaveSize,
        vgprs: u32,
        lanes: u32,
        data: u64,
    ) -> Result<&WorkGroup, String> {
        let mut user_data = [0; 16];
        (user_data[0], user_data[1]) = (data as u32, (data >> 32) as u32);
        let launch = Launch {
            vgprs,
            lds_bytes: 1 << 16,
            mode: MODE,
            user_data,
            user_sgprs: 2,
            workgroup: [lanes, 1, 1],
            scratch_bytes_per_wave: 512 * wave.lanes(),
            ..Launch::of_one_wave(self.isa, code.0, wave)
        };
        self.group.start(&Arc::new(launch), [0; 3], 0);
        match self.group.run(&self.memory.snapshot(), &self.cache, 100_000) {
            Outcome::Done => Ok(&self.group),
            Outcome::Budget => Err("never ends".into()),
            Outcome::Fault(f) => Err(format!("{:?}", f.kind)),
        }
    }

    /// The state after [`Machine::single`]'s code.
    pub fn run(&mut self, code: PlacedCode, wave: WaveSize, before: &WaveRegisters) -> Result<WaveRegisters, String> {
        let map = self.memory.snapshot();
        let data = self.data;
        let put = |offset: u64, v: u32| map.store32(data + offset, v).expect("room for the state");
        for (i, &s) in before.s.iter().enumerate() {
            put(4 * i as u64, s);
        }
        put(0x80, before.vcc as u32);
        put(0x84, (before.vcc >> 32) as u32);
        put(0x88, before.scc.into());
        for (r, lanes) in before.v.iter().enumerate() {
            for (lane, &v) in lanes.iter().enumerate() {
                put(0x400 + 256 * r as u64 + 4 * lane as u64, v);
            }
        }
        let w = self.start(code, wave, 16, wave.lanes(), data)?.wave(0).ok_or("no wave")?;
        let all = if wave == WaveSize::W64 { !0 } else { 0xffff_ffff };
        Ok(WaveRegisters {
            v: (0..VGPRS as u32).map(|r| (0..wave.lanes()).map(|lane| w.vgpr(r, lane)).collect()).collect(),
            s: std::array::from_fn::<u32, SGPRS, _>(|i| w.sgpr(i as u32)),
            vcc: w.vcc() & all,
            exec: w.exec() & all,
            scc: w.scc(),
        })
    }

    /// The waves after [`Machine::program`]'s code.
    pub fn run_program(&mut self, code: PlacedCode, lanes: u32) -> Result<&WorkGroup, String> {
        let (pointer, memory) = (self.data, self.data + 4096);
        let map = self.memory.snapshot();
        for at in (memory..memory + 8192).step_by(4) {
            map.store32(at, 0);
        }
        map.store64(pointer, memory);
        self.start(code, WaveSize::W32, 256, lanes, pointer)
    }
}
