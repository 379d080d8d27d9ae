//! What wave tests share: assembly through LLVM, one work-group on a memory of its own.
#![allow(dead_code)]

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;
use wavepipe_core::memory::{Memory, MemoryMap};
use wavepipe_core::wave::{CodeCache, Launch, Outcome, WaveFault, WorkGroup};
use wavepipe_hw::code::WaveSize;

/// Machine code of `text`, by LLVM's assembler. `None` (after saying so) if it is not installed; an error in CI.
pub fn assemble(text: &str, wave: WaveSize) -> Option<Vec<u32>> {
    let attributes = match wave {
        WaveSize::W32 => "-mattr=+wavefrontsize32,-wavefrontsize64",
        WaveSize::W64 => "-mattr=-wavefrontsize32,+wavefrontsize64",
    };
    let arguments = ["-triple=amdgcn", "-mcpu=gfx1010", attributes, "-show-encoding"];
    let spawned = Command::new("llvm-mc-19")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = spawned else {
        println!("SKIP llvm-mc-19");
        assert!(std::env::var_os("CI").is_none(), "llvm-mc-19 is missing");
        return None;
    };
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.stderr.is_empty(), "{}\n{text}", String::from_utf8_lossy(&out.stderr));
    let mut bytes = Vec::new();
    for line in String::from_utf8_lossy(&out.stdout).lines() {
        let Some((_, list)) = line.split_once("encoding: [") else { continue };
        for byte in list.trim_end_matches(']').split(',') {
            let byte = u8::from_str_radix(byte.trim_start_matches("0x"), 16);
            bytes.push(byte.unwrap_or_else(|_| panic!("a label in {line:?}: branches take numbers here")));
        }
    }
    Some(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

/// One work-group's world.
pub struct Bed {
    pub memory: Memory,
    pub cache: CodeCache,
    pub group: WorkGroup,
    pub launch: Launch,
    /// 64 KiB whose address is in s[0:1].
    pub data: u64,
}

impl Bed {
    pub fn new(wave: WaveSize, workgroup: [u32; 3]) -> Bed {
        let memory = Memory::new(1 << 30);
        let data = memory.allocate(1 << 16, "data").unwrap().va;
        let mut user_data = [0; 16];
        user_data[0] = data as u32;
        user_data[1] = (data >> 32) as u32;
        let launch = Launch {
            lds_bytes: 4096,
            user_data,
            user_sgprs: 8,
            tidig_comp_cnt: 2,
            workgroup,
            ..Launch::of_one_wave(wavepipe_isa::Gen::Gfx1010, 0, wave)
        };
        Bed { memory, cache: crate::bench::host::code_cache(), group: WorkGroup::new(), launch, data }
    }

    pub fn map(&self) -> Arc<MemoryMap> {
        self.memory.snapshot()
    }

    /// Places code, starts work-group (0, 0, 0).
    pub fn start(&mut self, words: &[u32]) {
        let bytes = 4 * words.len() as u64 + 64;
        self.launch.code_va = self.memory.allocate(bytes, "code").unwrap().va;
        let map = self.map();
        for (i, &w) in words.iter().enumerate() {
            map.store32(self.launch.code_va + 4 * i as u64, w).unwrap();
        }
        self.group.start(&Arc::new(self.launch.clone()), [0; 3], 0);
    }

    pub fn run(&mut self) -> Result<(), Box<WaveFault>> {
        match self.group.run(&self.memory.snapshot(), &self.cache, 10_000_000) {
            Outcome::Done => Ok(()),
            Outcome::Budget => panic!("never ends: {:?}", self.group.site(&self.map())),
            Outcome::Fault(f) => Err(f),
        }
    }

    /// Assembles, places, runs; `false` without the assembler.
    pub fn text(&mut self, text: &str) -> bool {
        let Some(words) = assemble(text, self.launch.wave) else { return false };
        self.start(&words);
        if let Err(f) = self.run() {
            panic!("{f:?}");
        }
        true
    }

    pub fn read(&self, index: u64) -> u32 {
        self.map().load32(self.data + 4 * index).unwrap()
    }

    pub fn write(&self, index: u64, v: u32) {
        self.map().store32(self.data + 4 * index, v).unwrap();
    }

    /// VGPR `n` of all lanes of wave 0.
    pub fn vgpr(&self, n: u32) -> Vec<u32> {
        let w = self.group.wave(0).unwrap();
        (0..w.lanes()).map(|lane| w.vgpr(n, lane)).collect()
    }

    pub fn sgpr(&self, n: u32) -> u32 {
        self.group.wave(0).unwrap().sgpr(n)
    }
}
