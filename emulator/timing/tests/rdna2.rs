//! RDNA 2 beside what others measured on an RX 6900 XT: pointer chase, strided loads, bandwidth by size.

use std::sync::Arc;
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::BvhDescriptor;
use wavepipe_hw::machine::Machine;
use wavepipe_hw::port::GpuPort;
use wavepipe_isa::cache::Cache;
use wavepipe_isa::{Gen, asm};
use wavepipe_timing::Options;
use wavepipe_timing::lab::{Kernel, Lab};
use wavepipe_timing::memory::{Hierarchy, Kind, VectorAccess};
use wavepipe_timing::published::{RX6900XT_CHASE, RX6900XT_MHZ, RX6900XT_ROWS, RX6900XT_STRIDES};

const LOAD: VectorAccess<'static> =
    VectorAccess { at: &[0; 32], mask: u32::MAX, bytes: 4, kind: Kind::Load, cache: Cache::DEFAULT, texture: None };

/// The card at the clock at which it was measured.
fn measured_card() -> Machine {
    let mut machine = Machine::builtin("rx6900xt").unwrap();
    machine.clock.shader_mhz.value = RX6900XT_MHZ;
    machine
}

/// A random cycle through all cells of a region.
fn cycle(cells: u64) -> Vec<u64> {
    let mut order: Vec<u64> = (0..cells).collect();
    let mut state = cells;
    for i in (1..cells).rev() {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        order.swap(i as usize, ((state >> 33) % (i + 1)) as usize);
    }
    order
}

/// Cells are of 64 bytes, lines of 128: a line is met twice in each round.
#[test]
fn the_pointer_chase_is_within_a_tenth() {
    let machine = measured_card();
    for (kib, measured) in RX6900XT_CHASE {
        let order = cycle(kib * 1024 / 64);
        let mut hierarchy = Hierarchy::new(&machine);
        let (warm, steps) = ((2 * order.len()).min(250_000), (2 * order.len()).clamp(4000, 30_000));
        let (mut now, mut began) = (0, 0);
        for line in 0..kib * 1024 / 128 {
            now = hierarchy.vector(now, 0, &VectorAccess { at: &[128 * line; 32], mask: 1, bytes: 8, ..LOAD }).taken;
        }
        for i in 0..warm + steps {
            if i == warm {
                began = now;
            }
            let at = [order[i % order.len()] * 64; 32];
            // The wait behind it takes a cycle.
            now = hierarchy.vector(now, 0, &VectorAccess { at: &at, mask: 1, bytes: 8, ..LOAD }).done + 1;
        }
        let ours = (now - began) as f64 / steps as f64;
        assert!((ours / measured - 1.0).abs() < 0.1, "{kib} KiB: {ours:.1} cycles, measured {measured}");
    }
}

/// Cycles of a load of 64 lanes' dwords, by half a wave, averaged over eight offsets; everything is in L0.
fn load_cycles(machine: &Machine, address: impl Fn(u64) -> u64) -> f64 {
    let mut hierarchy = Hierarchy::new(machine);
    let (mut now, mut cycles, mut count) = (0, 0, 0);
    for round in 0..3 {
        for offset in (0..32).step_by(4) {
            for half in 0..2 {
                let at = std::array::from_fn(|lane| 4 * (address(32 * half + lane as u64) + offset));
                let reply = hierarchy.vector(now, 0, &VectorAccess { at: &at, ..LOAD });
                now = reply.done + 1;
                if round == 2 {
                    assert_eq!(reply.met.misses[0], 0, "a miss");
                    (cycles, count) = (cycles + reply.met.service, count + 1);
                }
            }
        }
    }
    f64::from(cycles) / f64::from(count)
}

/// Four banks of tags, 32 of data: what a stride costs on the card, but for stride 3, which should be free and is not.
#[test]
fn strided_loads_are_within_eight_percent() {
    let machine = measured_card();
    let mut off = Vec::new();
    let mut check = |what: String, ours: f64, measured: f64| {
        if (ours / measured - 1.0).abs() >= 0.08 {
            off.push(format!("{what}: {ours:.2} cycles, measured {measured}"));
        }
    };
    for (stride, measured) in RX6900XT_STRIDES {
        check(format!("stride {stride}"), load_cycles(&machine, |lane| lane * stride), measured);
    }
    for (n, measured) in RX6900XT_ROWS {
        check(format!("rows of {n}"), load_cycles(&machine, |lane| lane / n * 4098 + lane % n), measured);
    }
    assert_eq!(off.len(), 1, "{off:#?}");
    assert!(off[0].starts_with("stride 3:"), "{off:?}");
}

/// Terabytes a second of compute units that read `line` at each step, once the first half of the steps has filled the caches.
fn bandwidth(machine: &Machine, cus: &[usize], steps: u64, line: impl Fn(u64, u64) -> u64) -> f64 {
    let mut hierarchy = Hierarchy::new(machine);
    let mut times = vec![0; cus.len()];
    let mut began = 0;
    for step in 0..steps {
        if step == steps / 2 {
            began = times.iter().copied().max().unwrap();
        }
        for (i, cu) in cus.iter().enumerate() {
            let line = line(step, i as u64);
            let at = std::array::from_fn(|lane| line * 128 + 4 * lane as u64);
            times[i] = hierarchy.vector(times[i], *cu, &VectorAccess { at: &at, ..LOAD }).taken;
        }
    }
    let cycles = times.into_iter().max().unwrap() - began;
    (steps / 2 * cus.len() as u64 * 128) as f64 / cycles as f64 * RX6900XT_MHZ * 1e-6
}

#[test]
fn bandwidth_by_size() {
    let machine = measured_card();
    // gpu-cache: a work-group on each work-group processor, all with the same bytes, again and again.
    let one_each: Vec<usize> = (0..40).map(|wgp| 2 * wgp).collect();
    for (kib, measured) in [(16, 13.1), (64, 8.7), (128, 8.3)] {
        let lines = kib * 1024 / 128;
        let steps = (8 * lines).max(4000);
        let ours = bandwidth(&machine, &one_each, steps, |step, cu| (step + 37 * cu) % lines);
        assert!((ours / measured - 1.0).abs() < 0.1, "{kib} KiB: {ours:.2} TB/s, measured {measured}");
    }
    // gpu-l2-cache: work-groups that share nothing, on the whole card.
    let all: Vec<usize> = (0..80).collect();
    for (mib, measured) in [(2, 4.9), (4, 5.16), (13, 1.97), (30, 1.99), (63, 1.93), (1024, 0.476)] {
        let lines = (mib << 20) / 128;
        let steps = (3 * lines / 80).clamp(3000, 60_000) / 2 * 2;
        let ours = bandwidth(&machine, &all, steps, |step, cu| (step * 80 + cu) % lines);
        assert!((ours / measured - 1.0).abs() < 0.1, "{mib} MiB: {ours:.2} TB/s, measured {measured}");
    }
}

/// Cycles of an instruction of vector memory, and of the same once more, by one wave alone; s[4:7] describe a hierarchy, v[12:13] is an address.
fn twice(instruction: &str) -> [u32; 2] {
    let timed = |to: u32| {
        format!(
            "s_memtime s[20:21]\ns_waitcnt lgkmcnt(0)\n{instruction}\ns_waitcnt vmcnt(0)\ns_memtime s[22:23]\n\
             s_waitcnt lgkmcnt(0)\ns_sub_u32 s{to}, s22, s20\n"
        )
    };
    let ray: String = (2..12).map(|r| format!("v_mov_b32 v{r}, 1.0\n")).collect();
    let text = format!(
        "v_mov_b32 v1, 5\n{ray}v_mov_b32 v12, s2\nv_mov_b32 v13, s3\n{}{}v_mov_b32 v14, s24\nv_mov_b32 v15, s25\nv_mov_b32 v1, 0\n\
         global_store_dwordx2 v1, v[14:15], s[0:1]\ns_endpgm",
        timed(24),
        timed(25)
    );
    let options = Options { warm_fetch: true, ..Options::default() };
    let mut lab = Lab::new(Arc::new(measured_card()), options, None).unwrap();
    let code = lab.code(&asm::assemble(&text, Gen::Gfx1030, 32).unwrap()).unwrap();
    let (out, nodes) = (lab.memory(64).unwrap(), lab.memory(4096).unwrap());
    let halves = |at: u64| [at as u32, (at >> 32) as u32];
    let bvh = BvhDescriptor::new(nodes, 4096).to_words(Gen::Gfx1030);
    let user_data = [halves(out), halves(nodes)].concat().into_iter().chain(bvh).collect();
    let (wave, vgprs) = (WaveSize::W32, 24);
    let kernel = Kernel { code, wave, vgprs, lds_bytes: 0, user_data, workgroup: 32, groups: 1, wgp_mode: true };
    lab.run(&kernel).unwrap();
    let mut cycles = [[0; 4]; 2];
    lab.gpu().read(out, cycles.as_flattened_mut()).unwrap();
    cycles.map(u32::from_le_bytes)
}

/// A node comes through the caches as other loads do: from memory, then from L0.
#[test]
fn nodes_are_loads() {
    let [cold, warm] = twice("image_bvh_intersect_ray v[16:19], v[1:11], s[4:7]");
    let [first, second] = twice("global_load_dword v16, v[12:13], off");
    let near = |a: u32, b: u32| (f64::from(a) / f64::from(b) - 1.0).abs() < 0.25;
    assert!(near(cold, first) && near(warm, second) && cold > 2 * warm, "{cold}, {warm}: loads {first}, {second}");
}
