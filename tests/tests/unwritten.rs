//! Memory of the device that nobody wrote, as `init` sees it: what the host can write by itself counts as written, and what a filter
//! reads does as soon as a texel of it is.

use std::sync::Arc;
use wavepipe_runtime::simple::{Bound, Descriptor, Session, Step};
use wavepipe_runtime::{
    AddressMode, Buffer, Config, Filter, Format, GuestChecks, Image, ImageInfo, ImageKind, ImageView, Memory, Result,
    Sampler, SamplerInfo, WaveSize,
};
use wavepipe_tests::{glslc, installed, skip};

const BYTES: u64 = 128;

fn session() -> Session {
    Session::new(&Config { guest_checks: GuestChecks::INIT, ..Config::checked() }).unwrap()
}

/// One work-group of a shader, with these at its bindings.
fn step(session: &Session, name: &str, text: &str, bound: Vec<Descriptor>) -> Step {
    let words = glslc(name, &format!("#version 450\n{text}"));
    let pipeline = session.pipeline(&words, None, &[], Some(WaveSize::W32)).unwrap();
    let bind = |(binding, descriptor)| Bound { set: 0, binding, element: 0, descriptor };
    Step { pipeline, bound: (0..).zip(bound).map(bind).collect(), push: Vec::new(), groups: [1, 1, 1], indirect: None }
}

/// Lanes of which something is found.
fn lanes(session: &Session, steps: &[Step]) -> u64 {
    session.run_steps(steps).unwrap();
    session.device().take_findings().findings.iter().fold(0, |all, f| all | f.site.lanes)
}

fn buffer(session: &Session, memory: Arc<Memory>) -> Descriptor {
    let buffer = Buffer::new(session.device(), BYTES);
    buffer.bind(memory, 0).unwrap();
    Descriptor::Buffer(buffer, BYTES)
}

#[test]
fn what_the_host_can_write_counts_as_written() {
    type Made = fn(&Session) -> Result<Arc<Memory>>;
    if !installed("glslc") {
        return skip("glslc").unwrap();
    }
    let cases: [(&str, Made, u64); 5] = [
        ("nobody", |s| Memory::allocate(s.device(), BYTES), 0xffff_ffff),
        ("a part", |s| Memory::allocate(s.device(), BYTES).inspect(|m| m.write(0, &[0; 40]).unwrap()), 0xffff_fc00),
        ("all", |s| Memory::allocate(s.device(), BYTES).inspect(|m| m.write(0, &[0; 128]).unwrap()), 0),
        ("it is mapped", |s| Memory::allocate(s.device(), BYTES).inspect(|m| _ = m.host_ptr()), 0),
        ("others have it, too", |s| Memory::allocate_exportable(s.device(), BYTES), 0),
    ];
    for (name, made, wanted) in cases {
        let session = session();
        let text = "layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Data { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
void main() { result[gl_LocalInvocationIndex] = data[gl_LocalInvocationIndex] + 1; }";
        let bound = [made(&session), Memory::allocate(session.device(), BYTES)];
        let bound = bound.map(|memory| buffer(&session, memory.unwrap()));
        let step = step(&session, "unwritten-buffer", text, bound.into());
        assert_eq!(lanes(&session, &[step]), wanted, "{name}");
    }
}

#[test]
fn a_filter_weighs_what_is_written() {
    if !installed("glslc") {
        return skip("glslc").unwrap();
    }
    // Each sample lies in the middle of two texels of a row.
    for (half, wanted) in [(false, 0xffff_ffff), (true, 0xf0f0_f0f0)] {
        let session = session();
        let device = session.device();
        let (kind, format) = (ImageKind::D2, Format::R8G8B8A8_UNORM);
        let info = ImageInfo { kind, format, extent: [8, 4, 1], levels: 1, layers: 1, samples: 1 };
        let image = Image::new(device, info).unwrap();
        image.bind(Memory::allocate(device, image.requirements().0).unwrap(), 0).unwrap();
        let view = ImageView::whole(&image).unwrap();
        let address = [AddressMode::ClampToEdge; 3];
        let linear = SamplerInfo { mag: Filter::Linear, min: Filter::Linear, address, ..SamplerInfo::default() };
        let sampler = Sampler::new(device, &linear).unwrap();
        let store = "layout(local_size_x = 4, local_size_y = 4) in;
layout(binding = 0, rgba8) writeonly uniform image2D picture;
void main() { imageStore(picture, ivec2(gl_LocalInvocationID.xy), vec4(0.5)); }";
        let sample = "layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1) buffer Out { float result[]; };
void main() {
    vec2 at = vec2(gl_LocalInvocationID.xy) + vec2(1.0, 0.5);
    result[gl_LocalInvocationIndex] = textureLod(picture, at / vec2(8.0, 4.0), 0.0).x + 1.0;
}";
        let out = buffer(&session, Memory::allocate(device, BYTES).unwrap());
        let mut steps = vec![step(&session, "unwritten-store", store, vec![Descriptor::Image(view.clone())])];
        steps.retain(|_| half);
        steps.push(step(&session, "unwritten-sample", sample, vec![Descriptor::Combined(view, sampler), out]));
        assert_eq!(lanes(&session, &steps), wanted, "half of it is written: {half}");
    }
}
