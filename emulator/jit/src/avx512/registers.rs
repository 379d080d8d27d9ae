//! Which value each of the host's vector registers holds.
//!
//! Registers are a cache of the guest's: a home is loaded when it is first read and stored when it is evicted or the loop
//! ends. Values of a step that no guest register holds are temporaries. What is pinned stays.

/// What a home holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    Vgpr(u32),
    /// A scalar in every lane.
    Scalar(u8),
    /// A constant in every lane.
    Constant(u32),
}

#[derive(Clone, Copy, Default, Debug)]
struct HostRegister {
    home: Option<Home>,
    dirty: bool,
    pins: u32,
    used: u32,
}

/// A host register's number.
pub type Reg = u8;
pub const COUNT: usize = 32;

#[derive(Default)]
pub struct Registers {
    slots: [HostRegister; COUNT],
    clock: u32,
}

/// What has to be stored before a register is free.
pub type Evicted = Option<u32>;

impl Registers {
    pub fn find(&mut self, home: Home) -> Option<Reg> {
        let at = self.slots.iter().position(|s| s.home == Some(home))?;
        self.touch(at);
        Some(at as Reg)
    }

    fn touch(&mut self, at: usize) {
        self.clock += 1;
        self.slots[at].used = self.clock;
    }

    /// A register, pinned once, that holds nothing now, and the guest register whose value it has to give up; `None`: all
    /// are pinned.
    pub fn take(&mut self) -> Option<(Reg, Evicted)> {
        let unpinned = self.slots.iter().enumerate().filter(|(_, s)| s.pins == 0);
        let (at, _) = unpinned.min_by_key(|(_, s)| if s.home.is_some() { s.used + 1 } else { 0 })?;
        let evicted = match self.slots[at] {
            HostRegister { home: Some(Home::Vgpr(v)), dirty: true, .. } => Some(v),
            _ => None,
        };
        self.slots[at] = HostRegister { pins: 1, ..HostRegister::default() };
        self.touch(at);
        Some((at as Reg, evicted))
    }

    pub fn pin(&mut self, r: Reg) {
        self.slots[usize::from(r)].pins += 1;
    }

    pub fn unpin(&mut self, r: Reg) {
        self.slots[usize::from(r)].pins -= 1;
    }

    /// Whether the register is a temporary with this one user left.
    pub fn dies(&self, r: Reg) -> bool {
        let s = self.slots[usize::from(r)];
        s.home.is_none() && s.pins == 1
    }

    pub fn is_home(&self, r: Reg) -> bool {
        self.slots[usize::from(r)].home.is_some()
    }

    pub fn make_home(&mut self, r: Reg, home: Home) {
        self.slots[usize::from(r)].home = Some(home);
    }

    /// The register holds a value that is the guest's no more.
    pub fn forget(&mut self, home: Home) {
        self.slots.iter_mut().filter(|s| s.home == Some(home)).for_each(|s| s.home = None);
    }

    /// The home's value is newer than the guest register's.
    pub fn soil(&mut self, r: Reg) {
        self.slots[usize::from(r)].dirty = true;
    }

    /// Forgets everything; the homes that have to be stored.
    pub fn flush(&mut self) -> Vec<(Reg, u32)> {
        let dirty = self.slots.iter().enumerate().filter(|(_, s)| s.dirty);
        let dirty = dirty.filter_map(|(at, s)| match s.home {
            Some(Home::Vgpr(v)) => Some((at as Reg, v)),
            _ => None,
        });
        let dirty = dirty.collect();
        self.slots = [HostRegister::default(); COUNT];
        dirty
    }
}
