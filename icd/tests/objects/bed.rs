//! A device with all that the programs here ask for, objects that are destroyed with it, and the three ways to run.

use ash::vk;
use std::ffi::{CStr, CString, c_char};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, Once};

/// Says in a child process how the program is to run.
const CHILD: &str = "WAVEPIPE_TEST_CHILD";
/// The driver's own cache of compiled code.
pub const CACHE: &str = "WAVEPIPE_CACHE";
const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// The driver linked into this test.
    Linked,
    /// The loader, the validation layer and the driver.
    Layered,
    /// The loader and lavapipe.
    Lavapipe,
}

/// A missing oracle is said aloud; in CI it is a failure.
pub fn skip(oracle: &str) {
    println!("SKIP {oracle}");
    assert!(std::env::var_os("CI").is_none(), "{oracle} is missing");
}

/// lavapipe's manifest, where distributions put it.
fn lavapipe() -> Option<PathBuf> {
    let files = std::fs::read_dir("/usr/share/vulkan/icd.d").ok()?.flatten().map(|f| f.path());
    files.into_iter().find(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("lvp_icd")))
}

/// Runs `program` in all ways that this machine has. `test` is the path of the calling test.
pub fn everywhere(test: &str, program: impl Fn(&Bed)) {
    match std::env::var(CHILD).as_deref() {
        Ok("layered") => return in_child(Way::Layered, program),
        Ok("lavapipe") => return in_child(Way::Lavapipe, program),
        _ => program(&Bed::linked()),
    }
    let me = std::env::current_exe().unwrap();
    let library = me.with_file_name("libvulkan_wavepipe.so");
    let folder = std::env::temp_dir().join(format!("wavepipe-{}-{}", std::process::id(), test.replace("::", "-")));
    std::fs::create_dir_all(&folder).unwrap();
    let ours = folder.join("icd.json");
    let text = format!(
        "{{\"file_format_version\":\"1.0.0\",\"ICD\":{{\"library_path\":{library:?},\"api_version\":\"1.3.281\"}}}}"
    );
    std::fs::write(&ours, text).unwrap();
    for (way, manifest) in [("layered", Some(ours)), ("lavapipe", lavapipe())] {
        let Some(manifest) = manifest else {
            skip("lavapipe (mesa-vulkan-drivers)");
            continue;
        };
        let output = Command::new(&me)
            .args(["--exact", test, "--nocapture"])
            .env(CHILD, way)
            .env("VK_DRIVER_FILES", &manifest)
            .env("VK_ICD_FILENAMES", &manifest)
            .env(CACHE, "off")
            .output()
            .unwrap();
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if let Some(oracle) = said.lines().find_map(|l| l.split("absent: ").nth(1)) {
            skip(oracle);
            continue;
        }
        assert!(output.status.success() && said.contains("the child is done"), "{way}: {said}");
        assert!(!said.contains("wavepipe: "), "the driver complains: {said}");
        assert!(!said.contains("VUID") && !said.contains("alidation Error"), "{way}: {said}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

fn in_child(way: Way, program: impl Fn(&Bed)) {
    // SAFETY: the system's Vulkan loader.
    let entry = match unsafe { ash::Entry::load() } {
        Ok(entry) => entry,
        Err(_) => return println!("absent: the Vulkan loader (libvulkan1)"),
    };
    // SAFETY: valid usage.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }.unwrap();
    if way == Way::Layered && !layers.iter().any(|l| l.layer_name_as_c_str() == Ok(LAYER)) {
        return println!("absent: the Khronos validation layer (vulkan-validationlayers)");
    }
    program(&Bed::new(entry, way));
    println!("the child is done");
}

type Undo = Box<dyn FnOnce(&ash::Device) + Send>;

pub struct Bed {
    pub way: Way,
    pub entry: ash::Entry,
    pub instance: ash::Instance,
    pub physical: vk::PhysicalDevice,
    pub device: ash::Device,
    pub extensions: Vec<CString>,
    queue: vk::Queue,
    commands: vk::CommandPool,
    submitting: Mutex<()>,
    undo: Mutex<Vec<Undo>>,
}

/// Device extensions that the programs use where they are.
const EXTENSIONS: &[&CStr] = &[
    ash::khr::push_descriptor::NAME,
    ash::ext::mutable_descriptor_type::NAME,
    ash::ext::robustness2::NAME,
    ash::khr::pipeline_executable_properties::NAME,
    ash::amd::shader_info::NAME,
    ash::ext::shader_module_identifier::NAME,
    ash::khr::external_memory_fd::NAME,
    ash::khr::external_fence_fd::NAME,
    ash::khr::external_semaphore_fd::NAME,
    ash::ext::external_memory_host::NAME,
    ash::ext::memory_budget::NAME,
    ash::ext::memory_priority::NAME,
    ash::khr::global_priority::NAME,
    ash::khr::swapchain::NAME,
    ash::khr::swapchain_mutable_format::NAME,
    ash::ext::swapchain_maintenance1::NAME,
    ash::khr::incremental_present::NAME,
    ash::khr::present_id::NAME,
    ash::khr::present_wait::NAME,
];
/// Instance extensions that they use where they are.
const INSTANCE_EXTENSIONS: &[&CStr] = &[
    ash::khr::surface::NAME,
    ash::khr::get_surface_capabilities2::NAME,
    ash::ext::surface_maintenance1::NAME,
    ash::ext::headless_surface::NAME,
    ash::khr::xcb_surface::NAME,
    ash::khr::xlib_surface::NAME,
    ash::khr::wayland_surface::NAME,
];
/// The same, newer than the validation layers that distributions have.
const NEWER: &[&CStr] = &[ash::khr::maintenance5::NAME, ash::khr::maintenance6::NAME, ash::khr::map_memory2::NAME];

impl Bed {
    pub fn linked() -> Bed {
        unsafe extern "system" fn get(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
            // SAFETY: same contract.
            unsafe { vulkan_wavepipe::vk_icdGetInstanceProcAddr(instance, name) }
        }
        // What an earlier run compiled is not to answer for this one, and nothing is to be left behind.
        static CACHELESS: Once = Once::new();
        if std::env::var_os(CACHE).is_none() {
            // SAFETY: whoever reads or writes the environment of this process does so through std, which locks it.
            CACHELESS.call_once(|| unsafe { std::env::set_var(CACHE, "off") });
        }
        // SAFETY: `get` is a vkGetInstanceProcAddr.
        let entry = unsafe { ash::Entry::from_static_fn(ash::StaticFn { get_instance_proc_addr: get }) };
        Bed::new(entry, Way::Linked)
    }

    pub fn new(entry: ash::Entry, way: Way) -> Bed {
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let layers = [LAYER.as_ptr()];
        let mut info = vk::InstanceCreateInfo::default().application_info(&app);
        if way == Way::Layered {
            info = info.enabled_layer_names(&layers);
        }
        // SAFETY: valid usage throughout.
        unsafe {
            let offered = entry.enumerate_instance_extension_properties(None).unwrap();
            let there = |name: &CStr| offered.iter().any(|o| o.extension_name_as_c_str() == Ok(name));
            let of_instance: Vec<&CStr> = INSTANCE_EXTENSIONS.iter().copied().filter(|name| there(name)).collect();
            let names: Vec<_> = of_instance.iter().map(|name| name.as_ptr()).collect();
            info = info.enabled_extension_names(&names);
            let instance = entry.create_instance(&info, None).unwrap();
            let physical = instance.enumerate_physical_devices().unwrap()[0];
            let offered = instance.enumerate_device_extension_properties(physical).unwrap();
            let newer = if way == Way::Layered { &[][..] } else { NEWER };
            let wanted = EXTENSIONS.iter().chain(newer);
            let extensions: Vec<CString> = wanted
                .filter(|name| offered.iter().any(|o| o.extension_name_as_c_str() == Ok(name)))
                .map(|name| CString::from(*name))
                .collect();
            let names: Vec<_> = extensions.iter().map(|n| n.as_ptr()).collect();
            let extensions: Vec<CString> =
                extensions.iter().cloned().chain(of_instance.iter().map(|name| CString::from(*name))).collect();
            let has = |name: &CStr| extensions.iter().any(|e| **e == *name);
            let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
            let mut v13 = vk::PhysicalDeviceVulkan13Features::default();
            let mut robustness = vk::PhysicalDeviceRobustness2FeaturesEXT::default();
            let mut mutable = vk::PhysicalDeviceMutableDescriptorTypeFeaturesEXT::default();
            let mut executables = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default();
            let mut identifiers = vk::PhysicalDeviceShaderModuleIdentifierFeaturesEXT::default();
            let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut v12).push_next(&mut v13);
            if has(ash::ext::robustness2::NAME) {
                features = features.push_next(&mut robustness);
            }
            if has(ash::ext::mutable_descriptor_type::NAME) {
                features = features.push_next(&mut mutable);
            }
            if has(ash::khr::pipeline_executable_properties::NAME) {
                features = features.push_next(&mut executables);
            }
            if has(ash::ext::shader_module_identifier::NAME) {
                features = features.push_next(&mut identifiers);
            }
            let mut five = vk::PhysicalDeviceMaintenance5FeaturesKHR::default();
            let mut six = vk::PhysicalDeviceMaintenance6FeaturesKHR::default();
            if has(ash::khr::maintenance5::NAME) {
                features = features.push_next(&mut five);
            }
            if has(ash::khr::maintenance6::NAME) {
                features = features.push_next(&mut six);
            }
            let mut id = vk::PhysicalDevicePresentIdFeaturesKHR::default();
            let mut wait = vk::PhysicalDevicePresentWaitFeaturesKHR::default();
            let mut chains = vk::PhysicalDeviceSwapchainMaintenance1FeaturesEXT::default();
            if has(ash::ext::swapchain_maintenance1::NAME) {
                features = features.push_next(&mut chains);
            }
            if has(ash::khr::present_wait::NAME) {
                features = features.push_next(&mut id).push_next(&mut wait);
            }
            // What is offered is asked for, all of it.
            instance.get_physical_device_features2(physical, &mut features);
            let priorities = [0.5];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&names)
                .push_next(&mut features);
            let device = instance.create_device(physical, &info, None).unwrap();
            let queue = device.get_device_queue(0, 0);
            let commands = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).unwrap();
            let (submitting, undo) = Default::default();
            Bed { way, entry, instance, physical, device, extensions, queue, commands, submitting, undo }
        }
    }

    /// Our driver must have what lavapipe may lack.
    pub fn has(&self, extension: &CStr) -> bool {
        let has = self.extensions.iter().any(|e| **e == *extension);
        let may_lack = self.way == Way::Lavapipe || self.way == Way::Layered && NEWER.contains(&extension);
        assert!(has || may_lack, "{extension:?} is not reported");
        has
    }

    pub fn later(&self, undo: impl FnOnce(&ash::Device) + Send + 'static) {
        self.undo.lock().unwrap().push(Box::new(undo));
    }

    /// A memory type that the host reaches without flushing.
    pub fn memory_type(&self, of: u32) -> u32 {
        // SAFETY: valid usage.
        let properties = unsafe { self.instance.get_physical_device_memory_properties(self.physical) };
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let types = properties.memory_types_as_slice().iter();
        types
            .enumerate()
            .position(|(i, t)| of >> i & 1 != 0 && t.property_flags.contains(wanted))
            .expect("a coherent type") as u32
    }

    pub fn buffer(&self, words: usize) -> Buffer {
        self.buffer_with(4 * words as u64, vk::BufferUsageFlags::empty())
    }

    /// A buffer of its own memory, mapped.
    pub fn buffer_with(&self, bytes: u64, more: vk::BufferUsageFlags) -> Buffer {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::UNIFORM_BUFFER | more;
        // SAFETY: valid usage throughout.
        unsafe {
            let handle =
                self.device.create_buffer(&vk::BufferCreateInfo::default().size(bytes).usage(usage), None).unwrap();
            let needs = self.device.get_buffer_memory_requirements(handle);
            let mut flags = vk::MemoryAllocateFlagsInfo::default();
            if more.contains(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS) {
                flags = flags.flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            }
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(needs.size)
                .memory_type_index(self.memory_type(needs.memory_type_bits))
                .push_next(&mut flags);
            let memory = self.device.allocate_memory(&info, None).unwrap();
            self.device.bind_buffer_memory(handle, memory, 0).unwrap();
            let map = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()).unwrap();
            self.later(move |d| {
                d.destroy_buffer(handle, None);
                d.free_memory(memory, None);
            });
            Buffer { handle, map: map.cast(), words: (bytes / 4) as usize }
        }
    }

    pub fn set_layout(&self, bindings: &[(u32, vk::DescriptorType, u32)]) -> vk::DescriptorSetLayout {
        self.set_layout_with(bindings, vk::DescriptorSetLayoutCreateFlags::empty(), &[])
    }

    /// `flags` of the bindings: none, or one for each.
    pub fn set_layout_with(
        &self,
        bindings: &[(u32, vk::DescriptorType, u32)],
        of_layout: vk::DescriptorSetLayoutCreateFlags,
        flags: &[vk::DescriptorBindingFlags],
    ) -> vk::DescriptorSetLayout {
        let binding = |&(n, ty, count)| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(n)
                .descriptor_type(ty)
                .descriptor_count(count)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        };
        let bindings: Vec<_> = bindings.iter().map(binding).collect();
        let mut more = vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(flags);
        let mut info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings).flags(of_layout);
        if !flags.is_empty() {
            info = info.push_next(&mut more);
        }
        // SAFETY: valid usage.
        let layout = unsafe { self.device.create_descriptor_set_layout(&info, None) }.unwrap();
        // SAFETY: not used any more when the bed goes.
        self.later(move |d| unsafe { d.destroy_descriptor_set_layout(layout, None) });
        layout
    }

    /// A set from a pool of its own; `variable` is the count of a binding that has none.
    pub fn set(
        &self,
        layout: vk::DescriptorSetLayout,
        sizes: &[(vk::DescriptorType, u32)],
        variable: Option<u32>,
    ) -> vk::DescriptorSet {
        let sizes: Vec<_> =
            sizes.iter().map(|&(ty, descriptor_count)| vk::DescriptorPoolSize { ty, descriptor_count }).collect();
        let mut inline = vk::DescriptorPoolInlineUniformBlockCreateInfo::default().max_inline_uniform_block_bindings(1);
        let mut info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        if sizes.iter().any(|s| s.ty == vk::DescriptorType::INLINE_UNIFORM_BLOCK) {
            info = info.push_next(&mut inline);
        }
        if variable.is_some() {
            info = info.flags(vk::DescriptorPoolCreateFlags::UPDATE_AFTER_BIND);
        }
        let counts = [variable.unwrap_or(0)];
        let mut counts = vk::DescriptorSetVariableDescriptorCountAllocateInfo::default().descriptor_counts(&counts);
        // SAFETY: valid usage throughout.
        unsafe {
            let pool = self.device.create_descriptor_pool(&info, None).unwrap();
            self.later(move |d| d.destroy_descriptor_pool(pool, None));
            let layouts = [layout];
            let mut info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            if variable.is_some() {
                info = info.push_next(&mut counts);
            }
            self.device.allocate_descriptor_sets(&info).unwrap()[0]
        }
    }

    pub fn pipeline_layout(&self, sets: &[vk::DescriptorSetLayout], push_bytes: u32) -> vk::PipelineLayout {
        let ranges =
            [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::COMPUTE, offset: 0, size: push_bytes }];
        let mut info = vk::PipelineLayoutCreateInfo::default().set_layouts(sets);
        if push_bytes > 0 {
            info = info.push_constant_ranges(&ranges);
        }
        // SAFETY: valid usage.
        let layout = unsafe { self.device.create_pipeline_layout(&info, None) }.unwrap();
        // SAFETY: not used any more when the bed goes.
        self.later(move |d| unsafe { d.destroy_pipeline_layout(layout, None) });
        layout
    }

    pub fn module(&self, words: &[u32]) -> vk::ShaderModule {
        // SAFETY: valid usage.
        let module =
            unsafe { self.device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None) }
                .unwrap();
        // SAFETY: not used any more when the bed goes.
        self.later(move |d| unsafe { d.destroy_shader_module(module, None) });
        module
    }

    pub fn pipeline(&self, glsl: &str, layout: vk::PipelineLayout) -> vk::Pipeline {
        let module = self.module(&spirv(glsl));
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let infos = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
        // SAFETY: valid usage.
        let pipeline = unsafe { self.device.create_compute_pipelines(vk::PipelineCache::null(), &infos, None) };
        let pipeline = pipeline.unwrap_or_else(|(_, e)| panic!("{e:?}: {glsl}"))[0];
        // SAFETY: not used any more when the bed goes.
        self.later(move |d| unsafe { d.destroy_pipeline(pipeline, None) });
        pipeline
    }

    /// Points an element at a part of a buffer.
    pub fn point(
        &self,
        set: vk::DescriptorSet,
        (binding, element): (u32, u32),
        ty: vk::DescriptorType,
        (buffer, offset, range): (vk::Buffer, u64, u64),
    ) {
        let infos = [vk::DescriptorBufferInfo { buffer, offset, range }];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(binding)
            .dst_array_element(element)
            .descriptor_type(ty)
            .buffer_info(&infos);
        // SAFETY: valid usage.
        unsafe { self.device.update_descriptor_sets(&[write], &[]) };
    }

    /// Records without submitting.
    pub fn record(&self, record: impl FnOnce(vk::CommandBuffer)) -> vk::CommandBuffer {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.commands).command_buffer_count(1);
        // SAFETY: valid usage throughout.
        unsafe {
            let commands = self.device.allocate_command_buffers(&info).unwrap()[0];
            self.device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).unwrap();
            record(commands);
            self.device.end_command_buffer(commands).unwrap();
            commands
        }
    }

    /// Submits and waits.
    pub fn submit(&self, commands: vk::CommandBuffer) {
        let buffers = [commands];
        // SAFETY: valid usage throughout.
        unsafe {
            let info = [vk::SubmitInfo::default().command_buffers(&buffers)];
            self.device.queue_submit(self.queue, &info, vk::Fence::null()).unwrap();
            self.device.queue_wait_idle(self.queue).unwrap();
        }
    }

    /// Submits from any thread; the queue is one thread's at a time.
    pub fn submit_shared(&self, commands: vk::CommandBuffer, fence: vk::Fence) {
        let buffers = [commands];
        let info = [vk::SubmitInfo::default().command_buffers(&buffers)];
        let _one = self.submitting.lock().unwrap();
        // SAFETY: valid usage.
        unsafe { self.device.queue_submit(self.queue, &info, fence) }.unwrap();
    }

    pub fn run(&self, record: impl FnOnce(vk::CommandBuffer)) {
        self.submit(self.record(record));
    }

    /// Binds pipeline and sets and runs `groups` work-groups.
    pub fn dispatch(
        &self,
        pipeline: vk::Pipeline,
        layout: vk::PipelineLayout,
        sets: &[vk::DescriptorSet],
        groups: u32,
    ) {
        let compute = vk::PipelineBindPoint::COMPUTE;
        // SAFETY: valid usage.
        self.run(|c| unsafe {
            self.device.cmd_bind_pipeline(c, compute, pipeline);
            self.device.cmd_bind_descriptor_sets(c, compute, layout, 0, sets, &[]);
            self.device.cmd_dispatch(c, groups, 1, 1);
        });
    }
}

impl Drop for Bed {
    fn drop(&mut self) {
        // SAFETY: everything is idle, and nothing is used any more.
        unsafe {
            let _ = self.device.device_wait_idle();
            for undo in self.undo.get_mut().unwrap().drain(..).rev() {
                undo(&self.device);
            }
            self.device.destroy_command_pool(self.commands, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

#[derive(Clone, Copy)]
pub struct Buffer {
    pub handle: vk::Buffer,
    pub map: *mut u32,
    pub words: usize,
}

impl Buffer {
    pub fn get(&self) -> Vec<u32> {
        // SAFETY: mapped as long as the bed; the GPU is idle.
        (0..self.words).map(|i| unsafe { self.map.add(i).read_volatile() }).collect()
    }

    pub fn set(&self, values: impl IntoIterator<Item = u32>) {
        for (i, v) in values.into_iter().take(self.words).enumerate() {
            // SAFETY: as above.
            unsafe { self.map.add(i).write_volatile(v) };
        }
    }
}

/// GLSL as SPIR-V 1.6.
pub fn spirv(glsl: &str) -> Vec<u32> {
    let mut child = Command::new("glslc")
        .args(["-fshader-stage=comp", "--target-env=vulkan1.3", "-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("glslc is installed");
    child.stdin.take().unwrap().write_all(glsl.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}\n{glsl}", String::from_utf8_lossy(&output.stderr));
    output.stdout.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
}

/// Whether there is a shader compiler; says so if not.
pub fn can_compile() -> bool {
    let there = Command::new("glslc").arg("--version").output().is_ok();
    if !there {
        skip("glslc");
    }
    there
}
