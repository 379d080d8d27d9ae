//! One image instruction of RDNA 2 in a kernel that loads its registers, by the house's assembler.

use crate::wave::Bed;
use std::sync::Arc;
use wavepipe_core::wave::{Device, Outcome, WaveFault, WorkGroup};
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::{Gen, asm};

pub const WAVES: [WaveSize; 2] = [WaveSize::W32, WaveSize::W64];
/// What registers of results hold before.
pub const BEFORE: u32 = 0x5a5a_5a5a;
/// Where inputs are in the bed's data: descriptors, EXEC, then a row of 64 dwords for each register.
const EXEC: u64 = 0x80;
const ROWS: u64 = 0x400;

pub struct Lone {
    pub bed: Bed,
    pub memory: u64,
    pub lanes: usize,
}

impl Lone {
    /// v1 to v`inputs` are loaded, v40 to v55 hold [`BEFORE`], s[8:23] are the data's first dwords; behind `text`, which EXEC is
    /// narrowed for, the kernel ends.
    pub fn new(wave: WaveSize, inputs: u32, text: &str, bytes: u64) -> Lone {
        let mut kernel = "s_load_dwordx16 s[8:23], s[0:1], 0x0\ns_load_dwordx2 s[24:25], s[0:1], 0x80\n".to_string();
        kernel += "v_lshlrev_b32 v60, 2, v0\n";
        for r in 1..=inputs {
            kernel += &format!("v_add_nc_u32 v61, {:#x}, v60\n", ROWS + 256 * u64::from(r));
            kernel += &format!("global_load_dword v{r}, v61, s[0:1]\n");
        }
        (40..56).for_each(|r| kernel += &format!("v_mov_b32 v{r}, {BEFORE:#x}\n"));
        kernel += "s_waitcnt vmcnt(0) lgkmcnt(0)\n";
        kernel += match wave {
            WaveSize::W32 => "s_mov_b32 exec_lo, s24\n",
            WaveSize::W64 => "s_mov_b64 exec, s[24:25]\n",
        };
        kernel += text;
        kernel += "\ns_endpgm";
        let lanes = wave.lanes();
        let words = asm::assemble(&kernel, Gen::Gfx1030, lanes).unwrap_or_else(|e| panic!("{e}\n{kernel}"));
        let mut bed = Bed::new(wave, [lanes, 1, 1]);
        bed.launch.isa = Gen::Gfx1030;
        bed.launch.lds_bytes = 1 << 14;
        let memory = bed.memory.allocate(bytes, "under test").unwrap().va;
        bed.launch.code_va = bed.memory.allocate(4 * words.len() as u64 + 64, "code").unwrap().va;
        let map = bed.map();
        (0..).zip(&words).for_each(|(i, &w)| map.store32(bed.launch.code_va + 4 * i, w).unwrap());
        let lone = Lone { bed, memory, lanes: lanes as usize };
        lone.exec(!0);
        lone
    }

    /// Its observers are these from here on.
    pub fn on(&mut self, device: Device) {
        self.bed.group = WorkGroup::on(Arc::new(device));
    }

    pub fn exec(&self, mask: u64) {
        self.bed.map().store64(self.bed.data + EXEC, mask).unwrap();
    }

    /// s[8:23] from the first on.
    pub fn scalars(&self, words: &[u32]) {
        (0..).zip(words).for_each(|(i, &w)| self.bed.write(i, w));
    }

    pub fn set(&self, register: u32, lane: usize, v: u32) {
        self.bed.map().store32(self.bed.data + ROWS + 256 * u64::from(register) + 4 * lane as u64, v).unwrap();
    }

    pub fn put(&self, at: u64, words: &[u32]) {
        let map = self.bed.map();
        (0..).zip(words).for_each(|(i, &w)| map.store32(self.memory + at + 4 * i, w).unwrap());
    }

    pub fn run(&mut self) -> Result<(), Box<WaveFault>> {
        let launch = Arc::new(self.bed.launch.clone());
        self.bed.group.start(&launch, [0; 3], 0);
        match self.bed.group.run(&self.bed.memory.snapshot(), &self.bed.cache, 10_000_000) {
            Outcome::Done => Ok(()),
            Outcome::Budget => panic!("never ends"),
            Outcome::Fault(f) => Err(f),
        }
    }

    pub fn out(&self, register: u32, lane: usize) -> u32 {
        self.bed.group.wave(0).unwrap().vgpr(register, lane as u32)
    }
}
