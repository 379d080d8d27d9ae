//! The check of waits, rule by rule: programs that a card runs as they are meant, and such that it does not.

use crate::wave::Bed;
use std::sync::Arc;
use wavepipe_core::GuestChecks;
use wavepipe_core::wave::{CodeCache, Device, Outside, Touch, WorkGroup};
use wavepipe_core::wave::{Flow, WaveFault};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::finding::{Awaited, Finding, FindingKind, MissingWait};
use wavepipe_isa::{Gen, asm};

fn bed(text: &str, wave: WaveSize, checks: GuestChecks) -> Bed {
    let words = asm::assemble(&format!("{text}\ns_endpgm"), Gen::Gfx1010, wave.lanes());
    let mut bed = Bed::new(wave, [wave.lanes(), 1, 1]);
    bed.group = WorkGroup::on(Arc::new(Device { checks, ..Device::default() }));
    bed.start(&words.unwrap_or_else(|e| panic!("{e}\n{text}")));
    bed
}

fn missing(finding: &Finding) -> &MissingWait {
    match &finding.kind {
        FindingKind::MissingWait(missing) => missing,
        other => panic!("{other:?}"),
    }
}

/// The finding that stops a program.
fn stopping(fault: Box<WaveFault>) -> Finding {
    match fault.kind {
        FaultKind::Finding(finding) => {
            let site = fault.site.unwrap();
            assert_eq!((site.pc_offset, &site.disassembly), (finding.site.pc_offset, &finding.site.disassembly));
            *finding
        }
        other => panic!("{other:?}"),
    }
}

/// The same but for where the code is.
fn unplaced(finding: &Finding) -> Finding {
    let mut out = finding.clone();
    out.site.pc = 0;
    out.other.iter_mut().for_each(|o| o.site.pc = 0);
    out
}

/// The missing waits that the check finds, by the run loop and step by step; with and without stopping at the first. Hazards, which it
/// finds too, are not of these tests: at one instruction they come behind a missing wait.
fn found(text: &str, wave: WaveSize) -> Vec<Finding> {
    let mut whole = bed(text, wave, GuestChecks::WAIT);
    whole.run().unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let (all, more) = whole.group.take_findings();
    assert_eq!(more, 0);
    let stepped = |checks: GuestChecks| {
        let mut bed = bed(text, wave, checks);
        let (map, code, mut touch) = (bed.map(), CodeCache::new(), Touch::default());
        let outside = Outside { map: &map, code: &code, cycle: 0, ticks: 0 };
        let fault = loop {
            match bed.group.step(0, &outside, &mut touch) {
                Flow::Ended => break None,
                Flow::Fault(fault) => break Some(stopping(fault)),
                _ => {}
            }
        };
        (bed.group.take_findings().0.iter().map(unplaced).collect::<Vec<_>>(), fault.as_ref().map(unplaced))
    };
    assert_eq!(stepped(GuestChecks::WAIT), (all.iter().map(unplaced).collect(), None), "{text}");
    let stopped = bed(text, wave, GuestChecks::WAIT | GuestChecks::STOP).run().err().map(stopping);
    let stopped = stopped.as_ref().map(unplaced);
    assert_eq!(stepped(GuestChecks::WAIT | GuestChecks::STOP).1, stopped, "{text}");
    let waits: Vec<Finding> = all.into_iter().filter(|f| matches!(f.kind, FindingKind::MissingWait(_))).collect();
    assert_eq!(stopped, waits.first().map(|f| Finding { count: 1, ..unplaced(f) }), "{text}");
    assert!(bed(text, wave, GuestChecks::empty()).run().is_ok(), "{text}");
    waits
}

#[track_caller]
fn good(text: &str) {
    for wave in [WaveSize::W32, WaveSize::W64] {
        if let Some(finding) = found(text, wave).first() {
            panic!("{wave:?}: {finding}\n{text}");
        }
    }
}

/// `wait` is what was to be in front of the instruction, which begins with `at`.
#[track_caller]
fn bad(text: &str, what: Awaited, wait: &str, at: &str) {
    for wave in [WaveSize::W32, WaveSize::W64] {
        let all = found(text, wave);
        let finding = all.first().unwrap_or_else(|| panic!("{wave:?}: nothing is found\n{text}"));
        let missing = missing(finding);
        let wanted = format!("{}({})", missing.counter, missing.at_most);
        assert_eq!((&missing.what, wanted.as_str()), (&what, wait), "{wave:?}\n{text}");
        let stands = &finding.site.disassembly;
        assert!(stands.starts_with(at), "{stands}, not {at}\n{text}");
    }
}

fn read(registers: &str) -> Awaited {
    Awaited::Read(registers.into())
}

fn overwritten(registers: &str) -> Awaited {
    Awaited::Overwritten(registers.into())
}

fn unread(registers: &str) -> Awaited {
    Awaited::OverwrittenUnread(registers.into())
}

const LOAD: &str = "global_load_dword v2, v1, s[0:1]\n";

#[test]
fn a_loaded_register_is_waited_for() {
    bad(&format!("{LOAD}v_mov_b32 v3, v2"), read("v2"), "vmcnt(0)", "v_mov_b32");
    bad(&format!("{LOAD}global_store_dword v1, v2, s[0:1]"), read("v2"), "vmcnt(0)", "global_store");
    bad(&format!("{LOAD}global_load_dword v3, v2, s[0:1]"), read("v2"), "vmcnt(0)", "global_load_dword v3");
    bad(&format!("{LOAD}v_readfirstlane_b32 s4, v2"), read("v2"), "vmcnt(0)", "v_readfirstlane");
    bad(&format!("{LOAD}v_add_nc_u32 v2, v1, v1"), overwritten("v2"), "vmcnt(0)", "v_add_nc_u32");
    good(&format!("{LOAD}s_waitcnt vmcnt(0)\nv_mov_b32 v3, v2"));
    good(&format!("{LOAD}v_mov_b32 v3, v4"));
    // The wave ends with what is on its way.
    good(LOAD);
    let wide = "global_load_dwordx4 v[4:7], v1, s[0:1]\n";
    bad(&format!("{wide}v_mov_b32 v3, v7"), read("v7"), "vmcnt(0)", "v_mov_b32");
    bad(&format!("{wide}v_add_f64 v[8:9], v[5:6], v[8:9]"), read("v[5:6]"), "vmcnt(0)", "v_add_f64");
    good(&format!("{wide}v_mov_b32 v3, v8"));
}

/// The missing waits of a program on a generation of GCN.
fn found_on(isa: Gen, text: &str) -> Vec<(Awaited, String)> {
    let words = asm::assemble(&format!("s_mov_b64 exec, 0\n{text}\ns_endpgm"), isa, 64);
    let mut bed = Bed::new(WaveSize::W64, [64, 1, 1]);
    bed.launch.isa = isa;
    bed.group = WorkGroup::on(Arc::new(Device { checks: GuestChecks::WAIT, ..Device::default() }));
    bed.start(&words.unwrap_or_else(|e| panic!("{e}\n{text}")));
    bed.run().unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let waits = bed.group.take_findings().0;
    let waits = waits.iter().filter(|f| matches!(f.kind, FindingKind::MissingWait(_))).map(missing);
    waits.map(|m| (m.what.clone(), format!("{}({})", m.counter, m.at_most))).collect()
}

/// GCN 1 reads what stores write after they were issued, and counts that with EXPCNT, which holds seven: an eighth waits for the
/// first. Later generations read at issue.
#[test]
fn stores_of_gcn_1_read_late() {
    let stores = |n: u32| -> String {
        (1..=n).map(|v| format!("buffer_store_dword v{v}, v0, s[4:7], 0 offen\n")).collect::<String>()
    };
    let write = "v_mov_b32 v1, 0";
    for (text, wait) in [
        (stores(1), Some("expcnt(0)")),
        (stores(2), Some("expcnt(1)")),
        (stores(7), Some("expcnt(6)")),
        (stores(8), None),
        (stores(2) + "s_waitcnt expcnt(1)\n", None),
        (stores(2) + "s_waitcnt expcnt(2)\n", Some("expcnt(1)")),
        (stores(1) + "s_waitcnt vmcnt(0)\n", Some("expcnt(0)")),
    ] {
        let text = text + write;
        let wanted: Vec<_> = wait.map(|wait| (unread("v1"), wait.to_owned())).into_iter().collect();
        assert_eq!(found_on(Gen::Gfx600, &text), wanted, "{text}");
        assert_eq!(found_on(Gen::Gfx701, &text), [], "{text}");
        assert_eq!(found_on(Gen::Gfx900, &text), [], "{text}");
    }
}

/// Until RDNA 1 stores count among loads, and a wait for a load counts the stores behind it.
#[test]
fn stores_of_gcn_count_among_loads() {
    let load = "buffer_load_dword v2, v0, s[4:7], 0 offen\n";
    let store = "buffer_store_dword v3, v0, s[4:7], 0 offen\n";
    for isa in [Gen::Gfx600, Gen::Gfx701, Gen::Gfx900] {
        let after = |wait: &str| found_on(isa, &format!("{load}{store}{wait}v_mov_b32 v4, v2"));
        assert_eq!(after(""), [(read("v2"), "vmcnt(1)".into())]);
        assert_eq!(after("s_waitcnt vmcnt(2)\n"), [(read("v2"), "vmcnt(1)".into())]);
        assert_eq!(after("s_waitcnt vmcnt(1)\n"), []);
        assert_eq!(after("s_waitcnt expcnt(0) lgkmcnt(0)\n"), [(read("v2"), "vmcnt(1)".into())]);
        let scalar = |wait: &str| found_on(isa, &format!("s_load_dword s8, s[0:1], 0\n{wait}s_mov_b32 s9, s8"));
        assert_eq!(scalar("s_waitcnt vmcnt(0)\n"), [(read("s8"), "lgkmcnt(0)".into())]);
        assert_eq!(scalar("s_waitcnt lgkmcnt(0)\n"), []);
    }
}

#[test]
fn loads_come_back_in_the_order_of_their_issue() {
    let two = format!("{LOAD}global_load_dword v3, v1, s[0:1] offset:4\ns_waitcnt vmcnt(1)\n");
    good(&format!("{two}v_mov_b32 v4, v2"));
    bad(&format!("{two}v_mov_b32 v4, v3"), read("v3"), "vmcnt(0)", "v_mov_b32");
    let weak = format!("{LOAD}global_load_dword v3, v1, s[0:1] offset:4\ns_waitcnt vmcnt(2)\n");
    bad(&format!("{weak}v_mov_b32 v4, v2"), read("v2"), "vmcnt(1)", "v_mov_b32");
    // Stores count elsewhere.
    let store = format!("{LOAD}global_store_dword v1, v3, s[0:1]\ns_waitcnt vmcnt(1)\n");
    bad(&format!("{store}v_mov_b32 v4, v2"), read("v2"), "vmcnt(0)", "v_mov_b32");
    // More than the counter holds.
    let many: String = (0..70).map(|n| format!("global_load_dword v{}, v1, s[0:1]\n", 2 + n % 60)).collect();
    bad(&format!("{many}v_mov_b32 v63, v30"), read("v30"), "vmcnt(41)", "v_mov_b32");
    good(&format!("{many}s_waitcnt vmcnt(41)\nv_mov_b32 v63, v30"));
}

#[test]
fn a_load_may_follow_another_to_the_same_register() {
    let twice = format!("{LOAD}global_load_dword v2, v1, s[0:1] offset:4\n");
    good(&format!("{twice}s_waitcnt vmcnt(0)\nv_mov_b32 v4, v2"));
    bad(&format!("{twice}s_waitcnt vmcnt(1)\nv_mov_b32 v4, v2"), read("v2"), "vmcnt(0)", "v_mov_b32");
    // Half a register does not read the other.
    let halves = "global_load_short_d16 v2, v1, s[0:1]\nglobal_load_short_d16_hi v2, v1, s[0:1]\n";
    good(&format!("{halves}s_waitcnt vmcnt(0)\nv_mov_b32 v4, v2"));
    good("ds_read_b32 v2, v1\nds_read_b32 v2, v1 offset:4");
    // But not from somewhere else.
    bad(&format!("{LOAD}ds_read_b32 v2, v1"), overwritten("v2"), "vmcnt(0)", "ds_read_b32");
    bad(&format!("ds_read_u16_d16 v2, v1\n{LOAD}"), overwritten("v2"), "lgkmcnt(0)", "global_load_dword");
    bad("s_load_dword s4, s[0:1], 0x0\ns_load_dword s4, s[0:1], 0x4", overwritten("s4"), "lgkmcnt(0)", "s_load_dword");
}

/// Vector loads and samples count in one order, but their results arrive in two.
#[test]
fn samples_and_loads_write_in_any_order() {
    let image = "s_mov_b32 s8, 0\ns_mov_b64 s[10:11], 0\n";
    let sample = "image_sample v2, v1, s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_1D\n";
    good(&format!("{image}{sample}{sample}"));
    bad(&format!("{image}{sample}{LOAD}"), overwritten("v2"), "vmcnt(0)", "global_load_dword");
    bad(&format!("{image}{LOAD}{sample}"), overwritten("v2"), "vmcnt(0)", "image_sample");
    let third = "global_load_dword v3, v1, s[0:1]\n";
    good(&format!("{image}{sample}{third}s_waitcnt vmcnt(1)\nv_mov_b32 v4, v2"));
}

#[test]
fn scalar_loads_come_back_in_any_order() {
    let two = "s_load_dword s4, s[0:1], 0x0\ns_load_dword s5, s[0:1], 0x4\n";
    bad(&format!("{two}s_waitcnt lgkmcnt(1)\ns_mov_b32 s6, s4"), read("s4"), "lgkmcnt(0)", "s_mov_b32");
    good(&format!("{two}s_waitcnt lgkmcnt(0)\ns_mov_b32 s6, s4"));
    bad(
        "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_and_b64 s[6:7], s[4:5], s[4:5]",
        read("s[4:5]"),
        "lgkmcnt(0)",
        "s_and_b64",
    );
    bad("s_load_dword s4, s[0:1], 0x0\nv_mov_b32 v3, s4", read("s4"), "lgkmcnt(0)", "v_mov_b32");
    bad("s_load_dwordx2 vcc, s[0:1], 0x0\ns_cbranch_vccz 0", read("vcc_lo"), "lgkmcnt(0)", "s_cbranch_vccz");
    bad("s_load_dword m0, s[0:1], 0x0\nv_movrels_b32 v3, v1", read("m0"), "lgkmcnt(0)", "v_movrels_b32");
    bad("s_memtime s[4:5]\ns_mov_b32 s6, s5", read("s5"), "lgkmcnt(0)", "s_mov_b32");
    bad("s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_mov_b32 s5, 0", overwritten("s5"), "lgkmcnt(0)", "s_mov_b32");
    bad("s_load_dword s4, s[0:1], 0x0\ns_waitcnt_vmcnt s4, 0x0", read("s4"), "lgkmcnt(0)", "s_waitcnt_vmcnt");
}

#[test]
fn lds_comes_back_in_order_among_itself() {
    let two = "ds_read_b32 v2, v1\nds_read_b32 v3, v1 offset:4\n";
    good(&format!("{two}s_waitcnt lgkmcnt(1)\nv_mov_b32 v4, v2"));
    bad(&format!("{two}s_waitcnt lgkmcnt(1)\nv_mov_b32 v4, v3"), read("v3"), "lgkmcnt(0)", "v_mov_b32");
    good("ds_read_b32 v2, v1\nds_write_b32 v1, v0\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v4, v2");
    bad("ds_bpermute_b32 v2, v1, v0\nv_mov_b32 v4, v2", read("v2"), "lgkmcnt(0)", "v_mov_b32");
    bad("ds_add_rtn_u32 v2, v1, v0\nv_mov_b32 v4, v2", read("v2"), "lgkmcnt(0)", "v_mov_b32");
    // One of three may be the scalar load, or the LDS read; with one more LDS read behind it, it is not.
    let scalar = "s_load_dword s4, s[0:1], 0x0\n";
    bad(
        &format!("ds_read_b32 v2, v1\n{scalar}s_waitcnt lgkmcnt(1)\nv_mov_b32 v4, v2"),
        read("v2"),
        "lgkmcnt(0)",
        "v_mov",
    );
    good(&format!("{two}{scalar}s_waitcnt lgkmcnt(1)\nv_mov_b32 v4, v2"));
    let message = "ds_read_b32 v2, v1\ns_sendmsg sendmsg(MSG_INTERRUPT)\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v4, v2";
    bad(message, read("v2"), "lgkmcnt(0)", "v_mov_b32");
}

#[test]
fn each_counter_is_waited_for_by_itself() {
    bad(&format!("{LOAD}s_waitcnt lgkmcnt(0)\nv_mov_b32 v3, v2"), read("v2"), "vmcnt(0)", "v_mov_b32");
    bad("ds_read_b32 v2, v1\ns_waitcnt vmcnt(0)\nv_mov_b32 v3, v2", read("v2"), "lgkmcnt(0)", "v_mov_b32");
    bad(&format!("{LOAD}s_waitcnt_vscnt null, 0x0\nv_mov_b32 v3, v2"), read("v2"), "vmcnt(0)", "v_mov_b32");
    bad(&format!("{LOAD}s_waitcnt_depctr 0x0\nv_mov_b32 v3, v2"), read("v2"), "vmcnt(0)", "v_mov_b32");
    good(&format!("{LOAD}s_waitcnt_vmcnt null, 0x0\nv_mov_b32 v3, v2"));
    good("ds_read_b32 v2, v1\ns_waitcnt_lgkmcnt null, 0x0\nv_mov_b32 v3, v2");
    good(&format!("{LOAD}s_wait_idle\nv_mov_b32 v3, v2"));
    // A register and a constant, added.
    let sum = |s4: u32| format!("s_mov_b32 s4, {s4}\n{LOAD}s_waitcnt_vmcnt s4, 0x1\nv_mov_b32 v3, v2");
    good(&sum(63));
    bad(&sum(0), read("v2"), "vmcnt(0)", "v_mov_b32");
}

#[test]
fn atomics_that_return_are_loads() {
    bad("global_atomic_add v2, v1, v0, s[0:1] glc\nv_mov_b32 v3, v2", read("v2"), "vmcnt(0)", "v_mov_b32");
    good("global_atomic_add v1, v0, s[0:1]\nv_mov_b32 v0, v1");
    // Stores read their registers when they are issued.
    good("global_store_dword v1, v0, s[0:1]\nv_mov_b32 v0, v1\nds_write_b32 v1, v0\nv_mov_b32 v0, 3");
}

#[test]
fn flat_returns_by_the_memory_that_its_lanes_reach() {
    let memory = "v_mov_b32 v4, s0\nv_mov_b32 v5, s1\nflat_load_dword v2, v[4:5]\n";
    let shared = "v_mov_b32 v4, 0\nv_mov_b32 v5, src_shared_base\nflat_load_dword v2, v[4:5]\n";
    good(&format!("{memory}s_waitcnt vmcnt(0)\nv_mov_b32 v3, v2"));
    bad(&format!("{memory}s_waitcnt lgkmcnt(0)\nv_mov_b32 v3, v2"), read("v2"), "vmcnt(0)", "v_mov_b32");
    good(&format!("{shared}s_waitcnt lgkmcnt(0)\nv_mov_b32 v3, v2"));
    bad(&format!("{shared}s_waitcnt vmcnt(0)\nv_mov_b32 v3, v2"), read("v2"), "lgkmcnt(0)", "v_mov_b32");
    // Lane 0 in memory, the others in LDS.
    let both = "v_mov_b32 v4, s0\nv_mov_b32 v5, s1\nv_cmp_eq_u32 vcc_lo, 0, v0\nv_mov_b32 v6, src_shared_base\n";
    let both = format!("{both}v_cndmask_b32 v4, 0, v4, vcc_lo\nv_cndmask_b32 v5, v6, v5, vcc_lo\n");
    let both = format!("{both}flat_load_dword v2, v[4:5]\n");
    for (wave, mask) in [(WaveSize::W32, "vcc_lo"), (WaveSize::W64, "vcc")] {
        for (wait, enough) in [("vmcnt(0)", false), ("lgkmcnt(0)", false), ("vmcnt(0) lgkmcnt(0)", true)] {
            let text = format!("{both}s_waitcnt {wait}\nv_mov_b32 v3, v2").replace("vcc_lo", mask);
            assert_eq!(found(&text, wave).is_empty(), enough, "{text}");
        }
    }
}

/// Of GCN FLAT is done in any order beside what else counts with it, if its lanes reach both memories: a wait that leaves some of it out
/// leaves any of it out. If all reach the one, it is in the order of that.
#[test]
fn flat_of_gcn_is_done_in_any_order() {
    // Lane 0 in memory, the others in LDS.
    let start = |shared: &str| {
        format!(
            "s_mov_b64 exec, -1\nv_mov_b32 v10, s0\nv_mov_b32 v11, s1\nv_mov_b32 v6, {shared}\nv_cmp_eq_u32 vcc, 0, v0\n\
             v_cndmask_b32 v4, 0, v10, vcc\nv_cndmask_b32 v5, v6, v11, vcc\n"
        )
    };
    let (both, memory) = ("flat_load_dword v2, v[4:5]\n", "flat_load_dword v2, v[10:11]\n");
    let behind = "flat_load_dword v3, v[10:11]\n";
    for (isa, shared, ordered) in [
        (Gen::Gfx701, "0x20000000", false),
        (Gen::Gfx900, "src_shared_base", false),
        (Gen::Gfx1010, "src_shared_base", true),
    ] {
        let start = start(shared);
        let found = |text: String| found_on(isa, &format!("{start}{text}v_mov_b32 v7, v2"));
        let wanted = |wait: &str| if ordered { vec![] } else { vec![(read("v2"), wait.to_string())] };
        assert_eq!(found(format!("{memory}{behind}s_waitcnt vmcnt(1)\n")), [], "{isa:?}");
        assert_eq!(found(format!("{both}{behind}s_waitcnt vmcnt(1) lgkmcnt(0)\n")), wanted("vmcnt(0)"), "{isa:?}");
        assert_eq!(found(format!("{both}{behind}s_waitcnt vmcnt(0) lgkmcnt(0)\n")), [], "{isa:?}");
        // LDS behind it may be done before it.
        let lds = "s_mov_b32 m0, -1\nds_read_b32 v3, v8\n";
        assert_eq!(found(format!("{both}{lds}s_waitcnt vmcnt(0) lgkmcnt(1)\n")), wanted("lgkmcnt(0)"), "{isa:?}");
        // It makes nothing older: what is in front of it is done by itself.
        let early = found(format!("flat_load_dword v2, v[10:11]\n{}s_waitcnt vmcnt(1)\n", both.replace("v2", "v3")));
        assert_eq!(early, wanted("vmcnt(0)"), "{isa:?}");
    }
}

#[test]
fn gds_takes_its_time_to_read() {
    let write = "s_mov_b32 m0, 0xffff\nds_write_b32 v1, v3 gds\n";
    bad(&format!("{write}v_mov_b32 v3, 0"), unread("v3"), "expcnt(0)", "v_mov_b32");
    bad(&format!("{write}v_mov_b32 v1, 0"), unread("v1"), "expcnt(0)", "v_mov_b32");
    bad(&format!("{write}s_mov_b32 exec_lo, 0"), unread("exec_lo"), "expcnt(0)", "s_mov_b32");
    good(&format!("{write}s_waitcnt expcnt(0)\nv_mov_b32 v3, 0"));
    good(&format!("{write}v_mov_b32 v4, v3"));
    bad("s_mov_b32 m0, 0xffff\nds_read_b32 v2, v1 gds\nv_mov_b32 v3, v2", read("v2"), "lgkmcnt(0)", "v_mov_b32");
}

#[test]
fn registers_that_m0_names() {
    let from = |m0: u32| format!("s_mov_b32 m0, {m0}\n{LOAD}v_movrels_b32 v8, v0");
    bad(&from(2), read("v2"), "vmcnt(0)", "v_movrels_b32");
    good(&from(3));
    let to = |m0: u32| format!("s_mov_b32 m0, {m0}\n{LOAD}v_movreld_b32 v0, v8");
    bad(&to(2), overwritten("v2"), "vmcnt(0)", "v_movreld_b32");
    good(&to(3));
}

#[test]
fn a_loop_carries_what_is_outstanding() {
    // The second round reads what the first one loads.
    let text = |wait: &str| {
        format!(
            "s_mov_b32 s4, 2\nv_mov_b32 v3, v2\n{LOAD}{wait}\ns_sub_u32 s4, s4, 1\ns_cmp_lg_u32 s4, 0\ns_cbranch_scc1 -7"
        )
    };
    bad(&text("s_nop 0"), read("v2"), "vmcnt(0)", "v_mov_b32");
    good(&text("s_waitcnt vmcnt(0)"));
}

#[test]
fn the_report_names_both_instructions() {
    let all = found(&format!("s_nop 0\n{LOAD}v_mov_b32 v3, v2"), WaveSize::W32);
    let [finding] = &all[..] else { panic!("{all:?}") };
    assert_eq!(finding.message(), "v2 is read before it is loaded: vmcnt(0) was to be waited for");
    let other = finding.other.as_ref().unwrap();
    assert_eq!((other.site.pc_offset, other.site.disassembly.as_str()), (4, "global_load_dword v2, v1, s[0:1]"));
    assert_eq!((other.site.lanes, finding.site.lanes, finding.site.pc_offset), (0xffff_ffff, 0xffff_ffff, 12));
}

/// One wait that is missing is told once, whatever is done with the register; one instruction may lack two.
#[test]
fn a_program_goes_on_behind_a_finding() {
    let again = format!("{LOAD}v_mov_b32 v3, v2\nv_mov_b32 v4, v2\nv_mov_b32 v2, 0");
    assert_eq!(found(&again, WaveSize::W32).len(), 1);
    let two = "global_load_dword v2, v1, s[0:1]\nglobal_load_dword v3, v1, s[0:1]\nv_add_f32 v4, v2, v3";
    let all = found(two, WaveSize::W32);
    let counts: Vec<u8> = all.iter().map(|f| missing(f).at_most).collect();
    assert_eq!(counts, [1, 0]);
    // Counted, in a loop.
    let rounds = format!(
        "s_mov_b32 s20, 3\n{LOAD}v_mov_b32 v3, v2\ns_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 -6"
    );
    let all = found(&rounds, WaveSize::W32);
    assert_eq!(all.iter().map(|f| f.count).collect::<Vec<_>>(), [3]);
}

/// Two waves: each writes its own dwords of LDS or of memory, and reads those of the other behind the barrier.
fn exchanged(before: &str, store: &str, wait: &str, load: &str) -> Option<Finding> {
    // v0 is the item, v1 the offset of its dword, v2 that of the item of the other wave.
    let text = format!(
        "v_lshlrev_b32 v1, 2, v0\nv_xor_b32 v2, 0x80, v1\n{before}\n{store}\n{wait}\ns_barrier\n{load}\ns_waitcnt vmcnt(0) lgkmcnt(0)"
    );
    let words = asm::assemble(&format!("{text}\ns_endpgm"), Gen::Gfx1010, 32).unwrap();
    let mut bed = Bed::new(WaveSize::W32, [64, 1, 1]);
    bed.group = WorkGroup::on(Arc::new(Device { checks: GuestChecks::WAIT, ..Device::default() }));
    bed.start(&words);
    bed.run().unwrap();
    // Where both waves do it, it is one finding, and wave 0's is told.
    let (all, _) = bed.group.take_findings();
    assert!(all.len() <= 1 && all.iter().all(|f| f.count <= 2 && f.site.wave == 0), "{all:?}");
    all.into_iter().next()
}

/// FLAT counts on two counters, and has been done when that of the memory is zero where its lanes went.
#[test]
fn flat_crosses_a_barrier_by_the_memory_that_its_lanes_reach() {
    let found = |before: &str, wait: &str, load: &str| {
        let counter = |f: Finding| missing(&f).counter;
        exchanged(before, "flat_store_dword v[4:5], v0", wait, load).map(counter)
    };
    let memory = "v_add_nc_u32 v4, s0, v1\nv_mov_b32 v5, s1";
    let load = "global_load_dword v3, v2, s[0:1]";
    assert_eq!(found(memory, "s_waitcnt_vscnt null, 0x0", load), None);
    assert_eq!(found(memory, "s_waitcnt lgkmcnt(0)", load), Some("vscnt"));
    let shared = "v_mov_b32 v4, v1\nv_mov_b32 v5, src_shared_base";
    let load = "ds_read_b32 v3, v2";
    assert_eq!(found(shared, "s_waitcnt lgkmcnt(0)", load), None);
    assert_eq!(found(shared, "s_waitcnt_vscnt null, 0x0", load), Some("lgkmcnt"));
}

#[test]
fn what_crosses_a_barrier_is_waited_for() {
    let found = |store: &str, wait: &str, load: &str| {
        exchanged("", store, wait, load).map(|f| {
            let m = missing(&f);
            (m.what.clone(), format!("{}({})", m.counter, m.at_most))
        })
    };
    let (write, read) = ("ds_write_b32 v1, v0", "ds_read_b32 v3, v2");
    let lds = |address, wave| Awaited::LdsBehindBarrier { address, wave };
    assert_eq!(found(write, "s_waitcnt lgkmcnt(0)", read), None);
    let first = found(write, "", read).unwrap();
    assert_eq!(first, (lds(0x80, 1), "lgkmcnt(0)".into()));
    // Behind it is another operation of the queue.
    let two = "ds_write_b32 v1, v0\nds_read_b32 v4, v1";
    assert_eq!(found(two, "", read).unwrap().1, "lgkmcnt(1)");
    assert_eq!(found(two, "s_waitcnt lgkmcnt(1)", read), None);
    // The other counter does nothing for it, and a wait behind the barrier comes too late.
    assert_eq!(found(write, "s_waitcnt vmcnt(0)", read).unwrap().1, "lgkmcnt(0)");
    assert_eq!(found(write, "", "s_waitcnt lgkmcnt(0)\nds_read_b32 v3, v2").unwrap().1, "lgkmcnt(0)");
    // What is read may not be overwritten either; reading twice, one's own data and atomics are no conflict.
    assert_eq!(found("ds_read_b32 v3, v1", "", "ds_write_b32 v2, v0").unwrap().1, "lgkmcnt(0)");
    assert_eq!(found("ds_read_b32 v3, v1", "", read), None);
    assert_eq!(found(write, "", "ds_read_b32 v3, v1"), None);
    assert_eq!(found("ds_add_u32 v1, v0", "", "ds_add_u32 v2, v0"), None);
    assert_eq!(found("ds_add_u32 v1, v0", "", read).unwrap().1, "lgkmcnt(0)");
    // Two elements of one instruction: the second is the other wave's.
    assert_eq!(
        found("ds_write_b32 v1, v0", "", "ds_read2_b32 v[4:5], v1 offset0:0 offset1:32").unwrap().0,
        lds(0x80, 1)
    );
    assert_eq!(found("ds_write_b32 v1, v0", "", "ds_read2_b32 v[4:5], v1 offset0:64 offset1:96"), None);
    // Memory.
    let (store, load) = ("global_store_dword v1, v0, s[0:1]", "global_load_dword v3, v2, s[0:1]");
    assert_eq!(found(store, "s_waitcnt vmcnt(0)", load).unwrap().1, "vscnt(0)");
    assert_eq!(found(store, "s_waitcnt_vscnt null, 0x0", load), None);
    assert_eq!(found(load, "", store).unwrap().1, "vmcnt(0)");
    assert_eq!(
        found("global_load_dword v3, v1, s[0:1]", "", "global_store_dword v2, v0, s[0:1]").unwrap().1,
        "vmcnt(0)"
    );
}
