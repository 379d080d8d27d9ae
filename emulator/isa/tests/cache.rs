//! What instructions tell caches: every combination of bits means one thing, and comes back.

use crate::common;
use std::collections::HashSet;

use wavepipe_isa::cache::{Access, Cache, Scope, Temporal};
use wavepipe_isa::generation::CacheBits;
use wavepipe_isa::instr::Form;
use wavepipe_isa::sample::sample;
use wavepipe_isa::{Gen, Op, asm, disasm, legal};

/// Words of the generation.
fn words(generation: Gen) -> std::ops::Range<u8> {
    match generation.caps().cache_bits {
        CacheBits::GlcSlc => 0..4,
        CacheBits::GlcSlcDlc | CacheBits::NearFar => 0..8,
        CacheBits::ScopeHint => 0..32,
    }
}

#[test]
fn every_word_means_something_of_its_own() {
    for generation in Gen::ALL {
        for access in Access::ALL {
            let mut seen = HashSet::new();
            for word in words(generation) {
                let meant = Cache::of(access, word, generation);
                assert!(seen.insert(meant), "{}: {access:?} {word:#x}: {meant:?} is another's", generation.name());
                assert_eq!(meant.word(access, generation), Some(word), "{}: {access:?}", generation.name());
                assert!(access == Access::Atomic || !meant.returns);
            }
            assert_eq!(Cache::of(access, 0, generation), Cache::DEFAULT);
        }
    }
}

#[test]
fn what_a_generation_cannot_say_it_does_not_encode() {
    let often = Cache { temporal: Temporal::High, ..Cache::DEFAULT };
    let system = Cache { scope: Scope::System, ..Cache::DEFAULT };
    for generation in Gen::ALL {
        let has = generation.caps().cache_bits == CacheBits::ScopeHint;
        for cannot in [often, system] {
            assert_eq!(cannot.word(Access::Load, generation).is_some(), has, "{}: {cannot:?}", generation.name());
        }
    }
    let passes = "global_load_dword v0, v[0:1], off dlc";
    assert!(asm::assemble(passes, Gen::Gfx900, 64).is_err());
    assert!(asm::assemble(passes, Gen::Gfx1010, 64).is_ok());
}

/// What the rows of a family say for a scope, as LLVM's SIMemoryLegalizer and Mesa's ac_get_hw_cache_flags have it.
#[test]
fn scopes_ask_for_the_least_that_suffices() {
    let row = |name: &str, isa| {
        Op::all().find(|op| op.row().spelling(isa) == name && op.row().encoding(isa).is_some()).unwrap()
    };
    let said = |name: &str, scope, isa| {
        let op = row(name, isa);
        legal::shared(op, scope, isa).word(Access::of(op.row()), isa).unwrap()
    };
    let (glc, dlc) = (1, 4);
    for (isa, load, store, array, device, stored) in [
        (Gen::Gfx600, "buffer_load_dword", "buffer_store_dword", glc, glc, glc),
        (Gen::Gfx701, "flat_load_dword", "flat_store_dword", glc, glc, glc),
        (Gen::Gfx900, "global_load_dword", "global_store_dword", glc, glc, glc),
        (Gen::Gfx1010, "global_load_dword", "global_store_dword", glc, glc | dlc, glc),
        (Gen::Gfx1030, "global_load_dword", "global_store_dword", glc, glc | dlc, glc),
        (Gen::Gfx1100, "global_load_b32", "global_store_b32", glc, glc, glc),
        (Gen::Gfx1201, "global_load_b32", "global_store_b32", 1 << 3, 2 << 3, 2 << 3),
    ] {
        assert_eq!(said(load, Scope::Unit, isa), 0, "{}", isa.name());
        assert_eq!(said(load, Scope::Array, isa), array, "{}", isa.name());
        assert_eq!(said(load, Scope::Device, isa), device, "{}", isa.name());
        assert_eq!(said(store, Scope::Device, isa), stored, "{}", isa.name());
    }
    // Scalar memory of GCN 1 has no such bits, and LDS is nobody else's.
    assert_eq!(said("s_load_dword", Scope::Device, Gen::Gfx600), 0);
    assert_eq!(said("ds_read_b32", Scope::Device, Gen::Gfx1010), 0);
    // Mesa's ac_get_hw_cache_flags: GCN 1's stores of less than a dword, and all that go by a format.
    for (store, narrow) in [
        ("buffer_store_byte", true),
        ("buffer_store_short", true),
        ("buffer_store_format_x", true),
        ("image_store", true),
        ("buffer_store_dword", false),
        ("buffer_store_dwordx4", false),
    ] {
        assert_eq!(said(store, Scope::Unit, Gen::Gfx600), if narrow { glc } else { 0 }, "{store}");
        assert_eq!(said(store, Scope::Unit, Gen::Gfx701), 0, "{store}");
    }
    // Beyond the device there is nothing to pass by where only RDNA 4 asks.
    assert_eq!(said("global_load_dword", Scope::System, Gen::Gfx1010), glc | dlc);
}

/// Bits of a line of assembly that caches are told by.
fn told(line: &str) -> Vec<&str> {
    let policy = |w: &&str| matches!(*w, "glc" | "slc" | "dlc") || w.starts_with("scope:") || w.starts_with("th:");
    let mut words: Vec<&str> = line.split_whitespace().filter(policy).collect();
    words.sort_unstable();
    words
}

/// What LLVM's memory legalizer says of an atomic load, for each scope that passes a cache by.
#[test]
fn scopes_are_said_as_llvm_says_them() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let there = Command::new("llc-19").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !there.is_ok_and(|s| s.success()) {
        return common::skip("llc-19");
    }
    for generation in Gen::ALL {
        let caps = generation.caps();
        // Both compute units of a work-group processor share an L1 and no L0, and LLVM takes that for a work-group's scope.
        let shared = caps.wave32.then_some(("workgroup", Scope::Array));
        for (name, scope) in [("agent", Scope::Device), ("", Scope::System)].into_iter().chain(shared) {
            let syncscope = if name.is_empty() { String::new() } else { format!("syncscope(\"{name}\")") };
            let ir = format!(
                "define amdgpu_kernel void @f(ptr addrspace(1) %p, ptr addrspace(1) %q) {{
                  %i = call i32 @llvm.amdgcn.workitem.id.x()
                  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
                  %v = load atomic i32, ptr addrspace(1) %at {syncscope} monotonic, align 4
                  store i32 %v, ptr addrspace(1) %q
                  ret void
                }}
                declare i32 @llvm.amdgcn.workitem.id.x()"
            );
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
            let vector = |l: &&str| ["buffer_load", "flat_load", "global_load"].iter().any(|m| l.contains(m));
            let theirs = text.lines().map(str::trim).find(vector).unwrap_or_else(|| panic!("{text}"));
            let mnemonic = theirs.split_whitespace().next().unwrap();
            let op = Op::all()
                .find(|op| op.row().encoding(generation).is_some() && op.row().spelling(generation) == mnemonic);
            let op = op.unwrap_or_else(|| panic!("{mnemonic}"));
            let mut ours = sample(op, Form::Base, generation).unwrap_or_else(|| panic!("{mnemonic}"));
            ours.cache = legal::shared(op, scope, generation);
            let text = disasm::text(&ours, generation, 64);
            assert_eq!(told(&text), told(theirs), "{} {scope:?}: {theirs}", generation.name());
        }
    }
}
