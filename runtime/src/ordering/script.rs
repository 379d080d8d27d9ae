//! What a command buffer does to memory, as its recording goes: transfers, dispatches, dependencies.

use super::layouts::LayoutStep;
use super::scopes::Dependency;
use std::ops::Range;
use std::sync::Arc;

/// Parts of a transfer that are told apart; what is beyond is not looked at.
const PARTS: usize = 1 << 16;

#[derive(Default)]
pub(crate) struct Script(pub Vec<Entry>);

pub(crate) enum Entry {
    Transfer {
        name: &'static str,
        /// Bytes, and whether they are written.
        parts: Vec<(Range<u64>, bool)>,
    },
    /// A DISPATCH packet, whose accesses the GPU tells.
    Dispatch {
        /// Of a program's.
        kernel: Option<String>,
        /// The command.
        name: &'static str,
        /// Where its counts are.
        counts: Option<Range<u64>>,
    },
    Dependency(Dependency),
    /// What a command says of an image's layout, or makes of it.
    Layout(LayoutStep),
    Execute(Arc<Script>),
}

impl Script {
    /// A command begins that moves bytes.
    pub fn transfer(&mut self, name: &'static str) {
        self.0.push(Entry::Transfer { name, parts: Vec::new() });
    }

    /// The command that began last moves these.
    pub fn moves(&mut self, read: Option<Range<u64>>, written: Option<Range<u64>>) {
        let Some(Entry::Transfer { parts, .. }) = self.0.last_mut() else { return };
        for (range, writes) in [(read, false), (written, true)] {
            let Some(range) = range.filter(|r| !r.is_empty()) else { continue };
            let room = parts.len() < PARTS;
            match parts.last_mut() {
                // Large copies come in pieces.
                Some((last, w)) if *w == writes && last.end == range.start => last.end = range.end,
                _ if room => parts.push((range, writes)),
                _ => {}
            }
        }
    }
}
