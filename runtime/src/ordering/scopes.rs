//! Stages and accesses as the check of commands tells them apart, and dependencies between them.

use std::ops::Range;

bitflags::bitflags! {
    /// Stages of a queue's commands.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
    pub struct Stages: u8 {
        /// Reading the counts of an indirect dispatch.
        const INDIRECT = 1 << 0;
        const COMPUTE = 1 << 1;
        /// Copies, fills, clears, blits, resolves.
        const TRANSFER = 1 << 2;
        const HOST = 1 << 3;
        /// What only graphics has.
        const OTHER = 1 << 4;
    }

    /// Ways to access memory, each of one stage.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
    pub struct Ways: u16 {
        const INDIRECT_READ = 1 << 0;
        const COMPUTE_READ = 1 << 1;
        const COMPUTE_WRITE = 1 << 2;
        const TRANSFER_READ = 1 << 3;
        const TRANSFER_WRITE = 1 << 4;
    }
}

impl Ways {
    pub const WRITES: Ways = Ways::COMPUTE_WRITE.union(Ways::TRANSFER_WRITE);

    /// The stage of one way.
    pub fn stage(self) -> Stages {
        match self {
            Ways::INDIRECT_READ => Stages::INDIRECT,
            Ways::TRANSFER_READ | Ways::TRANSFER_WRITE => Stages::TRANSFER,
            _ => Stages::COMPUTE,
        }
    }

    pub fn writes(self) -> bool {
        self.intersects(Ways::WRITES)
    }
}

/// One side of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Scope {
    pub stages: Stages,
    pub ways: Ways,
}

impl Scope {
    pub const ALL: Scope = Scope { stages: Stages::all(), ways: Ways::all() };

    /// Accesses count in the scope's stages only.
    pub fn new(stages: Stages, ways: Ways) -> Scope {
        let own = Ways::all().iter().filter(|way| stages.contains(way.stage())).collect();
        Scope { stages, ways: ways & own }
    }

    /// With the stages that come before these in a pipeline.
    fn earlier(self) -> Stages {
        if self.stages.contains(Stages::COMPUTE) { self.stages | Stages::INDIRECT } else { self.stages }
    }

    /// With those that come behind them.
    fn later(self) -> Stages {
        if self.stages.contains(Stages::INDIRECT) { self.stages | Stages::COMPUTE } else { self.stages }
    }
}

/// What a barrier orders: accesses of the first scope before it with those of the second behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    pub first: Scope,
    pub second: Scope,
    /// Memory whose accesses it makes available and visible; `None`: all of it. All execution is ordered.
    pub only: Option<Range<u64>>,
}

impl Dependency {
    /// Everything with everything.
    pub const FULL: Dependency = Dependency { first: Scope::ALL, second: Scope::ALL, only: None };
}

/// How far an access is ordered with what comes behind it, by the dependencies since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    way: Ways,
    /// Stages that come behind it.
    behind: Stages,
    /// Of a write: other accesses can see it once it is made visible to them.
    available: bool,
    visible: Ways,
}

impl Standing {
    pub fn new(way: Ways) -> Standing {
        Standing { way, behind: Stages::empty(), available: false, visible: Ways::empty() }
    }

    pub fn way(&self) -> Ways {
        self.way
    }

    /// A dependency comes; `covers`: its memory is what was accessed.
    pub fn pass(&mut self, d: &Dependency, covers: bool) {
        let own = d.first.earlier().contains(self.way.stage());
        if !own && !d.first.stages.intersects(self.behind) {
            return;
        }
        self.behind |= d.second.later();
        if covers && self.way.writes() {
            self.available |= own && d.first.ways.contains(self.way);
            if self.available {
                self.visible |= d.second.ways;
            }
        }
    }

    /// Whether an access now comes behind it and, of what it wrote, sees it. Of two writes the first needs to be available only:
    /// what the second overwrites it need not see.
    pub fn is_before(&self, now: Ways) -> bool {
        let behind = self.behind.contains(now.stage());
        match (self.way.writes(), now.writes()) {
            (false, _) => behind,
            (true, true) => behind && self.available,
            (true, false) => self.visible.contains(now),
        }
    }

    /// Whether nothing was done to order it with anything.
    pub fn is_loose(&self) -> bool {
        self.behind.is_empty()
    }
}
