//! Loops of host code beside the interpreter's, whose loads and stores `memory_*` hold against plain models: rounds differ in how
//! lanes' offsets lie to one another, in EXEC, in descriptors and in SOFFSET, and registers and memory are the same at the end.

use crate::bench::host::engine_of;
use crate::split_mix;
use std::sync::Arc;
use wavepipe_core::memory::Memory;
use wavepipe_core::wave::{CodeCache, HostCode, HostRun, Launch, NoCode, Outcome, Region, WaveFault, What, WorkGroup};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::BufferDescriptor;
use wavepipe_hw::fault::FaultKind;
use wavepipe_isa::{Gen, asm};
use wavepipe_jit::{CODE_BYTES, Feature, HostIsa};

pub const ISA: Gen = Gen::Gfx1010;
const ROUNDS: u32 = 48;
/// Of each round: 64 offsets, an EXEC mask, two descriptors to choose from, SOFFSET.
const ROUND: u64 = 512;
const SHEET: u64 = 0x10_0000;
/// Where the buffers' bytes are, after the rounds.
const DATA: u64 = ROUNDS as u64 * ROUND;
const LDS: u32 = 4096;
const VGPRS: u32 = 40;

/// Rounds of these lines. s[0:1] the rounds, s[2:3] the data, s4 how many; v0 the lane, v2 a round's offsets, v3 those in range.
pub fn rounds(lines: &[&str]) -> String {
    let mut text = String::from(
        "v_lshlrev_b32 v1, 2, v0\n v_mov_b32 v20, 0\n v_mov_b32 v21, 0x1234567\n v_mov_b32 v22, v0\n v_mov_b32 v23, 7\n\
         v_lshlrev_b32 v24, 3, v0\n s_mov_b64 s[40:41], exec\n s_mov_b64 s[66:67], s[0:1]\n s_mov_b32 m0, -1\nround:\n\
         s_mov_b64 exec, s[40:41]\n global_load_dword v2, v1, s[0:1]\n\
         s_load_dwordx8 s[8:15], s[0:1], 0x100\n s_load_dwordx8 s[16:23], s[0:1], 0x120\n s_waitcnt vmcnt(0) lgkmcnt(0)\n\
         v_and_b32 v3, 0xff0, v2\n s_mov_b64 exec, s[20:21]\n",
    );
    let end = [
        "s_add_u32 s0, s0, 0x200",
        "s_addc_u32 s1, s1, 0",
        "s_sub_u32 s4, s4, 1",
        "s_cmp_lg_u32 s4, 0",
        "s_cbranch_scc1 round",
        "s_endpgm",
    ];
    for line in lines.iter().chain(&end) {
        text += line;
        text.push('\n');
    }
    text
}

/// Dwords of everywhere.
fn program() -> String {
    rounds(&[
        // One and more dwords of a buffer; the address is the data's first register, or its last.
        "buffer_load_dword v4, v2, s[8:11], s22 offen offset:4",
        "v_xor_b32 v20, v20, v4",
        "v_mov_b32 v5, v2",
        "buffer_load_dwordx2 v[5:6], v5, s[8:11], s22 offen",
        "v_add_nc_u32 v20, v20, v5",
        "v_xor_b32 v20, v20, v6",
        "v_mov_b32 v10, v2",
        "buffer_load_dwordx4 v[7:10], v10, s[12:15], 0 offen offset:8",
        "v_mul_lo_u32 v20, v20, 31",
        "v_add3_u32 v20, v20, v7, v8",
        "v_add3_u32 v20, v20, v9, v10",
        "buffer_load_dword v11, off, s[12:15], s22",
        "v_add_nc_u32 v20, v20, v11",
        // Global memory: offsets that are in it.
        "global_load_dword v12, v3, s[2:3] offset:-16",
        "global_load_dwordx3 v[13:15], v3, s[2:3] offset:64",
        "v_xor_b32 v20, v20, v12",
        "v_add3_u32 v20, v20, v13, v15",
        // LDS, one place and two.
        "ds_write_b32 v3, v20 offset:4",
        "v_mov_b32 v16, v3",
        "ds_read2_b32 v[16:17], v16 offset0:1 offset1:3",
        "v_xor_b32 v20, v20, v17",
        "ds_write2_b32 v3, v20, v16 offset0:2 offset1:3",
        "ds_write_b64 v24, v[20:21]",
        "ds_write2_b32 v24, v16, v20 offset0:4 offset1:5",
        "ds_read2_b32 v[16:17], v24 offset0:2 offset1:3",
        "v_xor_b32 v20, v20, v16",
        "ds_read_b64 v[18:19], v3",
        "v_add_nc_u32 v20, v20, v18",
        "ds_write_b128 v3, v[20:23]",
        "ds_read_b128 v[28:31], v3",
        "v_add3_u32 v20, v20, v30, v31",
        // Atomics: of LDS with and without what was there, of memory out of range too, several lanes at one place.
        "v_and_b32 v25, -4, v2",
        "ds_add_u32 v3, v20 offset:8",
        "ds_sub_u32 v3, v22",
        "ds_and_b32 v3, v20 offset:4",
        "ds_or_b32 v3, v2 offset:12",
        "ds_xor_b32 v3, v20",
        "ds_min_i32 v3, v20",
        "ds_max_i32 v3, v2 offset:4",
        "ds_min_u32 v3, v20 offset:8",
        "ds_max_u32 v3, v22 offset:12",
        "ds_inc_u32 v3, v20",
        "ds_add_rtn_u32 v26, v3, v20 offset:4",
        "ds_wrxchg_rtn_b32 v27, v3, v20",
        "v_add3_u32 v20, v20, v26, v27",
        "ds_max_rtn_u32 v3, v3, v20",
        "v_and_b32 v3, 0xff0, v2",
        "ds_min_rtn_i32 v26, v3, v20",
        "ds_max_rtn_u32 v27, v3, v22 offset:4",
        "v_add3_u32 v20, v20, v26, v27",
        "ds_rsub_rtn_u32 v26, v3, v20",
        "ds_dec_rtn_u32 v27, v3, v22 offset:8",
        "ds_inc_rtn_u32 v25, v3, v20 offset:12",
        "v_add3_u32 v20, v20, v26, v27",
        "v_xor_b32 v20, v20, v25",
        "v_and_b32 v25, -4, v2",
        "ds_and_rtn_b32 v26, v3, v20 offset:4",
        "ds_or_rtn_b32 v27, v3, v22",
        "ds_xor_rtn_b32 v3, v3, v20",
        "v_add3_u32 v20, v20, v26, v27",
        "v_xor_b32 v20, v20, v3",
        "v_and_b32 v3, 0xff0, v2",
        // One that is as compared, and one that is by chance.
        "ds_read_b32 v26, v3",
        "ds_cmpst_rtn_b32 v27, v3, v26, v20",
        "ds_cmpst_b32 v3, v20, v22 offset:4",
        "v_add3_u32 v20, v20, v26, v27",
        "v_and_b32 v25, -4, v2",
        "v_mov_b32 v28, v20",
        "buffer_load_dword v29, v25, s[8:11], s22 offen",
        "buffer_atomic_cmpswap v[28:29], v25, s[8:11], s22 offen glc",
        "v_xor_b32 v20, v20, v28",
        "global_atomic_cmpswap v3, v[28:29], s[2:3] offset:16",
        "buffer_atomic_smin v20, v25, s[12:15], 0 offen",
        "buffer_atomic_umax v28, v25, s[8:11], s22 offen glc",
        "global_atomic_inc v26, v3, v20, s[2:3] glc",
        "global_atomic_dec v3, v22, s[2:3] offset:4",
        "global_atomic_sub v27, v3, v22, s[2:3] offset:8 glc",
        "buffer_atomic_swap v29, v25, s[12:15], 0 offen",
        "v_add3_u32 v20, v20, v26, v27",
        "v_xor_b32 v20, v20, v28",
        "buffer_atomic_add v20, v25, s[8:11], s22 offen",
        "buffer_atomic_xor v22, v25, s[12:15], 0 offen",
        "global_atomic_add v26, v3, v20, s[2:3] glc",
        "global_atomic_swap v27, v3, v26, s[2:3] offset:8 glc",
        "global_atomic_or v3, v2, s[2:3] offset:4",
        "v_add3_u32 v20, v20, v26, v27",
        // Scalars, from where a scalar says and in range or not.
        "s_buffer_load_dword s24, s[8:11], s22",
        "s_buffer_load_dwordx4 s[28:31], s[12:15], 0x7f8",
        "s_buffer_load_dwordx2 s[26:27], s[8:11], 0xffc",
        "s_load_dwordx16 s[44:59], s[0:1], s22",
        "s_load_dword s25, s[2:3], 0x11",
        "s_waitcnt lgkmcnt(0)",
        "s_add_u32 s24, s24, s30",
        "s_xor_b32 s24, s24, s26",
        "s_add_u32 s24, s24, s25",
        "s_xor_b32 s24, s24, s57",
        "v_xor_b32 v20, s24, v20",
        // Private memory: at one offset, at the lanes' own, out of range.
        "s_load_dwordx4 s[60:63], s[0:1], 0x140",
        "s_load_dword s64, s[0:1], 0x150",
        "v_and_b32 v32, 0x7c, v2",
        "s_waitcnt lgkmcnt(0)",
        "buffer_store_dword v20, off, s[60:63], s64 offset:4",
        "buffer_store_dword v22, off, s[60:63], s64 offset:12",
        "buffer_load_dword v33, off, s[60:63], s64 offset:4",
        "v_xor_b32 v20, v20, v33",
        "buffer_store_dword v20, v32, s[60:63], s64 offen offset:8",
        "buffer_load_dword v34, v32, s[60:63], s64 offen",
        "v_add_nc_u32 v20, v20, v34",
        "v_and_b32 v37, 0x7fc, v2",
        "buffer_load_dword v35, v37, s[60:63], s64 offen offset:16",
        "v_xor_b32 v20, v20, v35",
        "v_readfirstlane_b32 s65, v32",
        "v_mov_b32 v36, s65",
        "buffer_load_dword v38, v36, s[60:63], s64 offen",
        "v_add_nc_u32 v20, v20, v38",
        "buffer_store_dword v20, v36, s[60:63], 0 offen offset:20",
        // And back to memory.
        "buffer_store_dword v20, v2, s[8:11], s22 offen offset:12",
        "global_store_dword v3, v20, s[2:3] offset:32",
        "buffer_store_dwordx2 v[20:21], v2, s[12:15], 0 offen",
        "buffer_store_dwordx4 v[20:23], v2, s[8:11], s22 offen offset:64",
        "global_store_dwordx4 v3, v[20:23], s[2:3] offset:128",
        "buffer_store_dwordx3 v[20:22], v2, s[12:15], 0 offen offset:16",
    ])
}

/// The state.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u32 {
        (split_mix::split_mix(&mut self.0) >> 32) as u32
    }
}

/// Ways in which the lanes' offsets lie to one another.
const PATTERNS: u32 = 22;

/// How the lanes' offsets lie to one another.
fn offset(pattern: u32, lane: u32, some: u32, r: &mut Random) -> u32 {
    let within = some % 0x800 & !3;
    match pattern % PATTERNS {
        0 => within + 4 * lane,
        1 => within,
        2 => within + 8 * lane,
        3 => within + 16 * lane,
        4 => within + 4 * (63 - lane),
        5 => r.next() % 0x1000 & !3,
        6 => r.next() % 0x1000,
        // Over the buffer's end in some lanes, in all, and far beyond.
        7 => 0x0fa0 + 4 * lane,
        8 => r.next(),
        9 => (0x7fff_ffc0 + 4 * lane).wrapping_add(some % 64),
        10 => 0xffff_ffc0u32.wrapping_add(4 * lane),
        // Rows of eight, and those that are not quite.
        11 => within + 4 * (lane % 8) + 0x80 * (lane / 8),
        12 => within + 4 * (lane % 8) + 0x80 * (lane / 8) + 4 * (lane / 13),
        // Further apart than what is stored, and not always.
        13 => within % 0x700 + 32 * lane,
        14 => within % 0x700 + 20 * lane,
        15 => within % 0x700 + 32 * lane + 4 * (lane / 40),
        16 => within + 4 * (lane ^ 1),
        // In front of offset 0 in the first lanes, which may live or not.
        17 => 0xffff_ffd4u32.wrapping_add(4 * lane),
        18 => 0xffff_fff0u32.wrapping_add(8 * lane),
        // Anyhow within some vectors, up to the buffer's end, and with one that is none of their dwords.
        19 => within + 4 * (13 * lane % 32),
        20 => 0x0f84 + 8 * (lane % 16),
        _ => within + 4 * (29 * lane % 64) + lane / 50,
    }
}

fn sheet(r: &mut Random, base: u64, lanes: u32) -> Vec<u8> {
    let mut words = vec![0u32; (SHEET / 4) as usize];
    for round in 0..u64::from(ROUNDS) {
        let at = (round * ROUND / 4) as usize;
        // Each pattern for some rounds, as loops do, with changes in between.
        let (pattern, some) = (r.next() % PATTERNS, r.next());
        for lane in 0..64 {
            words[at + lane] = offset(pattern, lane as u32, some, r);
        }
        let buffer = |r: &mut Random| {
            let records = [0x1000, 0x0ffc, 0x0801, 0][(r.next() % 8).min(3) as usize % 4];
            BufferDescriptor::raw(base + DATA + u64::from(r.next() % 3) * 0x400, records).to_words(ISA)
        };
        let (first, second) = (buffer(r), buffer(r));
        words[at + 64..at + 68].copy_from_slice(&first);
        words[at + 68..at + 72].copy_from_slice(&second);
        let exec = match r.next() % 5 {
            0 | 1 => [!0, !0],
            2 => [r.next(), r.next()],
            3 => [!0, r.next()],
            _ => [r.next() & r.next() & r.next(), 0],
        };
        let exec = if (17..19).contains(&pattern) { [exec[0] & !0x7ff, exec[1]] } else { exec };
        words[at + 76..at + 78].copy_from_slice(&exec);
        words[at + 78] = [0, 0, 4, 0x40][r.next() as usize % 4];
        let ring = BufferDescriptor::private(base + DATA + 0x8000, 0x8000 + (r.next() % 2) * 0x8000, lanes);
        words[at + 80..at + 84].copy_from_slice(&ring.to_words(ISA));
        // SOFFSET in private memory, mostly in range.
        words[at + 84] = [0, 0x1000, 0x1000, 0x2004, 0x7ff0, 0xf000, 0x1002][r.next() as usize % 7];
    }
    (words[(DATA / 4) as usize..]).iter_mut().for_each(|w| *w = r.next());
    bytemuck::cast_slice(&words).to_vec()
}

/// Counts accesses that an engine was given.
struct Counted {
    engine: Arc<dyn HostCode>,
    accesses: std::sync::atomic::AtomicUsize,
}

impl HostCode for Counted {
    fn patience(&self) -> u32 {
        self.engine.patience()
    }
    fn compile(&self, region: &Region) -> Result<Box<dyn HostRun>, NoCode> {
        let accesses = region.nodes.iter().flat_map(|n| &n.acts).filter(|a| matches!(a.what, What::Access(_)));
        self.accesses.fetch_add(accesses.count(), std::sync::atomic::Ordering::Relaxed);
        // What cannot be compiled would be the interpreter's, and be right.
        Ok(self.engine.compile(region).expect("host code"))
    }
    fn publish(&self) {
        self.engine.publish();
    }
}

/// Registers and memory at the end.
pub fn end(cache: &CodeCache, wave: WaveSize, text: &str, seed: u64) -> (Vec<u32>, Vec<u8>) {
    end_of(cache, wave, text, seed, false)
}

fn end_of(cache: &CodeCache, wave: WaveSize, text: &str, seed: u64, unseen: bool) -> (Vec<u32>, Vec<u8>) {
    run_of(cache, wave, text, seed, unseen).unwrap_or_else(|(fault, _)| panic!("{:?} at {:?}", fault.kind, fault.site))
}

/// What a fault is, its lanes and place in the code, and the registers there.
type Trouble = (FaultKind, Option<(u64, u64)>, Vec<u32>);

/// The same, or of a fault what engines have to agree on.
pub fn went(cache: &CodeCache, wave: WaveSize, text: &str) -> Result<(Vec<u32>, Vec<u8>), Trouble> {
    run_of(cache, wave, text, 1, false)
        .map_err(|(fault, registers)| (fault.kind, fault.site.map(|site| (site.lanes, site.pc_offset)), registers))
}

/// Registers and memory.
type End = (Vec<u32>, Vec<u8>);

/// The same, or the fault and the registers. Unseen: as one of a dispatch, whose registers are what the wave before left, unless the program can see that.
pub fn run_of(
    cache: &CodeCache,
    wave: WaveSize,
    text: &str,
    seed: u64,
    unseen: bool,
) -> Result<End, (Box<WaveFault>, Vec<u32>)> {
    let memory = Memory::new(1 << 26);
    let data = memory.allocate(SHEET, "sheet").unwrap().va;
    let code = memory.allocate(4096, "code").unwrap().va;
    let map = memory.snapshot();
    let words = asm::assemble(text, ISA, wave.lanes()).unwrap_or_else(|e| panic!("{e:?}"));
    map.write(data, &sheet(&mut Random(seed), data, wave.lanes())).unwrap();
    map.write(code, bytemuck::cast_slice(&words)).unwrap();
    let mut user_data = [0; 16];
    let bytes = data + DATA + 0x100;
    user_data[..5].copy_from_slice(&[data as u32, (data >> 32) as u32, bytes as u32, (bytes >> 32) as u32, ROUNDS]);
    let launch =
        Launch { vgprs: VGPRS, lds_bytes: LDS, user_data, user_sgprs: 5, ..Launch::of_one_wave(ISA, code, wave) };
    let mut group = WorkGroup::new();
    if unseen {
        // What is there before.
        let code = memory.allocate(4096, "before").unwrap().va;
        let text: String =
            (0..VGPRS).map(|v| format!("v_mov_b32 v{v}, {:#x}\n", 0x5eed_0001u32.wrapping_mul(v + 1))).collect();
        let words = asm::assemble(&(text + "s_endpgm\n"), ISA, wave.lanes()).unwrap_or_else(|e| panic!("{e:?}"));
        let map = memory.snapshot();
        map.write(code, bytemuck::cast_slice(&words)).unwrap();
        group.start(&Arc::new(Launch { code_va: code, ..launch.clone() }), [0; 3], 0);
        assert!(matches!(group.run(&map, &CodeCache::new(), 1 << 20), Outcome::Done));
        group.start_unseen(&Arc::new(launch.clone()), [0; 3], launch.workgroup, 0);
    } else {
        group.start(&Arc::new(launch), [0; 3], 0);
    }
    let outcome = group.run(&map, cache, 1 << 20);
    let view = &group.wave(0).unwrap();
    let registers = (0..VGPRS).flat_map(|v| (0..wave.lanes()).map(move |lane| view.vgpr(v, lane))).collect();
    match outcome {
        Outcome::Done => {}
        Outcome::Budget => panic!("it does not end"),
        Outcome::Fault(fault) => return Err((fault, registers)),
    }
    let mut after = vec![0; SHEET as usize];
    map.read(data, &mut after).unwrap();
    Ok((registers, after))
}

/// The program's end beside the interpreter's, with at least so many accesses in host code.
pub fn ends_as_the_interpreters(target: HostIsa, text: &str, seeds: u64, accesses: usize) {
    // Rows of the buffers here stay in a host's caches, or go past them where there are none.
    let engines = [&[][..], &[Feature::Caches]].map(|without| engine_of(target, without, CODE_BYTES));
    let [Some(engine), Some(other)] = &engines else { return };
    for wave in [WaveSize::W32, WaveSize::W64] {
        let text = &for_wave(text, wave);
        for seed in 0..seeds {
            let engine = if seed % 2 == 0 { engine } else { other };
            let counted = Arc::new(Counted { engine: engine.clone(), accesses: Default::default() });
            let (want, got) = (CodeCache::new(), CodeCache::with_host_code(counted.clone()));
            let unseen = end_of(&got, wave, text, seed, true).1;
            let (want, got) = (end(&want, wave, text, seed), end(&got, wave, text, seed));
            assert!(unseen == want.1, "{wave:?}, seed {seed}: memory that differs by what registers were");
            let first = want.0.iter().zip(&got.0).position(|(a, b)| a != b).map(|i| i as u32);
            let at = first.map(|i| (i / wave.lanes(), i % wave.lanes()));
            assert_eq!(at, None, "{wave:?}, seed {seed}: register and lane that differ");
            let at = want.1.iter().zip(&got.1).position(|(a, b)| a != b);
            assert_eq!(at, None, "{wave:?}, seed {seed}: the byte that differs");
            let made = counted.accesses.load(std::sync::atomic::Ordering::Relaxed);
            assert!(made >= accesses, "accesses are the interpreter's");
        }
    }
}

/// The text for waves of a size: `_bm`, `LANES` and `MASK_n` are an
/// operation on lane masks, EXEC and the mask from SGPR n on.
pub fn for_wave(text: &str, wave: WaveSize) -> String {
    let mut text = text.to_owned();
    for n in (20..32).step_by(2) {
        let (word, pair) = (format!("s{n}"), format!("s[{n}:{}]", n + 1));
        text = text.replace(&format!("MASK_{n}"), if wave == WaveSize::W32 { &word } else { &pair });
    }
    match wave {
        WaveSize::W32 => text.replace("_bm ", "_b32 ").replace(" vcc", " vcc_lo").replace("LANES", "exec_lo"),
        WaveSize::W64 => text.replace("_bm ", "_b64 ").replace("LANES", "exec"),
    }
}

/// Groups of some and of many vector steps under EXEC masks of all kinds, in turn: some ways through host code pass over
/// lanes of which none lives, others keep no dead ones. With `masks` a group writes lane masks as well, one of them in its middle.
fn groups(steps: usize, masks: bool) -> String {
    let mut text = String::from("v_mov_b32 v1, v0\n v_mov_b32 v2, 5\n v_mov_b32 v3, 1.0\nround:\n");
    text += "s_load_dwordx2 exec, s[0:1], 0x130\n s_waitcnt lgkmcnt(0)\n";
    if masks {
        // Written before it is read, behind a call, behind which no host register has it.
        text += "v_cvt_f32_u32 v3, v1\n";
    }
    for n in 0..steps {
        if masks && n == steps / 2 {
            text += "v_cmp_ne_u32 vcc, v1, v2\n v_cndmask_b32 v3, v1, v3, vcc\n";
        }
        text += match n % 5 {
            0 => "v_add_nc_u32 v1, v1, v2\n",
            1 => "v_xor_b32 v2, v2, v1\n",
            2 => "v_mul_lo_u32 v1, v1, 17\n",
            3 => "v_fma_f32 v3, v3, 0.5, 1.0\n",
            _ => "v_lshrrev_b32 v2, 1, v2\n",
        };
    }
    if masks {
        // Where lanes died, of masks nothing may be left.
        text += "v_cmp_ne_u32 MASK_24, v1, v2\n s_and_bm MASK_26, MASK_24, LANES\n s_mov_b64 exec, -1\n";
        text += "v_cndmask_b32 v9, 2, 1, MASK_24\n v_add_nc_u32 v6, v6, v9\n";
    }
    // A load ends the group.
    text += "global_load_dword v5, v0, s[0:1]\n s_waitcnt vmcnt(0)\n";
    if masks {
        text += "v_cndmask_b32 v9, 2, 1, MASK_26\n v_add_nc_u32 v8, v8, v9\n";
        text += "v_mul_lo_u32 v7, v7, 5\n v_xor_b32 v7, s24, v7\n v_xor_b32 v7, s25, v7\n v_add_co_ci_u32 v7, vcc, v7, v7, vcc\n";
    }
    text += "v_cmp_lt_u32 vcc, v1, v2\n v_cndmask_b32 v4, v1, v5, vcc\n";
    text += "s_add_u32 s0, s0, 0x200\n s_addc_u32 s1, s1, 0\n s_sub_u32 s4, s4, 1\n s_cmp_lg_u32 s4, 0\n";
    text + "s_cbranch_scc1 round\n s_endpgm\n"
}

/// Masks that comparisons make and scalar steps copy, combine and make EXEC, in one loop; of both words and of one.
fn masks() -> String {
    let mut text = String::from(
        "v_lshlrev_b32 v1, 2, v0\n v_mov_b32 v20, 0\n v_mov_b32 v22, v0\n s_mov_b64 s[40:41], exec\nround:\n\
         s_mov_b64 exec, s[40:41]\n global_load_dword v2, v1, s[0:1]\n s_load_dwordx2 s[20:21], s[0:1], 0x130\n\
         s_waitcnt vmcnt(0) lgkmcnt(0)\n s_mov_b64 exec, s[20:21]\n",
    );
    for (n, line) in [
        "v_cmp_lt_u32 vcc, v2, v22",
        "s_and_saveexec_bm MASK_24, vcc",
        "s_mov_bm MASK_26, LANES",
        "s_xor_bm LANES, MASK_24, LANES",
        "v_cmp_gt_i32 vcc, v2, v20",
        "v_cndmask_b32 v21, v20, v2, vcc",
        "s_mov_bm LANES, MASK_26",
        "v_cmpx_eq_u32 v0, v0",
        "v_cmpx_ne_u32 17, v0",
        "s_or_saveexec_bm LANES, 0x80000",
        "v_cmpx_t_u32 s4, v2",
        "s_mov_b32 s28, exec_lo",
        "v_cmpx_lt_u32 v20, v2",
        "s_andn2_bm LANES, MASK_24, LANES",
        "v_cmp_le_u32 vcc, v22, v20",
        "v_add_co_ci_u32 v20, vcc, v20, v2, vcc",
        "s_or_bm MASK_28, vcc, MASK_24",
        "s_and_saveexec_b32 s30, s28",
        "s_cbranch_execz over",
        "v_cmp_ge_u32 vcc, v2, v20",
        "s_cbranch_vccz over",
        "v_cndmask_b32 v22, v2, v20, vcc",
        "over:",
        "s_mov_b32 exec_lo, s30",
        "s_or_bm LANES, LANES, MASK_24",
        "s_orn2_bm LANES, LANES, MASK_26",
        "s_andn1_saveexec_bm MASK_30, MASK_20",
        // Lanes that move, with and without dead ones, bounds and masks.
        "v_add_nc_u32_dpp v20, v20, v20 row_shr:1 row_mask:0xf bank_mask:0xf",
        "v_mov_b32_dpp v21, v20 row_shl:3 row_mask:0xf bank_mask:0x5 bound_ctrl:0",
        "v_xor_b32_dpp v20, v21, v20 row_xmask:8 row_mask:0xa bank_mask:0xf fi:1",
        "v_max_u32_dpp v20, v20, v21 row_ror:5 row_mask:0xf bank_mask:0xf",
        "v_sub_nc_u32_dpp v20, v20, v22 quad_perm:[3,1,0,2] row_mask:0xf bank_mask:0xf bound_ctrl:0",
        "v_min_i32_dpp v21, v20, v21 row_mirror row_mask:0xf bank_mask:0x7",
        "v_xor_b32_dpp v20, v20, v21 dpp8:[7,1,1,3,0,5,2,6]",
        "v_cmp_lt_u32 vcc, v20, v2",
        "v_cndmask_b32 v21, v20, v2, vcc",
    ]
    .into_iter()
    .enumerate()
    {
        text += line;
        if !line.ends_with(':') {
            // What lives shows.
            text += &format!("\n v_mul_lo_u32 v20, v20, 31\n v_add_nc_u32 v20, {}, v20", n + 1);
        }
        text += "\n";
    }
    text += "s_add_u32 s0, s0, 0x200\n s_addc_u32 s1, s1, 0\n s_sub_u32 s4, s4, 1\n s_cmp_lg_u32 s4, 0\n";
    text + "s_cbranch_scc1 round\n s_endpgm\n"
}

#[test]
fn masks_are_the_interpreters() {
    HostIsa::ALL.into_iter().for_each(|target| ends_as_the_interpreters(target, &masks(), 12, 0));
}

#[test]
fn groups_follow_exec() {
    for target in HostIsa::ALL {
        for steps in [1, 4, 23, 60] {
            ends_as_the_interpreters(target, &groups(steps, false), 12, 0);
            ends_as_the_interpreters(target, &groups(steps, true), 12, 0);
        }
    }
}

#[test]
fn accesses_of_avx512_are_the_interpreters() {
    ends_as_the_interpreters(HostIsa::Avx512, &program(), 60, 16);
}

#[test]
fn accesses_of_avx2_are_the_interpreters() {
    ends_as_the_interpreters(HostIsa::Avx2, &program(), 60, 16);
}

#[test]
fn accesses_of_neon_are_the_interpreters() {
    ends_as_the_interpreters(HostIsa::Neon, &program(), 60, 16);
}
