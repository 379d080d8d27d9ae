//! Indexes that are outside of what they choose from.

use super::{Finding, FindingKind, Number, Stray};
use crate::site::{Indexed, SiteKind};
use std::fmt;

/// An index that is outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// What is indexed, as the source writes it; empty if it has no name there.
    pub name: String,
    pub of: Indexed,
    /// The index's bits, and whether they have a sign.
    pub index: u64,
    pub signed: bool,
    /// Elements that there are.
    pub bound: u32,
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Index { name, of, index, signed, bound } = self;
        match (signed, *index) {
            (true, index) => write!(f, "index {} of ", index as i64)?,
            // Wrapped below zero, most probably.
            (false, index @ 0x8000_0000..=0xffff_ffff) => write!(f, "index {index} ({}) of ", index as u32 as i32)?,
            (false, index) => write!(f, "index {index} of ")?,
        }
        if !name.is_empty() {
            write!(f, "`{name}`, ")?;
        }
        match of {
            Indexed::Array => write!(f, "an array of {bound}"),
            Indexed::Vector => write!(f, "a vector of {bound}"),
            Indexed::Matrix => write!(f, "a matrix of {bound} columns"),
            Indexed::Descriptors => write!(f, "an array of {bound} descriptors"),
        }
    }
}

impl FindingKind {
    /// What a message of a site means; `None`: it is not one that the site sends.
    pub fn of_site(site: &SiteKind, payload: &[u32]) -> Option<FindingKind> {
        match (site, payload) {
            (&SiteKind::Index { ref name, of, bound, signed }, &[low, high, ref rest @ ..]) => {
                let bound = bound.or(rest.first().copied())?;
                let index = u64::from(low) | u64::from(high) << 32;
                Some(FindingKind::Index(Index { name: name.clone(), of, index, signed, bound }))
            }
            (SiteKind::Misaligned { name, align }, &[low, high]) => {
                let address = u64::from(low) | u64::from(high) << 32;
                Some(FindingKind::Stray(Stray::Misaligned { name: name.clone(), address, align: *align }))
            }
            (SiteKind::Number { what, name, bits, values }, payload) => {
                Number::of(*what, name, *bits, values, payload).map(FindingKind::Number)
            }
            _ => None,
        }
    }
}

impl Finding {
    /// Whether it is of the index by which an access went astray, and the other one of that access: then that says nothing new.
    pub fn says_more_than(&self, other: &Finding) -> bool {
        let access = match &other.kind {
            FindingKind::OutOfBounds { .. } => true,
            FindingKind::Stray(stray) => matches!(stray, Stray::NoBuffer(_)),
            _ => false,
        };
        let (a, b) = (&self.site, &other.site);
        matches!(self.kind, FindingKind::Index(_))
            && access
            && (a.workgroup, a.wave, a.lanes & b.lanes) == (b.workgroup, b.wave, b.lanes)
            && a.source.is_some()
            && a.source == b.source
    }
}
