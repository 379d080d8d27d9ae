//! The check of what was never written, rule by rule: assembly that decides something by it, and the same where nothing does.

use crate::wave::Bed;
use std::sync::Arc;
use wavepipe_core::GuestChecks;
use wavepipe_core::wave::{CodeCache, Device, Flow, Outside, Touch, WorkGroup};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::finding::{Finding, FindingKind, NeverWritten, UsedFor};
use wavepipe_isa::{Gen, asm};

const SIZES: [WaveSize; 2] = [WaveSize::W32, WaveSize::W64];

/// Where in the buffer a page begins that nobody has written.
const UNWRITTEN: u64 = 0x4000;

/// A work-group of two waves with 2 KiB of LDS, and 64 KiB of a buffer at s[0:1].
fn bed(text: &str, wave: WaveSize, checks: GuestChecks) -> Bed {
    // Masks as large as the wave's.
    let text = match wave {
        WaveSize::W32 => {
            text.replace("@mask", "s6").replace("@b", "b32").replace("@exec", "exec_lo").replace("@vcc", "vcc_lo")
        }
        WaveSize::W64 => {
            text.replace("@mask", "s[6:7]").replace("@b", "b64").replace("@exec", "exec").replace("@vcc", "vcc")
        }
    };
    let words = asm::assemble(&format!("{text}\ns_endpgm"), Gen::Gfx1010, wave.lanes());
    let mut bed = Bed::new(wave, [2 * wave.lanes(), 1, 1]);
    let device = Arc::new(Device { checks, ..Device::default() });
    device.contents.unwritten(bed.data + UNWRITTEN, 4096);
    bed.group = WorkGroup::on(device);
    (bed.launch.lds_bytes, bed.launch.vgprs, bed.launch.tidig_comp_cnt) = (2048, 64, 0);
    bed.start(&words.unwrap_or_else(|e| panic!("{e}\n{text}")));
    bed
}

/// What the check finds, by the run loop and step by step.
fn found(text: &str, wave: WaveSize) -> Vec<Finding> {
    let mut whole = bed(text, wave, GuestChecks::INIT);
    whole.run().unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let (all, more) = whole.group.take_findings();
    assert_eq!(more, 0);
    let mut stepped = bed(text, wave, GuestChecks::INIT);
    let (map, code, mut touch) = (stepped.map(), CodeCache::new(), Touch::default());
    let outside = Outside { map: &map, code: &code, cycle: 0, ticks: 0 };
    while !stepped.group.ended() {
        for n in 0..2 {
            if let Flow::Fault(fault) = stepped.group.step(n, &outside, &mut touch) {
                panic!("{fault:?}\n{text}");
            }
        }
        stepped.group.open_barrier(&map);
    }
    let places = |all: &[Finding]| {
        let of = |f: &Finding| (f.kind.clone(), f.site.pc_offset, f.site.lanes, f.site.wave, f.count);
        all.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(places(&stepped.group.take_findings().0), places(&all), "{wave:?}\n{text}");
    all
}

#[track_caller]
fn good(text: &str) {
    for wave in SIZES {
        if let Some(finding) = found(text, wave).first() {
            panic!("{wave:?}: {finding}\n{text}");
        }
    }
}

/// One finding, at the instruction that begins with `at`, in these lanes of the first wave of 32 lanes.
#[track_caller]
fn bad(text: &str, used: UsedFor, what: NeverWritten, at: &str, lanes: u32) {
    for wave in SIZES {
        let all = found(text, wave);
        let [finding] = &all[..] else { panic!("{wave:?}: {all:#?}\n{text}") };
        let FindingKind::NeverWritten(never) = finding.kind else { panic!("{finding:?}") };
        assert_eq!((never.used, never.what), (used, what), "{wave:?}\n{text}");
        assert_eq!(finding.site.lanes as u32, lanes, "{wave:?}: {finding}\n{text}");
        let stands = &finding.site.disassembly;
        assert!(stands.starts_with(at), "{stands}, not {at}\n{text}");
    }
}

const fn v(n: u16) -> NeverWritten {
    NeverWritten::Register(256 + n)
}

const fn s(n: u16) -> NeverWritten {
    NeverWritten::Register(n)
}

const ALL: u32 = !0;
/// v1 = 4 · the work-item.
const OFFSET: &str = "v_lshlrev_b32 v1, 2, v0\n";

fn stored(text: &str) -> String {
    format!("{OFFSET}{text}\nglobal_store_dword v1, v2, s[0:1]")
}

/// `text` leaves in v2 what is stored.
#[track_caller]
fn output(text: &str, what: NeverWritten) {
    bad(&stored(text), UsedFor::Output, what, "global_store_dword", ALL);
}

#[track_caller]
fn clean(text: &str) {
    good(&stored(text));
}

#[test]
fn a_register_that_was_never_written_is_stored() {
    output("", v(2));
    output("v_mov_b32 v2, v9", v(9));
    output("v_mov_b32 v2, s9", s(9));
    output("s_mov_b32 s4, s9\nv_mov_b32 v2, s4", s(9));
    output("v_add_nc_u32 v2, v0, v9", v(9));
    output("v_add_f32 v2, v0, v9", v(9));
    output("v_mov_b32 v2, 0\nv_add_f16 v2, v0, v9", v(9));
    clean("v_mov_b32 v2, 0");
    clean("v_mov_b32 v2, v0");
    // Registers may hold anything that nobody uses, and moves use nothing.
    clean("v_mov_b32 v2, v9\nv_mov_b32 v3, v2\nv_mov_b32 v2, 1");
}

#[test]
fn masked_bits_are_defined() {
    clean("v_and_b32 v2, 0, v9");
    clean("v_and_b32 v9, 0xff, v9\nv_lshrrev_b32 v2, 8, v9");
    output("v_and_b32 v9, 0xff, v9\nv_lshrrev_b32 v2, 7, v9", v(9));
    clean("v_or_b32 v2, -1, v9");
    clean("v_mul_lo_u32 v2, 0, v9");
    clean("v_lshlrev_b32 v2, 16, v9\nv_and_b32 v2, 0xffff, v2");
    clean("v_bfi_b32 v2, 0, v9, v0");
    output("v_bfi_b32 v2, 1, v9, v0", v(9));
    // Either way the same.
    clean(
        "v_mov_b32 v3, 5\nv_mov_b32 v4, 5\nv_cmp_lt_u32 vcc_lo, v0, v9\nv_cndmask_b32 v2, v3, v4, vcc_lo"
            .replace("vcc_lo", "@vcc")
            .as_str(),
    );
    // Nothing that is below 256 is above 300.
    clean("v_and_b32 v9, 0xff, v9\nv_cmp_lt_u32 @vcc, 0x12c, v9\nv_cndmask_b32 v2, 0, 1, @vcc");
    output("v_and_b32 v9, 0xff, v9\nv_cmp_lt_u32 @vcc, 9, v9\nv_cndmask_b32 v2, 0, 1, @vcc", v(9));
}

#[test]
fn lanes_are_apart() {
    // Half of the lanes write their own.
    let half = "v_cmp_gt_u32 @vcc, 16, v0\ns_and_saveexec_@b @mask, @vcc\nv_mov_b32 v2, 7\n";
    let all = format!("{OFFSET}{half}s_mov_@b @exec, @mask\nglobal_store_dword v1, v2, s[0:1]");
    for wave in SIZES {
        let [finding] = &found(&all, wave)[..] else { panic!() };
        let lanes = if wave == WaveSize::W32 { 0xffff_0000 } else { 0xffff_ffff_ffff_0000 };
        assert_eq!(finding.site.lanes, lanes);
    }
    good(&format!("{OFFSET}{half}global_store_dword v1, v2, s[0:1]"));
    // Lanes of dead branches decide nothing.
    good("s_mov_@b @exec, 0\nv_readfirstlane_b32 s4, v9\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc1 1\ns_nop 0");
}

#[test]
fn branches_are_decided() {
    let bad = |text: &str, what, at: &str, lanes| bad(text, UsedFor::Branch, what, at, lanes);
    bad("s_cmp_eq_u32 s9, 0\ns_cbranch_scc1 1\ns_nop 0", s(9), "s_cbranch_scc1", ALL);
    bad("s_cbranch_scc0 1\ns_nop 0", s(253), "s_cbranch_scc0", ALL);
    bad("v_readfirstlane_b32 s4, v9\ns_cmp_lt_i32 s4, 3\ns_cbranch_scc0 1\ns_nop 0", v(9), "s_cbranch_scc0", ALL);
    bad("v_cmp_eq_u32 @vcc, 0, v9\ns_cbranch_vccz 1\ns_nop 0", v(9), "s_cbranch_vccz", ALL);
    bad("v_cmp_eq_u32 @vcc, 0, v9\ns_and_saveexec_@b @mask, @vcc", v(9), "s_and_saveexec", ALL);
    bad("v_cmp_eq_u32 @mask, 0, v9\ns_and_@b @exec, @exec, @mask", v(9), "s_and_", ALL);
    bad("v_cmp_lt_f32 @vcc, v0, v9\ns_andn2_@b @exec, @exec, @vcc", v(9), "s_andn2_", ALL);
    bad("v_cmpx_eq_u32 v0, v9", v(9), "v_cmpx_eq_u32", ALL);
    // One lane goes on for certain.
    good("v_cmp_lt_u32 @vcc, v0, v9\ns_or_@b @vcc, @vcc, 1\ns_cbranch_vccnz 1\ns_nop 0");
    good("s_and_b32 s4, s9, 0\ns_cbranch_scc1 1\ns_nop 0");
    good("s_or_b32 s4, s9, 1\ns_cbranch_scc1 1\ns_nop 0");
    good("s_cmp_eq_u32 s9, 0\ns_cselect_b32 s4, 7, 7\ns_cmp_eq_u32 s4, 7\ns_cbranch_scc1 1\ns_nop 0");
    // Only of lanes that nobody asks.
    good("s_mov_@b @exec, 1\nv_mov_b32 v9, 3\nv_cmp_eq_u32 @vcc, 3, v9\ns_and_saveexec_@b @mask, @vcc");
}

#[test]
fn addresses_are_decided() {
    let bad = |text: &str, what, at: &str| bad(text, UsedFor::Address, what, at, ALL);
    bad("v_mov_b32 v2, 0\nglobal_load_dword v3, v9, s[0:1]", v(9), "global_load_dword");
    bad("v_and_b32 v9, 4, v9\nds_read_b32 v3, v9", v(9), "ds_read_b32");
    bad("v_and_b32 v9, 4, v9\nds_write_b32 v9, v0", v(9), "ds_write_b32");
    bad("s_and_b32 s9, s9, 4\ns_load_dword s4, s[0:1], s9", s(9), "s_load_dword");
    bad("s_mov_b32 m0, s9\ns_and_b32 m0, m0, 1\nv_movrels_b32 v3, v0", s(9), "v_movrels_b32");
    bad("s_and_b32 s9, s9, 1\nv_readlane_b32 s4, v0, s9", s(9), "v_readlane_b32");
    good("v_and_b32 v9, 0, v9\nds_read_b32 v3, v9");
    // A 64-bit base of which only what falls away is undefined.
    good("s_mov_b32 s4, s0\ns_mov_b32 s5, s1\nv_and_b32 v9, 0, v9\nglobal_load_dword v3, v9, s[4:5]");
}

#[test]
fn lds_is_undefined_until_it_is_written() {
    let read = |text: &str| format!("{text}\nds_read_b32 v2, v1");
    output(&read(""), NeverWritten::Lds(0));
    clean(&read("ds_write_b32 v1, v0\ns_barrier"));
    // What another wave wrote is written.
    clean("v_mov_b32 v3, 0\nds_write_b32 v3, v3\ns_barrier\nds_read_b32 v2, v3");
    // Undefined values go through it, and are told of as what they were.
    output(&read("ds_write_b32 v1, v9\ns_barrier"), v(9));
    // A byte of four.
    let three = "ds_write_b8 v1, v0\nds_write_b8 v1, v0 offset:1\nds_write_b8 v1, v0 offset:3\ns_barrier";
    output(&format!("{}\nv_xor_b32 v2, 1, v2", read(three)), NeverWritten::Lds(2));
    clean("ds_write_b8 v1, v0\ns_barrier\nds_read_u8 v2, v1");
    clean("ds_write_b8 v1, v0\ns_barrier\nds_read_b32 v2, v1\nv_and_b32 v2, 0xff, v2");
    output("ds_write_b8 v1, v0\ns_barrier\nds_read_u16 v2, v1", NeverWritten::Lds(1));
    clean("ds_write2_b32 v1, v0, v0 offset1:128\ns_barrier\nds_read_b32 v2, v1 offset:512");
    clean("ds_write_b32 v1, v0\ns_barrier\nds_read2_b32 v[2:3], v1 offset1:200");
    output(
        "ds_write_b32 v1, v0\ns_barrier\nds_read2_b32 v[2:3], v1 offset1:200\nv_mov_b32 v2, v3",
        NeverWritten::Lds(800),
    );
    // Atomics compute.
    output("ds_add_rtn_u32 v2, v1, v0", NeverWritten::Lds(0));
    output("ds_add_u32 v1, v0\nds_read_b32 v2, v1", NeverWritten::Lds(0));
    clean("ds_write_b32 v1, v0\nds_add_rtn_u32 v2, v1, v0");
    output("ds_write_b32 v1, v0\nds_add_u32 v1, v9\nds_read_b32 v2, v1", v(9));
}

/// The byte of the page that nobody has written.
fn byte(n: u64) -> NeverWritten {
    NeverWritten::Memory(Bed::new(WaveSize::W32, [32, 1, 1]).data + UNWRITTEN + n)
}

#[test]
fn memory_is_undefined_until_it_is_written() {
    let at = "v_add_nc_u32 v3, 0x4000, v1\n";
    let read = |text: &str| format!("{at}{text}\nglobal_load_dword v2, v3, s[0:1]");
    output(&read(""), byte(0));
    clean(&read("global_store_dword v3, v0, s[0:1]"));
    clean("v_add_nc_u32 v3, 0x3000, v1\nglobal_load_dword v2, v3, s[0:1]");
    // A byte of four.
    output(&format!("{}\nv_xor_b32 v2, 1, v2", read("global_store_byte v3, v0, s[0:1]")), byte(1));
    clean(&format!("{}\nv_and_b32 v2, 0xff, v2", read("global_store_byte v3, v0, s[0:1]")));
    clean(&format!("{at}global_store_byte v3, v0, s[0:1]\nglobal_load_ubyte v2, v3, s[0:1]"));
    // Every second dword, in no order.
    let apart = "v_xor_b32 v4, 12, v1\nv_lshl_add_u32 v4, v4, 1, 0x4000\nglobal_store_dword v4, v0, s[0:1]\n";
    let all = format!("{OFFSET}{apart}{at}global_load_dword v2, v3, s[0:1]\nglobal_store_dword v1, v2, s[0:1]");
    bad(&all, UsedFor::Output, byte(4), "global_store_dword", 0xaaaa_aaaa);
    clean(&format!("{apart}global_load_dword v2, v4, s[0:1]"));
    // By an address of 64 bits, too.
    let flat = "s_add_u32 s4, s0, 0x4000\nv_mov_b32 v4, s4\nv_mov_b32 v5, s1\n";
    output(&format!("{flat}flat_load_dword v2, v[4:5]"), byte(0));
    clean(&format!("{flat}flat_store_dword v[4:5], v0\nflat_load_dword v2, v[4:5]"));
    // Branches of the scalar unit.
    let branch = "s_load_dword s4, s[0:1], 0x4000\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc1 1\ns_nop 0";
    bad(branch, UsedFor::Branch, byte(0), "s_cbranch_scc1", ALL);
    good(&format!("{OFFSET}{at}global_store_dword v3, v0, s[0:1]\n{branch}"));
    good("s_load_dwordx2 s[4:5], s[0:1], 0x3ffc\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc1 1\ns_nop 0");
    // Atomics compute, and exchanges write.
    let atomic = |text: &str| format!("{OFFSET}{at}{text}");
    bad(&atomic("global_atomic_add v3, v0, s[0:1]"), UsedFor::Output, byte(0), "global_atomic_add", ALL);
    good(&atomic("global_store_dword v3, v0, s[0:1]\nglobal_atomic_add v3, v0, s[0:1]"));
    clean(&format!("{at}global_atomic_swap v2, v3, v0, s[0:1] glc\nglobal_load_dword v2, v3, s[0:1]"));
    // What a descriptor cuts off is zero.
    let buffer = |size: u32| {
        format!(
            "s_add_u32 s4, s0, 0x3ff8\ns_mov_b32 s5, s1\ns_mov_b32 s6, {size}\ns_mov_b32 s7, 0x31014fac\n\
             buffer_load_dwordx4 v[8:11], off, s[4:7], 0\nv_mov_b32 v2, v10"
        )
    };
    clean(&buffer(8));
    output(&buffer(16), byte(0));
}

/// What is copied as it is, beside what is written, may be padding, and stays unwritten where it is copied to.
#[test]
fn padding_is_followed_through_memory() {
    let copy = "v_lshlrev_b32 v1, 3, v0\nv_add_nc_u32 v3, 0x4000, v1\nglobal_store_dword v3, v0, s[0:1]\n\
                global_load_dwordx2 v[4:5], v3, s[0:1]\nglobal_store_dwordx2 v3, v[4:5], s[0:1] offset:2040\n";
    good(copy);
    let read =
        |at: u32| format!("{copy}global_load_dword v2, v3, s[0:1] offset:{at}\nglobal_store_dword v1, v2, s[0:1]");
    good(&read(2040));
    bad(&read(2044), UsedFor::Output, byte(2044), "global_store_dword v1", ALL);
}

#[test]
fn lanes_exchange_undefined_bits() {
    let one = "s_mov_b32 m0, 0\nv_mov_b32 v3, 0\ns_mov_@b @mask, @exec\ns_mov_@b @exec, 1\nv_mov_b32 v3, v9\ns_mov_@b @exec, @mask\n";
    for (text, lanes) in [
        ("v_mov_b32_dpp v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0", 2),
        ("v_mov_b32_dpp v2, v3 quad_perm:[3,0,0,3] row_mask:0xf bank_mask:0xf", 6),
        ("v_mov_b32_dpp v2, v3 row_share:0 row_mask:0xf bank_mask:0xf", 0xffff),
        ("v_add_nc_u32_dpp v2, v3, v0 row_ror:15 row_mask:0xf bank_mask:0xf", 1 << 15),
        ("v_mov_b32_dpp v2, v3 dpp8:[7,6,5,4,3,2,1,0]", 1 << 7),
        ("ds_swizzle_b32 v2, v3 offset:swizzle(SWAP,16)", 1 << 16),
        ("v_lshlrev_b32 v4, 2, v0\nv_xor_b32 v4, 20, v4\nds_bpermute_b32 v2, v4, v3", 1 << 5),
        ("v_lshlrev_b32 v4, 2, v0\nv_xor_b32 v4, 20, v4\nds_permute_b32 v2, v4, v3", 1 << 5),
        ("v_permlanex16_b32 v2, v3, 0, 0", 0xffff_0000),
        ("v_mov_b32 v2, 0\nv_swap_b32 v2, v3", 1),
        ("v_movrels_b32 v2, v3", 1),
    ] {
        let all = format!("{OFFSET}{one}v_mov_b32 v2, 0\n{text}\nglobal_store_dword v1, v2, s[0:1]");
        bad(&all, UsedFor::Output, v(9), "global_store_dword", lanes);
        let mended = one.replace("v_mov_b32 v3, v9", "v_mov_b32 v3, v0");
        good(&format!("{OFFSET}{mended}v_mov_b32 v2, 0\n{text}\nglobal_store_dword v1, v2, s[0:1]"));
    }
    clean("v_readlane_b32 s4, v0, 3\nv_mov_b32 v2, s4");
    output("v_readlane_b32 s4, v9, 3\nv_mov_b32 v2, s4", v(9));
    // There is nothing below lane 0.
    let count = stored("v_mov_b32 v2, 0\nv_mbcnt_lo_u32_b32 v2, v9, v2");
    bad(&count, UsedFor::Output, v(9), "global_store_dword", !1);
    bad(&stored("v_mov_b32 v2, 0\nv_writelane_b32 v2, s9, 3"), UsedFor::Output, s(9), "global_store_dword", 8);
}

#[test]
fn halves_and_bytes_of_registers_are_apart() {
    clean("v_mov_b32 v3, 0\nv_mov_b32 v2, 0\nv_add_f16 v2, v3, v3");
    bad(&stored("v_add_f16 v2, v0, v0"), UsedFor::Output, v(2), "global_store_dword", ALL);
    clean("v_add_f16 v2, v0, v0\nv_and_b32 v2, 0xffff, v2");
    clean("v_mov_b32_sdwa v2, v0 dst_sel:WORD_0 dst_unused:UNUSED_PAD src0_sel:DWORD");
    output("v_mov_b32_sdwa v2, v0 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD", v(2));
    clean("v_and_b32 v9, 0xffff, v9\nv_mov_b32_sdwa v2, v9 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1");
    clean("v_and_b32 v9, 0xffff, v9\nv_pk_add_u16 v2, v9, v0\nv_lshrrev_b32 v2, 16, v2");
    output("v_and_b32 v9, 0xffff, v9\nv_pk_add_u16 v2, v9, v0 op_sel_hi:[0,1]\nv_lshrrev_b32 v2, 16, v2", v(9));
    // D16 loads keep the other half.
    clean("ds_write_b32 v1, v0\nv_mov_b32 v2, 0\nds_read_u16_d16_hi v2, v1");
    output("ds_write_b32 v1, v0\nds_read_u16_d16_hi v2, v1", v(2));
}

/// A struct of a byte and a dword, with three bytes between them that nobody writes, is copied as two dwords.
#[test]
fn padding_is_no_output() {
    let fill = "ds_write_b8 v1, v0\nds_write_b32 v1, v0 offset:4\n";
    let copy = "ds_read2_b32 v[2:3], v1 offset1:1\nglobal_store_dwordx2 v1, v[2:3], s[0:1]";
    good(&format!("v_lshlrev_b32 v1, 3, v0\n{fill}{copy}"));
    // Computed, it is no padding any more.
    let sum = "ds_read2_b32 v[2:3], v1 offset1:1\nv_add_nc_u32 v2, 1, v2\nglobal_store_dwordx2 v1, v[2:3], s[0:1]";
    bad(
        &format!("v_lshlrev_b32 v1, 3, v0\n{fill}{sum}"),
        UsedFor::Output,
        NeverWritten::Lds(1),
        "global_store_dwordx2",
        ALL,
    );
    // Nor is what has nothing beside it.
    bad(
        &format!("v_lshlrev_b32 v1, 3, v0\n{copy}"),
        UsedFor::Output,
        NeverWritten::Lds(0),
        "global_store_dwordx2",
        ALL,
    );
    // Nor is a register.
    bad(
        "v_lshlrev_b32 v1, 3, v0\nv_mov_b32 v2, v0\nglobal_store_dwordx2 v1, v[2:3], s[0:1]",
        UsedFor::Output,
        v(3),
        "global_store_dwordx2",
        ALL,
    );
}

/// It is told where it was read first.
#[test]
fn the_other_party_is_who_read_it() {
    let text = format!(
        "{OFFSET}ds_read_b32 v2, v1\nv_add_nc_u32 v3, v2, v0\nv_cmp_lt_u32 @vcc, 3, v3\ns_and_saveexec_@b @mask, @vcc"
    );
    for wave in SIZES {
        let [finding] = &found(&text, wave)[..] else { panic!("{text}") };
        let other = finding.other.as_ref().unwrap();
        assert!(other.site.disassembly.starts_with("ds_read_b32"), "{finding}");
        assert!(
            finding
                .to_string()
                .starts_with("a branch depends on the byte at 0x0 of LDS, which this work-group never wrote ["),
            "{finding}"
        );
    }
}
