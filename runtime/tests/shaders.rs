//! From SPIR-V to results: compiled kernels through the whole runtime. The shaders are compiled by glslc.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;
use wavepipe_runtime::simple::{Job, Session, entry_point, layout_of};
use wavepipe_runtime::*;

/// SPIR-V of a compute shader; `None`, said aloud, where glslc is missing.
fn glslc(body: &str) -> Option<Vec<u32>> {
    let command = Command::new("glslc")
        .args(["-fshader-stage=compute", "--target-env=vulkan1.1", "-O", "-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = command else {
        println!("SKIP glslc");
        assert!(std::env::var_os("CI").is_none(), "glslc is missing");
        return None;
    };
    child.stdin.take().unwrap().write_all(format!("#version 450\n{body}").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    Some(output.stdout.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect())
}

fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
}

fn session() -> Session {
    Session::new(&Config::checked()).unwrap()
}

const SCALE: &str = "
    layout(local_size_x_id = 7) in;
    layout(constant_id = 3) const uint bias = 1;
    layout(set = 1, binding = 2) readonly buffer In { uint a[]; };
    layout(set = 1, binding = 4) buffer Out { uint b[]; };
    layout(push_constant) uniform Push { uint pad; uint factor; };
    void main() { uint i = gl_GlobalInvocationID.x; b[i] = a[i] * factor + bias; }";

fn scale(spirv: Vec<u32>) -> Job {
    Job {
        words: spirv,
        spec: vec![SpecValue { id: 7, bits: 48, size: 4 }, SpecValue { id: 3, bits: 100, size: 4 }],
        push: bytes([0, 3]),
        groups: [4, 1, 1],
        buffers: vec![(1, 4, bytes([0; 192])), (1, 2, bytes(0..192))],
        ..Default::default()
    }
}

#[test]
fn a_job_by_reflection() {
    let Some(spirv) = glslc(SCALE) else { return };
    let session = session();
    for wave in [WaveSize::W32, WaveSize::W64] {
        let job = Job { wave: Some(wave), ..scale(spirv.clone()) };
        let out = session.run(&job).unwrap();
        assert_eq!(words(&out[0]), (0..192).map(|i| i * 3 + 100).collect::<Vec<u32>>(), "{wave:?}");
        assert_eq!(words(&out[1]), (0..192).collect::<Vec<u32>>());
    }
    let statistics = session.device().statistics();
    // 48 work-items: two waves of 32, or one of 64.
    assert_eq!((statistics.dispatches, statistics.workgroups, statistics.waves), (2, 8, 12));
}

#[test]
fn what_is_compiled_once_is_found_again() {
    let Some(spirv) = glslc(&SCALE.replace("+ bias", "- bias")) else { return };
    let session = session();
    let compile = |bias| {
        let spec = [SpecValue { id: 7, bits: 32, size: 4 }, SpecValue { id: 3, bits: bias, size: 4 }];
        session.pipeline(&spirv, None, &spec, None).unwrap().compile_time()
    };
    assert!(!compile(1).is_zero());
    assert!(compile(1).is_zero());
    assert!(!compile(2).is_zero(), "another constant is another kernel");
}

#[test]
fn what_cannot_be_is_said() {
    let Some(spirv) = glslc(SCALE) else { return };
    let session = session();
    let compile_error = |e: &Error| matches!(e, Error::Compile(_));
    assert!(session.pipeline(&spirv, Some("nain"), &[], None).is_err_and(|e| compile_error(&e)));
    assert!(session.pipeline(&spirv[..40], None, &[], None).is_err_and(|e| compile_error(&e)));
    assert!(session.pipeline(&[], None, &[], None).is_err_and(|e| compile_error(&e)));
    let job = Job { buffers: vec![(0, 0, vec![0; 4])], ..scale(spirv.clone()) };
    assert!(matches!(session.run(&job), Err(Error::Invalid(_))));
    let empty = PipelineLayout::new(vec![], 0).unwrap();
    let module = ShaderModule::new(&spirv);
    let missing = ComputePipeline::new(session.device(), &module, "main", &[], &empty, None);
    assert!(missing.is_err_and(|e| compile_error(&e)), "a binding that the layout does not have");
}

/// A device, a pipeline with the layout given, and one output buffer bound where the caller says.
struct Setup {
    session: Session,
    pipeline: Arc<ComputePipeline>,
}

impl Setup {
    fn run(&self, commands: impl FnOnce(&mut CommandBuffer)) {
        let mut cb = CommandBuffer::new(self.session.device());
        cb.begin();
        cb.bind_pipeline(&self.pipeline);
        commands(&mut cb);
        cb.end().unwrap();
        let info = SubmitInfo { command_buffers: vec![cb.recording().unwrap()], ..Default::default() };
        self.session.queue().submit(&info, None).unwrap();
        self.session.queue().wait_idle().unwrap();
    }

    fn sets(&self) -> Vec<Arc<DescriptorSet>> {
        let layouts = self.pipeline.layout().sets();
        let pool = DescriptorPool::new(self.session.device(), layouts.len() as u32, 1000);
        layouts.iter().map(|l| pool.allocate(l).unwrap()).collect()
    }

    fn buffer(&self, contents: &[u8]) -> Arc<Buffer> {
        let buffer = Buffer::with_memory(self.session.device(), contents.len() as u64).unwrap();
        buffer.write(0, contents).unwrap();
        buffer
    }
}

fn setup(spirv: &[u32], layout: Option<Arc<PipelineLayout>>) -> Setup {
    let session = session();
    let layout = layout.unwrap_or_else(|| layout_of(&entry_point(spirv, None).unwrap()).unwrap());
    let module = ShaderModule::new(spirv);
    let pipeline = ComputePipeline::new(session.device(), &module, "main", &[], &layout, None).unwrap();
    Setup { session, pipeline }
}

fn contents(buffer: &Buffer) -> Vec<u32> {
    let mut out = vec![0; buffer.size() as usize];
    buffer.read(0, &mut out).unwrap();
    words(&out)
}

#[test]
fn dynamic_buffers_move_with_their_offsets() {
    let shader = "
        layout(local_size_x = 4) in;
        layout(set = 0, binding = 0) uniform U { uvec4 u; };
        layout(set = 1, binding = 0) buffer S { uint s[]; };
        layout(set = 1, binding = 1) buffer T { uint t[]; };
        void main() { uint i = gl_LocalInvocationID.x; s[i] = u[i]; t[i] += u[i]; }";
    let Some(spirv) = glslc(shader) else { return };
    let set = |kinds: &[BindingKind]| {
        let binding = |(i, kind): (usize, &BindingKind)| Binding { binding: i as u32, kind: *kind, count: 1 };
        DescriptorSetLayout::new(kinds.iter().enumerate().map(binding).collect()).unwrap()
    };
    let first = set(&[BindingKind::UniformBufferDynamic]);
    let second = set(&[BindingKind::StorageBufferDynamic, BindingKind::StorageBuffer]);
    let layout = PipelineLayout::new(vec![first, second], 0).unwrap();
    let s = setup(&spirv, Some(layout.clone()));
    let (input, out) = (s.buffer(&bytes(0..64)), s.buffer(&bytes([7; 64])));
    let total = s.buffer(&bytes([0; 4]));
    let sets = s.sets();
    sets[0].write_buffer(0, 0, &input, 0, Some(16)).unwrap();
    sets[1].write_buffer(0, 0, &out, 16, Some(16)).unwrap();
    sets[1].write_buffer(1, 0, &total, 0, None).unwrap();
    s.run(|cb| {
        for offset in [0u32, 128] {
            cb.bind_descriptor_sets(&layout, 0, &sets, &[offset, offset / 2]);
            cb.dispatch([1, 1, 1]);
            cb.pipeline_barrier();
        }
    });
    let mut expected = vec![7; 64];
    expected[4..8].copy_from_slice(&[0, 1, 2, 3]);
    expected[20..24].copy_from_slice(&[32, 33, 34, 35]);
    assert_eq!(contents(&out), expected);
    assert_eq!(contents(&total), [32, 34, 36, 38]);
}

#[test]
fn counts_and_base_reach_the_kernel() {
    let shader = "
        layout(local_size_x = 1) in;
        layout(set = 0, binding = 0) buffer S { uvec4 s[]; };
        void main() {
            uint at = gl_WorkGroupID.x + 10 * gl_WorkGroupID.y;
            s[at] = uvec4(gl_NumWorkGroups, gl_GlobalInvocationID.x + 1);
        }";
    let Some(spirv) = glslc(shader) else { return };
    let s = setup(&spirv, None);
    let out = s.buffer(&bytes([0; 4 * 40]));
    let counts = s.buffer(&bytes([9, 2, 3, 1]));
    let sets = s.sets();
    sets[0].write_buffer(0, 0, &out, 0, None).unwrap();
    let at = |i: usize| contents(&out)[4 * i..4 * i + 4].to_vec();
    s.run(|cb| {
        cb.bind_descriptor_sets(s.pipeline.layout(), 0, &sets, &[]);
        cb.dispatch_indirect(&counts, 4);
    });
    assert_eq!((at(0), at(1), at(21), at(2)), (vec![2, 3, 1, 1], vec![2, 3, 1, 2], vec![2, 3, 1, 2], vec![0; 4]));
    s.run(|cb| {
        cb.bind_descriptor_sets(s.pipeline.layout(), 0, &sets, &[]);
        cb.dispatch_base([5, 3, 0], [2, 1, 1]);
    });
    assert_eq!((at(35), at(36), at(37)), (vec![2, 1, 1, 6], vec![2, 1, 1, 7], vec![0; 4]));
}

#[test]
fn many_sets_come_by_table() {
    let declare = |i| format!("layout(set = {i}, binding = 0) buffer B{i} {{ uint b{i}; }};\n");
    let add = |i| format!("b{i} += {};\n", i + 1);
    let (declarations, body): (String, String) = ((0..12).map(declare).collect(), (0..12).map(add).collect());
    let Some(spirv) = glslc(&format!("layout(local_size_x = 1) in;\n{declarations} void main() {{ {body} }}")) else {
        return;
    };
    let job = Job {
        words: spirv,
        groups: [1, 1, 1],
        buffers: (0..12).map(|i| (i, 0, bytes([100 * i]))).collect(),
        ..Default::default()
    };
    let out = session().run(&job).unwrap();
    let sums: Vec<u32> = out.iter().map(|b| words(b)[0]).collect();
    assert_eq!(sums, (0..12).map(|i| 101 * i + 1).collect::<Vec<u32>>());
}

#[test]
fn an_array_of_buffers_and_its_out_of_bounds() {
    let shader = "
        layout(local_size_x = 8) in;
        layout(set = 0, binding = 3) buffer B { uint v[]; } b[3];
        void main() {
            uint i = gl_LocalInvocationID.x;
            for (uint k = 0; k < 3; k++) b[k].v[i] = 10 * k + i + b[k].v.length() * 1000;
        }";
    let Some(spirv) = glslc(shader) else { return };
    let s = setup(&spirv, None);
    let buffers = [8, 4, 8].map(|n: usize| s.buffer(&bytes(vec![5; n])));
    let sets = s.sets();
    for (k, buffer) in buffers.iter().enumerate() {
        sets[0].write_buffer(3, k as u32, buffer, 0, None).unwrap();
    }
    s.run(|cb| {
        cb.bind_descriptor_sets(s.pipeline.layout(), 0, &sets, &[]);
        cb.dispatch([1, 1, 1]);
    });
    for (k, buffer) in (0..).zip(&buffers) {
        let n = buffer.size() as u32 / 4;
        assert_eq!(contents(buffer), (0..n).map(|i| 10 * k + i + 1000 * n).collect::<Vec<u32>>());
    }
}

#[test]
fn scratch_belongs_to_each_lane() {
    let shader = "
        layout(local_size_x = 96) in;
        layout(set = 0, binding = 0) buffer S { uint s[]; };
        void main() {
            uint i = gl_GlobalInvocationID.x;
            uint a[24];
            for (uint k = 0; k < 24; k++) a[(k * 7 + i) % 24] = i * 100 + k;
            s[i] = a[s[i] % 24];
        }";
    let Some(spirv) = glslc(shader) else { return };
    let n = 96 * 50;
    // a[j] was written by the k with (7 k + i) mod 24 = j; 7 is its own inverse mod 24.
    let expected = |i: u32| i * 100 + (i * 5 % 24 + 24 - i % 24) * 7 % 24;
    for wave in [WaveSize::W32, WaveSize::W64] {
        let job = Job {
            words: spirv.clone(),
            wave: Some(wave),
            groups: [50, 1, 1],
            buffers: vec![(0, 0, bytes((0..n).map(|i| i * 5)))],
            ..Default::default()
        };
        let out = words(&session().run(&job).unwrap()[0]);
        let wrong = (0..n).find(|&i| out[i as usize] != expected(i));
        assert_eq!(wrong.map(|i| (i, out[i as usize], expected(i))), None, "{wave:?}");
    }
}
