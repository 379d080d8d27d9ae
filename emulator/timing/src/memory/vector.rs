//! The vector memory path of a compute unit: address unit, L0, texture unit, return to the registers.
//!
//! Passes go through in order. A pass keeps the path for the largest of: its addresses at the address unit's rate, a cycle
//! for each line at L0's tags (one piece that begins inside of a line needs no more than its data fills), its data on the
//! return or write bus, its addresses at the filter. Lines then go their own ways; data is read from L0 in program order, so a pass returns no sooner than the one before it.

use super::access::{Kind, Level, Met, Reply, VectorAccess};
use super::cache::Tags;
use super::coalesce::{CORNERS, Lines, operations};
use super::shared::{Policy, Shared};
use super::slots::Window;
use super::tlb::Tlbs;
use wavepipe_hw::machine::Machine;

struct Unit {
    array: usize,
    tags: Tags,
    /// The path takes the next pass from this cycle on.
    free: u64,
    /// The return bus is free from this cycle on.
    returned: u64,
    misses: Window,
    writes: Window,
}

pub(super) struct Vector {
    units: Vec<Unit>,
    lines: Lines,
    figures: Figures,
    /// L0's cycles of a hit, and further to L1 and back.
    hit: u64,
    miss: u64,
    line_shift: u32,
}

/// The machine's `vector` section.
struct Figures {
    address: u64,
    data: u64,
    load_lanes: u64,
    store_lanes: u64,
    store_bytes: u64,
    return_bytes: u64,
    filter_lanes: u64,
    filter: u64,
}

impl Vector {
    /// The paths of all compute units; `array_of` gives the shader array of one.
    pub(super) fn new(machine: &Machine, array_of: impl Fn(usize) -> usize) -> Vector {
        let (v, l0) = (&machine.vector, &machine.l0);
        let unit = |cu| Unit {
            array: array_of(cu),
            tags: Tags::new(l0.sets(), l0.ways.value),
            free: 0,
            returned: 0,
            misses: Window::new(l0.outstanding.value),
            writes: Window::new(l0.outstanding.value),
        };
        Vector {
            units: (0..machine.shape.cus.value as usize).map(unit).collect(),
            lines: Lines::new(l0.line.value.trailing_zeros()),
            figures: Figures {
                address: v.address.value,
                data: v.data.value,
                load_lanes: v.load_lanes.value,
                store_lanes: v.store_lanes.value,
                store_bytes: v.store_bytes.value,
                return_bytes: v.return_bytes.value,
                filter_lanes: v.filter_lanes.value,
                filter: v.filter.value,
            },
            hit: l0.hit.value,
            miss: l0.miss.value,
            line_shift: l0.line.value.trailing_zeros(),
        }
    }

    /// Shader array of a compute unit.
    pub(super) fn array(&self, cu: usize) -> usize {
        self.units[cu].array
    }

    pub(super) fn invalidate(&mut self, cu: usize) {
        self.units[cu].tags.clear();
    }

    /// One pass at `now`.
    pub(super) fn access(&mut self, now: u64, cu: usize, access: &VectorAccess, beyond: &mut Beyond) -> Reply {
        let Vector { units, lines, figures: f, hit, miss, line_shift } = self;
        let unit = &mut units[cu];
        let lanes = u64::from(access.mask.count_ones());
        let start = now.max(unit.free);
        let data = lanes * u64::from(access.bytes.max(1));
        let mut met = Met { lanes: lanes as u16, queued: (start - now) as u32, ..Met::default() };
        met.moved(Level::L0, data);
        let filtered = access.texture.is_some_and(|t| t.filtered);

        let tags_at = start + f.address;
        let (mut first, mut last, mut tag_cycle) = (u64::MAX, tags_at, 0);
        lines.clear();
        lines.add(access.at, access.mask, access.bytes);
        let corners = access.texture.map_or(&[][..], |t| t.neighbours);
        corners.iter().take(CORNERS - 1).for_each(|at| lines.add(at, access.mask, access.bytes));
        met.lines = lines.len() as u16;
        for (line, bytes) in lines.iter() {
            let request = Request { at: tags_at + tag_cycle, line, bytes, line_shift: *line_shift, access };
            let (translated, known) = beyond.tlbs.translate(request.at, beyond.user, line << *line_shift);
            met.tlb_misses += u16::from(!known);
            let (at, shared) = (translated + *hit, &mut *beyond.shared);
            let (done, stall) = match access.kind {
                Kind::Load => unit.load(&request, at, *miss, shared, &mut met),
                Kind::Store => unit.store(&request, at, *miss, shared, &mut met),
                Kind::Atomic { .. } => unit.atomic(&request, at, *miss, shared, &mut met),
            };
            (first, last) = (first.min(done), last.max(done));
            tag_cycle += 1 + stall;
        }
        // One piece that begins inside of a line takes no more than its data: L0 has the next line's tags at hand.
        if u64::from(met.lines) == data.div_ceil(1 << *line_shift) + 1 && one_piece(lines, 1 << *line_shift) {
            tag_cycle -= 1;
        }

        let (rate, sent) = match access.kind {
            Kind::Load => (f.load_lanes, 0),
            Kind::Store | Kind::Atomic { .. } => (f.store_lanes, data.div_ceil(f.store_bytes)),
        };
        let returned = if access.kind.returns() { data.div_ceil(f.return_bytes) } else { 0 };
        let mut busy = lanes.div_ceil(rate).max(tag_cycle).max(sent).max(returned).max(1);
        if filtered {
            busy = busy.max(lanes.div_ceil(f.filter_lanes));
        }
        unit.free = start + busy;
        met.service = busy as u32;
        let mut done = last;
        if access.kind.returns() {
            // The bus begins with the first line and ends with the last.
            let way = f.data + if filtered { f.filter } else { 0 };
            let begins = (first.min(last) + way).max(unit.returned);
            done = (begins + returned.max(1) - 1).max(last + way);
            unit.returned = done + 1;
        }
        Reply { taken: unit.free, done, met }
    }
}

/// Whether the bytes of all lines, of `size` bytes each, lie side by side.
fn one_piece(lines: &Lines, size: u32) -> bool {
    let (mut low, mut high) = ((u64::MAX, 0), (0, 0));
    let (mut count, mut whole) = (0, true);
    for (line, bytes) in lines.iter() {
        low = low.min((line, bytes));
        high = high.max((line, bytes));
        whole &= (bytes & !(bytes << 1)).count_ones() == 1;
        count += 1;
    }
    let end = u128::BITS - low.1.leading_zeros();
    whole && high.0 - low.0 + 1 == count && end == size && high.1 & 1 == 1
}

/// What lies behind L0 for one compute unit.
pub(super) struct Beyond<'a> {
    pub tlbs: &'a mut Tlbs,
    /// Whose TLB.
    pub user: usize,
    pub shared: &'a mut Shared,
}

/// One line of a pass.
struct Request<'a> {
    /// When L0 looks at its tags.
    at: u64,
    line: u64,
    bytes: u128,
    line_shift: u32,
    access: &'a VectorAccess<'a>,
}

impl Request<'_> {
    /// GLC and SLC together keep a load out of L1 as well: LLVM's AMDGPU memory model, after the RDNA ISA manual, 8.1.10.
    fn policy(&self, array: usize) -> Policy {
        let VectorAccess { kind, glc, slc, dlc, .. } = *self.access;
        Policy { array, bypass_l1: dlc || kind == Kind::Load && glc && slc, stream: slc }
    }
}

impl Unit {
    // Each gives when its line is served, and for how many cycles the path stood because too many were under way. `hit` is
    // when a line that is here leaves L0, `miss` what the way to L1 and back takes.

    /// A line's data leaves L0.
    fn load(&mut self, request: &Request, hit: u64, miss: u64, shared: &mut Shared, met: &mut Met) -> (u64, u64) {
        let (set, line) = (self.tags.set(request.line), request.line);
        if request.access.glc {
            self.tags.drop_line(set, line);
        } else if let Some(place) = self.tags.look(set, line, true) {
            met.found(Level::L0, place.ready <= request.at);
            return (hit.max(place.ready), 0);
        }
        met.found(Level::L0, false);
        let sent = self.misses.enter(hit);
        let ready = shared.read(sent + miss, line, request.policy(self.array), met);
        self.misses.leave(ready);
        if !request.access.glc {
            self.tags.fill(set, line, ready, true);
        }
        (ready, sent - hit)
    }

    /// A write is acknowledged. It goes through; a line that is here takes the data, unless GLC says that others share it.
    fn store(&mut self, request: &Request, hit: u64, miss: u64, shared: &mut Shared, met: &mut Met) -> (u64, u64) {
        let (set, line) = (self.tags.set(request.line), request.line);
        if request.access.glc {
            self.tags.drop_line(set, line);
        } else {
            self.tags.look(set, line, true);
        }
        let sent = self.writes.enter(hit);
        let done = shared.write(sent + miss, line, request.bytes, request.policy(self.array), met);
        self.writes.leave(done);
        (done, sent - hit)
    }

    /// Atomics at L2 are back, or acknowledged.
    fn atomic(&mut self, request: &Request, hit: u64, miss: u64, shared: &mut Shared, met: &mut Met) -> (u64, u64) {
        self.tags.drop_line(self.tags.set(request.line), request.line);
        let operations = operations(request.access, request.line, request.line_shift);
        let sent = self.misses.enter(hit);
        let policy = request.policy(self.array);
        let done = shared.atomic(sent + miss, request.line, request.bytes, operations, policy, met);
        self.misses.leave(done);
        (done, sent - hit)
    }
}
