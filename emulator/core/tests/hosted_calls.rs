//! What host code does in place, and what by a call of the interpreter: a call gives the same answer, so only its number shows.

use crate::bench::host::engine_of;
use crate::hosted_loops::{ISA, end, for_wave};
use std::cell::Cell;
use std::sync::Arc;
use wavepipe_core::wave::{Call, CodeCache, HostCode, HostFrame, HostRun, NoCode, Region};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::BufferDescriptor;
use wavepipe_jit::{CODE_BYTES, HostIsa};

const ROUNDS: u32 = 64;
/// Calls of a loop whose instructions are all done in place: one that fills a slot, the program's end, and one to spare.
const FEW: usize = 3;

/// Instructions that every target does in place.
const IN_PLACE: [&str; 98] = [
    "s_waitcnt vmcnt(0) lgkmcnt(0)",
    "s_waitcnt_vscnt null, 0",
    "s_nop 3",
    "s_cselect_b32 s5, -1, 0",
    "s_and_b64 s[20:21], s[22:23], exec",
    "v_cmp_lt_u32 vcc, v2, v3",
    "v_cndmask_b32 v4, v2, v3, vcc",
    "v_fma_f32 v4, -v4, v2, |v3|",
    "v_max_f32 v4, v2, v3",
    "v_med3_f32 v4, v2, v3, v4",
    "v_sqrt_f32 v4, v3",
    // Where few registers are named, host registers are fixed: not so many that these find none.
    "v_fma_f64 v[4:5], v[4:5], v[4:5], v[4:5]",
    "v_fma_f64 v[4:5], v[2:3], v[4:5], v[2:3]",
    "v_add_nc_u32_dpp v4, v4, v4 row_shr:1 row_mask:0xf bank_mask:0xf",
    "v_mov_b32_dpp v4, v2 dpp8:[7,6,5,4,3,2,1,0]",
    "s_getpc_b64 s[20:21]",
    "s_addc_u32 s5, s6, s7",
    "v_mbcnt_lo_u32_b32 v4, s5, v4",
    "v_mbcnt_hi_u32_b32 v4, -1, v3",
    "v_readfirstlane_b32 s5, v3",
    "v_readlane_b32 s5, v3, 31",
    "v_readlane_b32 s5, v3, s4",
    "v_writelane_b32 v4, s4, 7",
    "v_permlane16_b32 v4, v4, s4, s5",
    "v_permlanex16_b32 v4, v2, -1, -1 op_sel:[1,0]",
    "ds_bpermute_b32 v4, v2, v3",
    "ds_swizzle_b32 v4, v2 offset:swizzle(BROADCAST,32,5)",
    "ds_permute_b32 v4, v2, v3",
    "s_load_dwordx4 s[28:31], s[2:3], 0x40",
    "s_buffer_load_dwordx2 s[26:27], s[8:11], 0x20",
    "buffer_load_dword v4, v2, s[8:11], 0 offen",
    "buffer_load_dwordx4 v[4:7], v3, s[8:11], 0 offen",
    "buffer_store_dword v4, v2, s[8:11], 0 offen",
    "buffer_store_dword v4, v9, s[8:11], 0 offen",
    "buffer_store_dwordx4 v[4:7], v3, s[8:11], 0 offen",
    "buffer_store_dwordx4 v[4:7], v10, s[8:11], 0 offen",
    "global_load_dwordx2 v[4:5], v2, s[2:3]",
    "global_store_dword v3, v4, s[2:3]",
    "ds_read_b32 v4, v2",
    "ds_read2_b32 v[4:5], v3 offset0:0 offset1:1",
    "ds_write_b32 v9, v4",
    "ds_write2_b32 v3, v4, v5 offset0:0 offset1:3",
    "ds_write_b128 v3, v[4:7]",
    "ds_add_u32 v9, v4",
    "ds_max_u32 v9, v4",
    "ds_add_rtn_u32 v5, v9, v4",
    "buffer_atomic_or v4, v2, s[8:11], 0 offen",
    "global_atomic_swap v5, v2, v4, s[2:3] glc",
    "buffer_store_dword v4, off, s[12:15], s16 offset:4",
    "buffer_load_dword v4, off, s[12:15], s16 offset:4",
    "buffer_store_dword v4, v8, s[12:15], s16 offen",
    "buffer_load_dword v4, v9, s[12:15], s16 offen",
    "buffer_load_ubyte v4, v2, s[8:11], 0 offen",
    "buffer_load_sbyte v4, v0, s[8:11], 0 offen",
    "buffer_load_sshort v4, v9, s[8:11], 0 offen",
    "buffer_load_short_d16 v4, v3, s[8:11], 0 offen",
    "buffer_load_ubyte_d16_hi v4, off, s[8:11], 0 offset:5",
    "buffer_store_byte v4, v0, s[8:11], 0 offen",
    "buffer_store_short v4, v11, s[8:11], 0 offen",
    "buffer_store_short_d16_hi v4, v9, s[8:11], 0 offen",
    "global_load_ushort v4, v11, s[2:3]",
    "global_store_byte_d16_hi v2, v4, s[2:3]",
    "ds_read_u8 v4, v0",
    "ds_read_i16 v4, v11",
    "ds_read_u16_d16_hi v4, v9",
    "ds_write_b8 v9, v4",
    "ds_write_b16 v11, v4 offset:6",
    "global_load_dword v4, v[12:13], off",
    "global_load_dwordx4 v[4:7], v[12:13], off offset:16",
    "global_store_dwordx2 v[12:13], v[4:5], off",
    "global_load_sbyte v4, v[12:13], off offset:-1",
    "global_store_short v[12:13], v4, off",
    "global_atomic_add v[12:13], v4, off",
    "global_atomic_add v5, v[12:13], v4, off glc",
    "global_atomic_cmpswap v5, v[12:13], v[4:5], off glc",
    "flat_load_dword v4, v[12:13]",
    "flat_load_sbyte v4, v[12:13]",
    "flat_store_dwordx4 v[12:13], v[4:7]",
    "flat_atomic_add v[12:13], v4",
    "flat_atomic_cmpswap v5, v[12:13], v[4:5] glc",
    "scratch_load_dword v4, v8, off",
    "scratch_load_dword v4, v9, off offset:4",
    "scratch_load_dword v4, off, s16",
    "scratch_load_dwordx4 v[4:7], v9, off",
    "scratch_load_ubyte v4, v0, off",
    "scratch_load_short_d16_hi v4, v11, off offset:2",
    "scratch_store_dword v9, v4, off",
    "scratch_store_dwordx2 off, v[4:5], s16 offset:8",
    "scratch_store_byte v0, v4, off offset:1",
    "scratch_store_short off, v4, s16 offset:2",
    "buffer_atomic_cmpswap v[4:5], v2, s[8:11], 0 offen",
    "buffer_atomic_smin v4, v2, s[8:11], 0 offen glc",
    "buffer_atomic_umax v4, v9, s[8:11], 0 offen",
    "buffer_atomic_inc v4, v2, s[8:11], 0 offen",
    "ds_cmpst_rtn_b32 v5, v9, v4, v3",
    "ds_min_rtn_i32 v5, v9, v4",
    "ds_rsub_u32 v9, v4",
    "ds_dec_rtn_u32 v5, v9, v4",
];

/// Instructions that are calls on every target: their number shows.
const CALLED: [&str; 6] = [
    "s_memtime s[20:21]",
    "s_scratch_load_dword s20, s[2:3], 0x0",
    "buffer_load_format_x v4, v2, s[8:11], 0 offen",
    "buffer_load_dword v4, v2, s[8:11], 0 idxen",
    "ds_add_f32 v9, v4",
    "buffer_atomic_add_x2 v[4:5], v3, s[8:11], 0 offen",
];

/// What one target has too few registers for.
const CALLED_OF: [(&str, HostIsa); 1] = [("v_div_fixup_f32 v4, v4, v2, v3", HostIsa::Avx2)];

thread_local! {
    /// What calls go to, and how many there were.
    static CALLS: Cell<(Option<Call>, usize)> = const { Cell::new((None, 0)) };
}

/// Counts, and calls what the frame had there.
macro_rules! counting {
    ($abi:literal) => {
        unsafe extern $abi fn counting(frame: *mut HostFrame, operation: u32, done: u64) -> u32 {
            let (to, calls) = CALLS.get();
            CALLS.set((to, calls + 1));
            // SAFETY: the caller's promise is that of what the frame had there.
            unsafe { to.expect("a run")(frame, operation, done) }
        }
    };
}
#[cfg(target_arch = "x86_64")]
counting!("sysv64");
#[cfg(not(target_arch = "x86_64"))]
counting!("C");

struct CountedRun(Box<dyn HostRun>);

impl HostRun for CountedRun {
    unsafe fn run(&self, frame: &mut HostFrame) -> u64 {
        let call = std::mem::replace(&mut frame.call, counting);
        CALLS.set((Some(call), CALLS.get().1));
        // SAFETY: the caller's promise; calls do what they would have done.
        unsafe { self.0.run(frame) }
    }
}

struct Counted(Arc<dyn HostCode>);

impl HostCode for Counted {
    fn patience(&self) -> u32 {
        self.0.patience()
    }
    fn compile(&self, region: &Region) -> Result<Box<dyn HostRun>, NoCode> {
        Ok(Box::new(CountedRun(self.0.compile(region).expect("host code"))))
    }
    fn publish(&self) {
        self.0.publish();
    }
}

/// The instruction in a loop: v2, v3, v10 and v9 are the lanes' offsets of dwords in a row, of four dwords in a row, of those with
/// gaps, and of dwords anyhow; v11 those of halves of dwords, v0 of bytes, v8 one for all; v[12:13] their own addresses; s[8:11] a buffer, s[12:15] private memory with its SOFFSET.
fn text(line: &str, wave: WaveSize) -> String {
    let raw = BufferDescriptor::raw(0, 0x1000).to_words(ISA);
    let ring = BufferDescriptor::private(0, 0x8000, wave.lanes()).to_words(ISA);
    let base = |first: u32, words: [u32; 4]| {
        format!(
            "s_mov_b32 s{first}, s2\n s_or_b32 s{}, s3, {:#x}\n s_mov_b32 s{}, {:#x}\n s_mov_b32 s{}, {:#x}\n",
            first + 1,
            words[1],
            first + 2,
            words[2],
            first + 3,
            words[3]
        )
    };
    let lanes = "v_lshlrev_b32 v2, 2, v0\n v_lshlrev_b32 v3, 4, v0\n v_mul_lo_u32 v9, v0, 20\n v_and_b32 v9, 0xfc, v9\n \
                 v_mov_b32 v8, 8\n v_lshlrev_b32 v10, 5, v0\n v_lshlrev_b32 v11, 1, v0\n \
                 v_mov_b32 v13, s3\n v_add_co_u32 v12, vcc, s2, v3\n v_add_co_ci_u32 v13, vcc, 0, v13, vcc\n v_mov_b32 v4, 1\n s_movk_i32 s16, 0x100\n s_mov_b32 m0, -1\n";
    // Where SCRATCH's private memory is.
    let scratch = match line.contains("scratch") {
        true => "s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s2\n s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s3\n",
        false => "",
    };
    let text = format!(
        "{}{}{lanes}{scratch}s_movk_i32 s4, {ROUNDS}\nround:\n {line}\n s_sub_u32 s4, s4, 1\n s_cmp_lg_u32 s4, 0\n s_cbranch_scc1 round\n s_endpgm\n",
        base(8, raw),
        base(12, ring)
    );
    for_wave(&text, wave)
}

/// Calls of the interpreter.
fn calls(engine: &Arc<dyn HostCode>, line: &str, wave: WaveSize) -> usize {
    CALLS.set((None, 0));
    end(&CodeCache::with_host_code(Arc::new(Counted(engine.clone()))), wave, &text(line, wave), 1);
    CALLS.get().1
}

#[test]
fn what_is_done_in_place_is_not_called() {
    for target in HostIsa::ALL {
        let Some(engine) = engine_of(target, &[], CODE_BYTES) else { continue };
        for wave in [WaveSize::W32, WaveSize::W64] {
            let of = CALLED_OF.iter().filter(|(_, of)| *of == target).map(|(line, _)| *line);
            for line in CALLED.into_iter().chain(of) {
                let calls = calls(&engine, line, wave);
                // What a target learns goes to the list above, and out of docs/measurements.md.
                assert!(calls >= ROUNDS as usize, "{}, {wave:?}: {line}: {calls} calls", target.name());
            }
            for line in IN_PLACE {
                let calls = calls(&engine, line, wave);
                assert!(calls <= FEW, "{}, {wave:?}: {line}: {calls} calls in {ROUNDS} rounds", target.name());
            }
        }
    }
}
