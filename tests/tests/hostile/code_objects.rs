//! Damaged code objects are launched: headers, descriptors, metadata and machine code, as clang makes them.

use super::*;
use std::process::Command;
use wavepipe_runtime::hsa::{ArgValue, Launch, Program};
use wavepipe_runtime::{Buffer, hw::hsa::ValueKind};
use wavepipe_tests::{installed, scratch, skip};

const SOURCE: &str = r#"
__attribute__((noinline)) int far(int x) { volatile int a[8]; for (int i = 0; i < 8; i++) a[i] = x + i; return a[x & 7]; }

kernel void work(global int *out, global int *counts, local int *tile, int n) {
    unsigned i = __builtin_amdgcn_workitem_id_x();
    tile[i] = far(n + i) * (int)__builtin_amdgcn_workgroup_id_x();
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    __builtin_amdgcn_s_barrier();
    __opencl_atomic_fetch_add((global atomic_int *)counts, tile[63 - i], __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE);
    out[i] = tile[63 - i] + (int)(native_sin((float)n));
}
"#;

fn compiled() -> Vec<Vec<u8>> {
    let flags: [&[&str]; 3] = [&["-O0"], &["-O3"], &["-O3", "-mwavefrontsize64"]];
    let make = |flags: &&[&str]| {
        let (source, out) = (scratch("work.cl"), scratch("work.co"));
        std::fs::write(&source, SOURCE.replace("native_sin", "__builtin_amdgcn_sinf")).unwrap();
        let mut clang = Command::new("clang-19");
        clang.args(["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1010", "-nogpulib"]);
        let done = clang.args(*flags).arg("-o").arg(&out).arg(&source).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        std::fs::read(&out).unwrap()
    };
    flags.iter().map(make).collect()
}

/// Launches every kernel of the file with arguments as its metadata wants them.
fn launch(file: &[u8], config: &Config) -> Result<Buffers, Error> {
    let session = Session::new(config)?;
    let program = Program::load(session.device(), file)?;
    let mut all = Vec::new();
    for kernel in &program.module().kernels {
        let mut buffers = Vec::new();
        let mut args = Vec::new();
        for arg in kernel.explicit_args() {
            args.push(match arg.kind {
                ValueKind::GlobalBuffer => {
                    let buffer = Buffer::with_memory(session.device(), 4096)?;
                    buffers.push(buffer.clone());
                    ArgValue::Buffer(buffer)
                }
                ValueKind::DynamicSharedPointer { .. } => ArgValue::Local(256),
                _ => ArgValue::Bytes(vec![3; arg.size.min(1 << 16) as usize]),
            });
        }
        let workgroup = kernel.required_workgroup.unwrap_or([64, 1, 1]);
        session.launch(&program, kernel, &Launch { grid: [128, 1, 1], workgroup, args })?;
        for buffer in buffers {
            let mut bytes = vec![0; 4096];
            buffer.read(0, &mut bytes)?;
            all.push(bytes);
        }
    }
    Ok(all)
}

#[test]
fn damaged_code_objects_are_launched() {
    if !installed("clang-19") {
        return skip("clang-19").unwrap();
    }
    let files = compiled();
    for (n, file) in files.iter().enumerate() {
        let whole = launch(file, &patient(n as u64)).unwrap_or_else(|e| panic!("file {n}: {e}"));
        assert!(whole.len() == 2 && whole[1][..4] != [0; 4], "file {n}");
    }
    let mut count = Count::default();
    for seed in tries("code objects", 25) {
        let mut r = Random(seed);
        let mut file = files[r.below(files.len())].clone();
        damage(&mut file, &mut r);
        count.add(harmless(&launch(&file, &config(seed)), &format_args!("code object {seed}")));
    }
    count.done("code objects", &["ran", "refused", "lost"]);
}
