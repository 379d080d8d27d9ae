//! What instrumented code says through the thread trace (`hw::site`), and where its lines go.
//!
//! A line is printed as its message comes: all of a wave in the order in which the wave ran, before the dispatch ends, and
//! none is dropped. Lines of waves that run at the same time stand in the order in which the GPU's threads bring them, a
//! work-group's some thousand at a time.

use crate::bus::CodeMap;
use crate::lock::{Mutex, rank};
use crate::printf;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wavepipe_hw::code::CodeObject;
use wavepipe_hw::site::{Message, Messages, Site, SiteKind};

/// Where lines go that programs print.
#[derive(Default)]
pub(crate) struct Printer {
    /// Lines wait for whoever takes them; otherwise they go to stderr.
    collects: AtomicBool,
    /// Whether there are some.
    fresh: AtomicBool,
    lines: Mutex<Vec<String>, { rank::LEAF }>,
}

impl Printer {
    /// From now on lines wait.
    pub fn collect(&self) {
        self.collects.store(true, Ordering::Release);
    }

    /// The lines since last asked.
    pub fn take(&self) -> Vec<String> {
        match self.fresh.load(Ordering::Acquire) && self.fresh.swap(false, Ordering::AcqRel) {
            true => std::mem::take(&mut *self.lines.lock()),
            false => Vec::new(),
        }
    }

    /// Prints what a work-group has to say.
    pub fn print(&self, messages: &Messages, codes: &CodeMap) {
        let mut lines = Vec::with_capacity(messages.len());
        let mut code: Option<(u64, Arc<CodeObject>)> = None;
        for message in messages.iter() {
            if code.as_ref().is_none_or(|(va, code)| message.pc.wrapping_sub(*va) >= code.text.len() as u64) {
                code = codes.find(message.pc);
            }
            let Some((_, code)) = &code else { continue };
            // Code of others may send what it likes.
            let Some(site) = code.sites.get(message.site as usize) else { continue };
            if let SiteKind::Print { format, arguments } = &site.kind {
                lines.push(line(&message, site, code, &printf::text(format, arguments, message.payload)));
            }
        }
        if lines.is_empty() {
            return;
        }
        if self.collects.load(Ordering::Acquire) {
            self.lines.lock().append(&mut lines);
            self.fresh.store(true, Ordering::Release);
        } else {
            let text = lines.join("\n") + "\n";
            // A closed stderr is no reason to fail.
            let _ = std::io::stderr().lock().write_all(text.as_bytes());
        }
    }
}

/// `[group x,y,z wave w lane l file:line] text`.
fn line(message: &Message<'_>, site: &Site, code: &CodeObject, text: &str) -> String {
    let [x, y, z] = message.workgroup;
    let mut out = format!("[group {x},{y},{z} wave {} lane {}", message.wave, message.lanes.trailing_zeros());
    if let Some(file) = code.files.get(site.file as usize).filter(|_| site.line != 0) {
        let _ = write!(out, " {file}:{}", site.line);
    }
    // Many end their format as printf needs it.
    let _ = write!(out, "] {}", text.strip_suffix('\n').unwrap_or(text));
    out
}
