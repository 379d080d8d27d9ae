//! Laid code, followed hop by hop: every branch arrives where it was meant to, over any distance and any number of islands.

use wavepipe_compiler::tested::{Flow, Laid, Piece, Quirks, REACH, lay};

const RDNA1: Quirks = Quirks { bad_distance: true, wait: true };

fn next(words: u32) -> Piece {
    Piece { words, flow: Flow::Next, glued: false }
}

fn jump(target: usize) -> Piece {
    Piece { words: 1, flow: Flow::Branch { target, always: true }, glued: false }
}

fn branch(target: usize) -> Piece {
    Piece { words: 1, flow: Flow::Branch { target, always: false }, glued: false }
}

const STOP: Piece = Piece { words: 1, flow: Flow::Stop, glued: false };

/// What stands at a dword.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Word {
    Start(usize, i16),
    Rest,
    Branch(i16),
    Other,
}

struct Read {
    words: Vec<Word>,
    starts: Vec<usize>,
}

impl Read {
    fn new(pieces: &[Piece]) -> Read {
        let laid = lay(pieces, &RDNA1).unwrap();
        let mut r = Read { words: Vec::new(), starts: Vec::new() };
        for l in laid {
            match l {
                Laid::Piece(n, distance) => {
                    assert_eq!(n, r.starts.len(), "pieces stay in order");
                    r.starts.push(r.words.len());
                    r.words.push(Word::Start(n, distance));
                    r.words.extend(vec![Word::Rest; pieces[n].words as usize - 1]);
                }
                Laid::Branch(d) => r.words.push(Word::Branch(d)),
                Laid::Nop | Laid::Wait => r.words.push(Word::Other),
            }
        }
        r
    }

    /// The piece at which control arrives that stands before dword `at` (the number of pieces: the end), and hops.
    fn arrives(&self, mut at: usize) -> (usize, usize) {
        for hops in 0..1000 {
            match self.words.get(at) {
                None => return (self.starts.len(), hops),
                Some(&Word::Start(n, _)) => return (n, hops),
                Some(&Word::Branch(d)) => {
                    assert_ne!(d, 0x3f);
                    at = (at as i64 + 1 + i64::from(d)) as usize;
                }
                Some(Word::Other) => at += 1,
                Some(Word::Rest) => panic!("control goes into the middle of a piece"),
            }
        }
        panic!("control goes round in islands");
    }

    /// Checks where every piece's control goes; the islands laid, and the most hops of a branch.
    fn check(pieces: &[Piece]) -> (usize, usize) {
        let r = Read::new(pieces);
        let mut most = 0;
        for (k, p) in pieces.iter().enumerate() {
            let start = r.starts[k];
            let behind = start + p.words as usize;
            if p.glued {
                assert_eq!(start, r.starts[k - 1] + pieces[k - 1].words as usize, "piece {k} is torn off");
            }
            let falls = match p.flow {
                Flow::Next => true,
                Flow::Stop => false,
                Flow::Branch { target, always } => {
                    let Word::Start(_, d) = r.words[start] else { panic!() };
                    assert_ne!(d, 0x3f, "piece {k}");
                    let (to, hops) = r.arrives((behind as i64 + i64::from(d)) as usize);
                    assert_eq!(to, target, "piece {k}");
                    most = most.max(hops);
                    !always
                }
            };
            if falls {
                assert_eq!(r.arrives(behind).0, k + 1, "behind piece {k}");
            }
        }
        (r.words.iter().filter(|w| matches!(w, Word::Branch(_))).count(), most)
    }
}

/// Both ends of the range are used to the last dword: 32,767 forward, 32,768 backward.
#[test]
fn ends_of_the_range() {
    for n in REACH - 3..=REACH + 3 {
        for words in [1, 3] {
            // A branch over n dwords.
            let mut forward = vec![branch(0)];
            forward.extend(vec![next(words); n / words as usize]);
            forward.extend(vec![next(1); n % words as usize]);
            forward[0] = branch(forward.len());
            let islands = Read::check(&forward).0;
            assert_eq!(islands > 0, n > REACH, "forward over {n}: {islands}");
            forward.push(STOP);
            assert_eq!(Read::check(&forward).0, islands);
            // Back over n dwords and itself.
            let mut back = vec![next(words); n / words as usize];
            back.extend(vec![next(1); n % words as usize]);
            back.push(branch(0));
            back.push(STOP);
            let islands = Read::check(&back).0;
            assert_eq!(islands > 0, n + 1 > REACH + 1, "back over {n}: {islands}");
        }
    }
}

/// An island that takes a forward branch on costs three dwords in straight code and one behind a jump.
#[test]
fn where_islands_stand() {
    let straight = |n: usize| {
        let mut code = vec![branch(n + 1)];
        code.extend(vec![next(1); n]);
        code.push(STOP);
        code
    };
    let code = straight(40_000);
    assert_eq!(Read::check(&code), (2, 1));
    assert_eq!(lay(&code, &RDNA1).unwrap().len(), code.len() + 3);
    let mut code = straight(40_000);
    code[10_000] = STOP;
    assert_eq!(Read::check(&code), (1, 1));
    // Out of a clause, and not between glued pieces, there is none.
    let mut code = straight(40_000);
    code[5_000..39_000].iter_mut().for_each(|p| p.glued = true);
    assert!(lay(&code, &RDNA1).is_err());
    let mut code = straight(40_000);
    code[8_000..39_000].iter_mut().for_each(|p| p.glued = true);
    Read::check(&code);
}

/// Chains both ways, over lengths around the multiples of the reach.
#[test]
fn chains() {
    for hops in 2..8 {
        for extra in [0, 1, 100, 20_000] {
            let n = hops * REACH + extra;
            let mut code = vec![branch(n + 2)];
            code.extend(vec![next(1); n]);
            code.push(branch(0));
            code.push(STOP);
            let most = Read::check(&code).1;
            assert!((hops - usize::from(extra == 0)..=hops + 1).contains(&most), "{hops} {extra}: {most}");
        }
    }
}

/// Random code, short and long, with branches near and far in both directions.
#[test]
fn random_code() {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |n: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 20) as usize % n
    };
    let mut longest = 0;
    for round in 0..60 {
        let n = [200, 2_000, 60_000][round % 3];
        // How many pieces there are to a branch, and how far it goes.
        let (rare, near) = ([2, 6, 200][below(3)], [70, 2_000, n][below(3)]);
        let mut code: Vec<Piece> = (0..n)
            .map(|k| {
                let words = 1 + below(3) as u32;
                let target = (k + below(2 * near)).saturating_sub(near).min(n);
                // A target in a few places, as the ends of loops are.
                let target = if near == n { target / 4096 * 4096 } else { target };
                match below(rare) {
                    0 if below(4) == 0 => jump(target),
                    0 => branch(target),
                    _ if below(300) == 0 => STOP,
                    _ => Piece { glued: below(8) == 0, ..next(words) },
                }
            })
            .collect();
        // Nothing is glued to a branch.
        for k in 0..n {
            code[k].glued &= k > 0 && code[k - 1].flow == Flow::Next;
        }
        longest = longest.max(Read::check(&code).1);
    }
    assert!(longest >= 2, "no chain of islands was made");
}

/// Branches by 0x3f dwords, one over the other: each gets its nop, no more.
#[test]
fn bad_distances() {
    let mut code = vec![];
    for k in 0..1000 {
        code.push(branch((k + 0x40).min(1000)));
    }
    Read::check(&code);
    let nops = |n: usize| {
        let mut code = vec![branch(n + 1)];
        code.extend(vec![next(1); n]);
        lay(&code, &RDNA1).unwrap().iter().filter(|l| **l == Laid::Nop).count()
    };
    assert_eq!([nops(0x3e), nops(0x3f), nops(0x40)], [0, 1, 0]);
}

/// More far targets at once than there is room for islands between them.
#[test]
fn too_many_targets() {
    let n = 20_000;
    let mut code: Vec<Piece> = (0..n).map(|k| branch(n + 40_000 + 2 * k)).collect();
    code.extend(vec![next(1); 40_000 + 2 * n]);
    let message = lay(&code, &RDNA1).unwrap_err();
    assert!(message.contains("places are branched to over more than 32767 dwords"), "{message}");
}
