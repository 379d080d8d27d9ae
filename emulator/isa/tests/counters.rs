//! What counts where, and what is waited for.

use wavepipe_isa::wait::{Counter, Counts, Event, Queue};
use wavepipe_isa::{Gen, Instr, Src, asm, decode};

fn on(text: &str, generation: Gen) -> Instr {
    let lanes = if generation.caps().wave32 { 32 } else { 64 };
    let words = asm::assemble(text, generation, lanes).unwrap();
    decode::decode(&words, generation).unwrap().0
}

fn instr(text: &str) -> Instr {
    on(text, Gen::Gfx1010)
}

fn events(text: &str) -> Vec<Event> {
    instr(text).events(Gen::Gfx1010).map(|c| c.event).collect()
}

/// The bytes are llvm-mc's.
#[test]
fn waitcnt_packs_as_the_manual_says() {
    let counts = Counts::NONE.with(Counter::Vm, 0x2a).with(Counter::Exp, 3).with(Counter::Lgkm, 9);
    for (generation, bits, nothing) in [
        (Gen::Gfx600, 0x093f, 0x0f7f),
        (Gen::Gfx701, 0x093f, 0x0f7f),
        (Gen::Gfx900, 0x893a, 0xcf7f),
        (Gen::Gfx1010, 0x893a, 0xff7f),
        (Gen::Gfx1030, 0x893a, 0xff7f),
        (Gen::Gfx1100, 0xa893, 0xfff7),
    ] {
        assert_eq!(counts.imm(generation) as u16, bits, "{generation:?}");
        assert_eq!(Counts::NONE.imm(generation) as u16, nothing, "{generation:?}");
        assert_eq!(Counts::ZERO.imm(generation), 0);
        for imm in 0..0x1_0000 {
            let counts = Counts::of_imm(imm, generation);
            assert_eq!(counts.imm(generation) as u16, imm as u16 & nothing, "{generation:?}");
        }
        // As many as a counter holds are no wait, and so are more.
        assert_eq!(Counts::of_imm(counts.imm(generation), generation).asked(Counter::Vm).is_some(), bits != 0x093f);
    }
}

/// Until RDNA 1 stores count as loads do, in one order; GCN 1 has their data read late. The counters' widths are LLVM's.
#[test]
fn counters_are_the_generations() {
    let places = |text: &str, generation: Gen| -> Vec<(Event, Counter, u8)> {
        on(text, generation).events(generation).map(|c| (c.event, c.counter, c.most)).collect()
    };
    let store = "buffer_store_dword v0, off, s[0:3], 0";
    assert_eq!(
        places(store, Gen::Gfx600),
        [(Event::VectorStore, Counter::Vm, 14), (Event::StoreData, Counter::Exp, 6)]
    );
    assert_eq!(places(store, Gen::Gfx701), [(Event::VectorStore, Counter::Vm, 14)]);
    assert_eq!(places(store, Gen::Gfx900), [(Event::VectorStore, Counter::Vm, 62)]);
    assert_eq!(places(store, Gen::Gfx1010), [(Event::VectorStore, Counter::Vs, 62)]);
    assert_eq!(places("ds_read_b32 v0, v1", Gen::Gfx900), [(Event::Lds, Counter::Lgkm, 14)]);
    for generation in Gen::ALL {
        let queue = |event: Event| event.counted(generation).unwrap().queue;
        let one = Counter::Vs.max(generation) == 0;
        // What GCN has one counter for, FLAT is done on in any order.
        for (flat, plain) in
            [(Event::FlatLoad, Event::VectorLoad), (Event::FlatStore, Event::VectorStore), (Event::FlatLds, Event::Lds)]
        {
            let counter = |event: Event| event.counted(generation).unwrap().counter;
            assert_eq!(counter(flat), counter(plain), "{generation:?}");
            assert_eq!(queue(flat), queue(plain).filter(|_| !one), "{generation:?}");
        }
        assert_eq!(queue(Event::VectorStore) == queue(Event::VectorLoad), one, "{generation:?}");
    }
    let atomic = on("buffer_atomic_cmpswap v[4:5], v7, s[0:3], 0 offen glc", Gen::Gfx600);
    let late: Vec<_> = atomic.late_reads(Event::StoreData, 64).map(|a| (a.reg, a.dwords)).collect();
    assert_eq!(late, [(Src::v(4), 2)]);
    assert_eq!(places("buffer_load_dword v0, off, s[0:3], 0", Gen::Gfx600), [(Event::VectorLoad, Counter::Vm, 14)]);
}

#[test]
fn what_counts_where() {
    use Event::*;
    for (text, expected) in [
        ("v_add_f32 v0, v1, v2", &[][..]),
        ("s_load_dword s0, s[2:3], 0x0", &[ScalarMemory]),
        ("s_dcache_inv", &[ScalarMemory]),
        ("s_memtime s[0:1]", &[ScalarMemory]),
        ("s_buffer_store_dword s0, s[4:7], 0x0", &[ScalarMemory]),
        ("global_load_dword v0, v1, s[0:1]", &[VectorLoad]),
        ("global_store_dword v0, v1, s[0:1]", &[VectorStore]),
        ("global_atomic_add v0, v1, s[0:1]", &[VectorStore]),
        ("global_atomic_add v2, v0, v1, s[0:1] glc", &[VectorLoad]),
        ("buffer_load_dword v0, off, s[0:3], 0", &[VectorLoad]),
        ("buffer_load_dword off, s[0:3], 0 lds", &[VectorLoad]),
        ("buffer_store_dword v0, off, s[0:3], 0", &[VectorStore]),
        ("buffer_atomic_add v0, off, s[0:3], 0", &[VectorStore]),
        ("buffer_atomic_add v0, off, s[0:3], 0 glc", &[VectorLoad]),
        ("buffer_gl0_inv", &[]),
        ("flat_load_dword v0, v[2:3]", &[FlatLoad, FlatLds]),
        ("flat_store_dword v[2:3], v0", &[FlatStore, FlatLds]),
        ("flat_atomic_add v[2:3], v0", &[FlatStore, FlatLds]),
        ("scratch_load_dword v0, v1, off", &[VectorLoad]),
        ("ds_read_b32 v0, v1", &[Lds]),
        ("ds_write_b32 v0, v1", &[Lds]),
        ("ds_bpermute_b32 v0, v1, v2", &[Lds]),
        ("ds_add_u32 v0, v1 gds", &[Gds, GdsOperands]),
        ("ds_gws_barrier v0 gds", &[Gds, GdsOperands]),
        ("s_sendmsg sendmsg(MSG_INTERRUPT)", &[Message]),
        ("image_load v0, v1, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_1D", &[VectorLoad]),
        ("image_get_resinfo v0, v1, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_1D", &[VectorLoad]),
        ("image_store v0, v1, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_1D", &[VectorStore]),
        ("image_atomic_add v0, v1, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_1D", &[VectorStore]),
        ("image_atomic_add v0, v1, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_1D glc", &[VectorLoad]),
        ("image_sample v0, v1, s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_1D", &[Sample]),
    ] {
        assert_eq!(events(text), expected, "{text}");
    }
    // LLVM's three kinds of vector memory, between which registers are written in any order.
    for (text, expected) in [
        ("image_msaa_load v0, v[1:3], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA", Sample),
        ("image_bvh_intersect_ray v[0:3], v[4:14], s[0:3]", Ray),
        ("image_bvh64_intersect_ray v[0:3], v[4:12], s[0:3] a16", Ray),
    ] {
        let (vm, all) = (Some(Queue::VectorLoads), on(text, Gen::Gfx1030));
        let all: Vec<_> = all.events(Gen::Gfx1030).map(|c| (c.event, c.counter, c.queue)).collect();
        assert_eq!(all, [(expected, Counter::Vm, vm)], "{text}");
    }
}

#[test]
fn what_is_waited_for() {
    let counts = |text: &str| instr(text).waits(Gen::Gfx1010).unwrap().counts(|_| 0x7e);
    assert_eq!(counts("s_waitcnt vmcnt(1) lgkmcnt(2)"), Counts::NONE.with(Counter::Vm, 1).with(Counter::Lgkm, 2));
    assert_eq!(counts("s_waitcnt_vscnt null, 0x3"), Counts::NONE.with(Counter::Vs, 3));
    // Six bits of the sum.
    assert_eq!(counts("s_waitcnt_vmcnt s4, 0x3"), Counts::NONE.with(Counter::Vm, 1));
    assert_eq!(counts("s_waitcnt_lgkmcnt null, 0x0"), Counts::NONE.with(Counter::Lgkm, 0));
    assert_eq!(counts("s_waitcnt_expcnt null, 0x2"), Counts::NONE.with(Counter::Exp, 2));
    // As many as it holds.
    assert_eq!(counts("s_waitcnt_vscnt null, 0x3f"), Counts::NONE);
    assert_eq!(counts("s_waitcnt_expcnt null, 0x7"), Counts::NONE);
    assert_eq!(counts("s_wait_idle"), Counts::ZERO);
    assert_eq!(instr("s_waitcnt_depctr 0xffe3").waits(Gen::Gfx1010), None);
}
