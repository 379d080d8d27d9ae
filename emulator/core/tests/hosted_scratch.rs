//! SCRATCH in loops of host code beside the interpreter's, which `private` holds against the written-down layout: rounds differ in
//! FLAT_SCRATCH, in SADDR, in how lanes' offsets lie to one another, and in EXEC. What is in memory at the end is the same, or the fault.

use crate::bench::host::engine_of;
use crate::hosted_loops::{Random, for_wave};
use std::sync::Arc;
use wavepipe_core::memory::{Memory, MemoryMap};
use wavepipe_core::wave::{CodeCache, Launch, Outcome, WorkGroup};
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::{Gen, asm};
use wavepipe_jit::{CODE_BYTES, HostIsa};

const ROUNDS: u32 = 24;
/// Bytes of a round: 64 offsets, FLAT_SCRATCH and SADDR, an EXEC mask.
const ROUND: u32 = 512;
/// Bytes of a lane's private memory that rounds are made for.
const SIZE: u32 = 256;
/// Those of work-groups that run in the same memory of the host, one after the other; 0: nobody says.
const SIZES: [u32; 4] = [SIZE, 0, SIZE - 6, 64];
/// Waves whose private memory has room.
const WAVES: u32 = 3;

/// An instruction's name and registers of data, and the bytes that it takes; loads into the address, too.
const OPERATIONS: [(&str, u32); 21] = [
    ("load_dword v4", 4),
    ("load_dword v2", 4),
    ("load_dwordx2 v[4:5]", 8),
    ("load_dwordx3 v[4:6]", 12),
    ("load_dwordx4 v[2:5]", 16),
    ("load_dwordx4 v[4:7]", 16),
    ("load_ubyte v4", 1),
    ("load_sbyte v2", 1),
    ("load_ushort v4", 2),
    ("load_sshort v4", 2),
    ("load_ubyte_d16 v4", 1),
    ("load_sbyte_d16_hi v4", 1),
    ("load_short_d16_hi v4", 2),
    ("store_dword v4", 4),
    ("store_dwordx2 v[4:5]", 8),
    ("store_dwordx3 v[4:6]", 12),
    ("store_dwordx4 v[4:7]", 16),
    ("store_byte v4", 1),
    ("store_short v4", 2),
    ("store_byte_d16_hi v4", 1),
    ("store_short_d16_hi v4", 2),
];

/// Whether the instruction has an offset of each lane, SADDR, and its own offset.
const ADDRESSES: [(bool, bool, i32); 10] = [
    (true, false, 0),
    (true, false, 12),
    (true, false, -8),
    (true, false, 3),
    (false, true, 0),
    (false, true, 20),
    (false, true, -4),
    (false, true, 1),
    (true, true, 0),
    (true, true, 8),
];

/// The instruction, where the generation has it.
fn line(operation: &str, (own, all, offset): (bool, bool, i32), isa: Gen) -> Option<String> {
    // RDNA 1 and 2 have one or the other.
    if own && all && isa < Gen::Gfx1100 {
        return None;
    }
    let (name, data) = operation.split_once(' ')?;
    let [own, all] = [(own, "v2"), (all, "s10")].map(|(has, register)| if has { register } else { "off" });
    let offset = if offset == 0 { String::new() } else { format!(" offset:{offset}") };
    let [first, second] = if name.starts_with("load") { [data, own] } else { [own, data] };
    Some(format!("scratch_{name} {first}, {second}, {all}{offset}"))
}

/// Names of RDNA 3.
const RENAMED: [(&str, &str); 16] = [
    ("_dwordx2 ", "_b64 "),
    ("_dwordx3 ", "_b96 "),
    ("_dwordx4 ", "_b128 "),
    ("_dword ", "_b32 "),
    ("load_ubyte ", "load_u8 "),
    ("load_sbyte ", "load_i8 "),
    ("load_ushort ", "load_u16 "),
    ("load_sshort ", "load_i16 "),
    ("load_ubyte_d16 ", "load_d16_u8 "),
    ("load_sbyte_d16_hi ", "load_d16_hi_i8 "),
    ("load_short_d16_hi ", "load_d16_hi_b16 "),
    ("store_byte ", "store_b8 "),
    ("store_short ", "store_b16 "),
    ("store_byte_d16_hi ", "store_d16_hi_b8 "),
    ("store_short_d16_hi ", "store_d16_hi_b16 "),
    ("s_waitcnt vmcnt(0) lgkmcnt(0)", "s_waitcnt 0"),
];

/// Rounds of the line. s[0:1] the rounds, s4 how many; v0 the lane, v2 the lanes' offsets, s10 SADDR.
fn program(line: &str, isa: Gen, wave: WaveSize) -> String {
    let text = format!(
        "v_lshlrev_b32 v1, 2, v0\n v_mov_b32 v12, v0\n s_mov_b64 s[40:41], exec\nround:\n s_mov_b64 exec, s[40:41]\n \
         global_load_dword v2, v1, s[0:1]\n s_load_dwordx4 s[8:11], s[0:1], 0x100\n s_load_dwordx2 s[20:21], s[0:1], 0x110\n \
         v_add_nc_u32 v4, 0x1234567, v12\n v_xor_b32 v5, 0x3456789, v12\n v_mul_lo_u32 v6, v12, 77\n v_mul_lo_u32 v7, v12, 99\n \
         v_mov_b32 v3, v7\n s_waitcnt vmcnt(0) lgkmcnt(0)\n \
         s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s8\n s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s9\n s_mov_b64 exec, s[20:21]\n \
         {line}\n s_waitcnt vmcnt(0) lgkmcnt(0)\n s_mov_b64 exec, s[40:41]\n \
         v_add3_u32 v12, v12, v2, v3\n v_xor_b32 v12, v12, v4\n v_add3_u32 v12, v12, v5, v6\n v_mul_lo_u32 v12, v12, 31\n \
         v_xor_b32 v12, v12, v7\n global_store_dword v1, v12, s[0:1]\n \
         s_add_u32 s0, s0, {ROUND}\n s_addc_u32 s1, s1, 0\n s_sub_u32 s4, s4, 1\n s_cmp_lg_u32 s4, 0\n s_cbranch_scc1 round\n \
         s_endpgm\n"
    );
    let text = for_wave(&text, wave);
    match isa >= Gen::Gfx1100 {
        true => RENAMED.iter().fold(text, |text, (from, to)| text.replace(from, to)),
        false => text,
    }
}

/// Ways in which lanes' offsets lie to one another: of a lane's own memory, and all.
const TAME: u32 = 21;
const WILD: u32 = 24;

/// One of the ways in which lanes' whole offsets lie to one another, of accesses of so many bytes.
fn offsets(bytes: u32, wild: bool, r: &mut Random) -> [u32; 64] {
    let most = SIZE - bytes;
    let (pattern, some) = (r.next() % if wild { WILD } else { TAME }, r.next());
    std::array::from_fn(|lane| {
        let lane = lane as u32;
        match pattern {
            0..5 => (some % most) & !3,
            5 => some % most,
            6..9 => (4 * lane + (some & 0x3c)) % (most + 1) & !3,
            9..13 => r.next() % (most + 1) & !3,
            13 | 14 => (some % (most + 1)).wrapping_add(lane % 3) % (most + 1) & !1,
            15 | 16 => r.next() % (most + 1),
            17..20 => most,
            20 => most & !3,
            21 => {
                if lane == some % 64 {
                    most + 1
                } else {
                    most & !3
                }
            }
            22 => r.next() % (2 * SIZE),
            _ => {
                if r.next().is_multiple_of(16) {
                    r.next()
                } else {
                    r.next() % SIZE & !3
                }
            }
        }
    })
}

/// Rounds for an instruction with this address, of private memory in these regions.
fn sheet(r: &mut Random, regions: [u64; 2], lanes: u32, bytes: u32, (own, all, offset): (bool, bool, i32)) -> Vec<u8> {
    let mut words = vec![0u32; (ROUNDS * ROUND / 4) as usize];
    let (wave, wild) = (u64::from(SIZE * lanes), r.next().is_multiple_of(3));
    for round in words.chunks_mut(ROUND as usize / 4) {
        let whole = offsets(bytes, wild, r);
        // Of all lanes, more than a lane's own where that is so.
        let s = match (own, all) {
            (_, false) => 0,
            (false, true) => whole[0].wrapping_sub_signed(offset),
            (true, true) => [0, 4, 0x40, 0x80, 3, 0x104, r.next() % SIZE & !3][r.next() as usize % 7],
        };
        for (word, whole) in round.iter_mut().zip(whole) {
            *word = whole.wrapping_sub(s).wrapping_sub_signed(offset);
        }
        let region = regions[usize::from(r.next().is_multiple_of(4))];
        // At a wave's, and within it; up to the region's end, and beyond.
        let last = wave * u64::from(WAVES - 1);
        let off = [0, wave, wave, last, 4 * u64::from(r.next() % 64), 0x102, last + 4, last + wave / 2];
        let at = region + off[r.next() as usize % if wild { 8 } else { 6 }];
        round[64..67].copy_from_slice(&[at as u32, (at >> 32) as u32, s]);
        let exec = match r.next() % 9 {
            0..4 => [!0, !0],
            4 | 5 => [r.next(), r.next()],
            7 => [!0, r.next()],
            6 => [r.next() & r.next() & r.next(), 0],
            _ => [0, 0],
        };
        round[68..70].copy_from_slice(&exec);
    }
    bytemuck::cast_slice(&words).to_vec()
}

struct Bench {
    map: Arc<MemoryMap>,
    regions: [u64; 2],
    sheet: u64,
    code: u64,
}

impl Bench {
    fn new() -> Bench {
        let memory = Memory::new(1 << 24);
        let [first, second] =
            ["first", "second"].map(|name| memory.allocate((WAVES * SIZE * 64).into(), name).unwrap().va);
        let sheet = memory.allocate((ROUNDS * ROUND).into(), "sheet").unwrap().va;
        let code = memory.allocate(4096, "code").unwrap().va;
        let map = memory.snapshot();
        Bench { map, regions: [first, second], sheet, code }
    }

    /// How each of the work-groups ended, and what was in memory then.
    fn run(&self, cache: &CodeCache, isa: Gen, wave: WaveSize, rounds: &[u8]) -> Vec<(String, Vec<u8>)> {
        let mut group = WorkGroup::new();
        let mut user_data = [0; 16];
        user_data[..5].copy_from_slice(&[self.sheet as u32, (self.sheet >> 32) as u32, 0, 0, ROUNDS]);
        let bytes = WAVES * SIZE * wave.lanes();
        SIZES
            .iter()
            .map(|size| {
                for region in self.regions {
                    let what: Vec<u32> = (0..bytes / 4).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
                    self.map.write(region, bytemuck::cast_slice(&what)).unwrap();
                }
                self.map.write(self.sheet, rounds).unwrap();
                let launch = Launch {
                    vgprs: 16,
                    user_data,
                    user_sgprs: 5,
                    scratch_bytes_per_wave: size * wave.lanes(),
                    ..Launch::of_one_wave(isa, self.code, wave)
                };
                group.start_unseen(&Arc::new(launch.clone()), [0; 3], launch.workgroup, 0);
                let ended = match group.run(&self.map, cache, 1 << 20) {
                    Outcome::Done => String::new(),
                    Outcome::Fault(fault) => {
                        format!("{:?} of {:?}", fault.kind, fault.site.map(|s| (s.lanes, s.pc_offset)))
                    }
                    Outcome::Budget => panic!("it does not end"),
                };
                let mut after = Vec::new();
                for (at, bytes) in [(self.regions[0], bytes), (self.regions[1], bytes), (self.sheet, ROUNDS * ROUND)] {
                    let mut part = vec![0; bytes as usize];
                    self.map.read(at, &mut part).unwrap();
                    after.append(&mut part);
                }
                (ended, after)
            })
            .collect()
    }
}

#[test]
fn scratch_is_the_interpreters() {
    let bench = Bench::new();
    let (mut done, mut faults) = (0, 0);
    for (isa, wave) in
        [Gen::Gfx1010, Gen::Gfx1100].into_iter().flat_map(|isa| [WaveSize::W32, WaveSize::W64].map(|w| (isa, w)))
    {
        for (n, (operation, bytes)) in OPERATIONS.into_iter().enumerate() {
            for (m, address) in ADDRESSES.into_iter().enumerate() {
                let Some(line) = line(operation, address, isa) else { continue };
                let text = program(&line, isa, wave);
                let words = asm::assemble(&text, isa, wave.lanes()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
                bench.map.write(bench.code, bytemuck::cast_slice(&words)).unwrap();
                let rounds = sheet(&mut Random((100 * n + m) as u64), bench.regions, wave.lanes(), bytes, address);
                let want = bench.run(&CodeCache::new(), isa, wave, &rounds);
                faults += want.iter().filter(|(ended, _)| !ended.is_empty()).count();
                done += want.iter().filter(|(ended, _)| ended.is_empty()).count();
                for target in HostIsa::ALL {
                    let Some(engine) = engine_of(target, &[], CODE_BYTES) else { continue };
                    let got = bench.run(&CodeCache::with_host_code(engine), isa, wave, &rounds);
                    for ((got, want), size) in got.iter().zip(&want).zip(SIZES) {
                        let what = format!("{}, {isa:?}, {wave:?}, {size} bytes of a lane: {line}", target.name());
                        assert_eq!(got.0, want.0, "{what}");
                        let at = got.1.iter().zip(&want.1).position(|(a, b)| a != b);
                        assert_eq!(at, None, "the byte that differs: {what}");
                    }
                }
            }
        }
    }
    assert!(done > 1000 && faults > 1000, "{done} ended, {faults} faults");
}
