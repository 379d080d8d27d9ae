//! The vector memory path of a compute unit: address unit, L0, texture unit, return to the registers.
//!
//! Passes go through in order. A pass keeps the path for the largest of: its addresses at the address unit's rate, the most
//! lines in any bank of L0's tags (with one bank, one piece that begins inside of a line needs no more than its data fills), the
//! most dwords in any bank of its data, its data on the return or write bus, its addresses at the filter. Lines then go their own ways; data is read from L0 in program order, so a pass returns no sooner than the one before it.

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
    /// Dwords of a pass, if L0's data is in banks.
    dwords: Vec<u64>,
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
    scattered_lanes: u64,
    store_lanes: u64,
    store_bytes: u64,
    return_bytes: u64,
    tag_banks: u64,
    data_banks: u64,
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
            dwords: Vec::new(),
            figures: Figures {
                address: v.address.value,
                data: v.data.value,
                load_lanes: v.load_lanes.value,
                scattered_lanes: v.scattered_lanes.value,
                store_lanes: v.store_lanes.value,
                store_bytes: v.store_bytes.value,
                return_bytes: v.return_bytes.value,
                tag_banks: v.tag_banks.value,
                data_banks: v.data_banks.value,
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
        let Vector { units, lines, dwords, figures: f, hit, miss, line_shift } = self;
        let unit = &mut units[cu];
        let lanes = u64::from(access.mask.count_ones());
        let start = now.max(unit.free);
        let data = lanes * u64::from(access.bytes.max(1));
        let mut met = Met { lanes: lanes as u16, queued: (start - now) as u32, ..Met::default() };
        met.moved(Level::L0, data);
        let filtered = access.texture.is_some_and(|t| t.filtered);

        let tags_at = start + f.address;
        let (mut first, mut last) = (u64::MAX, tags_at);
        // Lines so far of each bank of tags, and cycles for which all stood.
        let (mut banks, mut stood) = ([0u64; TAG_BANKS], 0);
        lines.clear();
        lines.add(access.at, access.mask, access.bytes);
        let corners = access.texture.map_or(&[][..], |t| t.neighbours);
        corners.iter().take(CORNERS - 1).for_each(|at| lines.add(at, access.mask, access.bytes));
        met.lines = lines.count() as u16;
        for (line, bytes) in lines.iter() {
            let bank = &mut banks[(line % f.tag_banks) as usize];
            let request = Request { at: tags_at + *bank + stood, line, bytes, line_shift: *line_shift, access };
            *bank += 1;
            let (translated, known) = beyond.tlbs.translate(request.at, beyond.user, line << *line_shift);
            met.tlb_misses += u16::from(!known);
            let (at, shared) = (translated + *hit, &mut *beyond.shared);
            let (done, stall) = match access.kind {
                Kind::Load => unit.load(&request, at, *miss, shared, &mut met),
                Kind::Store => unit.store(&request, at, *miss, shared, &mut met),
                Kind::Atomic { .. } => unit.atomic(&request, at, *miss, shared, &mut met),
            };
            (first, last) = (first.min(done), last.max(done));
            stood += stall;
        }
        let mut tag_cycle = banks[..f.tag_banks as usize].iter().max().map_or(0, |n| n + stood);
        // One piece that begins inside of a line takes no more than its data: L0 has the next line's tags at hand.
        let one = one_piece(lines, 1 << *line_shift);
        if f.tag_banks == 1 && u64::from(met.lines) == data.div_ceil(1 << *line_shift) + 1 && one {
            tag_cycle -= 1;
        }
        let data_cycles = match (f.data_banks, access.kind) {
            (0, _) | (_, Kind::Store | Kind::Atomic { .. }) => 0,
            (banks, _) if one => (bytes_of(lines) / 4).div_ceil(banks),
            (banks, _) => busiest_bank(access, dwords, banks),
        };

        let (rate, sent) = match access.kind {
            Kind::Load => (f.load_lanes, 0),
            Kind::Store | Kind::Atomic { .. } => (f.store_lanes, data.div_ceil(f.store_bytes)),
        };
        let rate = if in_step(access) { rate } else { rate.min(f.scattered_lanes) };
        let returned = if access.kind.returns() { data.div_ceil(f.return_bytes) } else { 0 };
        let mut busy = lanes.div_ceil(rate).max(tag_cycle).max(data_cycles).max(sent).max(returned).max(1);
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

/// Most banks of tags.
const TAG_BANKS: usize = 64;

/// Whether lanes load or store dwords that follow each other, or all the same.
fn in_step(access: &VectorAccess) -> bool {
    let first = access.mask.trailing_zeros() as usize % 32;
    let base = access.at[first];
    let lanes = || (0..32).filter(|lane| access.mask >> lane & 1 != 0);
    let run = || lanes().all(|lane| access.at[lane] == base.wrapping_add(4 * (lane - first) as u64));
    !matches!(access.kind, Kind::Atomic { .. }) && access.bytes <= 4 && (run() || lanes().all(|l| access.at[l] == base))
}

/// Bytes of all lines that are asked for.
fn bytes_of(lines: &Lines) -> u64 {
    lines.iter().map(|(_, bytes)| u64::from(bytes.count_ones())).sum()
}

/// The most different dwords in any of `banks` banks, which dwords take in turn.
fn busiest_bank(access: &VectorAccess, dwords: &mut Vec<u64>, banks: u64) -> u64 {
    dwords.clear();
    for lane in (0..32).filter(|lane| access.mask >> lane & 1 != 0) {
        let (first, last) = (access.at[lane] / 4, access.at[lane].wrapping_add(u64::from(access.bytes.max(1)) - 1) / 4);
        dwords.extend(first..=last);
    }
    dwords.sort_unstable();
    dwords.dedup();
    let mut count = [0u64; 64];
    dwords.iter().for_each(|dword| count[(dword % banks) as usize] += 1);
    count.into_iter().max().unwrap_or(0)
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
    fn policy(&self, array: usize) -> Policy {
        let cache = self.access.cache;
        Policy { array, bypass_l1: cache.passes_l1(), stream: cache.streams() }
    }
}

impl Unit {
    // Each gives when its line is served, and for how many cycles the path stood because too many were under way. `hit` is
    // when a line that is here leaves L0, `miss` what the way to L1 and back takes.

    /// A line's data leaves L0.
    fn load(&mut self, request: &Request, hit: u64, miss: u64, shared: &mut Shared, met: &mut Met) -> (u64, u64) {
        let (set, line) = (self.tags.set(request.line), request.line);
        if request.access.cache.passes_l0() {
            self.tags.drop_line(set, line);
        } else if let Some(place) = self.tags.look(set, line, true) {
            met.found(Level::L0, place.ready <= request.at);
            return (hit.max(place.ready), 0);
        }
        met.found(Level::L0, false);
        let sent = self.misses.enter(hit);
        let ready = shared.read(sent + miss, line, request.policy(self.array), met);
        self.misses.leave(ready);
        if !request.access.cache.passes_l0() {
            self.tags.fill(set, line, ready, true);
        }
        (ready, sent - hit)
    }

    /// A write is acknowledged. It goes through; a line that is here takes the data, unless others share it.
    fn store(&mut self, request: &Request, hit: u64, miss: u64, shared: &mut Shared, met: &mut Met) -> (u64, u64) {
        let (set, line) = (self.tags.set(request.line), request.line);
        if request.access.cache.passes_l0() {
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
