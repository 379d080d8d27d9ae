//! Packets that differ by generation, by hand from Mesa's sid.h and Linux's packet headers; what a generation has not, it refuses;
//! no sequence of dwords makes the decoder of any panic.

use crate::split_mix;
use wavepipe_hw::perf::{Block, Counter};
use wavepipe_hw::pm4::{
    CopyDest, CopySource, DmaSource, Packet, PacketError, WaitFunc, arguments_alignment, has_uconfig, has_wide_waits,
    reg, uconfig,
};
use wavepipe_isa::Gen;

const GENERATIONS: [Gen; 5] = [Gen::Gfx600, Gen::Gfx701, Gen::Gfx900, Gen::Gfx1010, Gen::Gfx1030];

fn words(p: &Packet, isa: Gen) -> Vec<u32> {
    let mut w = Vec::new();
    p.encode(isa, &mut w);
    w
}

/// The packets in dwords, to the last.
fn all(dwords: &[u32], isa: Gen) -> Vec<Packet> {
    let (mut at, mut out) = (0, Vec::new());
    while at < dwords.len() {
        let (p, n) = Packet::decode(&dwords[at..], isa).unwrap_or_else(|e| panic!("{isa:?}: {e}"));
        assert_eq!(Packet::length(dwords[at], isa), Ok(n));
        out.push(p);
        at += n;
    }
    out
}

fn refuses(dwords: &[u32], isa: Gen) -> PacketError {
    Packet::decode(dwords, isa).expect_err("refused")
}

#[test]
fn copies_are_cp_dma_on_gcn_1_and_dma_data_since() {
    let copy = |source, sync| Packet::DmaData { source, dest: 0x12_3456_7890, bytes: 64, sync };
    let (from, fill) = (copy(DmaSource::Memory(0x9a_bcde_f012), true), copy(DmaSource::Fill(7), false));
    assert_eq!(words(&from, Gen::Gfx600), [0xc004_4102, 0xbcde_f012, 1 << 31 | 0x9a, 0x3456_7890, 0x12, 64]);
    assert_eq!(words(&fill, Gen::Gfx600), [0xc004_4102, 7, 2 << 29, 0x3456_7890, 0x12, 64]);
    for isa in &GENERATIONS[1..] {
        let control = 1 << 31 | 3 << 29 | 3 << 20;
        assert_eq!(words(&from, *isa), [0xc005_5002, control, 0xbcde_f012, 0x9a, 0x3456_7890, 0x12, 64]);
    }
    for isa in GENERATIONS {
        for p in [&from, &fill] {
            assert_eq!(all(&words(p, isa), isa), std::slice::from_ref(p), "{isa:?}");
        }
        let other = if isa == Gen::Gfx600 { Gen::Gfx701 } else { Gen::Gfx600 };
        let opcode = if isa == Gen::Gfx600 { 0x50 } else { 0x41 };
        assert_eq!(refuses(&words(&from, other), isa), PacketError::UnknownOpcode { opcode }, "{isa:?}");
    }
    // GCN 1's copies go past L2: there is no select through it.
    let through = [0xc004_4102, 0, 3 << 29, 0, 0, 64];
    assert!(matches!(refuses(&through, Gen::Gfx600), PacketError::BadField { value: 0x6000_0000, dword: 2, .. }));
}

/// PAL's packets of GFX9 are the first with WAIT_REG_MEM64; Linux's headers up to vid.h have none.
#[test]
fn waits_of_64_bits_are_new_with_gcn_5() {
    let wait = |reference, wide| {
        let (mask, func) = (if wide { u64::MAX } else { 0xffff_ffff }, WaitFunc::GreaterEqual);
        Packet::WaitRegMem { address: 0x12_3456_7890, reference, mask, func, wide }
    };
    let narrow = [0xc005_3c02, 0x15, 0x3456_7890, 0x12, 7, !0, 4];
    let wide = [0xc007_9302, 0x15, 0x3456_7890, 0x12, 9, 7, !0, !0, 4];
    let clock = [0xc007_9302, 5, 0x26, 0, 9, 7, !0, !0, 4];
    for isa in GENERATIONS {
        assert_eq!(words(&wait(7, false), isa), narrow, "{isa:?}");
        assert_eq!(all(&narrow, isa), [wait(7, false)], "{isa:?}");
        assert_eq!(has_wide_waits(isa), isa >= Gen::Gfx900);
        if has_wide_waits(isa) {
            assert_eq!(words(&wait(7 << 32 | 9, true), isa), wide, "{isa:?}");
            assert_eq!(all(&wide, isa), [wait(7 << 32 | 9, true)], "{isa:?}");
            assert_eq!(all(&clock, isa), [Packet::WaitClock { tick: 7 << 32 | 9 }], "{isa:?}");
        } else {
            assert_eq!(refuses(&wide, isa), PacketError::UnknownOpcode { opcode: 0x93 }, "{isa:?}");
            assert_eq!(refuses(&clock, isa), PacketError::UnknownOpcode { opcode: 0x93 }, "{isa:?}");
        }
    }
}

#[test]
fn a_packet_copies_as_much_as_its_count_says() {
    for (isa, most) in [(Gen::Gfx600, 21), (Gen::Gfx701, 21), (Gen::Gfx900, 26), (Gen::Gfx1030, 26)] {
        let most = (1u32 << most) - 64;
        let long =
            Packet::DmaData { source: DmaSource::Memory(0x1000), dest: 0x9000_0000, bytes: 3 * most + 5, sync: true };
        let parts = all(&words(&long, isa), isa);
        let mut at = 0;
        for (n, p) in parts.iter().enumerate() {
            let Packet::DmaData { source: DmaSource::Memory(s), dest, bytes, sync } = *p else { panic!("{p:?}") };
            assert_eq!((s, dest), (0x1000 + at, 0x9000_0000 + at), "{isa:?}");
            assert_eq!((bytes, sync), if n == 3 { (5, true) } else { (most, false) }, "{isa:?}");
            at += u64::from(bytes);
        }
        assert_eq!(parts.len(), 4, "{isa:?}");
    }
    // A bit that counts on one generation swaps bytes on an older one.
    let dwords = [0xc005_5002, 0, 0, 0, 0, 0, 1 << 22];
    assert!(matches!(refuses(&dwords, Gen::Gfx701), PacketError::BadField { dword: 6, .. }));
    assert!(matches!(Packet::decode(&dwords, Gen::Gfx900), Ok((Packet::DmaData { bytes: 0x40_0000, .. }, 7))));
}

#[test]
fn indirect_packets() {
    let ib = Packet::IndirectBuffer { address: 0x40, dwords: 3 };
    let dispatch = Packet::DispatchIndirect { address: 0x1_2345_6780, initiator: 0x21 };
    assert_eq!(words(&ib, Gen::Gfx600), [0xc002_3202, 0x40, 0, 1 << 23 | 3]);
    // GCN 1 has no micro engine of compute: its arguments are at an offset from a base.
    let based = [0xc002_1102, 1, 0x2345_6780, 1, 0xc001_1602, 0, 0x21];
    assert_eq!(words(&dispatch, Gen::Gfx600), based);
    let two = [Packet::SetBase { address: 0x1_2345_6780 }, Packet::DispatchAtBase { offset: 0, initiator: 0x21 }];
    assert_eq!(all(&based, Gen::Gfx600), two);
    assert!(matches!(refuses(&[0xc002_1102, 0, 0, 0], Gen::Gfx600), PacketError::BadField { dword: 1, .. }));
    for isa in &GENERATIONS[1..] {
        assert_eq!(words(&ib, *isa)[0], 0xc002_3f02);
        assert_eq!(words(&dispatch, *isa), [0xc002_1602, 0x2345_6780, 1, 0x21]);
        assert_eq!(all(&words(&dispatch, *isa), *isa), std::slice::from_ref(&dispatch));
        assert_eq!(refuses(&based, *isa), PacketError::UnknownOpcode { opcode: 0x11 });
        assert_eq!(refuses(&words(&ib, Gen::Gfx600), *isa), PacketError::UnknownOpcode { opcode: 0x32 });
    }
    assert_eq!(refuses(&words(&ib, Gen::Gfx701), Gen::Gfx600), PacketError::UnknownOpcode { opcode: 0x3f });
    // GCN 2's engine has its arguments on 32 bytes.
    for isa in &GENERATIONS[1..] {
        let unaligned = [0xc002_1602, 0x2345_6784, 1, 0x21];
        let read = Packet::decode(&unaligned, *isa);
        assert_eq!(arguments_alignment(*isa), if *isa == Gen::Gfx701 { 32 } else { 4 });
        match isa {
            Gen::Gfx701 => assert!(matches!(read, Err(PacketError::BadField { value: 0x2345_6784, dword: 1, .. }))),
            _ => assert!(read.is_ok(), "{isa:?}: {read:?}"),
        }
    }
    let short = PacketError::BadLength { opcode: 0x16, need: 2, have: 3 };
    assert_eq!(refuses(&words(&dispatch, Gen::Gfx701), Gen::Gfx600), short);
}

/// Linux fills GCN 1's rings with packets of type 2, and later ones with a NOP that is its header.
#[test]
fn fillers() {
    let nop = Packet::Nop { body: Vec::new() };
    assert_eq!(words(&nop, Gen::Gfx600), [0x8000_0000]);
    assert_eq!(Packet::length(0xffff_1002, Gen::Gfx600), Ok(0x4001));
    for isa in GENERATIONS {
        assert_eq!(all(&words(&nop, isa), isa), std::slice::from_ref(&nop));
        assert_eq!(all(&[0x8000_0000], isa), std::slice::from_ref(&nop));
        if isa != Gen::Gfx600 {
            assert_eq!(words(&nop, isa), [0xffff_1002]);
        }
    }
}

/// The border colours' address and the counters' selects are CONFIG registers on GCN 1, from 0x8000 on.
#[test]
fn config_registers_are_gcn_1_s() {
    let colors = Packet::SetUconfigReg { reg: uconfig::TA_CS_BC_BASE_ADDR, values: vec![0x1234, 0] };
    let alone = Packet::SetUconfigReg { reg: uconfig::TA_CS_BC_BASE_ADDR, values: vec![0x1234] };
    assert_eq!(words(&colors, Gen::Gfx600), [0xc001_6802, (0x950c - 0x8000) / 4, 0x1234]);
    assert_eq!(all(&words(&colors, Gen::Gfx600), Gen::Gfx600), [alone]);
    assert!(has_uconfig(uconfig::TA_CS_BC_BASE_ADDR_HI, Gen::Gfx701));
    assert!(!has_uconfig(uconfig::TA_CS_BC_BASE_ADDR_HI, Gen::Gfx600));
    for isa in &GENERATIONS[1..] {
        assert_eq!(words(&colors, *isa), [0xc002_7902, 0x380, 0x1234, 0]);
        assert_eq!(all(&words(&colors, *isa), *isa), std::slice::from_ref(&colors));
        assert_eq!(refuses(&words(&colors, Gen::Gfx600), *isa), PacketError::UnknownOpcode { opcode: 0x68 });
    }
    assert_eq!(refuses(&words(&colors, Gen::Gfx701), Gen::Gfx600), PacketError::UnknownOpcode { opcode: 0x79 });
    let mut places = std::collections::HashSet::new();
    for block in Block::ALL {
        for index in 0..block.counters() as u8 {
            let select = Packet::SetUconfigReg { reg: Counter { block, index }.select(), values: vec![9] };
            let dwords = words(&select, Gen::Gfx600);
            assert!(places.insert(dwords[1]), "{block:?} {index} shares its place");
            assert_eq!(all(&dwords, Gen::Gfx600), [select]);
        }
    }
    let stranger = [0xc001_6802, 0x543 + 1, 0];
    assert!(matches!(refuses(&stranger, Gen::Gfx600), PacketError::BadField { dword: 1, .. }));
}

/// COMPUTE_* registers, by the register database of each generation: byte addresses of some at the edges.
#[test]
fn compute_registers_are_the_generation_s() {
    let since = |isa: Gen, last: u32| [isa as u32, last];
    // Name, byte address, the first generation that has it.
    for (name, at, [first, last]) in [
        ("START_Z", 0xb818, since(Gen::Gfx600, u32::MAX)),
        ("PIPELINESTAT_ENABLE", 0xb828, since(Gen::Gfx701, u32::MAX)),
        ("TMPRING_SIZE", 0xb860, since(Gen::Gfx600, u32::MAX)),
        ("STATIC_THREAD_MGMT_SE2", 0xb864, since(Gen::Gfx701, u32::MAX)),
        ("DISPATCH_ID", 0xb880, since(Gen::Gfx900, u32::MAX)),
        ("WAVE_RESTORE_ADDR_LO", 0xb88c, since(Gen::Gfx900, Gen::Gfx900 as u32)),
        ("PGM_RSRC3", 0xb8a0, since(Gen::Gfx1010, u32::MAX)),
        ("USER_DATA_15", 0xb93c, since(Gen::Gfx600, u32::MAX)),
        ("no register", 0xb940, since(Gen::Gfx1201, 0)),
        ("DISPATCH_TUNNEL", 0xb9f4, since(Gen::Gfx1010, u32::MAX)),
        ("a register of graphics", 0xb020, since(Gen::Gfx1201, 0)),
    ] {
        for isa in GENERATIONS {
            let has = (first..=last).contains(&(isa as u32));
            let number = (at - 0xb000) / 4;
            let set = Packet::decode(&[0xc001_7602, number, 5], isa);
            assert_eq!(set.is_ok(), has, "{name} on {isa:?}: {set:?}");
            let copy = words(
                &Packet::CopyData {
                    source: CopySource::Immediate(1),
                    dest: CopyDest::ShReg(number as u16),
                    wide: false,
                },
                isa,
            );
            assert_eq!(Packet::decode(&copy, isa).is_ok(), has, "{name} on {isa:?}");
        }
    }
    // A run may not leave them.
    let user =
        |n: usize| [vec![3 << 30 | (n as u32) << 16 | 0x7602, reg::COMPUTE_USER_DATA_0.into()], vec![0; n]].concat();
    assert!(Packet::decode(&user(16), Gen::Gfx600).is_ok());
    assert!(matches!(refuses(&user(17), Gen::Gfx600), PacketError::BadField { dword: 1, .. }));
}

#[test]
fn no_dwords_panic_any_generation() {
    let mut x = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || split_mix::split_mix(&mut x) as u32;
    for i in 0..200_000 {
        let mut dw: Vec<u32> = (0..9).map(|_| next()).collect();
        if i % 2 == 0 {
            dw[0] = 3 << 30 | (dw[0] & 7) << 16 | dw[0] & 0xff00;
        }
        for isa in GENERATIONS {
            if let Ok((p, n)) = Packet::decode(&dw, isa) {
                assert!(n <= dw.len());
                let again = words(&p, isa);
                if !again.is_empty() {
                    assert_eq!(Packet::decode(&again, isa).map(|(q, _)| q), Ok(p), "{isa:?}");
                }
            }
        }
    }
}
