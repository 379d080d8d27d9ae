//! Occupancy: beside the emulator's own placement, and what is proposed beside what it would bring.

use wavepipe_core::dispatch::waves_per_simd;
use wavepipe_hw::code::{CodeObject, WaveSize};
use wavepipe_hw::machine::Machine;
use wavepipe_page::occupancy::{Occupancy, Resource};

fn kernels() -> impl Iterator<Item = (Machine, CodeObject)> {
    let machines = Machine::names().map(|name| Machine::builtin(name).unwrap());
    machines.flat_map(|machine| {
        let isa = machine.generation();
        let mut out = Vec::new();
        for wave in [WaveSize::W32, WaveSize::W64].into_iter().filter(|w| w.is_of(isa)) {
            for vgprs in [1u32, 24, 25, 37, 48, 64, 65, 84, 100, 128, 129, 255, 256] {
                for (sgprs, lds_bytes, items) in
                    [(8, 0, 64), (50, 0, 256), (100, 0, 32), (16, 9000, 64), (16, 20_000, 256), (30, 32_768, 1024)]
                {
                    let workgroup = [items, 1, 1];
                    let code = CodeObject { isa, wave, vgprs, sgprs, lds_bytes, workgroup, ..CodeObject::default() };
                    // What a work-group can never have is refused when it is launched.
                    if waves_per_simd(&machine, &code) > 0 && u64::from(lds_bytes) <= machine.workgroup_lds() {
                        out.push((machine.clone(), code));
                    }
                }
            }
        }
        out
    })
}

fn changed(code: &CodeObject, resource: Resource, n: u32) -> CodeObject {
    let mut out = code.clone();
    match resource {
        Resource::Vgprs => out.vgprs = n,
        Resource::Sgprs => out.sgprs = n,
        Resource::Lds => out.lds_bytes = n,
        _ => out.workgroup = [n, 1, 1],
    }
    out
}

/// The step that is named really gains what it says, and a step that is smaller by one in any of its changes gains nothing.
#[test]
fn next_steps_gain_and_smaller_ones_do_not() {
    let (mut steps, mut full) = (0, 0);
    for (machine, code) in kernels() {
        let o = Occupancy::of(&machine, &code, (1, 1));
        let what = || format!("{}, {:?}, {} VGPRs, {:?}: {o:?}", machine.name, code.wave, code.vgprs, code.workgroup);
        assert_eq!(o.waves, waves_per_simd(&machine, &code), "{}", what());
        let least = o.limits.iter().map(|l| l.waves).min().unwrap();
        assert_eq!(least, u64::from(o.waves), "{}", what());
        assert!(o.limits.iter().all(|l| l.binds == (l.waves == least)), "{}", what());
        let Some(next) = &o.next else {
            full += u32::from(o.waves == o.slots);
            // Nothing of registers and LDS by themselves brings more either.
            let none = CodeObject { vgprs: 1, sgprs: 1, lds_bytes: 0, ..code.clone() };
            let bound = waves_per_simd(&machine, &none);
            assert!(o.waves == o.slots || bound == o.waves || next_needs_all(&o), "{}", what());
            continue;
        };
        steps += 1;
        let apply = |less: Option<Resource>| {
            next.changes.iter().fold(code.clone(), |code, c| {
                // Work-groups grow by waves.
                let unit = if c.to > c.from { code.wave.lanes() } else { 1 };
                let one = if less == Some(c.resource) { unit } else { 0 };
                changed(&code, c.resource, if c.to < c.from { c.to + one } else { c.to - one })
            })
        };
        assert_eq!(waves_per_simd(&machine, &apply(None)), next.waves, "{}", what());
        assert!(next.waves > o.waves, "{}", what());
        for c in &next.changes {
            assert!(waves_per_simd(&machine, &apply(Some(c.resource))) <= o.waves, "{:?}: {}", c, what());
        }
    }
    assert!(steps > 500 && full > 80, "{steps} {full}");
}

/// What binds cannot be relieved by itself: registers that are one already, work-groups that are as large as they can be.
fn next_needs_all(o: &Occupancy) -> bool {
    o.limits.iter().any(|l| l.binds && !matches!(l.resource, Resource::Slots))
}

/// What is spare costs nothing, and one more costs a wave, or is more than there is.
#[test]
fn spare_registers_cost_nothing() {
    for (machine, code) in kernels() {
        let o = Occupancy::of(&machine, &code, (1, 1));
        let waves = |resource, n| waves_per_simd(&machine, &changed(&code, resource, n));
        let most = machine.simd.vgprs_per_wave.value as u32;
        let all = [
            (Resource::Vgprs, code.vgprs, o.spare_vgprs, most),
            (Resource::Sgprs, code.sgprs, o.spare_sgprs, code.isa.caps().sgprs.into()),
            (Resource::Lds, code.lds_bytes, o.spare_lds, machine.workgroup_lds() as u32),
        ];
        for (resource, now, spare, most) in all {
            assert_eq!(waves(resource, now + spare), o.waves, "{} {resource:?}: {o:?}", machine.name);
            let more = now + spare + 1;
            assert!(more > most || waves(resource, more) < o.waves, "{} {resource:?} {more}: {o:?}", machine.name);
        }
    }
}

#[test]
fn words_say_what_to_free() {
    let machine = Machine::standard();
    let code =
        |vgprs, lds_bytes, items| CodeObject { vgprs, lds_bytes, workgroup: [items, 1, 1], ..Default::default() };
    let told = |code: &CodeObject| {
        let o = Occupancy::of(&machine, code, (code.vgprs, code.sgprs));
        (o.limiter(), o.next_text())
    };
    let is = |vgprs, lds, items, limiter: &str, next: &str| {
        assert_eq!(told(&code(vgprs, lds, items)), (limiter.to_owned(), next.to_owned()));
    };
    is(84, 0, 256, "VGPRs", "free 4 VGPRs (84 → 80): 11 → 12 waves");
    is(24, 0, 256, "wave slots", "all slots are taken: nothing more is to be gained");
    is(24, 0, 32, "work-groups", "make work-groups of 64 work-items instead of 32: 8 → 16 waves");
    is(24, 32768, 256, "LDS", "free 6656 bytes of LDS (32768 → 26112): 8 → 10 waves");
}
