//! What the device takes note of on request: who wrote memory last, and which code ran.

#[path = "observed/covered.rs"]
mod covered;
#[path = "observed/writers.rs"]
mod writers;

use std::process::Command;
use std::sync::Arc;
use wavepipe_runtime::simple::Session;
use wavepipe_runtime::{Buffer, Config, Observe};
use wavepipe_tests::scratch;

/// Compiled by glslc, with lines.
fn glsl(name: &str, text: &str) -> Vec<u32> {
    let path = scratch(&format!("observed-{name}.comp"));
    std::fs::write(&path, text).unwrap();
    let out = path.with_extension("spv");
    let ran = Command::new("glslc").args(["-g", "-O0", "--target-env=vulkan1.2", "-o"]).arg(&out).arg(&path).output();
    let ran = ran.unwrap();
    assert!(ran.status.success(), "{}\n{text}", String::from_utf8_lossy(&ran.stderr));
    std::fs::read(&out).unwrap().chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect()
}

fn session(observe: Observe, threads: usize, timing: bool) -> Session {
    Session::new(&Config { observe, threads, timing, ..Config::checked() }).unwrap()
}

fn buffer(session: &Session, bytes: &[u8]) -> Arc<Buffer> {
    let buffer = Buffer::with_memory(session.device(), bytes.len() as u64).unwrap();
    buffer.write(0, bytes).unwrap();
    buffer
}
