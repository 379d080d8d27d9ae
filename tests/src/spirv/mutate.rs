//! Mutation of modules: words, operands, ids and whole instructions change, move, go and come from other modules.

use crate::random::Random;
use std::ops::Range;

/// Word ranges of a module's instructions; what cannot be split is one last instruction.
pub fn spans(words: &[u32]) -> Vec<Range<usize>> {
    let (mut out, mut at) = (Vec::new(), 5);
    while at < words.len() {
        let len = (words[at] >> 16) as usize;
        let end = if len == 0 { words.len() } else { (at + len).min(words.len()) };
        out.push(at..end);
        at = end;
    }
    out
}

/// The module with a few changes; `donor` gives instructions.
pub fn mutate(words: &[u32], donor: &[u32], r: &mut Random) -> Vec<u32> {
    let mut out = words.to_vec();
    for _ in 0..1 + r.below(3) {
        change(&mut out, donor, r);
    }
    out
}

fn change(words: &mut Vec<u32>, donor: &[u32], r: &mut Random) {
    let spans = spans(words);
    if spans.len() < 2 {
        return;
    }
    let pick = |r: &mut Random| spans[r.below(spans.len())].clone();
    let span = pick(r);
    // Some operand word; an instruction may have none.
    let operand = |r: &mut Random, s: &Range<usize>| (s.len() > 1).then(|| s.start + 1 + r.below(s.len() - 1));
    match r.below(20) {
        // Any word: a bit, or all of it.
        0 => {
            let at = r.below(words.len());
            words[at] ^= 1 << r.below(32);
        }
        1 => {
            let at = r.below(words.len());
            words[at] = extreme(r);
        }
        // An operand becomes a number, an id, or another operand.
        2..=4 => {
            if let Some(at) = operand(r, &span) {
                words[at] = if r.one_in(2) { extreme(r) } else { r.below(64) as u32 };
            }
        }
        5..=9 => {
            if let Some(at) = operand(r, &span) {
                let bound = words[3].clamp(2, 1 << 22) as usize;
                // Ids that were made nearby are likelier of the right type.
                let near = words[at].wrapping_add(r.below(9) as u32).wrapping_sub(4);
                words[at] = if r.one_in(2) { near } else { 1 + r.below(bound - 1) as u32 };
            }
        }
        10..=12 => {
            let other = pick(r);
            if let (Some(at), Some(from)) = (operand(r, &span), operand(r, &other)) {
                words[at] = words[from];
            }
        }
        // Two operands of an instruction change places.
        13 => {
            if let (Some(a), Some(b)) = (operand(r, &span), operand(r, &span)) {
                words.swap(a, b);
            }
        }
        // Another opcode with the same operands.
        14 => {
            let opcode = if r.one_in(2) { r.below(410) as u32 } else { words[pick(r).start] & 0xffff };
            words[span.start] = words[span.start] & 0xffff_0000 | opcode;
        }
        // An instruction goes, is there twice, or moves.
        15 => {
            words.drain(span);
        }
        16 => {
            let copy = words[span.clone()].to_vec();
            words.splice(span.end..span.end, copy);
        }
        17 => {
            let to = pick(r).start;
            let copy: Vec<u32> = words.drain(span.clone()).collect();
            let to = if to > span.start { to - copy.len() } else { to };
            words.splice(to..to, copy);
        }
        // One comes from elsewhere, with its ids, which mean other things here.
        18 => {
            let theirs = self::spans(donor);
            if !theirs.is_empty() {
                let copy = donor[theirs[r.below(theirs.len())].clone()].to_vec();
                words.splice(span.start..span.start, copy);
            }
        }
        // An instruction's length.
        _ => {
            let len = (words[span.start] >> 16).wrapping_add(r.below(3) as u32).wrapping_sub(1);
            words[span.start] = words[span.start] & 0xffff | len << 16;
        }
    }
}

fn extreme(r: &mut Random) -> u32 {
    let numbers = [0, 1, 2, 3, 4, 16, 31, 32, 64, 255, 1 << 16, (1 << 22) - 1, i32::MAX as u32, 1 << 31, u32::MAX];
    if r.one_in(4) { r.bits() as u32 } else { r.pick(&numbers) }
}

/// Without instructions of which `fails` does not need any; asked at most `tries` times.
pub fn least(words: &[u32], tries: usize, mut fails: impl FnMut(&[u32]) -> bool) -> Vec<u32> {
    let (mut best, mut left) = (words.to_vec(), tries);
    let mut run = (spans(&best).len() / 2).max(1);
    loop {
        let mut at = 0;
        while let Some(first) = spans(&best).get(at).filter(|_| left > 0) {
            let all = spans(&best);
            let last = &all[(at + run).min(all.len()) - 1];
            let mut candidate = best.clone();
            candidate.drain(first.start..last.end);
            left -= 1;
            if fails(&candidate) {
                best = candidate;
            } else {
                at += run;
            }
        }
        if run == 1 || left == 0 {
            return best;
        }
        run /= 2;
    }
}
