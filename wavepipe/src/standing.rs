//! What is to be seen of the machine where a dispatch stands: its cycle, its queues, and on the card's clock what each wave waits for, what
//! the caches had, and which accesses are under way.

use wavepipe_inspect::{Issue, QueueState, Session, WaveState, WaveStatus};

/// Accesses that are named.
const UNDER_WAY: usize = 6;

/// What a wave does, in some words: on a clock, when and why it issues next.
pub fn wave(held: &Session, wave: &WaveState) -> String {
    let status = status_text(wave.status).to_owned();
    let executed = held.position().executed;
    let Some(next) = held.schedule().and_then(|s| s.next(wave.turn, executed)) else { return status };
    let now = held.cycle();
    match next.cycle - now {
        0 => "issues".into(),
        left if next.waited >= left => format!("{}: {left} cycles", next.reason),
        left => format!("busy: {left} cycles"),
    }
}

/// Names and what they are. `text`: the instruction at an address.
pub fn machine(held: &Session, text: impl Fn(u64) -> String) -> Vec<(String, String)> {
    let executed = held.position().executed;
    let schedule = held.schedule();
    let how =
        if schedule.is_some() { "of the card's clock" } else { "one for each instruction: the clock is --timing's" };
    let mut out = vec![("cycle".to_owned(), format!("{}, {how}", held.cycle()))];
    out.extend(held.queues().iter().map(|q| (format!("queue {}", q.number), queue(q))));
    let Some(schedule) = schedule else { return out };
    let caches = schedule.caches(executed);
    out.extend(caches.iter().map(|c| (c.cache.to_owned(), format!("{} of {} lines found", c.hits, c.hits + c.misses))));
    let under_way = schedule.under_way(executed);
    let more = under_way.len().saturating_sub(UNDER_WAY);
    out.extend(under_way.iter().take(UNDER_WAY).map(|i| ("under way".to_owned(), access(held, i, &text))));
    if more > 0 {
        out.push(("under way".to_owned(), format!("{more} more")));
    }
    out
}

fn queue(q: &QueueState) -> String {
    let state = match (q.stopped, q.runs) {
        (true, _) => ", stopped by a fault",
        (_, true) => ", whose dispatch this is",
        _ => "",
    };
    let priority = format!("{:?}", q.rank.global).to_uppercase();
    format!("pipe {}, place {}, {priority}: {} of {} dwords executed{state}", q.pipe, q.place, q.read, q.written)
}

fn access(held: &Session, issue: &Issue, text: impl Fn(u64) -> String) -> String {
    let (code, [x, y, z]) = held.dispatch().map_or((0, [0; 3]), |d| (d.launch.code_va, d.id(issue.turn.group)));
    let text = text(code.wrapping_add(issue.offset));
    let what = text.split(' ').next().unwrap_or_default();
    let (done, caches) = issue.access.as_ref().map_or((0, &[][..]), |a| (a.done, &a.caches));
    let found: Vec<String> =
        caches.iter().map(|c| format!(", {} {} of {}", c.cache, c.hits, c.hits + c.misses)).collect();
    let left = done.saturating_sub(held.cycle());
    format!("{what} of {x},{y},{z} w{}: {left} cycles{}", issue.turn.wave, found.concat())
}

/// What a wave does, in a word.
fn status_text(status: WaveStatus) -> &'static str {
    match status {
        WaveStatus::Ready => "ready",
        WaveStatus::AtBarrier => "at the barrier",
        WaveStatus::Sleeping => "asleep",
        WaveStatus::Waiting => "waiting",
        WaveStatus::Ended => "ended",
    }
}
