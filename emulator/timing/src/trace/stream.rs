//! A Perfetto trace as a stream of packets: tracks, slices on them, counters.
//!
//! A file is a `Trace` message: `TracePacket`s one after the other, so that any number of whole packets is a trace.
//! Fields have the numbers of perfetto/trace/trace_packet.proto and track_event/*.proto. Names are interned, [`NAMES`]
//! at most.

use super::proto::Message;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use wavepipe_hw::file;

/// Bytes that wait to be written.
const BUFFER: usize = 1 << 20;
/// Most names that are interned; others are written out each time.
const NAMES: usize = 1 << 16;
/// The one sequence of packets.
const SEQUENCE: u64 = 1;

mod packet {
    pub const TIMESTAMP: u32 = 8;
    pub const SEQUENCE_ID: u32 = 10;
    pub const TRACK_EVENT: u32 = 11;
    pub const INTERNED_DATA: u32 = 12;
    pub const SEQUENCE_FLAGS: u32 = 13;
    pub const TRACK_DESCRIPTOR: u32 = 60;
    /// SEQUENCE_FLAGS: what was interned before is forgotten; what follows needs what is interned.
    pub const CLEARED: u64 = 1;
    pub const NEEDS_INTERNED: u64 = 2;
}

mod track {
    pub const UUID: u32 = 1;
    pub const NAME: u32 = 2;
    pub const PARENT: u32 = 5;
    pub const COUNTER: u32 = 8;
    pub const CHILD_ORDERING: u32 = 11;
    pub const RANK: u32 = 12;
    pub const COUNTER_UNIT_NAME: u32 = 6;
    /// Children in the order of their ranks.
    pub const EXPLICIT: u64 = 3;
}

mod event {
    pub const CATEGORY_IIDS: u32 = 3;
    pub const ANNOTATIONS: u32 = 4;
    pub const TYPE: u32 = 9;
    pub const NAME_IID: u32 = 10;
    pub const TRACK: u32 = 11;
    pub const NAME: u32 = 23;
    pub const DOUBLE_COUNTER: u32 = 44;
    pub const FLOWS: u32 = 47;
    pub const BEGIN: u64 = 1;
    pub const END: u64 = 2;
    pub const COUNTER: u64 = 4;
}

mod annotation {
    pub const NAME_IID: u32 = 1;
    pub const UINT: u32 = 3;
    pub const TEXT: u32 = 6;
    /// Shown in hexadecimal digits.
    pub const POINTER: u32 = 7;
    pub const NAME: u32 = 10;
}

/// What interned data are of: the field of `InternedData`.
#[derive(Clone, Copy)]
enum Interned {
    Category = 1,
    Name = 2,
    Annotation = 3,
}

/// Value of an argument that a slice shows.
#[derive(Clone, Copy)]
pub enum Arg<'a> {
    Number(u64),
    Address(u64),
    Text(&'a str),
}

pub type Args<'a> = &'a [(&'a str, Arg<'a>)];

/// What a slice is besides its place and time.
pub struct Slice<'a> {
    pub name: &'a str,
    pub category: &'a str,
    pub args: Args<'a>,
    /// Slices of one number, in the order of their times, are joined by arrows.
    pub flows: &'a [u64],
}

pub struct Stream {
    out: BufWriter<File>,
    names: [BTreeMap<String, u64>; 3],
    fresh: Message,
    body: Message,
    packet: Message,
    begun: bool,
    failure: Option<String>,
    path: String,
}

impl Stream {
    pub fn create(path: &Path) -> io::Result<Stream> {
        Ok(Stream {
            out: BufWriter::with_capacity(BUFFER, file::create(path)?),
            names: Default::default(),
            fresh: Message::default(),
            body: Message::default(),
            packet: Message::default(),
            begun: false,
            failure: None,
            path: path.display().to_string(),
        })
    }

    /// Why nothing is written any more.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// A track for slices; `rank` is its place among its parent's children. Parents come first.
    pub fn track(&mut self, uuid: u64, parent: Option<u64>, name: &str, rank: u64) {
        self.descriptor(uuid, parent, name, rank, |t| t.uint(track::CHILD_ORDERING, track::EXPLICIT));
    }

    pub fn counter_track(&mut self, uuid: u64, parent: Option<u64>, name: &str, unit: &str, rank: u64) {
        let counter = |t: &mut Message| t.message(track::COUNTER, |c| c.text(track::COUNTER_UNIT_NAME, unit));
        self.descriptor(uuid, parent, name, rank, counter);
    }

    fn descriptor(&mut self, uuid: u64, parent: Option<u64>, name: &str, rank: u64, more: impl FnOnce(&mut Message)) {
        let mut body = std::mem::take(&mut self.body);
        body.clear();
        body.message(packet::TRACK_DESCRIPTOR, |t| {
            t.uint(track::UUID, uuid);
            if let Some(parent) = parent {
                t.uint(track::PARENT, parent);
            }
            t.text(track::NAME, name);
            t.uint(track::RANK, rank);
            more(t);
        });
        self.put(&body);
        self.body = body;
    }

    pub fn begin(&mut self, ns: u64, track: u64, slice: &Slice<'_>) {
        let name = self.intern(Interned::Name, slice.name);
        let category = self.intern(Interned::Category, slice.category);
        self.event(ns, track, event::BEGIN, slice.args, |e| {
            match name {
                Some(iid) => e.uint(event::NAME_IID, iid),
                None => e.text(event::NAME, slice.name),
            }
            if let Some(iid) = category {
                e.uint(event::CATEGORY_IIDS, iid);
            }
            slice.flows.iter().for_each(|f| e.fixed64(event::FLOWS, *f));
        });
    }

    /// Ends the slice that was begun last on the track; `args` join those of its begin.
    pub fn end(&mut self, ns: u64, track: u64, args: Args<'_>) {
        self.event(ns, track, event::END, args, |_| {});
    }

    pub fn counter(&mut self, ns: u64, track: u64, value: f64) {
        self.event(ns, track, event::COUNTER, &[], |e| e.double(event::DOUBLE_COUNTER, value));
    }

    fn event(&mut self, ns: u64, track: u64, kind: u64, args: Args<'_>, more: impl FnOnce(&mut Message)) {
        let mut body = std::mem::take(&mut self.body);
        body.clear();
        body.uint(packet::TIMESTAMP, ns);
        body.message(packet::TRACK_EVENT, |e| {
            e.uint(event::TYPE, kind);
            e.uint(event::TRACK, track);
            more(e);
            for (name, value) in args {
                let iid = self.intern(Interned::Annotation, name);
                e.message(event::ANNOTATIONS, |a| {
                    match iid {
                        Some(iid) => a.uint(annotation::NAME_IID, iid),
                        None => a.text(annotation::NAME, name),
                    }
                    match value {
                        Arg::Number(n) => a.uint(annotation::UINT, *n),
                        Arg::Address(n) => a.uint(annotation::POINTER, *n),
                        Arg::Text(text) => a.text(annotation::TEXT, text),
                    }
                });
            }
        });
        self.put(&body);
        self.body = body;
    }

    /// The number of a name, which the packet that is put next explains if it is new.
    fn intern(&mut self, kind: Interned, name: &str) -> Option<u64> {
        let names = &mut self.names[kind as usize - 1];
        if let Some(iid) = names.get(name) {
            return Some(*iid);
        }
        if names.len() >= NAMES {
            return None;
        }
        let iid = names.len() as u64 + 1;
        names.insert(name.into(), iid);
        self.fresh.message(kind as u32, |n| {
            n.uint(1, iid);
            n.text(2, name);
        });
        Some(iid)
    }

    /// Writes a packet: `body` and what belongs to every one.
    fn put(&mut self, body: &Message) {
        const TRACE_PACKET: u32 = 1;
        self.packet.clear();
        self.packet.message(TRACE_PACKET, |p| {
            p.uint(packet::SEQUENCE_ID, SEQUENCE);
            let cleared = if self.begun { 0 } else { packet::CLEARED };
            p.uint(packet::SEQUENCE_FLAGS, packet::NEEDS_INTERNED | cleared);
            if !self.fresh.is_empty() {
                p.data(packet::INTERNED_DATA, self.fresh.bytes());
            }
            p.append(body);
        });
        self.begun = true;
        self.fresh.clear();
        if self.failure.is_none()
            && let Err(e) = self.out.write_all(self.packet.bytes())
        {
            self.fail(&e);
        }
    }

    /// Whole packets reach the file.
    pub fn flush(&mut self) {
        if self.failure.is_none()
            && let Err(e) = self.out.flush()
        {
            self.fail(&e);
        }
    }

    fn fail(&mut self, error: &io::Error) {
        self.failure = Some(format!("trace {}: {error}; the rest of it is missing", self.path));
    }
}
