//! What a launch gives its kernel beside buffers. A driver that is asked for checks says it in the body of a NOP in front of the
//! DISPATCH, as drivers mark command buffers for their tools; hardware skips it.

use std::ops::Range;

/// The first dword of such a body: nothing else that a NOP holds begins so.
const MAGIC: u32 = u32::from_le_bytes(*b"GIVE");

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// What lies in LDS, by begin, none over another. Nothing else of LDS is the kernel's.
    pub lds: Vec<GivenPart>,
    /// The same of a work-item's private memory.
    pub private: Vec<GivenPart>,
    /// Memory of the driver's that the kernel may look at: its code and arguments, what stands for packet and queue.
    pub memory: Vec<Range<u64>>,
}

/// A variable, or all those that have their places since the kernel was compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenPart {
    pub begin: u32,
    pub bytes: u32,
    pub name: String,
}

impl GivenPart {
    /// What private memory of a work-item is called as a whole.
    pub const PRIVATE: &str = "private variables";
    /// And what LDS that has its places since the kernel was compiled is.
    pub const LOCAL: &str = "local variables";
}

impl Given {
    pub fn to_words(&self) -> Vec<u32> {
        let mut words = vec![MAGIC];
        for parts in [&self.lds, &self.private] {
            words.push(parts.len() as u32);
            for GivenPart { begin, bytes, name } in parts {
                words.extend([*begin, *bytes, name.len() as u32]);
                let dword = |c: &[u8]| u32::from_le_bytes(std::array::from_fn(|i| c.get(i).copied().unwrap_or(0)));
                words.extend(name.as_bytes().chunks(4).map(dword));
            }
        }
        words.push(self.memory.len() as u32);
        words.extend(self.memory.iter().flat_map(|r| [r.start, r.end]).flat_map(|at| [at as u32, (at >> 32) as u32]));
        words
    }

    /// `None`: the body is for somebody else.
    pub fn from_words(words: &[u32]) -> Option<Given> {
        let mut rest = words.iter().copied();
        if rest.next()? != MAGIC {
            return None;
        }
        let mut given = Given::default();
        for parts in [&mut given.lds, &mut given.private] {
            for _ in 0..rest.next()? {
                let (begin, bytes, length) = (rest.next()?, rest.next()?, rest.next()? as usize);
                let mut name = Vec::new();
                for _ in 0..length.div_ceil(4) {
                    name.extend(rest.next()?.to_le_bytes());
                }
                name.truncate(length);
                parts.push(GivenPart { begin, bytes, name: String::from_utf8(name).ok()? });
            }
        }
        for _ in 0..rest.next()? {
            let mut at = || Some(u64::from(rest.next()?) | u64::from(rest.next()?) << 32);
            given.memory.push(at()?..at()?);
        }
        rest.next().is_none().then_some(given)
    }
}
