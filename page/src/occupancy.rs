//! Waves that a SIMD holds, what limits them, and the least change that would make room for more.
//!
//! The arithmetic is the emulator's ([`wavepipe_core::dispatch::Limits`]); what is proposed here is found by asking it again for
//! kernels that need less.

use serde::Serialize;
use wavepipe_core::dispatch::Limits;
use wavepipe_hw::code::CodeObject;
use wavepipe_hw::machine::Machine;

/// Something of which a SIMD, or a work-group processor, has so much.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    Slots,
    Vgprs,
    Sgprs,
    Lds,
    Groups,
    Barriers,
}

impl Resource {
    /// As a sentence names it.
    pub fn name(self) -> &'static str {
        match self {
            Resource::Slots => "wave slots",
            Resource::Vgprs => "VGPRs",
            Resource::Sgprs => "SGPRs",
            Resource::Lds => "LDS",
            Resource::Groups => "work-groups",
            Resource::Barriers => "barriers",
        }
    }
}

/// Waves that fit by one resource alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Limit {
    pub resource: Resource,
    pub waves: u64,
    /// No other allows fewer.
    pub binds: bool,
}

/// A need that shrinks: registers, bytes of LDS; or work-items of a work-group, which grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Change {
    pub resource: Resource,
    pub from: u32,
    pub to: u32,
}

impl Change {
    fn text(&self) -> String {
        let Change { from, to, .. } = self;
        match self.resource {
            Resource::Lds => format!("free {} bytes of LDS ({from} → {to})", from - to),
            Resource::Groups | Resource::Barriers => format!("make work-groups of {to} work-items instead of {from}"),
            what => {
                let name = if from - to == 1 { what.name().trim_end_matches('s') } else { what.name() };
                format!("free {} {name} ({from} → {to})", from - to)
            }
        }
    }
}

/// The least changes by which a SIMD holds more waves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NextStep {
    pub changes: Vec<Change>,
    pub waves: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Occupancy {
    /// Waves that a SIMD holds at once, and those that it has slots for.
    pub waves: u32,
    pub slots: u32,
    pub limits: Vec<Limit>,
    /// `None`: all slots are taken, or nothing here changes it.
    pub next: Option<NextStep>,
    /// What could be taken besides without one wave less: VGPRs, SGPRs, bytes of LDS.
    pub spare_vgprs: u32,
    pub spare_sgprs: u32,
    pub spare_lds: u32,
    /// Waves if only the registers were allocated that are live at the peak.
    pub at_peak: u32,
}

/// A kernel's needs, changed.
#[derive(Clone)]
struct Needs(CodeObject);

impl Needs {
    fn of(code: &CodeObject) -> Needs {
        let CodeObject { isa, wave, vgprs, sgprs, lds_bytes, workgroup, .. } = *code;
        Needs(CodeObject { isa, wave, vgprs, sgprs, lds_bytes, workgroup, ..CodeObject::default() })
    }

    fn limits(&self, machine: &Machine) -> Vec<(Resource, u64)> {
        let l = Limits::of(machine, &self.0);
        let some = [(Resource::Lds, l.lds), (Resource::Barriers, l.barriers)];
        let mut out = vec![
            (Resource::Vgprs, l.vgprs),
            (Resource::Sgprs, l.sgprs),
            (Resource::Slots, l.slots),
            (Resource::Groups, l.groups),
        ];
        out.extend(some.into_iter().filter_map(|(what, waves)| Some((what, waves?))));
        out
    }

    fn waves(&self, machine: &Machine) -> u32 {
        Limits::of(machine, &self.0).waves()
    }

    fn items(&self) -> u32 {
        self.0.workgroup.iter().fold(1, |n, m| n.saturating_mul(*m))
    }

    /// What there is of a resource, as a change counts it.
    fn get(&self, resource: Resource) -> u32 {
        match resource {
            Resource::Vgprs => self.0.vgprs,
            Resource::Sgprs => self.0.sgprs,
            Resource::Lds => self.0.lds_bytes,
            Resource::Slots | Resource::Groups | Resource::Barriers => self.items(),
        }
    }

    fn with(&self, resource: Resource, n: u32) -> Needs {
        let mut out = self.clone();
        match resource {
            Resource::Vgprs => out.0.vgprs = n,
            Resource::Sgprs => out.0.sgprs = n,
            Resource::Lds => out.0.lds_bytes = n,
            Resource::Slots | Resource::Groups | Resource::Barriers => out.0.workgroup = [n, 1, 1],
        }
        out
    }

    /// Whether a resource alone allows more waves than this.
    fn allows_more(&self, machine: &Machine, resource: Resource, waves: u32) -> bool {
        self.limits(machine).iter().any(|(what, n)| *what == resource && *n > u64::from(waves))
    }

    /// The nearest need of a resource with which it allows more waves.
    fn relieved(&self, machine: &Machine, resource: Resource, waves: u32) -> Option<Needs> {
        let now = self.get(resource);
        let enough = |n: u32| self.with(resource, n).allows_more(machine, resource, waves);
        let to = match resource {
            Resource::Slots => None,
            Resource::Vgprs | Resource::Sgprs => (1..now).rev().find(|n| enough(*n)),
            // More needs more: the first that is too much is found by halving.
            Resource::Lds => {
                let (mut good, mut bad) = (0, now);
                while bad - good > 1 {
                    let middle = good + (bad - good) / 2;
                    if enough(middle) { good = middle } else { bad = middle }
                }
                (good > 0).then_some(good)
            }
            Resource::Groups | Resource::Barriers => {
                let lanes = self.0.wave.lanes();
                let most = machine.simd.workgroup_items.value as u32;
                (1..=most / lanes).map(|waves| waves * lanes).filter(|n| *n > now).find(|n| enough(*n))
            }
        };
        to.map(|n| self.with(resource, n))
    }

    /// How much more of a resource costs no wave.
    fn spare(&self, machine: &Machine, resource: Resource, most: u32) -> u32 {
        let (now, waves) = (self.get(resource), self.waves(machine));
        let same = |n: u32| self.with(resource, n).waves(machine) == waves;
        let (mut good, mut bad) = (now, most + 1);
        while bad > good + 1 {
            let middle = good + (bad - good) / 2;
            if same(middle) { good = middle } else { bad = middle }
        }
        good - now
    }
}

impl Occupancy {
    /// Of a kernel on a machine. `peak`: VGPRs and SGPRs that are live at most.
    pub fn of(machine: &Machine, code: &CodeObject, peak: (u32, u32)) -> Occupancy {
        let needs = Needs::of(code);
        let waves = needs.waves(machine);
        let limits = needs.limits(machine).into_iter().map(|(resource, n)| Limit {
            resource,
            waves: n,
            binds: n == u64::from(waves),
        });
        let simd = &machine.simd;
        let live = needs.with(Resource::Vgprs, peak.0.max(1)).with(Resource::Sgprs, peak.1);
        Occupancy {
            waves,
            slots: simd.wave_slots.value as u32,
            limits: limits.collect(),
            next: next(machine, &needs, waves),
            spare_vgprs: needs.spare(machine, Resource::Vgprs, simd.vgprs_per_wave.value as u32),
            spare_sgprs: needs.spare(machine, Resource::Sgprs, u32::from(code.isa.caps().sgprs)),
            spare_lds: needs.spare(machine, Resource::Lds, machine.workgroup_lds() as u32),
            at_peak: live.waves(machine),
        }
    }

    /// What limits the waves: `VGPRs`, `LDS and work-groups`.
    pub fn limiter(&self) -> String {
        // With all slots taken nothing else is felt.
        if self.waves >= self.slots {
            return Resource::Slots.name().to_owned();
        }
        let names: Vec<&str> = self.limits.iter().filter(|l| l.binds).map(|l| l.resource.name()).collect();
        match &names[..] {
            [] => String::new(),
            [one] => (*one).to_owned(),
            [all @ .., last] => format!("{} and {last}", all.join(", ")),
        }
    }

    /// What the next step takes: `free 4 VGPRs (64 → 60): 16 → 17 waves`; why there is none otherwise.
    pub fn next_text(&self) -> String {
        match &self.next {
            Some(next) => {
                let changes: Vec<String> = next.changes.iter().map(Change::text).collect();
                format!("{}: {} → {} waves", changes.join(" and "), self.waves, next.waves)
            }
            None if self.waves >= self.slots => "all slots are taken: nothing more is to be gained".into(),
            None => format!("no smaller need makes room for more: {} stand in the way", self.limiter()),
        }
    }

    /// What costs nothing.
    pub fn spare_text(&self) -> String {
        format!(
            "{} more VGPRs, {} more SGPRs or {} more bytes of LDS cost no wave",
            self.spare_vgprs, self.spare_sgprs, self.spare_lds
        )
    }
}

/// Relieves what binds until there is room for a wave more.
fn next(machine: &Machine, needs: &Needs, waves: u32) -> Option<NextStep> {
    if u64::from(waves) >= machine.simd.wave_slots.value {
        return None;
    }
    let mut now = needs.clone();
    let mut changes: Vec<Change> = Vec::new();
    // Each turn relieves one resource; larger work-groups may bring another to its end.
    while now.waves(machine) <= waves {
        let (binds, _) = now.limits(machine).into_iter().find(|(_, n)| *n <= u64::from(waves))?;
        let relieved = now.relieved(machine, binds, waves)?;
        // A larger work-group is what both ask for.
        let resource = if binds == Resource::Barriers { Resource::Groups } else { binds };
        let (from, to) = (needs.get(binds), relieved.get(binds));
        match changes.iter_mut().find(|c| c.resource == resource) {
            Some(known) => known.to = to,
            None => changes.push(Change { resource, from, to }),
        }
        now = relieved;
    }
    Some(NextStep { changes, waves: now.waves(machine) })
}
