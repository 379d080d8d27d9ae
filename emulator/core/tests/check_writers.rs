//! Who wrote a byte last.

use std::collections::HashMap;
use wavepipe_core::tested::writers::{enter, tidied, written_by};
use wavepipe_core::wave::Written;
use wavepipe_hw::observe::Writer;

/// The x of the work-group that wrote a byte, or that a command did.
fn last(written: &Written, at: u64) -> Option<Result<u32, Command>> {
    written.last(at).map(|writer| match writer {
        Writer::Command => Err(Command),
        Writer::Invocation(of) => Ok(of.site.workgroup[0]),
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Command;

/// A plain list of bytes beside it.
#[test]
fn words_and_bytes_over_the_ends_of_pages_and_ranges() {
    let written = Written::default();
    let ranges = [(0x1_0ffd, 0x1005u64), (0x1_3000, 6), (0x1_3006, 0x2001)];
    ranges.iter().for_each(|&(at, bytes)| written.watch(at, bytes));
    let groups = [0, 1, 2, 3, 4].map(|n| enter(&written, [n, 0, 0]));
    let watched = |at: u64| ranges.iter().any(|(first, bytes)| (*first..first + bytes).contains(&at));
    let mut plain = HashMap::new();
    let mut random = 1u64;
    for n in 0..5000u32 {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let (at, bytes) = (0x1_0ff0 + (random >> 33) % 0x4040, [1, 2, 4, 8, 16, 3000][n as usize % 6]);
        let at = if bytes >= 4 && n % 7 != 0 { at & !3 } else { at };
        let group = n % 5;
        written_by(&written, groups[group as usize], at, bytes);
        plain.extend((at..at + bytes).filter(|b| watched(*b)).map(|b| (b, Ok(group))));
    }
    for at in 0x1_0f00..0x1_6000 {
        assert_eq!(last(&written, at), plain.get(&at).copied(), "{at:#x}");
    }
    // Groups whose marks are gone are dropped, and the others keep theirs.
    written.command(0x1_3000, 0x2007);
    written_by(&written, groups[2], 0x1_0ffd, 0x1005);
    assert_eq!(tidied(&written), [[2, 0, 0]]);
    assert_eq!((last(&written, 0x1_1000), last(&written, 0x1_3000)), (Some(Ok(2)), Some(Err(Command))));
}
