//! How fast waves execute: wave-instructions a second on one host thread, by kind of instruction.

use crate::memory::Memory;
use crate::wave::{CodeCache, Launch, Outcome, WorkGroup};
use std::sync::Arc;
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::{BufferDescriptor, ImageDescriptor, ImageType};
use wavepipe_isa::{Gen, asm};

/// One kind's rate.
#[derive(Clone, Debug)]
pub struct Rate {
    pub name: &'static str,
    /// Executed, loop control included.
    pub instructions: u64,
    /// Of the thread's processor time: other programs of the host do not count.
    pub seconds: f64,
}

impl Rate {
    pub fn per_second(&self) -> f64 {
        self.instructions as f64 / self.seconds
    }
}

/// (name, sixteen times this instruction or two; `{v}` is v16..v31 in turn). v1 = 4·lane, v2 = float(lane), v3 = 8·lane,
/// v[4:5] = a place in a 64 × 64 image (s[8:15], 8_8_8_8_UNORM; s[28:35] with four levels; s[36:43], 32_32_32_32_FLOAT), v[6:7] = its texel,
/// v8 = a level of detail; s[16:19] a point sampler, s[20:23] a bilinear one, s[44:47] a trilinear one.
const KINDS: &[(&str, &str)] = &[
    ("fma", "v_fma_f32 v{v}, v2, v2, v{v}"),
    ("fma, one SGPR", "v_fma_f32 v{v}, s2, v2, v{v}"),
    ("fma, negated", "v_fma_f32 v{v}, -v2, v2, v{v}"),
    ("fma, 12 lanes", "v_fma_f32 v{v}, v2, v2, v{v}"),
    ("integer add", "v_add_nc_u32 v{v}, v1, v{v}"),
    ("multiply-high", "v_mul_hi_u32 v{v}, v1, v{v}"),
    ("exp", "v_exp_f32 v{v}, v2"),
    ("reciprocal", "v_rcp_f32 v{v}, v2"),
    ("compare", "v_cmp_lt_f32 vcc_lo, v2, v{v}"),
    ("select", "v_cndmask_b32 v{v}, v1, v2, vcc_lo"),
    ("f16 add", "v_add_f16 v{v}, v1, v{v}"),
    ("DPP move", "v_mov_b32_dpp v{v}, v2 row_shr:1 row_mask:0xf bank_mask:0xf"),
    ("scalar add", "s_add_u32 s24, s24, 3"),
    ("scalar load", "s_load_dword s24, s[0:1], 0x10"),
    ("global load, a row", "global_load_dword v{v}, v1, s[0:1]"),
    ("global load, gather", "global_load_dword v{v}, v3, s[0:1]"),
    ("global store, a row", "global_store_dword v1, v{v}, s[0:1]"),
    ("buffer load, a row", "buffer_load_dword v{v}, v1, s[4:7], 0 offen"),
    ("buffer load x4", "buffer_load_dwordx4 v[16:19], v3, s[4:7], 0 offen"),
    ("buffer atomic", "buffer_atomic_add v{v}, v1, s[4:7], 0 offen"),
    ("load and store", "global_load_dword v{v}, v1, s[0:1]\nglobal_store_dword v1, v{v}, s[0:1]"),
    ("LDS load, a row", "ds_read_b32 v{v}, v1"),
    ("LDS load, gather", "ds_read_b32 v{v}, v3"),
    ("LDS store, scatter", "ds_write_b32 v3, v{v}"),
    ("LDS load and store", "ds_read_b32 v{v}, v1\nds_write_b32 v1, v{v}"),
    ("LDS atomic", "ds_add_u32 v1, v{v}"),
    ("image load", "image_load v[16:19], v[6:7], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D unorm"),
    ("image store", "image_store v[16:19], v[6:7], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D unorm"),
    ("image sample, point", "image_sample_lz v[16:19], v[4:5], s[8:15], s[16:19] dmask:0xf dim:SQ_RSRC_IMG_2D"),
    ("image sample, bilinear", "image_sample_lz v[16:19], v[4:5], s[8:15], s[20:23] dmask:0xf dim:SQ_RSRC_IMG_2D"),
    ("image sample, by quads", "image_sample v[16:19], v[4:5], s[28:35], s[44:47] dmask:0xf dim:SQ_RSRC_IMG_2D"),
    (
        "image sample, trilinear",
        "image_sample_l v[16:19], [v4, v5, v8], s[28:35], s[44:47] dmask:0xf dim:SQ_RSRC_IMG_2D",
    ),
    ("image gather4", "image_gather4_lz v[16:19], v[4:5], s[8:15], s[20:23] dmask:0x1 dim:SQ_RSRC_IMG_2D"),
    ("image load x4", "image_load v[16:19], v[6:7], s[36:43] dmask:0xf dim:SQ_RSRC_IMG_2D unorm"),
    ("image store x4", "image_store v[16:19], v[6:7], s[36:43] dmask:0xf dim:SQ_RSRC_IMG_2D unorm"),
    ("image bilinear x4", "image_sample_lz v[16:19], v[4:5], s[36:43], s[20:23] dmask:0xf dim:SQ_RSRC_IMG_2D"),
];

/// Measures every kind for about `seconds` each, wave32, on this thread. `None` for a kind that did not run.
pub fn rates(seconds: f64) -> Vec<Option<Rate>> {
    names().map(|name| kind(name, seconds)).collect()
}

/// As [`rates`], of the kind of that name.
pub fn kind(name: &str, seconds: f64) -> Option<Rate> {
    KINDS.iter().find(|kind| kind.0 == name).and_then(|&(name, line)| rate(name, line, seconds))
}

/// The kinds' names, in the order of [`rates`].
pub fn names() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|&(name, _)| name)
}

#[cfg(not(target_family = "wasm"))]
fn processor_seconds() -> f64 {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

/// Where a module of WebAssembly is all there is, nothing else takes its thread's time.
#[cfg(target_family = "wasm")]
fn processor_seconds() -> f64 {
    static BEGIN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGIN.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}

fn rate(name: &'static str, line: &str, seconds: f64) -> Option<Rate> {
    // As many rounds as the slowest kind needs to fill about the time asked.
    let mut rounds = 2000u32;
    loop {
        let r = run(name, line, rounds)?;
        if r.seconds >= seconds || rounds >= 1 << 27 {
            return Some(r);
        }
        let wanted = f64::from(rounds) * seconds * 1.2 / r.seconds.max(1e-6);
        rounds = wanted.clamp(f64::from(rounds) * 2.0, f64::from(1 << 27)) as u32;
    }
}

fn run(name: &'static str, line: &str, rounds: u32) -> Option<Rate> {
    let body: String = (16..32).map(|v| line.replace("{v}", &v.to_string()) + "\n").collect();
    let exec = if name.contains("12 lanes") { "s_movk_i32 exec_lo, 0xfff" } else { "s_nop 0" };
    let text = format!(
        "v_lshlrev_b32 v1, 2, v0
         v_cvt_f32_u32 v2, v0
         v_lshlrev_b32 v3, 3, v0
         v_mul_f32 v4, 0x3c800000, v2
         v_mov_b32 v5, 0.5
         v_mov_b32 v6, v0
         v_mov_b32 v7, 9
         v_mov_b32 v8, 0.5
         s_mov_b32 s2, 1.0
         s_mov_b32 s22, 0x500000
         s_mov_b64 s[28:29], s[8:9]
         s_mov_b64 s[30:31], s[10:11]
         s_or_b32 s31, s31, 0x30000
         s_mov_b32 s33, 0x30
         s_mov_b64 s[36:37], s[8:9]
         s_and_b32 s37, s37, 0xe00fffff
         s_or_b32 s37, s37, 0x4d00000
         s_mov_b64 s[38:39], s[10:11]
         s_mov_b32 s45, 0xfff000
         s_mov_b32 s46, 0x8500000
         s_mov_b32 s25, 0
         {exec}
         loop:
         {body}
         s_add_u32 s25, s25, 1
         s_cmp_lt_u32 s25, 0x{rounds:x}
         s_cbranch_scc1 loop
         s_endpgm"
    );
    let words = asm::assemble(&text, Gen::Gfx1010, 32).ok()?;
    let memory = Memory::new(1 << 24);
    let (code, data) = (memory.allocate(4096, "code").ok()?.va, memory.allocate(1 << 16, "data").ok()?.va);
    let map = memory.snapshot();
    for (i, &w) in words.iter().enumerate() {
        map.store32(code + 4 * i as u64, w)?;
    }
    let mut user_data = [0; 16];
    (user_data[0], user_data[1]) = (data as u32, (data >> 32) as u32);
    user_data[4..8].copy_from_slice(&BufferDescriptor::raw(data, 1 << 16).to_words(Gen::Gfx1010));
    let image = ImageDescriptor::linear(data, 56, ImageType::D2, [64, 64, 1], 1);
    user_data[8..16].copy_from_slice(&image.to_words(Gen::Gfx1010));
    let launch = Arc::new(Launch {
        vgprs: 32,
        lds_bytes: 4096,
        user_data,
        user_sgprs: 16,
        ..Launch::of_one_wave(Gen::Gfx1010, code, WaveSize::W32)
    });
    let (cache, mut group) = (CodeCache::new(), WorkGroup::new());
    group.start(&launch, [0; 3], 0);
    let start = processor_seconds();
    match group.run(&map, &cache, u64::MAX) {
        Outcome::Done => {}
        Outcome::Budget | Outcome::Fault(_) => return None,
    }
    Some(Rate { name, instructions: group.instructions(), seconds: processor_seconds() - start })
}
