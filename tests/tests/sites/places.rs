//! Accesses that go where they should not, planted: beside a bound range, a buffer, an image, through descriptors and pointers
//! that are none. «wrong|right» in a source, `//@` on the line where the finding is to be; the twin with all that is right has none.

use super::glsl;
use std::sync::Arc;
use wavepipe_runtime::hw::fault::FaultKind;
use wavepipe_runtime::hw::finding::Finding;
use wavepipe_runtime::simple::{Bound, Descriptor, Session, Step};
use wavepipe_runtime::{
    Buffer, BufferView, Config, Error, Format, GuestChecks, Image, ImageInfo, ImageKind, ImageView, Memory, WaveSize,
};

const HEAD: &str = "#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint w[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Wide { uvec4 v[]; };
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) uniform Table { uvec4 head; uvec4 tail; } table;
layout(set = 0, binding = 2, rgba8) uniform image2D picture;
layout(set = 0, binding = 3) uniform texture2D texels;
layout(set = 0, binding = 4) buffer Never { uint never[64]; };
layout(set = 0, binding = 5) buffer Gone { uint gone[64]; };
layout(set = 0, binding = 6, r32ui) uniform uimage2DArray counts;
layout(set = 0, binding = 7) uniform utextureBuffer words;
layout(set = 0, binding = 8) uniform texture2D nothing;
layout(set = 0, binding = 9) uniform utextureBuffer noWords;
layout(set = 0, binding = 10) buffer Fixed { uint most[64]; uint rest[64]; } part;
layout(push_constant) uniform Push { uvec2 here; uvec2 other; uvec2 lost; uint none; } push;
void main() { uint i = gl_LocalInvocationIndex; Words here = Words(push.here); Words lost = Words(push.lost);
";

/// Kind, words of the message, text.
const CASES: &[(&str, &str, &str)] = &[
    (
        "out-of-bounds",
        "at offset 256 of a buffer of 64 bytes, which is in `fixed`",
        "if (i == 3)\ndata[i] = part.«rest[0]|most[1]»; //@",
    ),
    (
        "out-of-bounds",
        "at offset 256 of a buffer of 64 bytes, which is in `fixed`",
        "if (i == 3)\npart.«rest[0]|most[1]» = 1; //@",
    ),
    (
        "out-of-bounds",
        "of a buffer of 16 bytes",
        "uint s = 0; for (uint k = 0; k < push.none + «1|0»; k++)\ns += table.tail.x; //@\ndata[i] = s;",
    ),
    (
        "out-of-bounds",
        "of a buffer of 16 bytes",
        "uint s = 0; if (i < push.none + «1|0») for (uint k = 0; k < i + 2; k++)\ns += table.tail.x + k; //@\ndata[i] = s;",
    ),
    ("no-buffer", "right behind the 256 bytes of `here`", "data[i] =\nhere.w[i + «1|0»]; //@"),
    ("no-buffer", "right behind the 256 bytes of `here`", "if (i == 63)\nhere.w[i + «1|0»] = i; //@"),
    ("no-buffer", "right behind the 256 bytes of `here`", "if (i == 63)\natomicAdd(here.w[i + «1|0»], 1); //@"),
    ("no-buffer", "4 bytes before the begin of `here`", "int at = int(i) - «1|0»;\nhere.w[at] = 5; //@"),
    (
        "no-buffer",
        "it begins at offset 16 of the 24 bytes of `short`",
        "Wide wide = Wide(push.other); uvec4 x;\nx = wide.v[«1|0»]; //@\ndata[i] = x.x + x.y + x.z + x.w;",
    ),
    ("no-buffer", "it was in `lost`, which was destroyed", "if (i == 0)\ndata[0] = «lost|here».w[2]; //@"),
    ("no-buffer", "in no buffer", "if (i == 2)\nhere.w[«900|9»] = 1; //@"),
    (
        "misaligned",
        "which the program says is a multiple of 16",
        "Wide wide = Wide(push.here + uvec2(«4|16», 0)); uvec4 x = uvec4(0); if (i == 1)\nx = wide.v[0]; //@\ndata[i] = x.x;",
    ),
    (
        "misaligned",
        "which the program says is a multiple of 4",
        "Words odd = Words(push.here + uvec2(«2|4», 0)); if (i == 1)\nodd.w[i] = 9; //@\ndata[i] = 1;",
    ),
    (
        "unwritten-descriptor",
        "through a descriptor that was never written",
        "if (push.none == «0|1»)\ndata[i] = never[i]; //@",
    ),
    (
        "unwritten-descriptor",
        "through a descriptor that was never written",
        "if (push.none == «0|1»)\ndata[i] = uint(texelFetch(nothing, ivec2(0), 0).x); //@",
    ),
    (
        "unwritten-descriptor",
        "through a descriptor that was never written",
        "if (push.none == «0|1»)\ndata[i] = texelFetch(noWords, 0).x; //@",
    ),
    ("destroyed", "a buffer that is no more: `lost`", "if (push.none == «0|1»)\ndata[i] = gone[i]; //@"),
    ("destroyed", "a buffer that is no more: `lost`", "if (push.none == «0|1» && i == 5)\ngone[i] = 4; //@"),
    (
        "outside-image",
        "texel (8, 0) of an image of 8 x 4, `picture`",
        "imageStore(picture,\nivec2(i & «15|7», 0), vec4(1)); //@",
    ),
    (
        "outside-image",
        "texel (-1, 2) of an image of 8 x 4",
        "vec4 c =\nimageLoad(picture, ivec2(int(i & 7) - «1|0», 2)); //@\ndata[i] = uint(c.x);",
    ),
    (
        "outside-image",
        "texel (1, 4) of level 0 of an image of 8 x 4",
        "vec4 c = vec4(0); if (i == 7)\nc = texelFetch(texels, ivec2(1, «4|3»), 0); //@\ndata[i] = uint(c.x);",
    ),
    (
        "outside-image",
        "texel (4, 0) of level 1 of an image of 4 x 2",
        "vec4 c =\ntexelFetch(texels, ivec2(«4|3», 0), 1); //@\ndata[i] = uint(c.x);",
    ),
    (
        "outside-image",
        "of level 2 of an image of 2 levels",
        "vec4 c =\ntexelFetch(texels, ivec2(0), int(push.none) + «2|1»); //@\ndata[i] = uint(c.x);",
    ),
    (
        "outside-image",
        "texel (0, 0, 3) of an image of 4 x 4 x 3",
        "if (i < «4|3»)\nimageAtomicAdd(counts, ivec3(0, 0, i), 1); //@",
    ),
    (
        "out-of-bounds",
        "at offset 64 of a buffer of 64 bytes",
        "uint x = 0; if (i < «17|16»)\nx = texelFetch(words, int(i)).x; //@\ndata[i] = x;",
    ),
];

/// What is at the bindings, and what pointers are made of.
struct World {
    session: Session,
    bound: Vec<Bound>,
    push: Vec<u8>,
    _kept: Vec<Arc<Buffer>>,
}

impl World {
    fn new(timing: bool) -> World {
        let config = Config { guest_checks: GuestChecks::MEM, timing, ..Config::checked() };
        let session = Session::new(&config).unwrap();
        let device = session.device().clone();
        let memory = Memory::allocate(&device, 1 << 16).unwrap();
        memory.rename("all of it");
        let place = |name: &str, at: u64, size: u64| {
            let buffer = Buffer::new(&device, size);
            buffer.bind(memory.clone(), at).unwrap();
            buffer.rename(name);
            buffer
        };
        let (here, lost) = (place("here", 1024, 256), place("lost", 4096, 256));
        let short = place("short", 2048, 24);
        let (data, table, fixed) = (place("data", 8192, 256), place("table", 12288, 32), place("fixed", 16384, 512));
        let image = |name: &str, format, extent, levels, layers| {
            let info = ImageInfo { kind: ImageKind::D2, format, extent, levels, layers, samples: 1 };
            let image = Image::new(&device, info).unwrap();
            image.bind(Memory::allocate(&device, image.requirements().0).unwrap(), 0).unwrap();
            image.rename(name);
            ImageView::whole(&image).unwrap()
        };
        let words = BufferView::new(&fixed, Format::R32_UINT, 0, Some(64)).unwrap();
        let picture = image("picture", Format::R8G8B8A8_UNORM, [8, 4, 1], 1, 1);
        let texels = image("texels", Format::R8G8B8A8_UNORM, [8, 4, 1], 2, 1);
        let counts = image("counts", Format::R32_UINT, [4, 4, 1], 1, 3);
        let push = [here.address(), short.address(), lost.address()];
        lost.give_up();
        let bound = [
            (0, Descriptor::Buffer(data.clone(), 256)),
            (1, Descriptor::Buffer(table.clone(), 16)),
            (2, Descriptor::Image(picture)),
            (3, Descriptor::Image(texels)),
            (5, Descriptor::Buffer(lost.clone(), 256)),
            (6, Descriptor::Image(counts)),
            (7, Descriptor::Texels(words)),
            (10, Descriptor::Buffer(fixed.clone(), 64)),
        ];
        let bound = bound.map(|(binding, descriptor)| Bound { set: 0, binding, element: 0, descriptor });
        let mut push: Vec<u8> = push.iter().flat_map(|n| n.to_le_bytes()).collect();
        push.extend([0; 4]);
        World { session, bound: bound.into(), push, _kept: vec![here, short, lost, data, table, fixed] }
    }

    fn run(&self, words: &[u32], wave: WaveSize) -> Result<Vec<Arc<Finding>>, Error> {
        let pipeline = self.session.pipeline(words, None, &[], Some(wave)).unwrap();
        let has = |b: &Bound| pipeline.layout().layout().find(b.set, b.binding).is_some();
        let bound = self.bound.iter().filter(|b| has(b)).cloned().collect();
        self.session.run_steps(&[Step {
            pipeline,
            bound,
            push: self.push.clone(),
            groups: [1, 1, 1],
            indirect: None,
        }])?;
        Ok(self.session.device().take_findings().findings)
    }
}

/// The text with what is wrong or right in it, and the line to be named.
fn text(body: &str, right: bool) -> (String, u32) {
    let mut out = HEAD.to_string();
    for (n, part) in body.split(['«', '»']).enumerate() {
        match part.split_once('|').filter(|_| n % 2 == 1) {
            Some((wrong, mended)) => out += if right { mended } else { wrong },
            None => out += part,
        }
    }
    out += "\n}\n";
    let line = out.lines().position(|l| l.ends_with("//@")).map_or(0, |n| n as u32 + 1);
    (out, line)
}

/// What is wrong with the findings of a text, of which one is to be of this kind, say this, and be at this line.
fn judge(found: &[Arc<Finding>], right: bool, (kind, message): (&str, &str), line: u32) -> Option<String> {
    if right {
        return (!found.is_empty()).then(|| "a finding of what is right".into());
    }
    let Some(this) = found.iter().find(|f| f.kind.slug() == kind) else { return Some(format!("no {kind}")) };
    let at = this.site.source.as_ref().map_or(0, |s| s.line);
    let other = found.len() > 1;
    if !this.message().contains(message) {
        Some(format!("no `{message}` in it"))
    } else if at != line || other {
        Some(format!("at line {at}, not {line}, or something else too"))
    } else {
        None
    }
}

#[test]
fn planted_places_are_named_and_mended_shaders_have_none() {
    let mut wrong = Vec::new();
    for (level, (kind, message, body)) in ["-O0", "-O"].into_iter().flat_map(|l| CASES.iter().map(move |c| (l, c))) {
        for right in [false, true] {
            let (text, line) = text(body, right);
            let Some(words) = glsl(&text, level) else { return };
            for (wave, timing) in [(WaveSize::W32, false), (WaveSize::W64, false), (WaveSize::W32, true)] {
                let found = World::new(timing).run(&words, wave).unwrap_or_else(|e| panic!("{e}\n{text}"));
                if let Some(why) = judge(&found, right, (kind, message), line) {
                    let told: String = found.iter().map(|f| format!("{f}\n")).collect();
                    let body = text.split_once("main()").map_or("", |(_, body)| body);
                    wrong.push(format!("{level} {wave:?} clock {timing}: {why}\n{body}\n{told}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Freed memory is a fault without any check, and has its name.
#[test]
fn freed_memory_is_told_with_its_name() {
    let (text, _) = text("if (i == 0) data[0] = here.w[5];", true);
    let Some(words) = glsl(&text, "-O") else { return };
    let mut world = World::new(false);
    let device = world.session.device().clone();
    let memory = Memory::allocate(&device, 4096).unwrap();
    memory.rename("scratchpad");
    world.push[..8].copy_from_slice(&memory.address().to_le_bytes());
    // Nothing was ever placed there: it may be anybody's.
    assert_eq!(world.run(&words, WaveSize::W32).unwrap().len(), 0);
    drop(memory);
    let Err(Error::DeviceLost(fault)) = world.run(&words, WaveSize::W32) else { panic!("freed memory is read") };
    let FaultKind::Freed { write: false, bytes: 4, size: 4096, name, .. } = &fault.kind else { panic!("{fault}") };
    assert_eq!(name, "scratchpad");
    assert!(fault.to_string().contains("which was in `scratchpad`, 4096 bytes that were freed"), "{fault}");
}
