//! Machine code that another compiler made: the kernels of tests/opencl, by clang for each generation at each of its wave sizes
//! and at -O0 and -O3, started by `wavepipe launch`, agree with the same C compiled for the host; and every instruction in those
//! for gfx1010, and of each file for one of the others, prints as llvm-objdump prints it. Each launch is checked for waits that the compiler left out, and for accesses of anything but what
//! the kernel is given.
//!
//! For gfx1010 every kernel runs, of those for the others a sample, and all where `WAVEPIPE_OPENCL` is `all`. What LLVM compiles for
//! newer processors only says so, and on the one before these it does fail: gfx600 has no FLAT instructions, so LLVM has no way to a
//! pointer to any address space.
//!
//! On the host, undefined behaviour traps, and work-items are fibers that run in another order for each wave size.

mod opencl_suite;

use libtest_mimic::{Arguments, Failed, Trial};
use opencl_suite::data::{self, compare};
use opencl_suite::{Argument, Before, Header, Launch, Oldest, check_parser, parse};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;
use wavepipe_runtime::hw::hsa::Module;
use wavepipe_runtime::isa::hazard::{Reading, walk};
use wavepipe_runtime::isa::{Gen, decode, insts};
use wavepipe_tests::share::is_due;
use wavepipe_tests::{built, clean, installed, program, root, run, scratch, show, skip};

/// How the device's compiler is called.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Build {
    /// Number in [`TARGETS`].
    target: usize,
    wave: u32,
    optimise: u32,
}

/// Processors, oldest first, each with a machine of its name in tests/machines but for the default machine's.
const TARGETS: [&str; 5] = ["gfx600", "gfx701", "gfx900", "gfx1010", "gfx1030"];
/// The one for which everything is run.
const WHOLE: &str = "gfx1010";
/// Those of which a sample is run.
const SAMPLED: [&str; 4] = ["gfx600", "gfx701", "gfx900", "gfx1030"];
/// Of launches for these, one in so many is run where nothing else is said.
const ONE_IN: usize = 13;
/// Of these, those whose code LLVM disassembles.
const DISASSEMBLED: [&str; 2] = ["gfx900", "gfx1030"];

impl Build {
    fn name(self) -> &'static str {
        TARGETS[self.target]
    }

    fn isa(self) -> Gen {
        Gen::named(self.name()).expect("a generation's name")
    }

    fn is_whole(self) -> bool {
        self.name() == WHOLE
    }

    fn all() -> Vec<Build> {
        let mut out = Vec::new();
        for target in 0..TARGETS.len() {
            for (wave, optimise) in [(32, 0), (32, 3), (64, 0), (64, 3)] {
                let build = Build { target, wave, optimise };
                if wave == 64 || build.isa().caps().wave32 {
                    out.push(build);
                }
            }
        }
        out
    }

    /// Whether a kernel's, or a file's, oldest processor is this one or an older.
    fn takes(self, from: &Option<Oldest>) -> bool {
        let at = |from: &Oldest| TARGETS.iter().position(|t| *t == from.processor);
        from.as_ref().is_none_or(|from| at(from).is_some_and(|at| at <= self.target))
    }
}

/// Options of every compilation for the device. No library: kernels use what device.h makes of the compiler's builtins. For
/// GCN 1 and 2 clang would have f32's denormals flushed.
const DEVICE: &str = "-x cl -cl-std=CL2.0 -cl-no-stdinc -target amdgcn-amd-amdhsa -nogpulib -Wall \
                      -fno-strict-aliasing -ffp-contract=off -include device.h \
                      -Xclang -fdenormal-fp-math-f32=ieee";
/// Options of every compilation for the host. Each operation on f16 is rounded, as on the device.
const HOST: &str = "-x c -std=gnu11 -O1 -Wall -fno-strict-aliasing -ffp-contract=off -include host.h \
                    -Xclang -ffloat16-excess-precision=none \
                    -fsanitize=undefined,float-cast-overflow -fsanitize-trap=all";

/// A file of kernels.
struct Source {
    name: String,
    path: PathBuf,
    header: Header,
}

fn main() {
    let arguments = Arguments::from_args();
    let (sources, faults) = sources();
    let mut trials = Vec::new();
    for (name, fault) in faults {
        trials.push(Trial::test(format!("header::{name}"), move || Err(Failed::from(fault))));
    }
    let all = std::env::var("WAVEPIPE_OPENCL").is_ok_and(|which| which == "all");
    let mut others = 0;
    for (place, source) in sources.iter().enumerate() {
        for number in 0..source.header.launches.len() {
            for build in Build::all() {
                let launch = &source.header.launches[number];
                if !build.takes(&source.header.from) || !build.takes(&launch.from) {
                    continue;
                }
                others += usize::from(!build.is_whole());
                let sampled = SAMPLED.contains(&build.name()) && others.is_multiple_of(ONE_IN);
                if !all && !build.is_whole() && !sampled {
                    continue;
                }
                // Of a whole target's four builds two each day: one of each wave size, and of each level.
                let turn = usize::from(build.wave == 64) + usize::from(build.optimise == 3);
                if !all && build.is_whole() && !is_due(place + number + turn, 2) {
                    continue;
                }
                let (wave, level) = (build.wave, build.optimise);
                let name = format!("{}::wave{wave}::O{level}::{}::{}", build.name(), source.name, launch.kernel);
                let source = source.clone();
                trials.push(Trial::test(name, move || agrees(&source, number, build).map_err(Failed::from)));
            }
        }
        for (number, build, before) in left_out(source) {
            let name = format!("from::{}::{}", source.name, source.header.launches[number].kernel);
            let source = source.clone();
            trials.push(Trial::test(name, move || fails_before(&source, number, build, before).map_err(Failed::from)));
        }
        let name = format!("hazards::{}", source.name);
        let apart = source.clone();
        trials.push(Trial::test(name, move || keeps_hazards_apart(&apart).map_err(Failed::from)));
        let name = format!("disassembly::{}", source.name);
        let source = source.clone();
        trials.push(Trial::test(name, move || disassembles(&source, place, all).map_err(Failed::from)));
    }
    trials.push(Trial::test("every_kernel_is_launched", move || {
        every_kernel_is_launched(&sources).map_err(Failed::from)
    }));
    trials.push(Trial::test("headers_say_what_they_mean", || check_parser().map_err(Failed::from)));
    trials.push(Trial::test("a_wrong_answer_is_noticed", || data::check_bounds().map_err(Failed::from)));
    trials.push(Trial::test("a_wrong_text_is_noticed", || check_same().map_err(Failed::from)));
    libtest_mimic::run(&arguments, trials).exit();
}

fn folder() -> PathBuf {
    root().join("tests/opencl")
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}

/// The sources, and those whose headers are wrong, with why.
fn sources() -> (Vec<Arc<Source>>, Vec<(String, String)>) {
    let files = std::fs::read_dir(folder()).expect("tests/opencl").flatten().map(|file| file.path());
    let mut paths: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "cl")).collect();
    paths.sort();
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for path in paths {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        match std::fs::read_to_string(&path).map_err(|e| e.to_string()).and_then(|text| parse(&text)) {
            Ok(header) => good.push(Arc::new(Source { name, path, header })),
            Err(why) => bad.push((name, why)),
        }
    }
    (good, bad)
}

/// What tells one clang from another: the program's size and time. `None` without one. (A test runner that starts a
/// process a trial would spend most of its time on asking for a version.)
fn clang() -> Option<(u64, Option<SystemTime>)> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).find_map(|folder| std::fs::metadata(folder.join("clang-19")).ok())?;
    Some((found.len(), found.modified().ok()))
}

/// Compiles into a folder of this build, once for all processes that test the same text with the same compiler: a test
/// runner may start a process a trial.
fn compiled(name: &str, options: &[String], input: &Path, from: &[u8], libraries: &[&str]) -> Result<PathBuf, String> {
    let mut hasher = DefaultHasher::new();
    (clang(), options, from, libraries).hash(&mut hasher);
    for shared in ["common.h", "device.h", "host.h", "host.c"] {
        read(&folder().join(shared))?.hash(&mut hasher);
    }
    let cache = built().join("test-scratch/opencl");
    std::fs::create_dir_all(&cache).map_err(|e| format!("{}: {e}", cache.display()))?;
    let made = cache.join(format!("{name}-{:016x}", hasher.finish()));
    let one_at_a_time = lock_of(&made);
    let _held = one_at_a_time.lock().unwrap_or_else(|poison| poison.into_inner());
    if made.exists() {
        return Ok(made);
    }
    let own = cache.join(format!("{name}-{:016x}.{}", hasher.finish(), std::process::id()));
    let mut command = clean(Path::new("clang-19"));
    command.current_dir(folder()).args(options).arg("-o").arg(&own).arg(input).args(libraries);
    let output = run(&mut command)?;
    if !output.status.success() || !output.stderr.is_empty() {
        return Err(format!("{command:?}\n{}", show(&output)));
    }
    std::fs::rename(&own, &made).map_err(|e| format!("{}: {e}", own.display()))?;
    Ok(made)
}

fn lock_of(path: &Path) -> Arc<Mutex<()>> {
    static LOCKS: OnceLock<Mutex<HashMap<PathBuf, Arc<Mutex<()>>>>> = OnceLock::new();
    let mut locks = LOCKS.get_or_init(Mutex::default).lock().unwrap_or_else(|poison| poison.into_inner());
    locks.entry(path.to_owned()).or_default().clone()
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// The code object for the device.
fn code_object(source: &Source, build: Build) -> Result<PathBuf, String> {
    let mut options = words(DEVICE);
    options.push(format!("-mcpu={}", build.name()));
    if build.isa().caps().wave32 {
        options.push(if build.wave == 64 { "-mwavefrontsize64" } else { "-mno-wavefrontsize64" }.into());
    }
    options.push(format!("-O{}", build.optimise));
    options.extend(source.header.flags.iter().cloned());
    let name = format!("{}.{}.wave{}.O{}", source.name, build.name(), build.wave, build.optimise);
    compiled(&name, &options, &source.path, &read(&source.path)?, &[])
}

/// The program for the host: the source, a function a launch that passes the arguments, and host.c.
fn host_program(source: &Source) -> Result<PathBuf, String> {
    let mut text = format!("#include \"{}.cl\"\n", source.name);
    for (number, launch) in source.header.launches.iter().enumerate() {
        let pass = |(at, argument): (usize, &Argument)| match argument {
            Argument::Buffer { .. } | Argument::Local { .. } => format!("a[{at}]"),
            Argument::Scalar { ty, value } => format!("({}){value}", ty.name()),
            Argument::Bytes { name, .. } => format!("*({name} *)a[{at}]"),
        };
        let passed: Vec<String> = launch.arguments.iter().enumerate().map(pass).collect();
        let _ = writeln!(text, "static void call{number}(void **a) {{ {}({}); }}", launch.kernel, passed.join(", "));
    }
    let calls: Vec<String> = (0..source.header.launches.len()).map(|number| format!("call{number}")).collect();
    let _ = writeln!(text, "static void (*const calls[])(void **) = {{{}}};\n#include \"host.c\"", calls.join(", "));
    let from = [text.as_bytes(), &read(&source.path)?].concat();
    let input = scratch(&format!("{}-{:?}.c", source.name, std::thread::current().id()));
    write(&input, text.as_bytes())?;
    let mut options = words(HOST);
    options.extend(["-I".into(), ".".into()]);
    compiled(&format!("{}.host", source.name), &options, &input, &from, &["-lm"])
}

/// The launch's buffers as they are before: argument's number and bytes.
fn inputs(launch: &Launch) -> Vec<(usize, Vec<u8>)> {
    let make = |(at, argument): (usize, &Argument)| match *argument {
        Argument::Buffer { ty, count, fill, .. } => {
            let mut hasher = DefaultHasher::new();
            (&launch.kernel, at).hash(&mut hasher);
            Some((at, data::fill(ty, count, fill, hasher.finish())))
        }
        _ => None,
    };
    launch.arguments.iter().enumerate().filter_map(make).collect()
}

/// A folder of this trial's own.
fn trial_folder(name: &str) -> Result<PathBuf, String> {
    let folder = scratch(name);
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}

/// One launch on the emulated GPU and on the host.
fn agrees(source: &Source, number: usize, build: Build) -> Result<(), String> {
    if clang().is_none() {
        return skip("clang-19");
    }
    let launch = &source.header.launches[number];
    let folder =
        trial_folder(&format!("{}.{number}.{}.wave{}.O{}", source.name, build.name(), build.wave, build.optimise))?;
    let want = on_host(source, number, build.wave, &folder)?;
    let (command, got) = on_device(source, number, build, &folder)?;
    let mut wrong = String::new();
    for ((at, got), (_, want)) in got.iter().zip(&want) {
        let Argument::Buffer { ty, bound, .. } = launch.arguments[*at] else { continue };
        if let Err(why) = compare(ty, bound, got, want) {
            let _ = writeln!(wrong, "argument {at}: {why}");
        }
    }
    if wrong.is_empty() {
        let _ = std::fs::remove_dir_all(&folder);
        return Ok(());
    }
    let flags = source.header.flags.join(" ");
    let (target, wave, level) = (build.name(), build.wave, build.optimise);
    Err(format!("{} {target} wave{wave} -O{level} {flags}\n{wrong}{command}", launch.kernel))
}

type Buffers = Vec<(usize, Vec<u8>)>;

fn on_host(source: &Source, number: usize, wave: u32, folder: &Path) -> Result<Buffers, String> {
    let launch = &source.header.launches[number];
    let mut command = clean(&host_program(source)?);
    command.arg(number.to_string()).arg(wave.to_string());
    command.args(launch.grid.iter().chain(&launch.block).map(u32::to_string));
    let before = inputs(launch);
    let file = |at: usize| folder.join(format!("host{at}"));
    for (at, bytes) in &before {
        write(&file(*at), bytes)?;
    }
    for (at, argument) in launch.arguments.iter().enumerate() {
        command.arg(match argument {
            Argument::Buffer { .. } => format!("buffer={}", file(at).display()),
            Argument::Scalar { .. } => "scalar".into(),
            Argument::Local { bytes } => format!("local={bytes}"),
            Argument::Bytes { bytes, .. } => {
                format!("value={}", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
            }
        });
    }
    let output = run(&mut command)?;
    if !output.status.success() {
        return Err(format!("on the host, where undefined behaviour traps: {command:?}\n{}", show(&output)));
    }
    let after: Buffers = before.iter().map(|(at, _)| Ok((*at, read(&file(*at))?))).collect::<Result<_, String>>()?;
    if after == before {
        return Err("on the host the kernel changes nothing, so nothing would be compared".into());
    }
    Ok(after)
}

fn on_device(source: &Source, number: usize, build: Build, folder: &Path) -> Result<(String, Buffers), String> {
    let launch = &source.header.launches[number];
    let mut command = clean(&program("wavepipe")?);
    command.env("WAVEPIPE_CHECK", "wait,mem,stop");
    if !build.is_whole() {
        command.env("WAVEPIPE_MACHINE", root().join(format!("tests/machines/{}.toml", build.name())));
    }
    let size = |size: [u32; 3]| size.map(|n| n.to_string()).join(",");
    command.arg("launch").arg(code_object(source, build)?).args(["--quiet", "--kernel", &launch.kernel]);
    command.args(["--grid", &size(launch.grid), "--block", &size(launch.block)]);
    let before = inputs(launch);
    for (at, argument) in launch.arguments.iter().enumerate() {
        let file = folder.join(format!("device{at}"));
        command.arg("--arg").arg(match argument {
            Argument::Buffer { ty, count, .. } => format!("{}[{count}]:{}", ty.name(), file.display()),
            Argument::Scalar { ty, value } => format!("{}={value}", ty.name()),
            Argument::Local { bytes } => format!("local={bytes}"),
            Argument::Bytes { bytes, .. } => {
                write(&file, bytes)?;
                format!("bytes={}", file.display())
            }
        });
    }
    let out = |at: usize| folder.join(format!("out{at}.bin"));
    for (at, bytes) in &before {
        write(&folder.join(format!("device{at}")), bytes)?;
        command.arg("--out").arg(format!("{at}={}", out(*at).display()));
    }
    let output = run(&mut command)?;
    // What is told of a kernel goes on; the exit code says it at the end.
    let told = String::from_utf8_lossy(&output.stderr).matches("wavepipe: warning: ").count();
    let as_wanted = match &launch.finding {
        None => output.status.success(),
        Some(finding) => {
            let id = format!("[{}-", finding.replace('/', "-"));
            // A barrier in a loop that the compiler unrolled is several.
            let as_wanted = String::from_utf8_lossy(&output.stderr).matches(&id).count();
            output.status.code() == Some(1) && told > 0 && as_wanted == told
        }
    };
    if !as_wanted {
        return Err(format!("{command:?}\n{}", show(&output)));
    }
    let after = before.iter().map(|(at, _)| Ok((*at, read(&out(*at))?))).collect::<Result<_, String>>()?;
    Ok((format!("{command:?}"), after))
}

/// The launches that say their oldest processor, each for the processor before it; of a file that says it, the first.
fn left_out(source: &Source) -> Vec<(usize, Build, Before)> {
    let launches = source.header.launches.iter().enumerate();
    let of_file = source.header.from.iter().map(|from| (0, from));
    let all = of_file.chain(launches.filter_map(|(number, launch)| Some((number, launch.from.as_ref()?))));
    let before = |from: &Oldest| TARGETS.iter().position(|t| *t == from.processor).and_then(|at| at.checked_sub(1));
    all.filter_map(|(n, from)| Some((n, Build { target: before(from)?, wave: 64, optimise: 0 }, from.before))).collect()
}

/// What is left out for a processor comes there to what its header says, and to nothing else.
fn fails_before(source: &Source, number: usize, build: Build, wanted: Before) -> Result<(), String> {
    if clang().is_none() {
        return skip("clang-19");
    }
    match outcome(source, number, build)? {
        None => Err(format!("runs on {} too: say so in its header", build.name())),
        Some((what, _)) if what == wanted => Ok(()),
        Some((what, text)) => Err(format!("{what:?} on {}, and not {wanted:?}:\n{text}", build.name())),
    }
}

/// What a launch comes to that does not run as on the host, and the text of that.
fn outcome(source: &Source, number: usize, build: Build) -> Result<Option<(Before, String)>, String> {
    let path = match code_object(source, build) {
        Err(text) if text.contains("error in backend: Cannot select") => return Ok(Some((Before::Refused, text))),
        path => path?,
    };
    let kernel = &source.header.launches[number].kernel;
    let module = Module::parse(&read(&path)?).map_err(|e| format!("{}: {e}", path.display()))?;
    if !module.kernels.iter().any(|k| k.name == *kernel) {
        return Ok(Some((Before::Absent, format!("no `{kernel}` in {}", path.display()))));
    }
    let differs = |text: &str| text.lines().any(|line| line.starts_with("argument "));
    Ok(match agrees(source, number, build) {
        Ok(()) => None,
        Err(text) if differs(&text) => Some((Before::Differs, text)),
        Err(text) if text.contains("device lost") => Some((Before::Stopped, text)),
        Err(text) => return Err(text),
    })
}

/// clang works around the bugs of the hardware, so the checker has nothing to report about its code: by LLVM's reading of
/// them nothing at all, by ours what ours is stricter about.
fn keeps_hazards_apart(source: &Source) -> Result<(), String> {
    if clang().is_none() {
        return skip("clang-19");
    }
    for build in Build::all().into_iter().filter(|b| b.is_whole()) {
        let path = code_object(source, build)?;
        let module = Module::parse(&read(&path)?).map_err(|e| format!("{}: {e}", path.display()))?;
        let image = module.image(0);
        let words: Vec<u32> = image.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
        let entries: Vec<usize> = module.functions.iter().map(|f| f.address as usize / 4).collect();
        // Stricter than LLVM, ours knows stores that S_WAITCNT does not count, EXEC that S_*_SAVEEXEC writes, and calls, which
        // LLVM never looks through; and it asks that nothing be pending where a jump through registers goes.
        let stricter = |f: &walk::Finding| {
            let jumps = |op| [insts::S_SETPC_B64, insts::S_SWAPPC_B64].contains(&op);
            ["VMEMtoScalarWriteHazard", "LdsBranchVmemWARHazard"].contains(&f.hazard.name)
                || decode::decode(&words[f.second..], build.isa()).is_ok_and(|(instr, _)| jumps(instr.op))
        };
        for reading in [Reading::Llvm, Reading::Strict] {
            let found = walk::check(&words, &entries, build.wave, build.isa(), reading)
                .map_err(|e| format!("{}: {e}", path.display()))?;
            let found: Vec<_> = found.iter().filter(|f| reading == Reading::Llvm || !stricter(f)).collect();
            if let Some(first) = found.first() {
                return Err(format!("{} {reading:?}: {} hazards; {first}", path.display(), found.len()));
            }
        }
    }
    Ok(())
}

/// Every instruction of a source's code objects, as llvm-objdump prints it and as `wavepipe disasm` does.
fn disassembles(source: &Source, place: usize, all: bool) -> Result<(), String> {
    if clang().is_none() {
        return skip("clang-19");
    }
    if !installed("llvm-objdump-19") {
        return skip("llvm-19");
    }
    let folder = trial_folder(&format!("{}.disassembly", source.name))?;
    let others: Vec<Build> = Build::all().into_iter().filter(|b| DISASSEMBLED.contains(&b.name())).collect();
    let sampled = others[place % others.len()];
    for build in Build::all() {
        if !build.is_whole() && build != sampled && !(all && others.contains(&build)) {
            continue;
        }
        let object = code_object(source, build)?;
        let mut objdump = Command::new("llvm-objdump-19");
        objdump.args(["-d", "--section=.text"]).arg(&object);
        if build.wave == 64 && build.isa().caps().wave32 {
            objdump.arg("--mattr=+wavefrontsize64");
        }
        let output = run(&mut objdump)?;
        let theirs = objdump_lines(&String::from_utf8_lossy(&output.stdout));
        if !output.status.success() || theirs.len() < 20 {
            return Err(format!("llvm-objdump-19 {}\n{}", object.display(), show(&output)));
        }
        let encodings = folder.join("encodings");
        write(&encodings, theirs.iter().map(|(_, bytes)| format!("{bytes}\n")).collect::<String>().as_bytes())?;
        let mut command = clean(&program("wavepipe")?);
        command.args(["disasm", "--gpu", build.name(), "--wave", &build.wave.to_string(), "--lines"]).arg(&encodings);
        let output = run(&mut command)?;
        let ours = String::from_utf8_lossy(&output.stdout);
        let ours: Vec<&str> = ours.lines().map(str::trim).collect();
        if ours.len() != theirs.len() {
            return Err(format!("{command:?}: {} lines for {}\n{}", ours.len(), theirs.len(), show(&output)));
        }
        let wrong: Vec<_> =
            ours.iter().zip(&theirs).filter(|(ours, (theirs, bytes))| !same(ours, theirs, bytes)).collect();
        if !wrong.is_empty() {
            let (target, wave, level) = (build.name(), build.wave, build.optimise);
            let mut text = format!("{target} wave{wave} -O{level}: {} instructions differ", wrong.len());
            for (ours, (theirs, bytes)) in wrong.iter().take(8) {
                let _ = write!(text, "\n  {bytes}: got `{ours}`, want `{theirs}`");
            }
            return Err(text);
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    Ok(())
}

/// Text and bytes in memory order, in hex, of each instruction in llvm-objdump's output.
fn objdump_lines(text: &str) -> Vec<(String, String)> {
    let line = |line: &str| {
        let (text, rest) = line.strip_prefix('\t')?.split_once("//")?;
        let (_address, words) = rest.split_once(": ")?;
        let hex: Vec<&str> = words.split_whitespace().take_while(|word| !word.starts_with('<')).collect();
        let bytes: String = hex
            .iter()
            .map(|word| u32::from_str_radix(word, 16).map(|w| w.swap_bytes()))
            .map_while(Result::ok)
            .map(|w| format!("{w:08x}"))
            .collect();
        Some((text.trim().to_owned(), bytes))
    };
    text.lines().filter_map(line).collect()
}

/// Equal texts; but LLVM prints a literal whose value an inline constant has as that constant, and ours in hex, so that
/// it assembles to the same bytes.
fn same(ours: &str, theirs: &str, bytes: &str) -> bool {
    let literal = bytes.get(8..).and_then(|rest| u32::from_str_radix(rest.get(rest.len().checked_sub(8)?..)?, 16).ok());
    let inline = |text: &str| match text.parse::<i32>() {
        Ok(number) => Some(number as u32),
        Err(_) => text.parse::<f32>().ok().map(f32::to_bits),
    };
    let operands = |text: &str| text.split([' ', ',']).map(str::to_owned).collect::<Vec<_>>();
    let (ours, theirs) = (operands(ours), operands(theirs));
    ours.len() == theirs.len()
        && ours.iter().zip(&theirs).all(|(ours, theirs)| {
            let hex = ours.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
            ours == theirs || hex.is_some() && hex == literal.map(u32::swap_bytes) && hex == inline(theirs)
        })
}

/// A kernel that no header launches would be compiled and forgotten.
fn every_kernel_is_launched(sources: &[Arc<Source>]) -> Result<(), String> {
    if clang().is_none() {
        return skip("clang-19");
    }
    let mut count = 0;
    for source in sources {
        let object = code_object(source, Build { target: 3, wave: 32, optimise: 3 })?;
        let output = run(clean(&program("wavepipe")?).args(["launch", "--list"]).arg(&object))?;
        if !output.status.success() {
            return Err(show(&output));
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        for line in text.lines().filter(|line| !line.starts_with(' ')) {
            let kernel = line.split_whitespace().next().unwrap_or("");
            if !source.header.launches.iter().any(|launch| launch.kernel == kernel) {
                return Err(format!("{}.cl has `{kernel}`, which its header does not launch", source.name));
            }
            count += 1;
        }
    }
    if count < 25 {
        return Err(format!("{count} kernels only"));
    }
    Ok(())
}

fn check_same() -> Result<(), String> {
    let cases = [
        ("s_addc_u32 s1, s1, 0x0", "s_addc_u32 s1, s1, 0", "01ff018200000000", true),
        ("s_addc_u32 s1, s1, 0xfffffff0", "s_addc_u32 s1, s1, -16", "01ff0182f0ffffff", true),
        ("s_mov_b32 s1, 0x3f800000", "s_mov_b32 s1, 1.0", "ff0381be0000803f", true),
        ("s_addc_u32 s1, s1, 0x0", "s_addc_u32 s1, s1, 0", "01800182", false),
        ("s_addc_u32 s1, s1, 0x1", "s_addc_u32 s1, s1, 0", "01ff018200000000", false),
        ("s_addc_u32 s1, s1, 2", "s_addc_u32 s1, s1, 1", "01ff018200000000", false),
        ("s_endpgm", "s_endpgm 1", "000081bf", false),
    ];
    match cases.iter().find(|(ours, theirs, bytes, good)| same(ours, theirs, bytes) != *good) {
        Some(case) => Err(format!("{case:?}")),
        None => Ok(()),
    }
}
