//! What the device takes note of on request: who wrote memory last, and which code ran.

mod covered;
mod writers;

use std::sync::Arc;
use wavepipe_runtime::simple::Session;
use wavepipe_runtime::{Buffer, Config, Observe};

fn session(observe: Observe, threads: usize, timing: bool) -> Session {
    Session::new(&Config { observe, threads, timing, ..Config::checked() }).unwrap()
}

fn buffer(session: &Session, bytes: &[u8]) -> Arc<Buffer> {
    let buffer = Buffer::with_memory(session.device(), bytes.len() as u64).unwrap();
    buffer.write(0, bytes).unwrap();
    buffer
}
