//! Shader modules and compute pipelines: SPIR-V becomes a code object, the code object goes into GPU memory, and the
//! registers that launch it are worked out once.

use crate::cache::{self, Caches, Key, ModuleId, Origin, PipelineCache};
use crate::config::{DebugFlags, report};
use crate::descriptor::PipelineLayout;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::executable::Representation;
use crate::heap::Suballocation;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wavepipe_compiler::spirv::SpecValue;
use wavepipe_compiler::{Checks, Instrument, Options};
use wavepipe_hw::code::{CodeObject, WaveSize};
use wavepipe_hw::machine::Machine;
use wavepipe_hw::observe::Observe;
use wavepipe_hw::pm4::reg;
use wavepipe_hw::rsrc::PgmRsrc;

/// Waves that may use scratch at once (COMPUTE_TMPRING_SIZE.WAVES).
pub(crate) const SCRATCH_WAVES: u32 = 256;

/// SPIR-V words, not looked at until a pipeline is made.
pub struct ShaderModule {
    words: Arc<[u32]>,
    id: ModuleId,
}

impl ShaderModule {
    pub fn new(words: &[u32]) -> Arc<ShaderModule> {
        Arc::new(ShaderModule { words: words.into(), id: ModuleId::of(words) })
    }

    /// A module that is only known by name: pipelines of it come from caches.
    pub fn known(id: ModuleId) -> Arc<ShaderModule> {
        Arc::new(ShaderModule { words: Arc::new([]), id })
    }

    pub fn words(&self) -> &[u32] {
        &self.words
    }

    pub fn id(&self) -> ModuleId {
        self.id
    }
}

/// Refuses a kernel whose work-groups no compute unit of the machine could hold. `remedy`: what its writer can do.
pub(crate) fn lds_fits(machine: &Machine, kernel: &str, bytes: u32, remedy: &str) -> Result<()> {
    let (name, most) = (&machine.name, machine.workgroup_lds());
    if u64::from(bytes) <= most {
        return Ok(());
    }
    let what = format!("kernel `{kernel}` has {bytes} bytes of shared memory, a work-group can have {most} on {name}");
    Err(Error::Machine(format!("{what}: {remedy}, or choose a machine that has more (--gpu, WAVEPIPE_MACHINE)")))
}

/// What a pipeline is made of.
#[derive(Clone, Copy)]
pub struct PipelineInfo<'a> {
    pub module: &'a ShaderModule,
    pub entry: &'a str,
    pub spec: &'a [SpecValue],
    pub layout: &'a Arc<PipelineLayout>,
    /// `None` = the configured default.
    pub wave: Option<WaveSize>,
    /// Whether waves may be wider than the default where the program cannot tell, and nobody looks ([`Config::is_looked_at`]).
    ///
    /// [`Config::is_looked_at`]: crate::Config::is_looked_at
    pub widen: bool,
    /// The program's own cache, which is looked into first and learns what it does not have.
    pub cache: Option<&'a PipelineCache>,
    /// Whether code that is in no cache may be compiled.
    pub may_compile: bool,
    /// Whether to keep the compiler's intermediate forms.
    pub capture: bool,
}

/// Code, and how it was come by.
struct Made {
    code: Arc<CodeObject>,
    time: Duration,
    origin: Origin,
    representations: Vec<Representation>,
}

/// A kernel in GPU memory, ready to launch.
pub struct ComputePipeline {
    interrupts: Arc<crate::bus::Interrupts>,
    code: Arc<CodeObject>,
    memory: Suballocation,
    layout: Arc<PipelineLayout>,
    registers: Vec<(u16, Vec<u32>)>,
    compile_time: Duration,
    origin: Origin,
    representations: Vec<Representation>,
}

impl ComputePipeline {
    /// Compiles an entry point, or finds it in a cache. `wave`: `None` = the configured default.
    pub fn new(
        device: &Arc<Device>,
        module: &ShaderModule,
        entry: &str,
        spec: &[SpecValue],
        layout: &Arc<PipelineLayout>,
        wave: Option<WaveSize>,
    ) -> Result<Arc<ComputePipeline>> {
        let (widen, cache, may_compile, capture) = (false, None, true, false);
        let info = PipelineInfo { module, entry, spec, layout, wave, widen, cache, may_compile, capture };
        Self::create(device, &info)
    }

    /// As [`Self::new`], with all that can be chosen.
    pub fn create(device: &Arc<Device>, info: &PipelineInfo<'_>) -> Result<Arc<ComputePipeline>> {
        let made = Self::make(device, info, device.config().instrument())?;
        Self::load(device, made.code, info.layout, made.time, made.origin, made.representations)
    }

    /// A kernel of the driver's own. In reports it has no source: that is of no program.
    pub(crate) fn of_driver(
        device: &Arc<Device>,
        name: &str,
        module: &ShaderModule,
        spec: &[SpecValue],
        layout: &Arc<PipelineLayout>,
    ) -> Result<Arc<ComputePipeline>> {
        let (wave, widen, cache, may_compile, capture) = (None, false, None, true, false);
        let info = PipelineInfo { module, entry: "main", spec, layout, wave, widen, cache, may_compile, capture };
        let made = Self::make(device, &info, Instrument::COPIES)?;
        let (name, files, lines) = (name.into(), Vec::new(), Vec::new());
        let code = CodeObject { name, files, lines, ..CodeObject::clone(&made.code) };
        Self::load(device, Arc::new(code), layout, made.time, made.origin, made.representations)
    }

    /// Finds the code in a cache, or compiles it.
    fn make(device: &Arc<Device>, info: &PipelineInfo<'_>, instrument: Instrument) -> Result<Made> {
        let config = device.config();
        let (wave, checks) = (config.wave_size(info.wave)?, config.checks());
        let plain = Options::new(info.entry, info.layout.layout());
        let widen = info.widen && info.wave.or(config.wave).is_none() && !config.is_looked_at();
        let isa = config.isa();
        let options = Options { isa, wave, widen, spec: info.spec, checks, instrument, names: config.names, ..plain };
        let key = Key::new(info.module.id, &options);
        let caches = Caches { program: info.cache, disk: device.disk() };
        // What is captured is captured while compiling.
        if !info.capture
            && let Some((code, origin)) = caches.find(&key)
        {
            if checks == Checks::On && info.may_compile && !info.module.words.is_empty() {
                Self::compare(&code, &cache::compile(&info.module.words, &options, None)?)?;
            }
            return Ok(Made { code, time: Duration::ZERO, origin, representations: Vec::new() });
        }
        if !info.may_compile || info.module.words.is_empty() {
            return Err(Error::CompileRequired { entry: info.entry.into() });
        }
        let start = Instant::now();
        let mut dumps = Vec::new();
        let code = cache::compile(&info.module.words, &options, info.capture.then_some(&mut dumps))?;
        let (code, time) = (Arc::new(code), start.elapsed());
        caches.insert(&key, &code);
        let representations = Representation::of(&info.module.words, &dumps, &code);
        Ok(Made { code, time, origin: Origin::Compiler, representations })
    }

    /// What a cache has is what the compiler makes.
    pub(crate) fn compare(cached: &CodeObject, compiled: &CodeObject) -> Result<()> {
        if cached == compiled {
            return Ok(());
        }
        Err(Error::Internal(format!("a cache has other code of kernel `{}` than the compiler makes", compiled.name)))
    }

    /// A kernel made by hand.
    pub fn from_code_object(
        device: &Arc<Device>,
        code: CodeObject,
        layout: &Arc<PipelineLayout>,
    ) -> Result<Arc<ComputePipeline>> {
        Self::load(device, Arc::new(code), layout, Duration::ZERO, Origin::Compiler, Vec::new())
    }

    fn load(
        device: &Arc<Device>,
        code: Arc<CodeObject>,
        layout: &Arc<PipelineLayout>,
        compile_time: Duration,
        origin: Origin,
        representations: Vec<Representation>,
    ) -> Result<Arc<ComputePipeline>> {
        let isa = device.config().isa();
        if code.isa != isa {
            let (theirs, ours) = (code.isa.name(), isa.name());
            return Err(Error::Invalid(format!("kernel `{}` is {theirs} code, and this GPU runs {ours}", code.name)));
        }
        if code.text.is_empty() || !code.text.len().is_multiple_of(4) {
            return Err(Error::Internal(format!("kernel `{}` has {} bytes of code", code.name, code.text.len())));
        }
        lds_fits(&device.config().machine, &code.name, code.lds_bytes, "make shared variables smaller")?;
        let memory = device.heap().allocate(code.text.len() as u64, 256, &code.name)?;
        memory.write(0, &code.text)?;
        let registers = launch_registers(&code, memory.va());
        let interrupts = device.interrupts().clone();
        let upload = interrupts.codes.insert(memory.va(), code.clone());
        if device.config().observe.contains(Observe::COVERAGE) {
            interrupts.covered.add(upload, &code);
        }
        let layout = layout.clone();
        let pipeline =
            ComputePipeline { interrupts, code, memory, layout, registers, compile_time, origin, representations };
        if device.config().debug.contains(DebugFlags::ISA) {
            report(&format!(
                "kernel `{}` at {:#x}\n{}",
                pipeline.code.name,
                pipeline.address(),
                pipeline.disassembly()
            ));
        }
        Ok(Arc::new(pipeline))
    }

    pub fn code_object(&self) -> &CodeObject {
        &self.code
    }

    pub fn layout(&self) -> &Arc<PipelineLayout> {
        &self.layout
    }

    /// GPU address of the first instruction.
    pub fn address(&self) -> u64 {
        self.memory.va()
    }

    /// What compiling took; zero if the code came from the cache.
    pub fn compile_time(&self) -> Duration {
        self.compile_time
    }

    /// Where the code came from.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The compiler's forms of the kernel, if they were captured.
    pub fn representations(&self) -> &[Representation] {
        &self.representations
    }

    /// The machine code as text, with source lines where they are known.
    pub fn disassembly(&self) -> String {
        wavepipe_flow::listing::disassembly(&self.code)
    }

    /// SH registers that hold the kernel, as first register and values.
    pub(crate) fn registers(&self) -> &[(u16, Vec<u32>)] {
        &self.registers
    }
}

impl Drop for ComputePipeline {
    fn drop(&mut self) {
        self.interrupts.codes.remove(self.memory.va());
    }
}

fn launch_registers(code: &CodeObject, va: u64) -> Vec<(u16, Vec<u32>)> {
    let rsrc = PgmRsrc::of(code);
    vec![
        (reg::COMPUTE_NUM_THREAD_X, code.workgroup.to_vec()),
        (reg::COMPUTE_PGM_LO, vec![(va >> 8) as u32, (va >> 40) as u32]),
        (reg::COMPUTE_PGM_RSRC1, vec![rsrc.rsrc1, rsrc.rsrc2]),
        (reg::COMPUTE_TMPRING_SIZE, vec![code.tmpring_size(SCRATCH_WAVES)]),
    ]
}
