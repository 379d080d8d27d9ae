//! Packets: every kind survives encode and decode, known packets have the dwords that the public drivers emit, and
//! no sequence of dwords makes the decoder panic.

use wavepipe_hw::perf::{Block, Counter, Event};
use wavepipe_hw::pm4::*;

fn samples() -> Vec<Packet> {
    let a = 0x0000_7fed_cba9_8765_u64 & !3;
    let mut v = vec![
        Packet::Nop { body: vec![] },
        Packet::Nop { body: vec![1, 2, 3] },
        Packet::SetShReg { reg: reg::COMPUTE_USER_DATA_0, values: vec![1, 2, 3, 4] },
        Packet::SetShReg { reg: reg::END - 1, values: vec![7] },
        Packet::SetUconfigReg { reg: uconfig::TA_CS_BC_BASE_ADDR, values: vec![0x1234, 5] },
        Packet::SetUconfigReg { reg: uconfig::TA_CS_BC_BASE_ADDR_HI, values: vec![6] },
        Packet::SetUconfigReg {
            reg: Counter { block: Block::Gl1c, index: 2 }.select(),
            values: vec![Event::L1Misses.select()],
        },
        Packet::DispatchDirect { groups: [1, 2, u32::MAX], initiator: initiator::COMPUTE_SHADER_EN },
        Packet::DispatchIndirect { address: a, initiator: initiator::CS_W32_EN },
        Packet::AcquireMem { gcr_cntl: gcr::BARRIER | gcr::GLI_INV_ALL, base: 0x1234_5600, size: 0x700 },
        Packet::CsPartialFlush,
        Packet::SamplePipelineStat { address: a },
        Packet::WriteData { address: a, data: vec![9, 8, 7] },
        Packet::IndirectBuffer { address: a, dwords: IB_MAX_DWORDS },
    ];
    for interrupt in [false, true] {
        for data in [
            ReleaseData::None,
            ReleaseData::Value32(0xdead_beef),
            ReleaseData::Value64(0x0123_4567_89ab_cdef),
            ReleaseData::Clock,
        ] {
            v.push(Packet::ReleaseMem { address: a, data, interrupt });
        }
    }
    for func in [
        WaitFunc::Always,
        WaitFunc::Less,
        WaitFunc::LessEqual,
        WaitFunc::Equal,
        WaitFunc::NotEqual,
        WaitFunc::GreaterEqual,
        WaitFunc::Greater,
    ] {
        v.push(Packet::WaitRegMem { address: a, reference: 1 << 40 | 5, mask: u64::MAX, func, wide: true });
        v.push(Packet::WaitRegMem { address: a, reference: 5, mask: 0xff, func, wide: false });
        v.push(Packet::WaitClock { tick: 1 << 40 | 7 });
    }
    for wide in [false, true] {
        for dest in [CopyDest::Memory(a), CopyDest::ShReg(reg::COMPUTE_USER_DATA_0 + 2)] {
            let counter = CopySource::Counter(Counter { block: Block::Sq, index: 15 });
            for source in [CopySource::Memory(a + 8), CopySource::Immediate(77), CopySource::Clock, counter] {
                v.push(Packet::CopyData { source, dest, wide });
            }
        }
    }
    for sync in [false, true] {
        for source in [DmaSource::Memory(a + 1), DmaSource::Fill(0x0102_0304)] {
            v.push(Packet::DmaData { source, dest: a + 3, bytes: 12345, sync });
        }
    }
    v
}

#[test]
fn every_packet_round_trips() {
    for p in samples() {
        let mut dw = Vec::new();
        p.encode(&mut dw);
        assert_eq!(Packet::decode(&dw), Ok((p.clone(), dw.len())), "{p:?} {dw:x?}");
        assert_eq!(Packet::length(dw[0]), Ok(dw.len()), "{p:?}");
        for cut in 1..dw.len() {
            assert!(
                matches!(Packet::decode(&dw[..cut]), Err(PacketError::Truncated { need, have }) if need == dw.len() && have == cut),
                "{p:?} cut to {cut}"
            );
        }
    }
}

/// Dwords written by hand from the packet tables of the public kernel driver.
#[test]
fn known_encodings() {
    let words = |p: Packet| {
        let mut v = Vec::new();
        p.encode(&mut v);
        v
    };
    assert_eq!(words(Packet::Nop { body: vec![] }), [0xffff_1002]);
    assert_eq!(words(Packet::CsPartialFlush), [0xc000_4602, 0x407]);
    assert_eq!(words(Packet::SamplePipelineStat { address: 0x1_2345_6788 }), [0xc002_4602, 0x21e, 0x2345_6788, 1]);
    assert_eq!(words(Packet::DispatchDirect { groups: [4, 5, 6], initiator: 0x8001 }), [0xc003_1502, 4, 5, 6, 0x8001]);
    assert_eq!(
        words(Packet::SetShReg { reg: reg::COMPUTE_PGM_LO, values: vec![0x11, 0x22] }),
        [0xc002_7602, 0x20c, 0x11, 0x22]
    );
    assert_eq!(
        words(Packet::WaitRegMem {
            address: 0x1_0000_0010,
            reference: 3,
            mask: 0xffff_ffff,
            func: WaitFunc::GreaterEqual,
            wide: false
        }),
        [0xc005_3c02, 0x15, 0x10, 1, 3, 0xffff_ffff, 4]
    );
    // DATA_SEL 2 (64 bits) in 31:29, INT_SEL 2 in 26:24.
    let w = words(Packet::ReleaseMem { address: 0x10, data: ReleaseData::Value64(7), interrupt: true });
    assert_eq!((w[0], w[2], &w[3..]), (0xc006_4902, 2 << 29 | 2 << 24, &[0x10, 0, 7, 0, 0][..]));
    assert_eq!(w[1] & 0xf3f, 40 | 5 << 8);
    assert_eq!(
        words(Packet::DmaData { source: DmaSource::Fill(1), dest: 0x100, bytes: 64, sync: true }),
        [0xc005_5002, 1 << 31 | 2 << 29 | 3 << 20, 1, 0, 0x100, 0, 64]
    );
    assert_eq!(
        words(Packet::CopyData { source: CopySource::Memory(0x40), dest: CopyDest::ShReg(0x240), wide: false }),
        [0xc004_4002, 1 | 1 << 20, 0x40, 0, 0x2e40, 0]
    );
    assert_eq!(words(Packet::IndirectBuffer { address: 0x40, dwords: 3 }), [0xc002_3f02, 0x40, 0, 1 << 23 | 3]);
}

#[test]
fn long_transfers_become_several_packets() {
    let bytes = 2 * DMA_MAX_BYTES + 5;
    let mut dw = Vec::new();
    Packet::DmaData { source: DmaSource::Memory(0x1000), dest: 0x9000_0000, bytes, sync: true }.encode(&mut dw);
    let (mut at, mut sum, mut syncs) = (0, 0, Vec::new());
    while at < dw.len() {
        let (p, n) = Packet::decode(&dw[at..]).unwrap();
        let Packet::DmaData { source: DmaSource::Memory(s), dest, bytes, sync } = p else { panic!("{p:?}") };
        assert_eq!((s, dest), (0x1000 + u64::from(sum), 0x9000_0000 + u64::from(sum)));
        sum += bytes;
        syncs.push(sync);
        at += n;
    }
    assert_eq!((sum, syncs), (bytes, vec![false, false, true]));

    let data: Vec<u32> = (0..40_000).collect();
    let mut dw = Vec::new();
    Packet::WriteData { address: 0x1000, data: data.clone() }.encode(&mut dw);
    let (mut at, mut seen) = (0, Vec::new());
    while at < dw.len() {
        let (p, n) = Packet::decode(&dw[at..]).unwrap();
        let Packet::WriteData { address, data } = p else { panic!("{p:?}") };
        assert_eq!(address, 0x1000 + 4 * seen.len() as u64);
        seen.extend(data);
        at += n;
    }
    assert_eq!(seen, data);
}

#[test]
fn no_dwords_panic_the_decoder() {
    let mut x = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x as u32
    };
    for i in 0..200_000 {
        let mut dw: Vec<u32> = (0..9).map(|_| next()).collect();
        if i % 2 == 0 {
            dw[0] = 3 << 30 | (dw[0] & 7) << 16 | dw[0] & 0xff00;
        }
        if let Ok((p, n)) = Packet::decode(&dw) {
            assert!(n <= dw.len());
            let mut again = Vec::new();
            p.encode(&mut again);
            if !again.is_empty() {
                assert_eq!(Packet::decode(&again).map(|(q, _)| q), Ok(p));
            }
        }
    }
    assert!(matches!(Packet::decode(&[]), Err(PacketError::Truncated { .. })));
    assert!(matches!(Packet::decode(&[0x0000_1234]), Err(PacketError::NotType3 { .. })));
}
