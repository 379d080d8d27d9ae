//! What a Vulkan program meets, tried in a process of its own (`wavepipe doctor` starts it as its hidden self): the loader, the
//! devices that it lists, one lane on wavepipe's, and what programs of certain names are told.
//!
//! All `unsafe` of the program's Vulkan is here. Every object is made from what stands in the same function or is lent to it, is
//! used by this thread alone, and lives to the end of the process: the SAFETY lines lean on that.

use crate::failure::Result;
use ash::vk;
use serde::{Deserialize, Serialize};
use std::ffi::{CStr, CString};
use std::path::Path;
use wavepipe_runtime::engines::Engines;

/// What a probe found, in the order of the tries; what comes behind the first failure is not there.
#[derive(Serialize, Deserialize, Default, Debug, Clone)]
pub struct Findings {
    /// Version of the loader and the file it is in, or why there is none.
    pub loader: Option<std::result::Result<(String, String), String>>,
    /// Every device that the loader lists, or why it lists none.
    pub devices: Option<std::result::Result<Vec<Device>, String>>,
    /// One lane on wavepipe's: what it answered, or why it did not.
    pub dispatch: Option<std::result::Result<(), String>>,
    /// What programs of a name miss on wavepipe's.
    pub programs: Vec<Program>,
}

#[derive(Serialize, Deserialize, Debug, Clone)]
pub struct Device {
    pub name: String,
    pub driver: String,
    /// pipelineCacheUUID, which names wavepipe's compiler.
    pub compiler: String,
}

#[derive(Serialize, Deserialize, Debug, Clone)]
pub struct Program {
    pub name: String,
    pub demands: String,
    pub missing: Vec<String>,
}

impl Device {
    pub fn is_ours(&self) -> bool {
        self.driver == "wavepipe"
    }
}

/// pipelineCacheUUID of the driver that belongs to this program.
pub fn own_compiler() -> &'static str {
    &wavepipe_runtime::COMPILER[..2 * vk::UUID_SIZE]
}

/// What Slang's RHI demands of a driver before it looks at a device, whether or not the program has a window.
const SLANG: (&str, &[&CStr], &[&CStr]) =
    ("Slang", &[vk::KHR_SURFACE_NAME, vk::KHR_XLIB_SURFACE_NAME], &[vk::KHR_SWAPCHAIN_NAME]);

pub fn run() -> Result<()> {
    println!("{}", serde_json::json!(probe()));
    Ok(())
}

fn probe() -> Findings {
    let mut found = Findings::default();
    // SAFETY: the loader's library has no preconditions on being loaded, and stays loaded.
    let entry = match unsafe { ash::Entry::load() } {
        Ok(entry) => entry,
        Err(e) => {
            found.loader = Some(Err(e.to_string()));
            return found;
        }
    };
    // SAFETY: no preconditions.
    let version = unsafe { entry.try_enumerate_instance_version() }.ok().flatten().unwrap_or(vk::API_VERSION_1_0);
    found.loader = Some(Ok((dotted(version), loaded("libvulkan.so"))));
    let listed = instance(&entry, version, None, Some(c"wavepipe doctor")).and_then(|i| Ok((devices(&i)?, i)));
    let (devices, instance) = match listed {
        Ok((devices, instance)) => (devices, instance),
        Err(why) => {
            found.devices = Some(Err(why));
            return found;
        }
    };
    let ours = devices.iter().find(|(_, d)| d.is_ours()).map(|(handle, _)| *handle);
    found.devices = Some(Ok(devices.into_iter().map(|(_, d)| d).collect()));
    if let Some(device) = ours {
        found.dispatch = Some(one_lane(&instance, device));
        found.programs = programs(&entry, version);
        found.programs.push(slang(&entry, &instance, device));
    }
    found
}

fn dotted(version: u32) -> String {
    let (major, minor) = (vk::api_version_major(version), vk::api_version_minor(version));
    format!("{major}.{minor}.{}", vk::api_version_patch(version))
}

/// The file that a library of this process comes from.
fn loaded(name: &str) -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let file = maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..])).find(|path| path.contains(name));
    file.unwrap_or(name).to_owned()
}

fn failed(what: &str) -> impl Fn(vk::Result) -> String {
    move |code| format!("{what}: {code:?}")
}

type Tried<T> = std::result::Result<T, String>;

fn instance(entry: &ash::Entry, version: u32, engine: Option<&CStr>, name: Option<&CStr>) -> Tried<ash::Instance> {
    let mut application = vk::ApplicationInfo::default().api_version(version.min(vk::API_VERSION_1_3));
    if let Some(engine) = engine {
        application = application.engine_name(engine);
    }
    if let Some(name) = name {
        application = application.application_name(name);
    }
    let create = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: `create` points to structures that outlive the call.
    unsafe { entry.create_instance(&create, None) }.map_err(failed("vkCreateInstance"))
}

fn devices(instance: &ash::Instance) -> Tried<Vec<(vk::PhysicalDevice, Device)>> {
    // SAFETY: a live instance.
    let all = unsafe { instance.enumerate_physical_devices() }.map_err(failed("vkEnumeratePhysicalDevices"))?;
    let describe = |device: vk::PhysicalDevice| {
        let text = |chars: std::result::Result<&CStr, std::ffi::FromBytesUntilNulError>| {
            chars.map(|c| c.to_string_lossy().into_owned()).unwrap_or_default()
        };
        // SAFETY: a device of this instance.
        let core = unsafe { instance.get_physical_device_properties(device) };
        let compiler = core.pipeline_cache_uuid.iter().map(|b| format!("{b:02x}")).collect();
        let driver = conformance_and_driver(instance, device).1;
        (device, Device { name: text(core.device_name_as_c_str()), driver, compiler })
    };
    Ok(all.into_iter().map(describe).collect())
}

/// Of a device of Vulkan 1.2; zeros and nothing of others.
fn conformance_and_driver(instance: &ash::Instance, device: vk::PhysicalDevice) -> (vk::ConformanceVersion, String) {
    // SAFETY: a device of this instance.
    let core = unsafe { instance.get_physical_device_properties(device) };
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    if core.api_version >= vk::API_VERSION_1_2 {
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
        // SAFETY: the chain is of structures that the device's version has.
        unsafe { instance.get_physical_device_properties2(device, &mut all) };
    }
    let name = driver.driver_name_as_c_str().map(|c| c.to_string_lossy().into_owned()).unwrap_or_default();
    (driver.conformance_version, name)
}

/// The device that is wavepipe's, of an instance of one's own.
fn own_device(instance: &ash::Instance) -> Tried<vk::PhysicalDevice> {
    let ours = devices(instance)?.into_iter().find(|(_, d)| d.is_ours());
    ours.map(|(handle, _)| handle).ok_or_else(|| "the device is not shown".to_owned())
}

/// Each program of the table of engines that ships with wavepipe is told what it has there.
fn programs(entry: &ash::Entry, version: u32) -> Vec<Program> {
    let one = |program: &wavepipe_runtime::engines::Program| {
        let name = |name: &Option<String>| name.clone().and_then(|n| CString::new(n).ok());
        let (engine, application) = (name(&program.engine), name(&program.application));
        let missing = instance(entry, version, engine.as_deref(), application.as_deref()).and_then(|instance| {
            let device = own_device(&instance)?;
            let mut missing = Vec::new();
            let told = conformance_and_driver(&instance, device).0;
            if program.shown.conformance.is_some() && told.major == 0 {
                missing.push("a conformance version".to_owned());
            }
            let features = features(&instance, device);
            missing.extend(program.shown.drawing.names().filter(|n| !features.contains(n)).map(str::to_owned));
            Ok(missing)
        });
        let missing = missing.unwrap_or_else(|why| vec![why]);
        Program { name: program.to_string(), demands: program.shown.to_string(), missing }
    };
    Engines::Standard.programs().iter().map(one).collect()
}

/// Names of the features of drawing that the device is said to have.
fn features(instance: &ash::Instance, device: vk::PhysicalDevice) -> Vec<&'static str> {
    let (mut v11, mut v12) =
        (vk::PhysicalDeviceVulkan11Features::default(), vk::PhysicalDeviceVulkan12Features::default());
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut v11).push_next(&mut v12);
    // SAFETY: the chain is of structures of Vulkan 1.2, which wavepipe's device has.
    unsafe { instance.get_physical_device_features2(device, &mut all) };
    let f = all.features;
    let table = [
        ("fullDrawIndexUint32", f.full_draw_index_uint32),
        ("independentBlend", f.independent_blend),
        ("geometryShader", f.geometry_shader),
        ("tessellationShader", f.tessellation_shader),
        ("sampleRateShading", f.sample_rate_shading),
        ("dualSrcBlend", f.dual_src_blend),
        ("logicOp", f.logic_op),
        ("multiDrawIndirect", f.multi_draw_indirect),
        ("drawIndirectFirstInstance", f.draw_indirect_first_instance),
        ("depthClamp", f.depth_clamp),
        ("depthBiasClamp", f.depth_bias_clamp),
        ("fillModeNonSolid", f.fill_mode_non_solid),
        ("depthBounds", f.depth_bounds),
        ("wideLines", f.wide_lines),
        ("largePoints", f.large_points),
        ("alphaToOne", f.alpha_to_one),
        ("multiViewport", f.multi_viewport),
        ("vertexPipelineStoresAndAtomics", f.vertex_pipeline_stores_and_atomics),
        ("fragmentStoresAndAtomics", f.fragment_stores_and_atomics),
        ("shaderTessellationAndGeometryPointSize", f.shader_tessellation_and_geometry_point_size),
        ("shaderClipDistance", f.shader_clip_distance),
        ("shaderCullDistance", f.shader_cull_distance),
        ("shaderDrawParameters", v11.shader_draw_parameters),
        ("drawIndirectCount", v12.draw_indirect_count),
        ("shaderOutputViewportIndex", v12.shader_output_viewport_index),
        ("shaderOutputLayer", v12.shader_output_layer),
    ];
    table.into_iter().filter(|(_, on)| *on != 0).map(|(name, _)| name).collect()
}

fn slang(entry: &ash::Entry, instance: &ash::Instance, device: vk::PhysicalDevice) -> Program {
    let (name, of_instance, of_device) = SLANG;
    // SAFETY: no layer is named.
    let has = unsafe { entry.enumerate_instance_extension_properties(None) }.unwrap_or_default();
    // SAFETY: a device of this instance.
    let on_device = unsafe { instance.enumerate_device_extension_properties(device) }.unwrap_or_default();
    let lacks =
        |has: &[vk::ExtensionProperties], name: &CStr| !has.iter().any(|e| e.extension_name_as_c_str() == Ok(name));
    let missing =
        of_instance.iter().filter(|n| lacks(&has, n)).chain(of_device.iter().filter(|n| lacks(&on_device, n)));
    let text = |name: &&CStr| name.to_string_lossy().into_owned();
    let demands: Vec<String> = of_instance.iter().chain(of_device).map(text).collect();
    Program { name: name.into(), demands: demands.join(", "), missing: missing.map(text).collect() }
}

const SHADER: &str = "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(1) fn main() { x[0] = x[0] * 3u + 1u; }";

/// A buffer, a pipeline, one lane, one word back.
fn one_lane(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Tried<()> {
    let words = wavepipe::shader::wgsl(SHADER, Path::new("doctor.wgsl")).map_err(|e| e.to_string())?;
    let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0])];
    let create = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
    // SAFETY: wavepipe's first queue family computes, and has a queue; structures outlive the call.
    let device = unsafe { instance.create_device(physical, &create, None) }.map_err(failed("vkCreateDevice"))?;
    // SAFETY: of this instance.
    let types = unsafe { instance.get_physical_device_memory_properties(physical) };
    let info = vk::BufferCreateInfo::default().size(4).usage(vk::BufferUsageFlags::STORAGE_BUFFER);
    let pool_sizes = [vk::DescriptorPoolSize { ty: vk::DescriptorType::STORAGE_BUFFER, descriptor_count: 1 }];
    // SAFETY: every handle is of this device and used as it was made for; structures outlive their calls; the mapped word is
    // read and written only while nothing runs.
    unsafe {
        let buffer = device.create_buffer(&info, None).map_err(failed("vkCreateBuffer"))?;
        let needs = device.get_buffer_memory_requirements(buffer);
        let visible = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let fits = |(i, t): (usize, &vk::MemoryType)| {
            (needs.memory_type_bits >> i & 1 == 1 && t.property_flags.contains(visible)).then_some(i as u32)
        };
        let kind = types.memory_types_as_slice().iter().enumerate().find_map(fits);
        let kind = kind.ok_or("no memory that the host sees")?;
        let allocate = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
        let memory = device.allocate_memory(&allocate, None).map_err(failed("vkAllocateMemory"))?;
        device.bind_buffer_memory(buffer, memory, 0).map_err(failed("vkBindBufferMemory"))?;
        let mapped = device.map_memory(memory, 0, vk::WHOLE_SIZE, Default::default());
        let word: *mut u32 = mapped.map_err(failed("vkMapMemory"))?.cast();
        word.write_volatile(13);

        let binding = vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::COMPUTE);
        let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(std::slice::from_ref(&binding));
        let layouts =
            [device.create_descriptor_set_layout(&create, None).map_err(failed("vkCreateDescriptorSetLayout"))?];
        let create = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
        let layout = device.create_pipeline_layout(&create, None).map_err(failed("vkCreatePipelineLayout"))?;
        let create = vk::ShaderModuleCreateInfo::default().code(&words);
        let module = device.create_shader_module(&create, None).map_err(failed("vkCreateShaderModule"))?;
        let stage = vk::PipelineShaderStageCreateInfo::default().stage(vk::ShaderStageFlags::COMPUTE);
        let create = vk::ComputePipelineCreateInfo::default().stage(stage.module(module).name(c"main")).layout(layout);
        let made = device.create_compute_pipelines(vk::PipelineCache::null(), &[create], None);
        let pipelines = made.map_err(|(_, code)| failed("vkCreateComputePipelines")(code))?;

        let create = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&pool_sizes);
        let pool = device.create_descriptor_pool(&create, None).map_err(failed("vkCreateDescriptorPool"))?;
        let allocate = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        let sets = device.allocate_descriptor_sets(&allocate).map_err(failed("vkAllocateDescriptorSets"))?;
        let range = [vk::DescriptorBufferInfo { buffer, offset: 0, range: vk::WHOLE_SIZE }];
        let write = vk::WriteDescriptorSet::default().dst_set(sets[0]);
        let write = write.descriptor_type(vk::DescriptorType::STORAGE_BUFFER).buffer_info(&range);
        device.update_descriptor_sets(&[write], &[]);

        let create = vk::CommandPoolCreateInfo::default();
        let pool = device.create_command_pool(&create, None).map_err(failed("vkCreateCommandPool"))?;
        let allocate = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let buffers = device.allocate_command_buffers(&allocate).map_err(failed("vkAllocateCommandBuffers"))?;
        let commands = buffers[0];
        device.begin_command_buffer(commands, &Default::default()).map_err(failed("vkBeginCommandBuffer"))?;
        device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipelines[0]);
        device.cmd_bind_descriptor_sets(commands, vk::PipelineBindPoint::COMPUTE, layout, 0, &sets, &[]);
        device.cmd_dispatch(commands, 1, 1, 1);
        let barrier = vk::MemoryBarrier::default().src_access_mask(vk::AccessFlags::SHADER_WRITE);
        let barrier = [barrier.dst_access_mask(vk::AccessFlags::HOST_READ)];
        let (from, to) = (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::HOST);
        device.cmd_pipeline_barrier(commands, from, to, Default::default(), &barrier, &[], &[]);
        device.end_command_buffer(commands).map_err(failed("vkEndCommandBuffer"))?;
        let queue = device.get_device_queue(0, 0);
        let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
        device.queue_submit(queue, &submit, vk::Fence::null()).map_err(failed("vkQueueSubmit"))?;
        device.device_wait_idle().map_err(failed("vkDeviceWaitIdle"))?;
        match word.read_volatile() {
            40 => Ok(()),
            other => Err(format!("a lane made {other} of 13 · 3 + 1")),
        }
    }
}
