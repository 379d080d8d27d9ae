//! Golden machine code: small shaders, for each wave size, with what waits and control flow cost beside what Mesa's ACO does
//! with the same SPIR-V.
//!
//! `tests/golden` has NAME.wgsl, and NAME.wave32.s and NAME.wave64.s as the compiler leaves them before encoding: a line of
//! counts, the same counts of ACO's code, the text. `WAVEPIPE_BLESS=1` writes ours anew; read the difference before you commit
//! it. ACO's counts are recorded from the Mesa that is installed, whose driver compiles for a card that need not be there.

use crate::radv;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use wavepipe_runtime::compiler::{Checks, Options, compile_with_dumps, reflect};
use wavepipe_runtime::{WaveSize, simple};
use wavepipe_tests::{root, run, show, skip, with_driver};

/// Shaders in `tests/golden`.
const SHADERS: usize = 12;

/// What is counted of a kernel's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    instructions: u32,
    /// Waits that name the counter: one instruction may wait for two.
    vmcnt: u32,
    lgkmcnt: u32,
    vscnt: u32,
    branches: u32,
    exec_writes: u32,
}

impl Counts {
    fn of(text: &str) -> Counts {
        let mut c = Counts::default();
        for line in text.lines() {
            let code = line.split([';', '/']).next().unwrap_or("").trim();
            let (name, operands) = code.split_once(' ').unwrap_or((code, ""));
            let instruction = ["s_", "v_", "ds_", "buffer_", "global_", "flat_", "image_", "scratch_", "tbuffer_"]
                .iter()
                .any(|prefix| name.starts_with(prefix));
            if !instruction || name == "s_code_end" {
                continue;
            }
            c.instructions += 1;
            c.vmcnt += u32::from(name == "s_waitcnt" && operands.contains("vmcnt"));
            c.lgkmcnt += u32::from(name == "s_waitcnt" && operands.contains("lgkmcnt"));
            c.vscnt += u32::from(name == "s_waitcnt_vscnt");
            c.branches += u32::from(name == "s_branch" || name.starts_with("s_cbranch"));
            let first = operands.split(',').next().unwrap_or("").trim();
            let saves = name.contains("saveexec") || name.contains("wrexec") || name.starts_with("v_cmpx");
            c.exec_writes += u32::from(saves || first.starts_with("exec"));
        }
        c
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Counts { instructions, vmcnt, lgkmcnt, vscnt, branches, exec_writes } = self;
        write!(f, "{instructions} instructions; waits: {vmcnt} vmcnt, {lgkmcnt} lgkmcnt, {vscnt} vscnt; ")?;
        write!(f, "{branches} branches, {exec_writes} writes of EXEC")
    }
}

fn shaders() -> Vec<PathBuf> {
    let folder = root().join("tests/golden");
    let mut out: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|f| f.unwrap().path()).collect();
    out.retain(|p| p.extension().is_some_and(|e| e == "wgsl"));
    out.sort();
    assert_eq!(out.len(), SHADERS, "shaders in {}", folder.display());
    out
}

fn spirv(path: &Path) -> Vec<u32> {
    let source = std::fs::read_to_string(path).unwrap();
    let module = naga::front::wgsl::parse_str(&source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)));
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), Default::default());
    let info = validator.validate(&module).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
    let options = naga::back::spv::Options {
        lang_version: (1, 3),
        flags: naga::back::spv::WriterFlags::empty(),
        // Ours bounds-checks in hardware, and endless loops run into the time limit.
        force_loop_bounding: false,
        zero_initialize_workgroup_memory: naga::back::spv::ZeroInitializeWorkgroupMemoryMode::None,
        ..Default::default()
    };
    naga::back::spv::write_vec(&module, &info, &options, None).unwrap()
}

/// The text of the last form before the bytes.
fn machine(words: &[u32], wave: WaveSize) -> String {
    let entry = reflect(words).unwrap().remove(0);
    let layout = simple::layout_of(&entry).unwrap();
    let options = Options { wave, checks: Checks::On, ..Options::new(&entry.name, layout.layout()) };
    let (code, mut dumps) = compile_with_dumps(words, &options);
    code.unwrap_or_else(|e| panic!("{e}"));
    dumps.retain(|d| d.form == "machine");
    dumps.pop().unwrap().text
}

fn golden(shader: &Path, wave: WaveSize) -> PathBuf {
    shader.with_extension(format!("wave{}.s", wave.lanes()))
}

const ACO: &str = "; ACO of ";
const OURS: &str = "; ";

/// ACO's line of a golden file.
fn aco_line(text: &str) -> Option<&str> {
    text.lines().find(|l| l.starts_with(ACO))
}

fn bless() -> bool {
    std::env::var_os("WAVEPIPE_BLESS").is_some()
}

#[test]
fn machine_code_is_as_it_was_read() {
    let mut failed = String::new();
    for shader in shaders() {
        let words = spirv(&shader);
        for wave in [WaveSize::W32, WaveSize::W64] {
            let (path, text) = (golden(&shader, wave), machine(&words, wave));
            let before = std::fs::read_to_string(&path).unwrap_or_default();
            let aco = aco_line(&before).map(|l| format!("{l}\n")).unwrap_or_default();
            let now = format!("{OURS}{}\n{aco}{text}", Counts::of(&text));
            if now == before {
                continue;
            }
            if bless() {
                std::fs::write(&path, &now).unwrap();
                continue;
            }
            let same = now.lines().zip(before.lines()).take_while(|(a, b)| a == b).count();
            let _ = writeln!(
                failed,
                "{}, line {}: `{}` was `{}`",
                path.display(),
                same + 1,
                now.lines().nth(same).unwrap_or_default(),
                before.lines().nth(same).unwrap_or_default()
            );
        }
    }
    assert!(failed.is_empty(), "WAVEPIPE_BLESS=1 takes what is made now:\n{failed}");
}

/// Every golden file has ACO's counts, and ours waits no more often than ACO's code does, but where `MORE` says why.
#[test]
fn no_more_waits_than_aco() {
    for shader in shaders() {
        for wave in [WaveSize::W32, WaveSize::W64] {
            let path = golden(&shader, wave);
            let text = std::fs::read_to_string(&path).unwrap();
            let waits = |line: &str| -> u32 {
                let list = line.split("waits: ").nth(1).and_then(|l| l.split(';').next()).unwrap_or_default();
                list.split(", ").map(|w| w.split(' ').next().and_then(|n| n.parse::<u32>().ok()).unwrap_or(99)).sum()
            };
            let aco = aco_line(&text).unwrap_or_else(|| panic!("{} has no counts of ACO's", path.display()));
            let ours = text.lines().next().unwrap_or_default();
            let name = shader.file_stem().unwrap().to_string_lossy().into_owned();
            let more = MORE.iter().find(|m| m.0 == name).map_or(0, |m| m.1);
            assert!(waits(ours) <= waits(aco) + more, "{name} {wave:?}:\n{ours}\n{aco}");
        }
    }
}

/// Shaders, how many waits more than ACO's code ours may have, and why.
const MORE: &[(&str, u32, &str)] = &[
    ("lds_tree", 10, "the loop is unrolled: two waits in each of six rounds"),
    ("scalar_loads", 1, "the words of the uniform buffer lie apart, and each part is loaded where it is used"),
];

/// What this process is to compile for the other: a wave size and a path.
const WORK: &str = "WAVEPIPE_GOLDEN_ACO";

/// Not a test: the process in which RADV compiles and prints. [`aco`] starts it.
#[test]
#[ignore = "a part of acos_counts_are_what_was_recorded"]
fn worker() {
    let work = std::env::var(WORK).expect("started by the test that reads what is printed");
    let (wave, path) = work.split_once(' ').unwrap();
    let wave = if wave == "64" { WaveSize::W64 } else { WaveSize::W32 };
    radv::compile(&spirv(Path::new(path)), wave).unwrap();
}

/// What ACO makes of a shader.
fn aco(manifest: &Path, shader: &Path, wave: WaveSize) -> Result<Counts, String> {
    let mut command = with_driver(&std::env::current_exe().unwrap(), manifest);
    command.args(["golden::worker", "--exact", "--ignored", "--nocapture"]).envs(radv::SETTINGS);
    command.env(WORK, format!("{} {}", wave.lanes(), shader.display()));
    let output = run(&mut command)?;
    let counts = Counts::of(&radv::code(&String::from_utf8_lossy(&output.stderr)));
    if output.status.success() && counts.instructions > 0 { Ok(counts) } else { Err(show(&output)) }
}

/// Recorded again by the Mesa that is installed; another version than the recorded one may have another compiler.
#[test]
fn acos_counts_are_what_was_recorded() {
    let Some(manifest) = radv::manifest() else {
        skip("Mesa-RADV").unwrap();
        return;
    };
    let (version, mut failed) = (mesa(), String::new());
    for shader in shaders() {
        for wave in [WaveSize::W32, WaveSize::W64] {
            let path = golden(&shader, wave);
            let counts = aco(&manifest, &shader, wave).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let text = std::fs::read_to_string(&path).unwrap();
            let recorded = aco_line(&text).unwrap_or_default();
            let now = format!("{ACO}{version}: {counts}");
            if recorded.is_empty() || bless() {
                let mut lines: Vec<&str> = text.lines().filter(|l| !l.starts_with(ACO)).collect();
                lines.insert(1, &now);
                std::fs::write(&path, lines.join("\n") + "\n").unwrap();
            } else if recorded.starts_with(&format!("{ACO}{version}:")) && recorded != now {
                let _ = writeln!(failed, "{}: `{now}`, recorded `{recorded}`", path.display());
            }
        }
    }
    assert!(failed.is_empty(), "{failed}");
}

/// Mesa's version, from its Vulkan drivers' package.
fn mesa() -> String {
    let query = Command::new("dpkg-query").args(["-W", "-f", "${Version}", "mesa-vulkan-drivers"]).output();
    let version = query.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    format!("Mesa {}", version.split(['-', '+']).next().unwrap_or_default())
}

#[test]
fn what_is_counted() {
    let text = "; s_branch in a comment
b0:
    s_waitcnt vmcnt(0) lgkmcnt(1)
    s_waitcnt_vscnt null, 0x0
    s_and_saveexec_b32 s0, vcc_lo ; !0:1
    s_cbranch_execz b1
    s_mov_b32 exec_lo, s0 // 00000004: BEFE0300
    s_mov_b32 s1, exec_lo
    v_cmpx_lt_u32_e32 v0, v1
    s_branch b2
    s_endpgm
    s_code_end
";
    let wanted = Counts { instructions: 9, vmcnt: 1, lgkmcnt: 1, vscnt: 1, branches: 2, exec_writes: 3 };
    assert_eq!(Counts::of(text), wanted);
}
