//! Code objects on the GPU through the runtime: damaged machine code may compute anything or lose its device, never the
//! process; and one program serves many launches.

use crate::host_time::{PATIENCE, ample};
use crate::split_mix;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::hsa::Module;
use wavepipe_runtime::hsa::{ArgValue, Launch, Program};
use wavepipe_runtime::simple::Session;
use wavepipe_runtime::*;

const SOURCE: &str = r#"
#define LID __builtin_amdgcn_workitem_id_x()
typedef struct { char tag; int value; } __attribute__((packed)) Odd;

__attribute__((noinline)) int walk(Odd *items, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += items[i].tag * items[i].value;
    return sum;
}

kernel void mixed(global int *out, global int *counts, local int *tile, int n) {
    Odd items[7];
    for (int i = 0; i < 7; i++) { items[i].tag = (char)(i - 3); items[i].value = n * i + (int)LID; }
    tile[LID] = walk(items, n & 7);
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    __builtin_amdgcn_s_barrier();
    int other = tile[63 - LID];
    if (other & 1) __opencl_atomic_fetch_add((global atomic_int *)counts, 1, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE);
    float f = (float)other;
    out[LID] = other + (int)(f / 3.0f);
}
"#;

/// The kernel compiled; `None` (said by name) without the compiler.
fn code(test: &str, flags: &[&str]) -> Option<Vec<u8>> {
    if Command::new("clang-19").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("SKIP clang-19");
        assert!(std::env::var_os("CI").is_none(), "clang-19 is missing");
        return None;
    }
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hsa-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let name = format!("{test}{}", flags.concat());
    let (source, out) = (folder.join(format!("{name}.cl")), folder.join(format!("{name}.co")));
    std::fs::write(&source, SOURCE).unwrap();
    let mut clang = Command::new("clang-19");
    clang.args(["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1010", "-nogpulib"]);
    let output = clang.args(flags).arg("-o").arg(&out).arg(&source).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(std::fs::read(&out).unwrap())
}

fn session(timeout: Duration) -> Session {
    Session::new(&Config { timeout: Some(timeout), threads: 1, ..Default::default() }).unwrap()
}

/// One launch; the output and the counter.
fn launch(session: &Session, program: &Arc<Program>, n: i32) -> Result<(Vec<i32>, i32)> {
    let out = Buffer::with_memory(session.device(), 256)?;
    let counts = Buffer::with_memory(session.device(), 4)?;
    let args = vec![
        ArgValue::Buffer(out.clone()),
        ArgValue::Buffer(counts.clone()),
        ArgValue::Local(256),
        ArgValue::Bytes(n.to_le_bytes().to_vec()),
    ];
    let request = Launch { grid: [64, 1, 1], workgroup: [64, 1, 1], args };
    session.launch(program, program.kernel(Some("mixed"))?, &request)?;
    let mut bytes = [0; 260];
    out.read(0, &mut bytes[..256])?;
    counts.read(0, &mut bytes[256..])?;
    let mut all: Vec<i32> = bytes.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b)).collect();
    let count = all.pop().unwrap_or_default();
    Ok((all, count))
}

/// What the kernel computes, written again.
fn expected(n: i32) -> (Vec<i32>, i32) {
    let walk = |lid: i32| (0..n & 7).map(|i| (i - 3) * (n * i + lid)).sum::<i32>();
    let others: Vec<i32> = (0..64).map(|lid| walk(63 - lid)).collect();
    let out = others.iter().map(|&o| o + (o as f32 / 3.0) as i32).collect();
    (out, others.iter().filter(|&&o| o & 1 != 0).count() as i32)
}

const FLAGS: [&[&str]; 4] = [&["-O0"], &["-O3"], &["-O0", "-mwavefrontsize64"], &["-O3", "-mwavefrontsize64"]];

#[test]
fn a_program_serves_many_launches() {
    for flags in FLAGS {
        let Some(file) = code("serves", flags) else { return };
        let session = session(PATIENCE);
        let program = Program::load(session.device(), &file).unwrap();
        for n in [0, 1, 5, 7, -2] {
            assert_eq!(launch(&session, &program, n).unwrap(), expected(n), "{flags:?} {n}");
        }
    }
}

fn random(state: &mut u64) -> usize {
    split_mix::split_mix(state) as usize
}

#[test]
fn damaged_code_loses_its_device_at_most() {
    let mut state = 7;
    let (mut ran, mut lost) = (0, 0);
    for flags in FLAGS {
        let Some(file) = code("damaged", flags) else { return };
        let module = Module::parse(&file).unwrap();
        let kernel = module.functions.iter().find(|f| f.name == "mixed").unwrap();
        // Code lies in the file as in memory; its bytes are found by their contents.
        let image = module.image(0);
        let text = &image[kernel.address as usize..][..kernel.size as usize];
        let at = file.windows(text.len()).position(|w| w == text).unwrap();
        // What is damaged may run without an end; whatever else the host does, the rest has enough time.
        let limit = ample(Duration::from_millis(40), 50, || {
            let session = session(PATIENCE);
            launch(&session, &Program::load(session.device(), &file).unwrap(), 5).unwrap();
        });
        for _ in 0..60 {
            let mut file = file.clone();
            for _ in 0..1 + random(&mut state) % 3 {
                file[at + random(&mut state) % text.len()] ^= 1 << (random(&mut state) % 8);
            }
            let session = session(limit);
            let program = Program::load(session.device(), &file).unwrap();
            match launch(&session, &program, 5) {
                Ok(_) => ran += 1,
                Err(Error::DeviceLost(fault)) => {
                    lost += 1;
                    assert!(!matches!(fault.kind, FaultKind::Internal { .. }), "{flags:?}: {fault}");
                    assert!(fault.site.is_some(), "{flags:?}: {fault}");
                }
                Err(other) => panic!("{flags:?}: {other}"),
            }
        }
    }
    assert!(ran > 20 && lost > 20, "{ran} ran, {lost} lost the device");
}

/// RSRC2 counts up to 31 user SGPRs; a dispatch has registers for 16, and what follows them is other registers.
#[test]
fn a_kernel_with_more_user_sgprs_than_a_dispatch_has_is_refused() {
    let Some(file) = code("sgprs", FLAGS[1]) else { return };
    let module = Module::parse(&file).unwrap();
    let descriptor = &module.kernels.iter().find(|k| k.name == "mixed").unwrap().descriptor;
    let words = [descriptor.rsrc1.to_le_bytes(), descriptor.rsrc2.to_le_bytes()].concat();
    let at = file.windows(words.len()).position(|w| w == words).unwrap();
    let with = |user_sgprs: u32| {
        let mut file = file.clone();
        let rsrc2 = descriptor.rsrc2 & !(31 << 1) | user_sgprs << 1;
        file[at + 4..at + 8].copy_from_slice(&rsrc2.to_le_bytes());
        let session = session(PATIENCE);
        launch(&session, &Program::load(session.device(), &file).unwrap(), 5)
    };
    for many in [17, 31] {
        let error = with(many).unwrap_err();
        assert!(matches!(&error, Error::Invalid(why) if why.contains(&format!("{many} user SGPRs"))), "{error}");
    }
}
