//! Breakpoints with what the session does not know of them: counts of hits, and messages.

use std::collections::BTreeSet;

/// When a breakpoint stops that is hit for the nth time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Times {
    Each,
    Exactly(u64),
    From(u64),
    Every(u64),
}

impl Times {
    /// `5` or `== 5`, `>= 5`, `> 5`, `% 5`.
    pub fn parse(text: &str) -> Result<Times, String> {
        let text = text.trim();
        let split = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
        let number: Option<u64> = text[split..].trim().parse().ok();
        match (text[..split].trim(), number) {
            ("" | "=" | "==", Some(n)) => Ok(Times::Exactly(n)),
            (">=", Some(n)) => Ok(Times::From(n)),
            (">", Some(n)) => Ok(Times::From(n.saturating_add(1))),
            ("%", Some(n)) if n > 0 => Ok(Times::Every(n)),
            _ => Err(format!("`{text}` is no count of hits: write 5, >= 5, > 5 or % 5")),
        }
    }

    pub fn hold(self, nth: u64) -> bool {
        match self {
            Times::Each => true,
            Times::Exactly(n) => nth == n,
            Times::From(n) => nth >= n,
            Times::Every(n) => nth.is_multiple_of(n),
        }
    }
}

/// A breakpoint of the user's.
pub struct Mark {
    pub id: u32,
    pub times: Times,
    /// What it says instead of stopping.
    pub message: Option<String>,
    /// Dispatches and positions where it was hit: counted once, however often the debugger comes there.
    pub seen: BTreeSet<(u64, u64)>,
}

impl Mark {
    pub fn new(id: u32, times: Times, message: Option<String>) -> Mark {
        Mark { id, times, message, seen: BTreeSet::new() }
    }
}
