//! wgpu's Rust crate on Vulkan: steps counted, a pipeline used again and again, work-groups that synchronise, storage textures.

#[path = "../../common/harness.rs"]
mod harness;

use harness::{Answer, Result};
use wgpu::util::DeviceExt;

struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

const COLLATZ: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        var n = data[id.x];
        var steps = 0u;
        loop {
            if n <= 1u { break; }
            n = select(n / 2u, 3u * n + 1u, n % 2u == 1u);
            steps++;
        }
        data[id.x] = steps;
    }";

const DOUBLE: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] = data[id.x] * 2u + 1u; }";

/// Each lane adds a neighbour's number, which the barrier makes visible; then one atomic per work-group.
const NEIGHBOURS: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    var<workgroup> shared_: array<u32, 128>;
    var<workgroup> most: atomic<u32>;
    @compute @workgroup_size(128) fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
        shared_[lane] = data[id.x];
        atomicMax(&most, data[id.x]);
        workgroupBarrier();
        data[id.x] = shared_[(lane + 37u) % 128u] + atomicLoad(&most);
    }";

const PICTURE: &str = "
    @group(0) @binding(0) var picture: texture_storage_2d<rgba8unorm, write>;
    @compute @workgroup_size(16, 16) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        let c = vec2<f32>(id.xy) / 128.0 * vec2<f32>(3.0, 2.0) - vec2<f32>(2.0, 1.0);
        var z = c;
        var steps = 0u;
        while steps < 50u && dot(z, z) < 4.0 {
            z = vec2<f32>(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
            steps++;
        }
        let inside = f32(steps == 50u);
        textureStore(picture, id.xy, vec4<f32>(inside, f32(id.x) / 255.0, f32(id.y) / 255.0, 1.0));
    }";

fn open() -> Result<(Gpu, String)> {
    let mut settings = wgpu::InstanceDescriptor::new_without_display_handle();
    settings.backends = wgpu::Backends::VULKAN;
    let instance = wgpu::Instance::new(settings);
    let adapter = pollster::block_on(instance.request_adapter(&Default::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&Default::default()))?;
    Ok((Gpu { device, queue }, adapter.get_info().name))
}

impl Gpu {
    fn pipeline(&self, code: &str) -> wgpu::ComputePipeline {
        let source = wgpu::ShaderSource::Wgsl(code.into());
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        })
    }

    fn storage(&self, data: &[u32]) -> wgpu::Buffer {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        let contents = bytemuck::cast_slice(data);
        self.device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage })
    }

    fn group(&self, pipeline: &wgpu::ComputePipeline, resource: wgpu::BindingResource) -> wgpu::BindGroup {
        let layout = pipeline.get_bind_group_layout(0);
        let entries = [wgpu::BindGroupEntry { binding: 0, resource }];
        self.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries })
    }

    fn dispatch(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        pipeline: &wgpu::ComputePipeline,
        group: &wgpu::BindGroup,
        x: u32,
        y: u32,
    ) {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.dispatch_workgroups(x, y, 1);
    }

    /// Submits what was recorded and gives the bytes that `copy` brings into a buffer that is mapped.
    fn finish(
        &self,
        mut encoder: wgpu::CommandEncoder,
        size: u64,
        copy: impl FnOnce(&mut wgpu::CommandEncoder, &wgpu::Buffer),
    ) -> Result<Vec<u8>> {
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let back =
            self.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
        copy(&mut encoder, &back);
        self.queue.submit([encoder.finish()]);
        let (tell, told) = std::sync::mpsc::channel();
        back.slice(..).map_async(wgpu::MapMode::Read, move |result| tell.send(result).unwrap_or_default());
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        told.recv()??;
        Ok(back.slice(..).get_mapped_range()?.to_vec())
    }

    /// Runs a shader over one buffer, `times` over, each time in a submission's own pass.
    fn over(&self, code: &str, data: &[u32], lanes: u32, times: usize) -> Result<Vec<u32>> {
        let (pipeline, buffer) = (self.pipeline(code), self.storage(data));
        let group = self.group(&pipeline, buffer.as_entire_binding());
        for _ in 1..times {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            self.dispatch(&mut encoder, &pipeline, &group, data.len() as u32 / lanes, 1);
            self.queue.submit([encoder.finish()]);
        }
        let mut encoder = self.device.create_command_encoder(&Default::default());
        self.dispatch(&mut encoder, &pipeline, &group, data.len() as u32 / lanes, 1);
        let size = buffer.size();
        let bytes =
            self.finish(encoder, size, |encoder, back| encoder.copy_buffer_to_buffer(&buffer, 0, back, 0, size))?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }
}

fn collatz(gpu: &Gpu) -> Result<Answer> {
    let data: Vec<u32> = (1..=8192).collect();
    let got = gpu.over(COLLATZ, &data, 64, 1)?;
    let steps = |start: u32| {
        std::iter::successors(Some(start), |&n| (n > 1).then(|| if n % 2 == 0 { n / 2 } else { 3 * n + 1 })).count() - 1
    };
    Ok(Answer::exact(&got, move || data.into_iter().map(|n| steps(n) as u32).collect()))
}

fn repeated(gpu: &Gpu) -> Result<Answer> {
    let data: Vec<u32> = (0..4096).map(|n| n * 977).collect();
    let got = gpu.over(DOUBLE, &data, 64, 20)?;
    let twenty = |n: u32| (0..20).fold(n, |n, _| n.wrapping_mul(2).wrapping_add(1));
    Ok(Answer::exact(&got, move || data.into_iter().map(twenty).collect()))
}

fn neighbours(gpu: &Gpu) -> Result<Answer> {
    let data: Vec<u32> = (0..8192u32).map(|n| n.wrapping_mul(2_654_435_761) >> 8).collect();
    let got = gpu.over(NEIGHBOURS, &data, 128, 1)?;
    let group = |chunk: &[u32]| {
        let most = chunk.iter().max().copied().unwrap_or(0);
        (0..128).map(|lane| chunk[(lane + 37) % 128] + most).collect::<Vec<_>>()
    };
    Ok(Answer::exact(&got, move || data.chunks(128).flat_map(group).collect()))
}

/// The picture's border is chaotic, so only the parts of each pixel that are not are compared, and the inside's size.
fn picture(gpu: &Gpu) -> Result<Answer> {
    let size = wgpu::Extent3d { width: 128, height: 128, depth_or_array_layers: 1 };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let pipeline = gpu.pipeline(PICTURE);
    let view = texture.create_view(&Default::default());
    let group = gpu.group(&pipeline, wgpu::BindingResource::TextureView(&view));
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    gpu.dispatch(&mut encoder, &pipeline, &group, 8, 8);
    let bytes = gpu.finish(encoder, 128 * 128 * 4, |encoder, back| {
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(512), rows_per_image: Some(128) };
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: back, layout },
            size,
        );
    })?;
    let mut got: Vec<f64> = bytes.chunks(4).flat_map(|pixel| pixel[1..].iter().map(|&part| part.into())).collect();
    got.push(bytes.chunks(4).filter(|pixel| pixel[0] == 255).count() as f64 / 16.0);
    let want = || {
        let inside = |at: u32| {
            let c = ((at % 128) as f32 / 128.0 * 3.0 - 2.0, (at / 128) as f32 / 128.0 * 2.0 - 1.0);
            let step = |z: (f32, f32)| (z.0 * z.0 - z.1 * z.1 + c.0, 2.0 * z.0 * z.1 + c.1);
            let steps = std::iter::successors(Some(c), |&z| Some(step(z))).take(50);
            steps.take_while(|z| z.0 * z.0 + z.1 * z.1 < 4.0).count() == 50
        };
        let mut want: Vec<f64> =
            (0..128 * 128).flat_map(|at| [f64::from(at % 128), f64::from(at / 128), 255.0]).collect();
        want.push((0..128 * 128).filter(|&at| inside(at)).count() as f64 / 16.0);
        want
    };
    Ok(Answer::close(&got, want, 1.0))
}

fn main() {
    harness::main(
        open,
        &[("collatz", collatz), ("repeated", repeated), ("neighbours", neighbours), ("picture", picture)],
    );
}
