//! vulkano on Vulkan: GLSL that glslangValidator compiles, storage buffers, push constants, specialisation, dynamic offsets,
//! images written, copied and sampled. vulkano reflects on the modules and places its own barriers.

#[path = "../../common/harness.rs"]
mod harness;

use harness::{Answer, Result};
use std::io::Write;
use std::sync::Arc;
use vulkano::VulkanLibrary;
use vulkano::buffer::{Buffer, BufferContents, BufferCreateInfo, BufferUsage, Subbuffer};
use vulkano::command_buffer::allocator::StandardCommandBufferAllocator;
use vulkano::command_buffer::{
    AutoCommandBufferBuilder, CommandBufferUsage, CopyBufferToImageInfo, CopyImageToBufferInfo,
    PrimaryAutoCommandBuffer, PrimaryCommandBufferAbstract,
};
use vulkano::descriptor_set::allocator::StandardDescriptorSetAllocator;
use vulkano::descriptor_set::layout::DescriptorType;
use vulkano::descriptor_set::{DescriptorBufferInfo, DescriptorSet, DescriptorSetWithOffsets, WriteDescriptorSet};
use vulkano::device::{Device, DeviceCreateInfo, Queue, QueueCreateInfo, QueueFlags};
use vulkano::format::Format;
use vulkano::image::sampler::{Filter, Sampler, SamplerAddressMode, SamplerCreateInfo};
use vulkano::image::view::ImageView;
use vulkano::image::{Image, ImageCreateInfo, ImageUsage};
use vulkano::instance::{Instance, InstanceCreateInfo};
use vulkano::memory::allocator::{AllocationCreateInfo, MemoryTypeFilter, StandardMemoryAllocator};
use vulkano::pipeline::compute::ComputePipelineCreateInfo;
use vulkano::pipeline::layout::PipelineDescriptorSetLayoutCreateInfo;
use vulkano::pipeline::{ComputePipeline, Pipeline, PipelineBindPoint, PipelineLayout, PipelineShaderStageCreateInfo};
use vulkano::shader::{ShaderModule, ShaderModuleCreateInfo, SpecializationConstant};
use vulkano::sync::GpuFuture;

type Commands = AutoCommandBufferBuilder<PrimaryAutoCommandBuffer>;

struct Gpu {
    device: Arc<Device>,
    queue: Arc<Queue>,
    memory: Arc<StandardMemoryAllocator>,
    commands: Arc<StandardCommandBufferAllocator>,
    sets: Arc<StandardDescriptorSetAllocator>,
}

fn open() -> Result<(Gpu, String)> {
    let instance = Instance::new(VulkanLibrary::new()?, InstanceCreateInfo::default())?;
    let physical = instance.enumerate_physical_devices()?.next().ok_or("no Vulkan device")?;
    let name = physical.properties().device_name.clone();
    let computes = |flags: QueueFlags| flags.contains(QueueFlags::COMPUTE);
    let family = physical.queue_family_properties().iter().position(|family| computes(family.queue_flags));
    let queue = QueueCreateInfo { queue_family_index: family.ok_or("no compute queue")? as u32, ..Default::default() };
    let settings = DeviceCreateInfo { queue_create_infos: vec![queue], ..Default::default() };
    let (device, mut queues) = Device::new(physical, settings)?;
    let gpu = Gpu {
        queue: queues.next().ok_or("no queue")?,
        memory: Arc::new(StandardMemoryAllocator::new_default(device.clone())),
        commands: Arc::new(StandardCommandBufferAllocator::new(device.clone(), Default::default())),
        sets: Arc::new(StandardDescriptorSetAllocator::new(device.clone(), Default::default())),
        device,
    };
    Ok((gpu, name))
}

/// The words of a compute shader's module, by glslangValidator.
fn compile(glsl: &str) -> Result<Vec<u32>> {
    let file = std::env::temp_dir().join(format!("vulkano-client-{}.spv", std::process::id()));
    let mut compiler = std::process::Command::new("glslangValidator")
        .args(["--target-env", "vulkan1.1", "--stdin", "-S", "comp", "-o"])
        .arg(&file)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()?;
    compiler.stdin.take().ok_or("no pipe")?.write_all(glsl.as_bytes())?;
    if !compiler.wait()?.success() {
        return Err("glslangValidator refuses the shader".into());
    }
    let bytes = std::fs::read(&file)?;
    std::fs::remove_file(&file)?;
    Ok(bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}

impl Gpu {
    /// A pipeline whose binding 0 is a dynamic uniform buffer if `dynamic`; else all is as vulkano reads it from the module.
    fn pipeline(
        &self,
        glsl: &str,
        constants: &[(u32, SpecializationConstant)],
        dynamic: bool,
    ) -> Result<Arc<ComputePipeline>> {
        let words = harness::untimed(|| compile(glsl))?;
        // SAFETY: the module comes from glslang, which made it valid.
        let module = unsafe { ShaderModule::new(self.device.clone(), ShaderModuleCreateInfo::new(&words)) }?;
        let module = module.specialize(constants.iter().cloned().collect())?;
        let stage = PipelineShaderStageCreateInfo::new(module.entry_point("main").ok_or("no entry point")?);
        let mut layout = PipelineDescriptorSetLayoutCreateInfo::from_stages([&stage]);
        if dynamic {
            let binding = layout.set_layouts[0].bindings.get_mut(&0).ok_or("no binding 0")?;
            binding.descriptor_type = DescriptorType::UniformBufferDynamic;
        }
        let layout =
            PipelineLayout::new(self.device.clone(), layout.into_pipeline_layout_create_info(self.device.clone())?)?;
        Ok(ComputePipeline::new(self.device.clone(), None, ComputePipelineCreateInfo::stage_layout(stage, layout))?)
    }

    fn buffer<T: BufferContents + Copy>(&self, data: &[T]) -> Result<Subbuffer<[T]>> {
        let usage = BufferUsage::STORAGE_BUFFER
            | BufferUsage::UNIFORM_BUFFER
            | BufferUsage::TRANSFER_SRC
            | BufferUsage::TRANSFER_DST;
        let memory_type_filter = MemoryTypeFilter::PREFER_DEVICE | MemoryTypeFilter::HOST_RANDOM_ACCESS;
        let info = BufferCreateInfo { usage, ..Default::default() };
        let memory = AllocationCreateInfo { memory_type_filter, ..Default::default() };
        Ok(Buffer::from_iter(self.memory.clone(), info, memory, data.iter().copied())?)
    }

    fn image(&self, format: Format, usage: ImageUsage) -> Result<Arc<Image>> {
        let usage = usage | ImageUsage::TRANSFER_SRC | ImageUsage::TRANSFER_DST;
        let info = ImageCreateInfo { format, extent: [64, 64, 1], usage, ..Default::default() };
        Ok(Image::new(self.memory.clone(), info, AllocationCreateInfo::default())?)
    }

    fn set(&self, pipeline: &ComputePipeline, writes: Vec<WriteDescriptorSet>) -> Result<Arc<DescriptorSet>> {
        let layout = pipeline.layout().set_layouts()[0].clone();
        Ok(DescriptorSet::new(self.sets.clone(), layout, writes, [])?)
    }

    fn record(&self) -> Result<Commands> {
        let family = self.queue.queue_family_index();
        Ok(AutoCommandBufferBuilder::primary(self.commands.clone(), family, CommandBufferUsage::OneTimeSubmit)?)
    }

    fn finish(&self, commands: Commands) -> Result<()> {
        commands.build()?.execute(self.queue.clone())?.then_signal_fence_and_flush()?.wait(None)?;
        Ok(())
    }
}

fn dispatch(
    commands: &mut Commands,
    pipeline: &Arc<ComputePipeline>,
    set: impl Into<DescriptorSetWithOffsets>,
    groups: [u32; 3],
) -> Result<()> {
    let layout = pipeline.layout().clone();
    commands.bind_pipeline_compute(pipeline.clone())?;
    commands.bind_descriptor_sets(PipelineBindPoint::Compute, layout, 0, set.into())?;
    // SAFETY: the shaders here end and stay within their buffers.
    unsafe { commands.dispatch(groups) }?;
    Ok(())
}

fn multiply(gpu: &Gpu) -> Result<Answer> {
    let glsl = "#version 450
        layout(local_size_x = 64) in;
        layout(set = 0, binding = 0) buffer Data { uint data[]; };
        void main() { data[gl_GlobalInvocationID.x] *= 12; }";
    let pipeline = gpu.pipeline(glsl, &[], false)?;
    let buffer = gpu.buffer(&(0..65536u32).collect::<Vec<_>>())?;
    let set = gpu.set(&pipeline, vec![WriteDescriptorSet::buffer(0, buffer.clone())])?;
    let mut commands = gpu.record()?;
    dispatch(&mut commands, &pipeline, set, [1024, 1, 1])?;
    gpu.finish(commands)?;
    Ok(Answer::exact(&buffer.read()?, || (0..65536u32).map(|n| n * 12).collect()))
}

/// Four dispatches in a row with constants of their own; each must see what the one before wrote.
fn push_constants(gpu: &Gpu) -> Result<Answer> {
    let glsl = "#version 450
        layout(local_size_x = 64) in;
        layout(push_constant) uniform Push { int multiple; float addend; bool enable; } push;
        layout(set = 0, binding = 0) buffer Data { float data[]; };
        void main() {
            uint at = gl_GlobalInvocationID.x;
            if (push.enable) { data[at] = data[at] * push.multiple + push.addend; }
        }";
    #[derive(BufferContents, Clone, Copy)]
    #[repr(C)]
    struct Push {
        multiple: i32,
        addend: f32,
        enable: u32,
    }
    let pipeline = gpu.pipeline(glsl, &[], false)?;
    let buffer = gpu.buffer(&(0..4096).map(|n| n as f32).collect::<Vec<_>>())?;
    let set = gpu.set(&pipeline, vec![WriteDescriptorSet::buffer(0, buffer.clone())])?;
    let mut commands = gpu.record()?;
    for push in [(1, 1.0, 1), (3, 0.5, 1), (9, 9.0, 0), (-2, 0.25, 1)] {
        commands.push_constants(
            pipeline.layout().clone(),
            0,
            Push { multiple: push.0, addend: push.1, enable: push.2 },
        )?;
        dispatch(&mut commands, &pipeline, set.clone(), [64, 1, 1])?;
    }
    gpu.finish(commands)?;
    Ok(Answer::exact(&buffer.read()?, || (0..4096).map(|n| ((n as f32 + 1.0) * 3.0 + 0.5) * -2.0 + 0.25).collect()))
}

/// Constants set when the pipeline is made: a flag, a work-group size, a factor, a double and a size derived from one.
fn specialization(gpu: &Gpu) -> Result<Answer> {
    let glsl = "#version 450
        layout(local_size_x_id = 7) in;
        layout(constant_id = 0) const int multiple = 64;
        layout(constant_id = 1) const float addend = 64.0;
        layout(constant_id = 2) const bool enable = false;
        layout(constant_id = 3) const uint width = 4;
        shared float row[width * 2];
        layout(set = 0, binding = 0) buffer Data { float data[]; };
        void main() {
            uint lane = gl_LocalInvocationIndex, at = gl_GlobalInvocationID.x;
            row[lane] = data[at];
            row[lane + width] = -data[at];
            barrier();
            data[at] = enable ? row[width * 2 - 1 - lane] * multiple + addend : 0.0;
        }";
    let constants = [
        (0, SpecializationConstant::I32(-3)),
        (1, SpecializationConstant::F32(0.5)),
        (2, SpecializationConstant::Bool(true)),
        (3, SpecializationConstant::U32(96)),
        (7, SpecializationConstant::U32(96)),
    ];
    let pipeline = gpu.pipeline(glsl, &constants, false)?;
    let buffer = gpu.buffer(&(0..960).map(|n| n as f32).collect::<Vec<_>>())?;
    let set = gpu.set(&pipeline, vec![WriteDescriptorSet::buffer(0, buffer.clone())])?;
    let mut commands = gpu.record()?;
    dispatch(&mut commands, &pipeline, set, [10, 1, 1])?;
    gpu.finish(commands)?;
    Ok(Answer::exact(&buffer.read()?, || (0..960).map(|n| (n / 96 * 96 + 95 - n % 96) as f32 * 3.0 + 0.5).collect()))
}

/// One buffer of parameters, bound once, read at another offset by each dispatch.
fn dynamic_offsets(gpu: &Gpu) -> Result<Answer> {
    let glsl = "#version 450
        layout(local_size_x = 12) in;
        layout(set = 0, binding = 0) uniform In { uint index; uint value; } given;
        layout(set = 0, binding = 1) buffer Out { uint data[]; };
        void main() { if (gl_GlobalInvocationID.x == given.index) { data[given.index] += given.value; } }";
    let pipeline = gpu.pipeline(glsl, &[], true)?;
    let align = gpu.device.physical_device().properties().min_uniform_buffer_offset_alignment.as_devicesize() as usize;
    let stride = 8usize.next_multiple_of(align);
    let mut parameters = vec![0u32; stride / 4 * 12];
    for at in 0..12 {
        parameters[at * stride / 4] = at as u32;
        parameters[at * stride / 4 + 1] = at as u32 * 10 + 1;
    }
    let (parameters, out) = (gpu.buffer(&parameters)?, gpu.buffer(&[100u32; 12])?);
    let view = DescriptorBufferInfo { buffer: parameters.as_bytes().clone(), range: 0..8 };
    let writes = vec![WriteDescriptorSet::buffer_with_range(0, view), WriteDescriptorSet::buffer(1, out.clone())];
    let set = gpu.set(&pipeline, writes)?;
    let mut commands = gpu.record()?;
    for at in 0..12 {
        dispatch(&mut commands, &pipeline, set.clone().offsets([(at * stride) as u32]), [1, 1, 1])?;
    }
    gpu.finish(commands)?;
    Ok(Answer::exact(&out.read()?, || (0..12u32).map(|n| 101 + n * 10).collect()))
}

/// A storage image that is cleared, written in its middle and copied to a buffer.
fn storage_image(gpu: &Gpu) -> Result<Answer> {
    let glsl = "#version 450
        layout(local_size_x = 8, local_size_y = 8) in;
        layout(set = 0, binding = 0, r32f) uniform image2D image;
        void main() {
            ivec2 at = ivec2(gl_GlobalInvocationID.xy) + 16;
            imageStore(image, at, imageLoad(image, at - 16) + vec4(at.x + 100 * at.y));
        }";
    let pipeline = gpu.pipeline(glsl, &[], false)?;
    let image = gpu.image(Format::R32_SFLOAT, ImageUsage::STORAGE)?;
    let out = gpu.buffer(&[0f32; 64 * 64])?;
    let set = gpu.set(&pipeline, vec![WriteDescriptorSet::image_view(0, ImageView::new_default(image.clone())?)])?;
    let mut commands = gpu.record()?;
    let mut clear = vulkano::command_buffer::ClearColorImageInfo::image(image.clone());
    clear.clear_value = [7.0f32; 4].into();
    commands.clear_color_image(clear)?;
    dispatch(&mut commands, &pipeline, set, [2, 2, 1])?;
    commands.copy_image_to_buffer(CopyImageToBufferInfo::image_buffer(image, out.clone()))?;
    gpu.finish(commands)?;
    let want = || {
        let written = |at: usize| (16..32).contains(&(at % 64)) && (16..32).contains(&(at / 64));
        (0..64 * 64).map(|at| 7.0 + if written(at) { (at % 64 + 100 * (at / 64)) as f32 } else { 0.0 }).collect()
    };
    Ok(Answer::exact(&out.read()?, want))
}

/// An image filled from a buffer, sampled between its texels, its edges mirrored.
fn sampled_image(gpu: &Gpu) -> Result<Answer> {
    let glsl = "#version 450
        layout(local_size_x = 8, local_size_y = 8) in;
        layout(set = 0, binding = 0) uniform sampler2D source;
        layout(set = 0, binding = 1) buffer Out { float data[]; };
        void main() {
            vec2 at = vec2(gl_GlobalInvocationID.xy) * 2.0 - 32.0;
            data[gl_GlobalInvocationID.y * 64 + gl_GlobalInvocationID.x] = textureLod(source, at / 64.0, 0.0).x * 255.0;
        }";
    let texel = |x: i32, y: i32| ((x * 7 + y * 13) % 256) as u8;
    let pipeline = gpu.pipeline(glsl, &[], false)?;
    let image = gpu.image(Format::R8_UNORM, ImageUsage::SAMPLED)?;
    let texels = gpu.buffer(&(0..64 * 64).map(|at| texel(at % 64, at / 64)).collect::<Vec<_>>())?;
    let out = gpu.buffer(&[0f32; 64 * 64])?;
    let settings = SamplerCreateInfo {
        mag_filter: Filter::Linear,
        min_filter: Filter::Linear,
        address_mode: [SamplerAddressMode::MirroredRepeat; 3],
        ..Default::default()
    };
    let sampler = Sampler::new(gpu.device.clone(), settings)?;
    let view = ImageView::new_default(image.clone())?;
    let writes =
        vec![WriteDescriptorSet::image_view_sampler(0, view, sampler), WriteDescriptorSet::buffer(1, out.clone())];
    let set = gpu.set(&pipeline, writes)?;
    let mut commands = gpu.record()?;
    commands.copy_buffer_to_image(CopyBufferToImageInfo::buffer_image(texels, image))?;
    dispatch(&mut commands, &pipeline, set, [8, 8, 1])?;
    gpu.finish(commands)?;
    let want = move || {
        let mirrored = |at: i32| if at.rem_euclid(128) < 64 { at.rem_euclid(128) } else { 127 - at.rem_euclid(128) };
        // The coordinates are whole numbers, that is the corners between four texels.
        let mean = |x: i32, y: i32| {
            let corner = |dx, dy| f32::from(texel(mirrored(x - dx), mirrored(y - dy)));
            (corner(0, 0) + corner(1, 0) + corner(0, 1) + corner(1, 1)) / 4.0
        };
        (0..64 * 64).map(|at| mean(at % 64 * 2 - 32, at / 64 * 2 - 32)).collect()
    };
    // The weights have at least four fractional bits, more than a half needs; the conversion may be a little off.
    Ok(Answer::close(&out.read()?, want, 0.5))
}

fn main() {
    harness::main(
        open,
        &[
            ("multiply", multiply),
            ("push_constants", push_constants),
            ("specialization", specialization),
            ("dynamic_offsets", dynamic_offsets),
            ("storage_image", storage_image),
            ("sampled_image", sampled_image),
        ],
    );
}
