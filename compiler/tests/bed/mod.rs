//! What tests of resources share: shaders compiled and run on the emulated machine, with descriptors laid down by hand.
#![allow(dead_code)]

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use wavepipe_compiler::{Checks, Instrument, Options, compile, reflect};
use wavepipe_core::memory::{Memory, MemoryMap};
use wavepipe_core::wave::{CodeCache, Device, Launch, Outcome, WorkGroup};
use wavepipe_core::{GuestChecks, OutOfLds};
use wavepipe_hw::code::{CodeObject, WaveSize};
use wavepipe_hw::descriptor::{BufferDescriptor, ImageDescriptor, ImageType, SamplerDescriptor};
use wavepipe_hw::finding::FindingKind;
use wavepipe_hw::launch::{BindingKind, BindingLayout, PipelineLayout, Place, SetLayout, UserData};
use wavepipe_hw::site::SiteKind;
use wavepipe_hw::surface::{Arrangement, Surface};
use wavepipe_isa::format::Format;

/// Runs a tool on `text`; None if it is not installed.
pub fn tool(program: &str, args: &[&str], extension: &str, text: &str) -> Option<Vec<u32>> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("wavepipe-bed-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let stem = std::env::temp_dir().join(name);
    let (from, to) = (stem.with_extension(extension), stem.with_extension("spv"));
    std::fs::write(&from, text).unwrap();
    let child = Command::new(program).args(args).arg(&from).arg("-o").arg(&to).stderr(Stdio::piped()).output();
    let Ok(output) = child else {
        println!("SKIP {program}");
        assert!(std::env::var_os("CI").is_none(), "{program} is missing");
        return None;
    };
    let said = [output.stdout, output.stderr].map(|s| String::from_utf8_lossy(&s).into_owned()).concat();
    assert!(output.status.success(), "{said}\n{text}");
    let bytes = std::fs::read(&to).unwrap();
    let _ = (std::fs::remove_file(&from), std::fs::remove_file(&to));
    Some(bytes.as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c)).collect())
}

const EXTENSIONS: &str = "#extension GL_EXT_samplerless_texture_functions : enable\n";

/// GLSL of a compute shader without its first line. None without the compiler.
pub fn glsl(text: &str) -> Option<Vec<u32>> {
    tool("glslangValidator", &["-V", "--target-env", "vulkan1.2"], "comp", &format!("#version 460\n{EXTENSIONS}{text}"))
}

pub fn assembly(text: &str) -> Option<Vec<u32>> {
    tool("spirv-as", &["--target-env", "spv1.3"], "spvasm", text)
}

/// A layout that has what the first entry point wants; arrays without a length get `unbounded` elements.
pub fn layout(words: &[u32], unbounded: u32) -> PipelineLayout {
    let mut layout = PipelineLayout { push_constant_bytes: 128, ..Default::default() };
    for r in &reflect(words).unwrap()[0].resources {
        if layout.sets.len() <= r.set as usize {
            layout.sets.resize(r.set as usize + 1, SetLayout::default());
        }
        let set = &mut layout.sets[r.set as usize];
        let (count, stride) = (if r.count == 0 { unbounded } else { r.count }, r.kind.bytes().next_multiple_of(16));
        set.bindings.push(BindingLayout {
            binding: r.binding,
            kind: r.kind,
            count,
            place: Place::Set(set.size),
            stride,
        });
        set.size += stride * count;
    }
    layout
}

/// Memory, a kernel, and the descriptors of its sets.
pub struct Bed {
    memory: Memory,
    pub layout: PipelineLayout,
    sets: Vec<u64>,
    push: u64,
    words: Vec<u32>,
    pub code: Option<CodeObject>,
    pub instrument: Instrument,
    /// What the code said when it ran.
    pub said: Vec<Said>,
}

/// A message to the thread trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    pub kind: SiteKind,
    pub line: u32,
    pub wave: u32,
    pub lanes: u64,
    pub payload: Vec<u32>,
}

impl Bed {
    pub fn new(words: Vec<u32>) -> Bed {
        let layout = layout(&words, 8);
        Bed::with_layout(words, layout)
    }

    pub fn with_layout(words: Vec<u32>, layout: PipelineLayout) -> Bed {
        let memory = Memory::new(1 << 30);
        let sets = layout.sets.iter().map(|s| memory.allocate(u64::from(s.size) + 256, "set").unwrap().va).collect();
        let push = memory.allocate(512, "push constants").unwrap().va;
        let (instrument, said) = (Instrument::empty(), Vec::new());
        Bed { memory, layout, sets, push, words, code: None, instrument, said }
    }

    pub fn map(&self) -> Arc<MemoryMap> {
        self.memory.snapshot()
    }

    pub fn allocate(&self, bytes: u64) -> u64 {
        self.memory.allocate(bytes.max(4), "data").unwrap().va
    }

    /// Puts a descriptor's words into element `n` of a binding of set 0, `at` bytes in.
    pub fn bind(&self, binding: u32, n: u32, at: u32, words: &[u32]) {
        let b = self.layout.find(0, binding).unwrap_or_else(|| panic!("no binding {binding}"));
        let Place::Set(offset) = b.place else { panic!() };
        for (k, &w) in words.iter().enumerate() {
            let to = self.sets[0] + u64::from(offset + n * b.stride + at) + 4 * k as u64;
            self.map().store32(to, w).unwrap();
        }
    }

    /// A storage buffer of words.
    pub fn buffer(&self, binding: u32, n: u32, data: &[u32]) -> u64 {
        let va = self.allocate(4 * data.len() as u64);
        self.write(va, data);
        self.bind(
            binding,
            n,
            0,
            &BufferDescriptor::raw(va, 4 * data.len() as u32).to_words(wavepipe_isa::Gen::Gfx1010),
        );
        va
    }

    /// A texel buffer of `count` elements.
    pub fn texels(&self, binding: u32, n: u32, format: &str, count: u32, data: &[u32]) -> u64 {
        let f = Format::named(format).unwrap();
        let va = self.allocate(u64::from(f.bytes() * count));
        self.write(va, data);
        let dst_sel = std::array::from_fn(|c| match c < f.components() {
            true => 4 + c as u8,
            false => u8::from(c == 3),
        });
        let v = BufferDescriptor {
            stride: f.bytes(),
            num_records: count,
            format: f.number as u8,
            dst_sel,
            oob_select: 0,
            ..BufferDescriptor::raw(va, 0)
        };
        self.bind(binding, n, 0, &v.to_words(wavepipe_isa::Gen::Gfx1010));
        va
    }

    pub fn push(&self, words: &[u32]) {
        self.write(self.push, words);
    }

    pub fn write(&self, va: u64, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.map().write(va, &bytes).unwrap();
    }

    pub fn read(&self, va: u64, words: usize) -> Vec<u32> {
        (0..words).map(|n| self.map().load32(va + 4 * n as u64).unwrap()).collect()
    }

    /// Compiles for a wave size and runs the work-groups one after the other.
    pub fn run(&mut self, wave: WaveSize, groups: [u32; 3]) {
        let entry = reflect(&self.words).unwrap().remove(0);
        let instrument = self.instrument;
        let options = Options { wave, checks: Checks::On, instrument, ..Options::new(&entry.name, &self.layout) };
        let code = compile(&self.words, &options).unwrap_or_else(|e| panic!("{e}"));
        let mut user_data = Vec::new();
        let mut address = |va: u64| user_data.extend([va as u32, (va >> 32) as u32]);
        for u in &code.user_data {
            match *u {
                UserData::DescriptorSet(n) => address(self.sets[n as usize]),
                UserData::PushConstants => address(self.push),
                ref other => panic!("{other:?}"),
            }
        }
        let user_sgprs = user_data.len() as u32;
        user_data.resize(16, 0);
        let launch = Arc::new(Launch {
            isa: code.isa,
            code_va: self.memory.allocate(code.text.len() as u64, "code").unwrap().va,
            wave,
            vgprs: code.vgprs,
            sgprs: 108,
            lds_bytes: code.lds_bytes,
            mode: code.mode.0,
            user_data: user_data.try_into().unwrap(),
            user_sgprs,
            private_base: 0,
            system: code.system,
            tidig_comp_cnt: code.tidig_comp_cnt,
            workgroup: code.workgroup,
            scratch_bytes_per_wave: 0,
            border_colors: 0,
        });
        let map = self.memory.snapshot();
        map.write(launch.code_va, &code.text).unwrap();
        let cache = CodeCache::new();
        let device = Arc::new(Device {
            thread_trace: true,
            checks: GuestChecks::MEM,
            out_of_lds: OutOfLds::Ignore,
            ..Device::default()
        });
        for z in 0..groups[2] {
            for y in 0..groups[1] {
                for x in 0..groups[0] {
                    let mut group = WorkGroup::on(device.clone());
                    group.start(&launch, [x, y, z], 0);
                    {
                        let outcome = group.run(&map, &cache, 100_000_000);
                        for f in group.take_findings().0 {
                            // What a descriptor cuts off is no message.
                            let FindingKind::Told { site, payload } = f.kind else { continue };
                            let site = code.sites[site as usize].clone();
                            let (kind, line, lanes) = (site.kind, site.line, f.site.lanes);
                            self.said.push(Said { kind, line, wave: f.site.wave, lanes, payload });
                        }
                        match outcome {
                            Outcome::Done => {}
                            Outcome::Budget => panic!("never ends"),
                            Outcome::Fault(f) => panic!("{f:?}"),
                        }
                    }
                }
            }
        }
        self.code = Some(code);
    }
}

/// An image in memory: level 0 and its mip levels, layers or slices, samples.
pub struct Picture {
    pub va: u64,
    pub format: &'static Format,
    pub kind: ImageType,
    /// Texels of level 0; the third is slices, layers or faces.
    pub size: [u32; 3],
    pub levels: u32,
    pub samples: u32,
    surface: Surface,
}

impl Picture {
    pub fn new(bed: &Bed, format: &str, kind: ImageType, size: [u32; 3], levels: u32, samples: u32) -> Picture {
        let format = Format::named(format).unwrap();
        let surface = Surface {
            width: size[0],
            height: size[1],
            slices: size[2] * samples,
            levels,
            element_bytes: format.bytes(),
            block_side: 1,
            arrangement: Arrangement::default(),
        };
        Picture { va: bed.allocate(surface.bytes() + 256), format, kind, size, levels, samples, surface }.aligned()
    }

    fn aligned(mut self) -> Picture {
        self.va = self.va.next_multiple_of(256);
        self
    }

    pub fn descriptor(&self) -> ImageDescriptor {
        let mut d = ImageDescriptor::linear(self.va, self.format.number, self.kind, self.size, self.levels as u8);
        for (c, sel) in d.dst_sel.iter_mut().enumerate().skip(self.format.components()) {
            *sel = u8::from(c == 3);
        }
        if self.kind.multisampled() {
            d.last_level = self.samples.trailing_zeros() as u8;
            d.max_mip = d.last_level;
        }
        d
    }

    /// Texels of a level in each direction; layers do not shrink.
    pub fn extent(&self, level: u32) -> [u32; 3] {
        let [w, h, d] = self.size;
        let shrink = |n: u32| (n >> level).max(1);
        [shrink(w), shrink(h), if self.kind == ImageType::D3 { shrink(d) } else { d }]
    }

    fn address(&self, level: u32, [x, y, z]: [u32; 3], sample: u32) -> u64 {
        let l = self.surface.level(level);
        let slice = u64::from(z * self.samples + sample);
        self.va + slice * l.slice + l.offset + u64::from(y) * l.pitch + u64::from(x) * u64::from(self.format.bytes())
    }

    pub fn set(&self, bed: &Bed, level: u32, at: [u32; 3], sample: u32, texel: [u32; 4]) {
        let bytes = self.format.encode(texel);
        bed.map().write(self.address(level, at, sample), &bytes[..self.format.bytes() as usize]).unwrap();
    }

    pub fn get(&self, bed: &Bed, level: u32, at: [u32; 3], sample: u32) -> [u32; 4] {
        let mut bytes = [0; 16];
        bed.map().read(self.address(level, at, sample), &mut bytes[..self.format.bytes() as usize]).unwrap();
        self.format.decode(&bytes)
    }

    /// Every texel of every level and sample: `f(level, place, sample)`.
    pub fn fill(&self, bed: &Bed, f: impl Fn(u32, [u32; 3], u32) -> [u32; 4]) {
        for level in 0..self.levels {
            let [w, h, d] = self.extent(level);
            for z in 0..d {
                for y in 0..h {
                    for x in 0..w {
                        for s in 0..self.samples {
                            self.set(bed, level, [x, y, z], s, f(level, [x, y, z], s));
                        }
                    }
                }
            }
        }
    }
}

pub fn bind_image(bed: &Bed, binding: u32, n: u32, picture: &Picture) {
    bed.bind(binding, n, 0, &picture.descriptor().to_words(wavepipe_isa::Gen::Gfx1010));
}

/// The S# at its place in a sampler or in a combined image and sampler.
pub fn bind_sampler(bed: &Bed, binding: u32, n: u32, sampler: SamplerDescriptor) {
    let kind = bed.layout.find(0, binding).unwrap().kind;
    let at = if kind == BindingKind::CombinedImageSampler { 32 } else { 0 };
    bed.bind(binding, n, at, &sampler.to_words(wavepipe_isa::Gen::Gfx1010));
}

pub fn f(x: f32) -> u32 {
    x.to_bits()
}
