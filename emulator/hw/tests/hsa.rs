//! Code objects that clang makes, read and compared with what LLVM's own tools say of them; and files that are damaged in
//! every way, which must be errors and nothing else.

use crate::split_mix;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::hsa::{Hidden, HsaError, KernelDescriptor, Module, Part, ValueKind};
use wavepipe_isa::Gen;

const SOURCE: &str = r#"
typedef struct { char tag; double weight; short rest[3]; } Item;
__constant int table[4] = {3, 1, 4, 1};
__constant __constant int *const places[2] = {&table[1], &table[3]};

#ifndef NO_CALLS
__attribute__((noinline))
#endif
int far(int x) { volatile int a[8]; for (int i = 0; i < 8; i++) a[i] = x + i; return a[x & 7]; }

kernel void values(global int *out, char c, double d, Item item, float3 v, local short *shared, __constant int *given) {
    unsigned i = __builtin_amdgcn_workitem_id_x();
    shared[i] = c;
    out[i] = (int)(d + item.weight + v.z) + shared[i] + given[0] + far(i) + *places[i & 1];
}

__attribute__((reqd_work_group_size(8, 4, 2))) kernel void required(global float *out) {
    local float tile[64];
    tile[__builtin_amdgcn_workitem_id_x()] = 1;
    __builtin_amdgcn_s_barrier();
    out[__builtin_amdgcn_workitem_id_y()] = tile[__builtin_amdgcn_workitem_id_z()];
}

kernel void sizes(global int *out) {
    __constant char *p = __builtin_amdgcn_implicitarg_ptr();
    out[0] = *(__constant int *)(p + 4) + *(__constant short *)(p + 12);
}
"#;

/// Whether the compiler and what it needs are here; missing ones are named, and in CI an error.
fn oracles() -> bool {
    let tools = ["clang-19", "llvm-readelf-19"];
    for tool in tools {
        if Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
            println!("SKIP {tool}");
            assert!(std::env::var_os("CI").is_none(), "{tool} is missing");
            return false;
        }
    }
    true
}

fn folder() -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hsa-{}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn compile(name: &str, flags: &[&str]) -> (PathBuf, Vec<u8>) {
    let (source, out) = (folder().join(format!("{name}.cl")), folder().join(format!("{name}.co")));
    std::fs::write(&source, SOURCE).unwrap();
    let mut command = Command::new("clang-19");
    command.args(["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-cl-kernel-arg-info"]);
    if !flags.iter().any(|f| f.starts_with("-mcpu")) {
        command.arg("-mcpu=gfx1010");
    }
    let output = command.args(flags).arg("-o").arg(&out).arg(&source).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let bytes = std::fs::read(&out).unwrap();
    (out, bytes)
}

fn readelf(file: &Path, flag: &str) -> String {
    let output = Command::new("llvm-readelf-19").arg(flag).arg(file).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// All values of a key of the metadata, as LLVM prints them.
fn values(text: &str, key: &str) -> Vec<String> {
    let mark = format!(".{key}:");
    text.lines()
        .filter_map(|l| {
            Some(l.trim_start_matches(['-', ' ']).strip_prefix(&mark)?.trim().trim_matches('\'').to_owned())
        })
        .collect()
}

fn kind_name(kind: ValueKind) -> String {
    let axis = |what: &str, i: u8| format!("hidden_{what}_{}", ["x", "y", "z"][usize::from(i)]);
    match kind {
        ValueKind::ByValue => "by_value".into(),
        ValueKind::GlobalBuffer => "global_buffer".into(),
        ValueKind::DynamicSharedPointer { .. } => "dynamic_shared_pointer".into(),
        ValueKind::Foreign(name) => name.into(),
        ValueKind::Hidden(h) => match h {
            Hidden::GlobalOffset(i) => axis("global_offset", i),
            Hidden::BlockCount(i) => axis("block_count", i),
            Hidden::GroupSize(i) => axis("group_size", i),
            Hidden::Remainder(i) => axis("remainder", i),
            Hidden::GridDims => "hidden_grid_dims".into(),
            Hidden::DynamicLdsSize => "hidden_dynamic_lds_size".into(),
            Hidden::PrivateBase => "hidden_private_base".into(),
            Hidden::SharedBase => "hidden_shared_base".into(),
            Hidden::QueuePtr => "hidden_queue_ptr".into(),
            Hidden::Absent => "absent".into(),
        },
    }
}

const ABSENT: [&str; 7] = [
    "hidden_printf_buffer",
    "hidden_hostcall_buffer",
    "hidden_multigrid_sync_arg",
    "hidden_heap_v1",
    "hidden_default_queue",
    "hidden_completion_action",
    "hidden_none",
];

#[test]
fn what_is_read_is_what_llvm_says() {
    if !oracles() {
        return;
    }
    let sets: [(&str, &[&str]); 15] = [
        ("gfx1010", &["-O3"]),
        ("gfx1010", &["-O0"]),
        ("gfx1010", &["-O3", "-mwavefrontsize64"]),
        ("gfx1010", &["-O0", "-mwavefrontsize64"]),
        ("gfx1010", &["-O2", "-mcode-object-version=4"]),
        ("gfx600", &["-O3", "-DNO_CALLS"]),
        ("gfx601", &["-O0", "-DNO_CALLS"]),
        ("gfx701", &["-O3"]),
        ("gfx704", &["-O0", "-mcode-object-version=6"]),
        ("gfx900", &["-O3"]),
        ("gfx900", &["-O0", "-mcode-object-version=4"]),
        ("gfx902:xnack+", &["-O3"]),
        ("gfx9-generic", &["-O3", "-mcode-object-version=6"]),
        ("gfx1030", &["-O3"]),
        ("gfx1032", &["-O0", "-mwavefrontsize64"]),
    ];
    for (n, (mcpu, flags)) in sets.into_iter().enumerate() {
        let processor = format!("-mcpu={mcpu}");
        let with_mcpu = [flags, &[processor.as_str()]].concat();
        let (file, bytes) = compile(&format!("good{n}"), &with_mcpu);
        let module = Module::parse(&bytes).unwrap_or_else(|e| panic!("{flags:?}: {e}"));
        let notes = readelf(&file, "--notes");
        let args = || module.kernels.iter().flat_map(|k| &k.args);
        assert_eq!(
            (module.target, &module.isa.name()[..5]),
            (mcpu.split(':').next().unwrap(), &mcpu.replace('-', "0")[..5]),
            "{flags:?}"
        );
        let wide = flags.contains(&"-mwavefrontsize64") || !module.isa.caps().wave32;
        let wave = if wide { WaveSize::W64 } else { WaveSize::W32 };
        assert!(module.kernels.iter().all(|k| k.wave == wave), "{flags:?}");
        let texts = |v: Vec<u32>| v.iter().map(u32::to_string).collect::<Vec<_>>();
        let kernels = |f: fn(&wavepipe_hw::hsa::Kernel) -> u32| texts(module.kernels.iter().map(f).collect());
        assert_eq!(kernels(|k| k.kernarg_bytes), values(&notes, "kernarg_segment_size"), "{flags:?}");
        assert_eq!(kernels(|k| k.group_bytes), values(&notes, "group_segment_fixed_size"), "{flags:?}");
        assert_eq!(kernels(|k| k.private_bytes), values(&notes, "private_segment_fixed_size"), "{flags:?}");
        assert_eq!(kernels(|k| k.max_workgroup), values(&notes, "max_flat_workgroup_size"), "{flags:?}");
        // What is allocated is what is counted, in whole granules; from gfx10 on every wave has all SGPRs.
        for (k, (vgprs, sgprs)) in
            module.kernels.iter().zip(values(&notes, "vgpr_count").iter().zip(values(&notes, "sgpr_count")))
        {
            let (rsrc, vgprs, sgprs): (_, u32, u32) =
                (k.descriptor.rsrc(), vgprs.parse().unwrap(), sgprs.parse().unwrap());
            let granule = if wide { 4 } else { 8 };
            assert_eq!(rsrc.vgprs(wave), vgprs.max(1).next_multiple_of(granule), "{mcpu} {flags:?}");
            let granule = if module.isa.name() == "gfx900" { 16 } else { 8 };
            let whole = if module.isa.caps().wave32 { 108 } else { sgprs.next_multiple_of(granule) };
            assert_eq!(rsrc.sgprs(), whole, "{mcpu} {flags:?}: {sgprs} are counted");
        }
        assert_eq!(texts(args().map(|a| a.offset).collect()), values(&notes, "offset"), "{flags:?}");
        assert_eq!(texts(args().map(|a| a.size).collect()), values(&notes, "size"), "{flags:?}");
        let kinds: Vec<String> = args().map(|a| kind_name(a.kind)).collect();
        let theirs: Vec<String> = values(&notes, "value_kind")
            .into_iter()
            .map(|k| if ABSENT.contains(&k.as_str()) { "absent".to_owned() } else { k })
            .collect();
        assert_eq!(kinds, theirs, "{flags:?}");
        let types: Vec<String> = args().filter_map(|a| a.type_name.clone()).collect();
        assert_eq!(types, values(&notes, "type_name"), "{flags:?}");

        let symbols = readelf(&file, "--symbols");
        for k in &module.kernels {
            let address = |name: &str| {
                let line = symbols.lines().find(|l| l.ends_with(&format!(" {name}")));
                let field =
                    line.and_then(|l| l.split_whitespace().nth(1)).unwrap_or_else(|| panic!("{name}: {symbols}"));
                u64::from_str_radix(field, 16).unwrap()
            };
            assert_eq!((k.entry, k.descriptor_address), (address(&k.name), address(&format!("{}.kd", k.name))));
            assert_eq!(module.function_at(k.entry + 4).map(|f| f.name.as_str()), Some(k.name.as_str()));
        }
        let required = module.kernels.iter().find(|k| k.name == "required").unwrap();
        assert_eq!(required.required_workgroup, Some([8, 4, 2]));
        assert_eq!(required.group_bytes, 256);
        let first = &module.kernels.iter().find(|k| k.name == "values").unwrap().args[0];
        assert_eq!((first.name.as_deref(), first.type_name.as_deref()), (Some("out"), Some("int*")));

        // The table of pointers: each is the base and an offset, wherever the module is.
        assert_eq!(module.relocations.len(), 2, "{flags:?}: {:?}", module.relocations);
        let base = 0x7654_3210_0000;
        let image = module.image(base);
        let word = |at: u64| u32::from_le_bytes(*image[at as usize..].first_chunk().unwrap());
        let targets: Vec<u32> = module
            .relocations
            .iter()
            .map(|r| {
                assert_eq!(r.part, Part::All);
                let pointer = u64::from_le_bytes(*image[r.address as usize..].first_chunk().unwrap());
                word(pointer - base)
            })
            .collect();
        assert_eq!(targets, [1, 1], "table[1] and table[3]");
    }
}

#[test]
fn other_machines_are_named() {
    if !oracles() {
        return;
    }
    for mcpu in ["gfx803", "gfx904", "gfx906", "gfx90a", "gfx1011"] {
        let (_, bytes) = compile(mcpu, &["-O3", &format!("-mcpu={mcpu}")]);
        match Module::parse(&bytes) {
            Err(HsaError::Unsupported(text)) => {
                assert!(text.contains(&format!("code for {mcpu} ")) && text.contains("gfx900, gfx902"), "{text}");
            }
            other => panic!("{mcpu}: {other:?}"),
        }
    }
    let (_, object) = compile("object", &["-O3", "-c"]);
    assert!(matches!(Module::parse(&object), Err(HsaError::Unsupported(text)) if text.contains("ld.lld")));
    // This test's own program is an ELF file of the host.
    let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    assert!(matches!(Module::parse(&own), Err(HsaError::Unsupported(text)) if text.contains("machine")));
    assert!(matches!(Module::parse(b"kernel void k() {}"), Err(HsaError::Malformed { .. })));
    assert!(matches!(Module::parse(&[]), Err(HsaError::Malformed { .. })));
}

/// A small generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        split_mix::split_mix(&mut self.0)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// Reads, and holds a module to what its users rely on. `true` if it was read.
fn survives(bytes: &[u8]) -> bool {
    let Ok(m) = Module::parse(bytes) else { return false };
    let image = m.image(0x1_0000_0000);
    assert_eq!(image.len() as u64, m.span);
    for k in &m.kernels {
        assert!(k.entry < m.span && k.entry % 256 == 0 && k.descriptor_address + 64 <= m.span);
        assert!(k.args.iter().all(|a| u64::from(a.offset) + u64::from(a.size) <= u64::from(k.kernarg_bytes)));
    }
    m.function_at(m.span / 2);
    true
}

#[test]
fn damaged_files_are_errors() {
    if !oracles() {
        return;
    }
    let (_, good) = compile("fuzz", &["-O3"]);
    assert!(survives(&good));
    let mut read = 0;
    for length in 0..good.len() {
        read += u32::from(survives(&good[..length]));
    }
    // Every bit of the headers and the note, a word at a time in the rest.
    let mut bytes = good.clone();
    for at in 0..good.len().min(0x600) {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            read += u32::from(survives(&bytes));
            bytes[at] = good[at];
        }
    }
    let mut random = Random(1);
    for _ in 0..20_000 {
        let mut bytes = good.clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = random.next() as u8,
                1 => bytes[at] = [0, 0x7f, 0x80, 0xff][random.below(4)],
                _ => {
                    let word = [0, u64::MAX, 1 << 63, random.next(), random.next() & 0xffff][random.below(5)];
                    let end = (at + 8).min(bytes.len());
                    bytes[at..end].copy_from_slice(&word.to_le_bytes()[..end - at]);
                }
            }
        }
        read += u32::from(survives(&bytes));
    }
    assert!(read > 100, "damage in padding or code does no harm: {read}");
}

/// Of the kernel descriptor.
#[test]
fn fields_stand_where_llvm_puts_them() {
    let mut b = [0u8; 64];
    for (at, v) in [(0, 0x100u32), (4, 148), (8, 280), (16, 0x1100), (44, 3), (48, 0x60af_0040), (52, 0x90)] {
        b[at..at + 4].copy_from_slice(&v.to_le_bytes());
    }
    b[56..58].copy_from_slice(&0x040bu16.to_le_bytes());
    let d = KernelDescriptor::read(Gen::Gfx1010, &b);
    assert_eq!((d.group_bytes, d.private_bytes, d.kernarg_bytes, d.entry_offset), (256, 148, 280, 0x1100));
    assert_eq!((d.rsrc1, d.rsrc2, d.rsrc3, d.wave()), (0x60af_0040, 0x90, 3, WaveSize::W32));
    // The V#, the packet and the arguments: eight registers, as RSRC2.USER_SGPR says.
    assert_eq!((d.user_sgprs.dwords(), d.rsrc().user_sgprs()), (8, 8));
    assert!(d.user_sgprs.private_segment_buffer && d.user_sgprs.dispatch_ptr && !d.user_sgprs.queue_ptr);
    assert_eq!(KernelDescriptor::read(Gen::Gfx900, &b).wave(), WaveSize::W64, "waves of 32 are of gfx10");
    b[56..58].copy_from_slice(&0x0874u16.to_le_bytes());
    let d = KernelDescriptor::read(Gen::Gfx1010, &b);
    assert_eq!((d.user_sgprs.dwords(), d.wave(), d.dynamic_stack), (7, WaveSize::W64, true));
}
