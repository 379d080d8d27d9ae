//! What S_TTRACEDATA sends: messages of several dwords, from waves in turn, by the run loop and step by step; to nobody, nothing.

use crate::wave::Bed;
use std::sync::Arc;
use wavepipe_core::GuestChecks;
use wavepipe_core::wave::{CodeCache, Device, Flow, Outcome, Outside, Touch, WorkGroup};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::finding::FindingKind;
use wavepipe_hw::site::first_dword;
use wavepipe_isa::{Gen, asm};

/// Two waves with `text`.
fn bed(text: &str, device: Device) -> Bed {
    let words = asm::assemble(&format!("{text}\ns_endpgm"), Gen::Gfx1010, 32);
    let mut bed = Bed::new(WaveSize::W32, [64, 1, 1]);
    bed.group = WorkGroup::on(Arc::new(device));
    bed.start(&words.unwrap_or_else(|e| panic!("{e}\n{text}")));
    bed
}

fn listening() -> Device {
    Device { thread_trace: true, ..Device::default() }
}

/// Wave, lanes, place behind the kernel's begin, site, payload.
type Sent = (u32, u64, u64, u32, Vec<u32>);

fn sent(bed: &mut Bed) -> Vec<Sent> {
    let code = bed.launch.code_va;
    let messages = bed.group.take_messages();
    let all = messages.iter().flat_map(|m| m.iter());
    all.map(|m| (m.wave, m.lanes, m.pc - code, m.site, m.payload.to_vec())).collect()
}

fn run(bed: &mut Bed) -> Vec<Sent> {
    bed.run().unwrap();
    sent(bed)
}

/// The waves in turn, an instruction each.
fn stepped(bed: &mut Bed) -> Vec<Sent> {
    let (map, code, mut touch) = (bed.map(), CodeCache::new(), Touch::default());
    let outside = Outside { map: &map, code: &code, cycle: 0, ticks: 0 };
    let mut ended = [false; 2];
    while ended != [true; 2] {
        for (wave, ended) in ended.iter_mut().enumerate() {
            *ended |= matches!(bed.group.step(wave, &outside, &mut touch), Flow::Ended);
        }
    }
    sent(bed)
}

fn dword(first: u32) -> String {
    format!("s_mov_b32 m0, {first:#x}\ns_ttracedata\n")
}

#[test]
fn a_message_is_whole_and_its_waves() {
    let text = format!(
        "s_mov_b32 exec_lo, 0xf0\n{}{}s_mov_b32 exec_lo, 1\n{}{}",
        dword(first_dword(5, false, 2)),
        dword(77),
        dword(0x8000_0000),
        dword(first_dword(6, false, 0))
    );
    let of = |wave| [(wave, 0xf0, 16, 5, vec![77, 0x8000_0000]), (wave, 1, 52, 6, vec![])];
    let in_turn: Vec<Sent> = of(0).into_iter().chain(of(1)).collect();
    assert_eq!(run(&mut bed(&text, listening())), in_turn);
    let mut together = stepped(&mut bed(&text, listening()));
    assert_eq!(together.iter().map(|m| m.0).collect::<Vec<_>>(), [0, 1, 0, 1]);
    together.sort_by_key(|m| m.0);
    assert_eq!(together, in_turn);
    // With nobody who reads it, it goes nowhere.
    assert_eq!(run(&mut bed(&text, Device::default())), []);
}

/// They are marks of their own (`wavepipe_hw::order`).
#[test]
fn immediates_are_no_part_of_a_message() {
    let text = format!("{}s_ttracedata_imm 0x9\n{}", dword(first_dword(1, false, 1)), dword(3));
    assert_eq!(run(&mut bed(&text, listening()))[0], (0, 0xffff_ffff, 8, 1, vec![3]));
}

#[test]
fn with_no_lane_left_it_holds_for_nobody() {
    let text = format!("s_mov_b32 exec_lo, 0\n{}{}s_mov_b32 exec_lo, 2\n", dword(first_dword(1, false, 1)), dword(3));
    let text = text + &dword(first_dword(2, false, 0));
    let all = run(&mut bed(&text, listening()));
    assert_eq!(all.iter().map(|m| (m.1, m.3)).collect::<Vec<_>>(), [(2, 2), (2, 2)]);
}

/// A part of a message of one work-group is none of the next one.
#[test]
fn nothing_is_left_for_the_next_work_group() {
    let mut bed = bed(&dword(first_dword(1, false, 3)), listening());
    assert_eq!(run(&mut bed), []);
    bed.group.start(&Arc::new(bed.launch.clone()), [1, 0, 0], 0);
    assert_eq!(run(&mut bed), []);
}

/// The run loop comes back when there is much to take, and nothing is lost.
#[test]
fn many_messages_are_taken_in_parts() {
    let loop_text = "s_movk_i32 s8, 0x7000
        s_mov_b32 m0, 3
        s_ttracedata
        s_add_u32 s8, s8, -1
        s_cmp_lg_u32 s8, 0
        s_cbranch_scc1 -5";
    let mut bed = bed(loop_text, listening());
    let (mut parts, mut total) = (0, 0);
    loop {
        let outcome = bed.group.run(&bed.memory.snapshot(), &bed.cache, 10_000_000);
        total += sent(&mut bed).len();
        parts += 1;
        match outcome {
            Outcome::Done => break,
            Outcome::Budget => {}
            Outcome::Fault(f) => panic!("{f:?}"),
        }
    }
    assert_eq!(total, 2 * 0x7000);
    assert!(parts > 5, "{parts}");
}

/// What is marked so is a finding where that is checked, counted once for its site, and the fault of a wave that is to stop.
#[test]
fn findings_are_noted() {
    let text = format!("s_mov_b32 exec_lo, 0xc\n{}{}", dword(first_dword(4, true, 1)), dword(99));
    let with = |checks| Device { checks, ..listening() };
    let mut unchecked = bed(&text, listening());
    assert_eq!(run(&mut unchecked), []);
    assert!(unchecked.group.take_findings().0.is_empty());
    let mut checked = bed(&text, with(GuestChecks::MEM));
    assert_eq!(run(&mut checked), []);
    let (found, more) = checked.group.take_findings();
    assert_eq!((found.len(), more), (1, 0));
    assert_eq!(found[0].kind, FindingKind::Told { site: 4, payload: vec![99] });
    let site = &found[0].site;
    assert_eq!((found[0].count, site.wave, site.lane, site.lanes, site.pc_offset), (2, 0, 2, 0xc, 12));
    let mut stops = bed(&text, with(GuestChecks::MEM | GuestChecks::STOP));
    let fault = stops.run().unwrap_err();
    assert!(matches!(&fault.kind, FaultKind::Finding(f) if f.site.lane == 2), "{fault:?}");
}
