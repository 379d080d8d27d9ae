//! Instructions with a sampler, by their suffixes.

use super::{Op, Rng};

/// A sampling instruction: its suffixes spelled out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// sample, gather4, gather4h, get_lod
    pub base: &'static str,
    pub compare: bool,
    /// "", b, l, lz, d, cd
    pub lod: &'static str,
    pub clamp: bool,
    pub offset: bool,
    pub g16: bool,
    pub a16: bool,
    pub unnormalized: bool,
    pub d16: bool,
}

impl Kind {
    pub fn name(&self) -> String {
        let mut name = format!("image_{}", self.base);
        for (on, suffix) in [
            (self.compare, "c"),
            (!self.lod.is_empty(), self.lod),
            (self.clamp, "cl"),
            (self.offset, "o"),
            (self.g16, "g16"),
        ] {
            if on {
                name += "_";
                name += suffix;
            }
        }
        name
    }

    pub fn coordinates(dim: usize) -> usize {
        [1, 2, 3, 3, 2, 3][dim]
    }

    pub fn has_level(&self) -> bool {
        self.clamp || self.lod == "l"
    }

    pub fn op(&self, rng: &mut Rng, dim: usize) -> Op {
        let n = [1u32, 2, 3, 2, 1, 2][dim];
        let derivatives = match (self.lod, self.g16) {
            ("d" | "cd", true) => 2 * n.div_ceil(2),
            ("d" | "cd", false) => 2 * n,
            _ => 0,
        };
        let body = (Kind::coordinates(dim) + usize::from(self.has_level())) as u32;
        let body = if self.a16 { body.div_ceil(2) } else { body };
        let extra = u32::from(self.offset) + u32::from(self.compare) + u32::from(self.lod == "b");
        let gather = self.base.starts_with("gather");
        let dmask = match self.base {
            _ if gather => 1 << if self.compare { 0 } else { rng.below(4) },
            "get_lod" => 3,
            _ => 1 + rng.below(15),
        };
        let components = if gather { 4 } else { dmask.count_ones() };
        let mut flags = String::new();
        for (on, flag) in [(self.unnormalized, "unorm "), (self.a16, "a16 "), (self.d16, "d16 ")] {
            if on {
                flags += flag;
            }
        }
        Op {
            name: self.name(),
            dim,
            addresses: extra + derivatives + body,
            data: if self.d16 { components.div_ceil(2) } else { components },
            dmask,
            sampler: true,
            flags,
            nsa: rng.chance(50),
        }
    }
}

pub const PLAIN: Kind = Kind {
    base: "sample",
    compare: false,
    lod: "",
    clamp: false,
    offset: false,
    g16: false,
    a16: false,
    unnormalized: false,
    d16: false,
};

/// Every sampling mnemonic there is.
pub fn every_sample() -> Vec<Kind> {
    let mut kinds = Vec::new();
    for compare in [false, true] {
        for lod in ["", "b", "l", "lz", "d", "cd"] {
            for clamp in [false, true] {
                for offset in [false, true] {
                    for g16 in [false, true] {
                        let level = clamp && matches!(lod, "l" | "lz");
                        let packed = g16 && !matches!(lod, "d" | "cd");
                        if !level && !packed {
                            kinds.push(Kind { compare, lod, clamp, offset, g16, ..PLAIN });
                        }
                    }
                }
            }
        }
    }
    kinds
}

/// Every gathering mnemonic but gather4h.
pub fn every_gather() -> Vec<Kind> {
    let mut kinds = Vec::new();
    for compare in [false, true] {
        for lod in ["", "b", "l", "lz"] {
            for clamp in [false, true] {
                for offset in [false, true] {
                    if !(clamp && matches!(lod, "l" | "lz")) {
                        kinds.push(Kind { base: "gather4", compare, lod, clamp, offset, ..PLAIN });
                    }
                }
            }
        }
    }
    kinds
}
