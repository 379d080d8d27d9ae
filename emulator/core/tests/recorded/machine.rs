//! A wave of 32 or 64 lanes in a known state, run by the interpreter.

use std::sync::Arc;
use wavepipe_core::memory::{Memory, MemoryMap};
use wavepipe_core::wave::{CodeCache, Launch, Outcome, WaveView, WorkGroup};
use wavepipe_hw::code::{SystemSgprs, WaveSize};
use wavepipe_isa::{Gen, asm};

const CODE_BYTES: u64 = 1 << 14;
const DATA_BYTES: u64 = 1 << 16;

pub struct Machine {
    _memory: Memory,
    map: Arc<MemoryMap>,
    cache: CodeCache,
    pub group: WorkGroup,
    pub launch: Launch,
    pub data: u64,
}

impl Machine {
    pub fn new(wave: WaveSize, items: u32, mode: u32) -> Machine {
        let memory = Memory::new(1 << 26);
        let code = memory.allocate(CODE_BYTES, "code").expect("memory").va;
        let data = memory.allocate(DATA_BYTES, "data").expect("memory").va;
        let launch = Launch {
            code_va: code,
            wave,
            vgprs: 256,
            sgprs: 104,
            lds_bytes: 65536,
            mode,
            user_data: [0; 16],
            user_sgprs: 16,
            system: SystemSgprs::default(),
            tidig_comp_cnt: 0,
            workgroup: [items, 1, 1],
            scratch_bytes_per_wave: 0,
            border_colors: 0,
        };
        let map = memory.snapshot();
        Machine { _memory: memory, map, cache: CodeCache::new(), group: WorkGroup::new(), launch, data }
    }

    pub fn store(&self, offset: u64, words: &[u32]) {
        for (i, &w) in words.iter().enumerate() {
            self.map.store32(self.data + offset + 4 * i as u64, w).expect("inside of the data");
        }
    }

    /// Runs `words` and an end after them, in work-group 0.
    pub fn run(&mut self, words: &[u32]) -> Result<(), String> {
        const ENDPGM: u32 = 0xbf81_0000;
        let code = self.launch.code_va;
        assert!((words.len() as u64) < CODE_BYTES / 4, "a program of {} dwords", words.len());
        for (i, &w) in words.iter().chain(&[ENDPGM]).enumerate() {
            self.map.store32(code + 4 * i as u64, w).expect("inside of the code");
        }
        self.cache.invalidate(code..code + CODE_BYTES);
        self.group.start(&Arc::new(self.launch.clone()), [0; 3], 0);
        match self.group.run(&self.map, &self.cache, 1 << 20) {
            Outcome::Done => Ok(()),
            Outcome::Budget => Err("never ends".into()),
            Outcome::Fault(f) => Err(format!("{:?} at {:?}", f.kind, f.site.map(|s| s.disassembly))),
        }
    }

    pub fn wave(&self) -> WaveView<'_> {
        self.group.wave(0).expect("a wave")
    }
}

pub fn assemble(text: &str, lanes: u32) -> Vec<u32> {
    asm::assemble(text, Gen::Gfx1010, lanes).unwrap_or_else(|e| panic!("{e}: {text}"))
}
