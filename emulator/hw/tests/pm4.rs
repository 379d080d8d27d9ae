//! Packets: every kind survives encode and decode, and known packets have the dwords that the public drivers emit.

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
        p.encode(wavepipe_isa::Gen::Gfx1010, &mut dw);
        assert_eq!(Packet::decode(&dw, wavepipe_isa::Gen::Gfx1010), Ok((p.clone(), dw.len())), "{p:?} {dw:x?}");
        assert_eq!(Packet::length(dw[0], wavepipe_isa::Gen::Gfx1010), Ok(dw.len()), "{p:?}");
        for cut in 1..dw.len() {
            assert!(
                matches!(Packet::decode(&dw[..cut], wavepipe_isa::Gen::Gfx1010), Err(PacketError::Truncated { need, have }) if need == dw.len() && have == cut),
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
        p.encode(wavepipe_isa::Gen::Gfx1010, &mut v);
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
    Packet::DmaData { source: DmaSource::Memory(0x1000), dest: 0x9000_0000, bytes, sync: true }
        .encode(wavepipe_isa::Gen::Gfx1010, &mut dw);
    let (mut at, mut sum, mut syncs) = (0, 0, Vec::new());
    while at < dw.len() {
        let (p, n) = Packet::decode(&dw[at..], wavepipe_isa::Gen::Gfx1010).unwrap();
        let Packet::DmaData { source: DmaSource::Memory(s), dest, bytes, sync } = p else { panic!("{p:?}") };
        assert_eq!((s, dest), (0x1000 + u64::from(sum), 0x9000_0000 + u64::from(sum)));
        sum += bytes;
        syncs.push(sync);
        at += n;
    }
    assert_eq!((sum, syncs), (bytes, vec![false, false, true]));

    let data: Vec<u32> = (0..40_000).collect();
    let mut dw = Vec::new();
    Packet::WriteData { address: 0x1000, data: data.clone() }.encode(wavepipe_isa::Gen::Gfx1010, &mut dw);
    let (mut at, mut seen) = (0, Vec::new());
    while at < dw.len() {
        let (p, n) = Packet::decode(&dw[at..], wavepipe_isa::Gen::Gfx1010).unwrap();
        let Packet::WriteData { address, data } = p else { panic!("{p:?}") };
        assert_eq!(address, 0x1000 + 4 * seen.len() as u64);
        seen.extend(data);
        at += n;
    }
    assert_eq!(seen, data);
}

#[test]
fn what_is_no_packet_is_refused() {
    assert!(matches!(Packet::decode(&[], wavepipe_isa::Gen::Gfx1010), Err(PacketError::Truncated { .. })));
    assert!(matches!(Packet::decode(&[0x0000_1234], wavepipe_isa::Gen::Gfx1010), Err(PacketError::NotType3 { .. })));
}

use wavepipe_isa::Gen;

/// Cache packets as Linux writes them on each generation, by hand; each is read as it was meant, and no other generation takes it.
#[test]
fn cache_packets_are_their_generations() {
    let cntl = gcr::GLI_INV_ALL | gcr::GLK_INV | gcr::GLV_INV | gcr::GL2_INV | gcr::GL2_WB | gcr::GLK_WB;
    let acquire = Packet::AcquireMem { gcr_cntl: cntl, base: 0, size: u64::MAX };
    let part = Packet::AcquireMem { gcr_cntl: gcr::GLI_INV_RANGE, base: 0x12_3456_7800, size: 0x300 };
    let release =
        Packet::ReleaseMem { address: 0x12_3456_7890, data: ReleaseData::Value64(0x1_0000_0007), interrupt: true };
    let words = |p: &Packet, isa: Gen| {
        let mut w = Vec::new();
        p.encode(isa, &mut w);
        w
    };
    let coher = 1 << 22 | 1 << 23 | 1 << 27 | 1 << 29;
    assert_eq!(words(&acquire, Gen::Gfx600), [0xc003_4302, coher, 0xffff_ffff, 0, 10]);
    assert_eq!(words(&acquire, Gen::Gfx701), [0xc005_5802, coher | 1 << 18, 0xffff_ffff, 0xff, 0, 0, 10]);
    assert_eq!(words(&acquire, Gen::Gfx900), [0xc005_5802, coher | 1 << 18 | 1 << 30, 0xffff_ffff, 0xff, 0, 0, 10]);
    assert_eq!(words(&part, Gen::Gfx600), [0xc003_4302, 1 << 29, 3, 0x1234_5678, 10]);
    assert_eq!(words(&part, Gen::Gfx900), [0xc005_5802, 1 << 29, 3, 0, 0x1234_5678, 0, 10]);
    assert_eq!(words(&part, Gen::Gfx1030), [0xc006_5802, 0, 3, 0, 0x1234_5678, 0, 10, 2]);
    let select = 2 << 29 | 2 << 24;
    assert_eq!(words(&release, Gen::Gfx600), [0xc004_4702, 0x528, 0x3456_7890, 0x12 | select, 7, 1]);
    let event = 0x528 | 7 << 15;
    assert_eq!(words(&release, Gen::Gfx701), [0xc005_4902, event, select, 0x3456_7890, 0x12, 7, 1]);
    assert_eq!(words(&release, Gen::Gfx900), [0xc006_4902, event, select, 0x3456_7890, 0x12, 7, 1, 0]);
    // What a generation has no bit for is not asked for.
    let lacks = |isa| match isa {
        Gen::Gfx600 => gcr::GL2_WB | gcr::GLK_WB,
        Gen::Gfx701 => gcr::GLK_WB,
        _ => 0,
    };
    let generations = [Gen::Gfx600, Gen::Gfx701, Gen::Gfx900, Gen::Gfx1010, Gen::Gfx1030];
    for isa in generations {
        let want = Packet::AcquireMem { gcr_cntl: cntl & !lacks(isa), base: 0, size: u64::MAX };
        let (read, _) = Packet::decode(&words(&acquire, isa), isa).unwrap();
        match read {
            // GCR_CNTL's size has 64 bits, which blocks of 256 bytes fill to the last.
            Packet::AcquireMem { gcr_cntl, base: 0, size }
                if gcr_cntl == cntl & !lacks(isa) && size >= u64::MAX - 255 => {}
            _ => assert_eq!(read, want, "{isa:?}"),
        }
        assert_eq!(Packet::decode(&words(&part, isa), isa).unwrap().0, part, "{isa:?}");
        assert_eq!(Packet::decode(&words(&release, isa), isa).unwrap().0, release, "{isa:?}");
        for other in generations {
            for p in [&acquire, &release] {
                let (own, theirs) = (words(p, isa), words(p, other));
                let same = own.len() == theirs.len() && own[0] == theirs[0];
                assert_eq!(Packet::decode(&theirs, isa).is_ok(), same, "{isa:?} reads {other:?}'s {theirs:x?}");
            }
        }
    }
    let unknown = Packet::decode(&words(&release, Gen::Gfx600), Gen::Gfx900);
    assert_eq!(unknown, Err(PacketError::UnknownOpcode { opcode: 0x47 }));
}
