//! A plain reader of Perfetto traces: what a track-event file says, by the published field numbers, and whether it
//! holds together. Shares nothing with the writer.
#![allow(dead_code)]

use std::collections::BTreeMap;

pub enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// Fields of a message, in their order.
pub fn fields(mut bytes: &[u8]) -> Vec<(u64, Value<'_>)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return value;
            }
        }
        panic!("a varint of more than ten bytes")
    }
    let mut out = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = match key & 7 {
            0 => Value::Number(varint(&mut bytes)),
            1 => {
                let (eight, rest) = bytes.split_at(8);
                bytes = rest;
                Value::Number(u64::from_le_bytes(eight.try_into().unwrap()))
            }
            2 => {
                let length = varint(&mut bytes) as usize;
                let (data, rest) = bytes.split_at(length);
                bytes = rest;
                Value::Bytes(data)
            }
            wire => panic!("wire type {wire}"),
        };
        out.push((key >> 3, value));
    }
    out
}

fn number(message: &[(u64, Value<'_>)], field: u64) -> Option<u64> {
    message.iter().find_map(|(f, v)| match v {
        Value::Number(n) if *f == field => Some(*n),
        _ => None,
    })
}

fn bytes<'a>(message: &[(u64, Value<'a>)], field: u64) -> Option<&'a [u8]> {
    message.iter().find_map(|(f, v)| match v {
        Value::Bytes(b) if *f == field => Some(*b),
        _ => None,
    })
}

fn text(message: &[(u64, Value<'_>)], field: u64) -> Option<String> {
    bytes(message, field).map(|b| String::from_utf8(b.to_vec()).expect("UTF-8"))
}

#[derive(Clone, Debug, Default)]
pub struct Track {
    pub name: String,
    pub parent: Option<u64>,
    pub counter: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Slice {
    pub track: u64,
    pub name: String,
    pub category: String,
    pub begin: u64,
    /// `None`: it was open at the end of the trace.
    pub end: Option<u64>,
    /// Slices around it on its track.
    pub depth: usize,
    pub numbers: BTreeMap<String, u64>,
    pub texts: BTreeMap<String, String>,
    pub flows: Vec<u64>,
}

#[derive(Default)]
pub struct Trace {
    pub tracks: BTreeMap<u64, Track>,
    /// In the order of their begins on each track.
    pub slices: Vec<Slice>,
    /// Counters' values, by track: time and value.
    pub counters: BTreeMap<u64, Vec<(u64, f64)>>,
}

impl Trace {
    /// Reads a trace. Panics where a track is used before it is declared, slices do not nest, or a track's time goes
    /// backwards.
    pub fn read(file: &[u8]) -> Trace {
        let mut trace = Trace::default();
        let mut names: [BTreeMap<u64, String>; 4] = Default::default();
        let mut open: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        let mut last: BTreeMap<u64, u64> = BTreeMap::new();
        for (n, (field, packet)) in fields(file).iter().enumerate() {
            let Value::Bytes(packet) = packet else { panic!("field {field} of Trace is no packet") };
            assert_eq!(*field, 1);
            let packet = fields(packet);
            let flags = number(&packet, 13).expect("sequence flags");
            assert_eq!(flags & 1 != 0, n == 0, "the state is cleared once, at the beginning");
            assert!(number(&packet, 10).is_some(), "a packet names its sequence");
            if let Some(data) = bytes(&packet, 12) {
                for (kind, entry) in fields(data) {
                    let Value::Bytes(entry) = entry else { panic!("interned data are messages") };
                    let entry = fields(entry);
                    let (iid, name) = (number(&entry, 1).unwrap(), text(&entry, 2).unwrap());
                    assert!(iid != 0 && names[kind as usize].insert(iid, name).is_none());
                }
            }
            if let Some(track) = bytes(&packet, 60) {
                let track = fields(track);
                let (uuid, parent) = (number(&track, 1).unwrap(), number(&track, 5));
                assert!(parent.is_none_or(|p| trace.tracks.contains_key(&p)), "parents come first");
                let name = text(&track, 2).unwrap();
                let new = Track { name, parent, counter: bytes(&track, 8).is_some() };
                assert!(trace.tracks.insert(uuid, new).is_none(), "a track is declared once");
            }
            let Some(event) = bytes(&packet, 11) else { continue };
            let event = fields(event);
            let (at, track) = (number(&packet, 8).expect("a time"), number(&event, 11).expect("a track"));
            let declared = trace.tracks.get(&track).unwrap_or_else(|| panic!("track {track:#x} is not declared"));
            let before = last.insert(track, at).unwrap_or(0);
            assert!(before <= at, "{}: {at} ns after {before} ns", declared.name);
            let kind = number(&event, 9);
            assert_eq!(declared.counter, kind == Some(4), "counters count, other tracks have slices");
            match kind {
                Some(1) => {
                    let own = open.entry(track).or_default();
                    let iid = |table: usize, field| names[table][&number(&event, field).unwrap()].clone();
                    let name = text(&event, 23).unwrap_or_else(|| iid(2, 10));
                    let flows = event.iter().filter(|f| f.0 == 47);
                    let flows = flows.map(|(_, v)| if let Value::Number(n) = v { *n } else { panic!() }).collect();
                    let (category, depth) = (iid(1, 3), own.len());
                    own.push(trace.slices.len());
                    trace.slices.push(Slice { track, name, category, begin: at, depth, flows, ..Slice::default() });
                }
                Some(2) => {
                    let slice = open.get_mut(&track).and_then(Vec::pop).expect("an end follows a begin");
                    trace.slices[slice].end = Some(at);
                    arguments(&mut trace.slices[slice], &event, &names[3]);
                    continue;
                }
                Some(4) => {
                    let value = f64::from_bits(number(&event, 44).unwrap());
                    trace.counters.entry(track).or_default().push((at, value));
                    continue;
                }
                other => panic!("event type {other:?}"),
            }
            let slice = trace.slices.last_mut().unwrap();
            arguments(slice, &event, &names[3]);
        }
        trace
    }

    /// Names of a track and those above it, from the top, joined by slashes.
    pub fn path(&self, track: u64) -> String {
        let own = &self.tracks[&track];
        match own.parent {
            Some(parent) => format!("{}/{}", self.path(parent), own.name),
            None => own.name.clone(),
        }
    }

    pub fn of<'a>(&'a self, category: &'a str) -> impl Iterator<Item = &'a Slice> {
        self.slices.iter().filter(move |s| s.category == category)
    }

    /// Values of the counter of that name.
    pub fn counter(&self, name: &str) -> &[(u64, f64)] {
        let track = self.tracks.iter().find(|(_, t)| t.counter && t.name == name).expect("the counter is there").0;
        &self.counters[track]
    }
}

fn arguments(slice: &mut Slice, event: &[(u64, Value<'_>)], names: &BTreeMap<u64, String>) {
    for (_, annotation) in event.iter().filter(|f| f.0 == 4) {
        let Value::Bytes(annotation) = annotation else { panic!("annotations are messages") };
        let annotation = fields(annotation);
        let name = text(&annotation, 10).unwrap_or_else(|| names[&number(&annotation, 1).unwrap()].clone());
        match (number(&annotation, 3).or(number(&annotation, 7)), text(&annotation, 6)) {
            (Some(n), None) => drop(slice.numbers.insert(name, n)),
            (None, Some(t)) => drop(slice.texts.insert(name, t)),
            _ => panic!("{name} has one value"),
        }
    }
}
