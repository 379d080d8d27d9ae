//! From what an instruction touches to what the memory hierarchy is asked, pass by pass.

use super::spec::{MemorySpec, Path};
use crate::memory::{Hierarchy, Kind, LdsAccess, Met, ScalarAccess, Texture, VectorAccess};
use wavepipe_core::wave::Touch;

/// Where an instruction issued.
#[derive(Clone, Copy, Debug)]
pub struct From {
    /// Compute unit, over the machine.
    pub cu: usize,
    pub wgp: usize,
    /// Of the work-group processor.
    pub simd: usize,
    /// In compute-unit mode: its array of LDS.
    pub half: usize,
    pub wgp_mode: bool,
    /// First byte of the work-group's LDS.
    pub lds_base: u32,
    /// High dword of FLAT's shared aperture.
    pub shared: u32,
}

/// What became of all passes of an instruction.
pub struct Outcome {
    /// The path takes the next instruction.
    pub taken: u64,
    pub done: u64,
    /// When LDS was done with FLAT's lanes that went there.
    pub lds_done: Option<u64>,
    pub met: Met,
}

/// Most further texels of a lane that are looked at: two levels of four.
const NEIGHBOURS: usize = 7;

/// Asks for every pass of an instruction, one after the other.
pub fn access(memory: &mut Hierarchy, now: u64, from: From, spec: &MemorySpec, touch: &Touch, lanes: u32) -> Outcome {
    let mut out = Outcome { taken: now + 1, done: now + 1, lds_done: None, met: Met::default() };
    match spec.path {
        Path::Scalar => {
            // Clocks and wave ids come from no memory, by the same way as what hits.
            let at = if touch.mask == 0 { 0 } else { touch.at[0] };
            let access = ScalarAccess {
                simd: from.simd,
                at,
                dwords: (spec.bytes / 4).max(1),
                kind: spec.kind,
                cache: spec.cache,
            };
            let reply = memory.scalar(now, from.wgp, access);
            (out.taken, out.done, out.met) = (reply.taken, reply.done, reply.met);
        }
        Path::Image => image(memory, now, from, spec, touch, &mut out),
        Path::Lds | Path::Vector | Path::Flat => {
            let mut at = now;
            for half in 0..lanes as usize / 32 {
                let mask = (touch.mask >> (32 * half)) as u32;
                if mask == 0 {
                    continue;
                }
                let Some(lane_at) = touch.at.as_chunks::<32>().0.get(half) else { continue };
                let shared = match spec.path {
                    Path::Lds => mask,
                    Path::Flat => lanes_in_lds(from.shared, lane_at, mask),
                    _ => 0,
                };
                if shared != 0 {
                    let reply = lds(memory, at, from, spec, lane_at, shared);
                    out.taken = out.taken.max(reply.taken);
                    match spec.path {
                        Path::Lds => out.done = out.done.max(reply.done),
                        _ => out.lds_done = Some(out.lds_done.map_or(reply.done, |d| d.max(reply.done))),
                    }
                    merge(&mut out.met, &reply.met);
                }
                if mask & !shared != 0 {
                    let access = VectorAccess {
                        at: lane_at,
                        mask: mask & !shared,
                        bytes: spec.bytes,
                        kind: spec.kind,
                        cache: spec.cache,
                        texture: None,
                    };
                    let reply = memory.vector(at, from.cu, &access);
                    out.taken = out.taken.max(reply.taken);
                    out.done = out.done.max(reply.done);
                    merge(&mut out.met, &reply.met);
                }
                at += 1;
            }
        }
    }
    out
}

/// Lanes whose address is in FLAT's shared aperture.
fn lanes_in_lds(aperture: u32, at: &[u64; 32], mask: u32) -> u32 {
    (0..32).filter(|i| mask >> i & 1 != 0 && at[*i] >> 32 == u64::from(aperture)).fold(0, |m, i| m | 1 << i)
}

fn lds(
    memory: &mut Hierarchy,
    now: u64,
    from: From,
    spec: &MemorySpec,
    at: &[u64; 32],
    mask: u32,
) -> crate::memory::Reply {
    let first = at.map(|a| (a as u32).wrapping_add(from.lds_base) & 0x1ffff);
    let second = spec.second.map(|d| first.map(|a| a.wrapping_add(d) & 0x1ffff));
    let access = LdsAccess {
        at: &first,
        second: second.as_ref(),
        mask,
        dwords: spec.bytes.div_ceil(4).max(1),
        operands: spec.operands,
        kind: spec.kind,
        wgp_mode: from.wgp_mode,
    };
    memory.lds(now, from.wgp, from.half, &access)
}

/// An image instruction: of each lane one texel, or the texels that it was filtered from.
fn image(memory: &mut Hierarchy, now: u64, from: From, spec: &MemorySpec, touch: &Touch, out: &mut Outcome) {
    let mut at = now;
    for half in 0..2 {
        let mut first = [0; 32];
        let mut more = [[0; 32]; NEIGHBOURS];
        let mut count = [0; 32];
        let (mut mask, mut most, mut bytes) = (0u32, 0, 4);
        for texel in touch.texels.iter().filter(|t| usize::from(t.lane) / 32 == half) {
            let (lane, address) = (usize::from(texel.lane) % 32, texel.at);
            bytes = u32::from(texel.bytes).max(1);
            match count[lane] {
                0 => {
                    first[lane] = address;
                    more.iter_mut().for_each(|m| m[lane] = address);
                }
                n if n <= NEIGHBOURS => {
                    more[n - 1][lane] = address;
                    most = most.max(n);
                }
                _ => {}
            }
            count[lane] += 1;
            mask |= 1 << lane;
        }
        if mask == 0 {
            continue;
        }
        let returns = spec.kind != Kind::Store;
        let access = VectorAccess {
            at: &first,
            mask,
            bytes,
            kind: spec.kind,
            cache: spec.cache,
            texture: returns.then_some(Texture { filtered: spec.filtered && most > 0, neighbours: &more[..most] }),
        };
        let reply = memory.vector(at, from.cu, &access);
        out.taken = out.taken.max(reply.taken);
        out.done = out.done.max(reply.done);
        merge(&mut out.met, &reply.met);
        at += 1;
    }
}

/// Adds what another pass met.
fn merge(all: &mut Met, one: &Met) {
    all.lanes += one.lanes;
    all.lines += one.lines;
    for i in 0..all.hits.len() {
        all.hits[i] += one.hits[i];
        all.misses[i] += one.misses[i];
    }
    for i in 0..all.bytes.len() {
        all.bytes[i] += one.bytes[i];
    }
    all.tlb_misses += one.tlb_misses;
    all.conflicts += one.conflicts;
    all.service += one.service;
    all.queued = all.queued.max(one.queued);
}
