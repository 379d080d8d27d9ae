//! The table of wait counters, against what LLVM waits for.

use crate::common;
use std::io::Write;
use std::process::{Command, Stdio};
use wavepipe_isa::wait::{Counter, Counts, Event};
use wavepipe_isa::{Gen, asm, decode};

/// Two loads by FLAT, of which the first is used first: until RDNA 1 nothing may be out then, from there on the second.
#[test]
fn flat_is_in_order_where_llvm_has_it_so() {
    let there = Command::new("llc-19").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !there.is_ok_and(|s| s.success()) {
        return common::skip("llc-19");
    }
    let ir = "define amdgpu_kernel void @two(ptr %p, ptr %q) {
        %x = load i32, ptr %p
        %y = load i32, ptr %q
        call void asm sideeffect \"; first $0\", \"v\"(i32 %x)
        call void asm sideeffect \"; second $0\", \"v\"(i32 %y)
        ret void
      }";
    for generation in [Gen::Gfx701, Gen::Gfx900, Gen::Gfx1010, Gen::Gfx1030] {
        let mut child = Command::new("llc-19")
            .args(["-mtriple=amdgcn-amd-amdhsa", &format!("-mcpu={}", generation.name()), "-o", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(ir.as_bytes()).unwrap();
        let out = child.wait_with_output().unwrap();
        assert!(out.stderr.is_empty(), "{}: {}", generation.name(), String::from_utf8_lossy(&out.stderr));
        let text = String::from_utf8(out.stdout).unwrap();
        let lines = || text.lines().map(str::trim);
        let (loads, used) =
            (lines().filter(|l| l.starts_with("flat_load")).count(), lines().position(|l| l.starts_with("; first")));
        assert_eq!(loads, 2, "{text}");
        let before = lines().take(used.unwrap_or_else(|| panic!("{text}")));
        let behind = before.skip_while(|l| !l.starts_with("flat_load")).filter(|l| l.starts_with("s_waitcnt"));
        let theirs = behind.fold(Counts::NONE, |sum, line| {
            let words = asm::assemble(line, generation, 64).unwrap_or_else(|e| panic!("{line}: {e}"));
            let wait = decode::decode(&words, generation).unwrap().0.waits(generation).expect("a wait");
            sum.and(wait.counts(|_| 0))
        });
        let out = |event: Event| {
            let counted = event.counted(generation).expect("counted");
            (counted.counter, u8::from(counted.queue.is_some()))
        };
        let ours = [Event::FlatLoad, Event::FlatLds].map(out);
        assert_eq!(ours, [Counter::Vm, Counter::Lgkm].map(|c| (c, theirs.get(c))), "{generation:?}\n{text}");
    }
}
