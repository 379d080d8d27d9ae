//! The extensions that we report. Names and revisions are those of the bindings.

use ash::vk;
use std::ffi::CStr;

/// Whom an extension belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    Instance,
    Device,
}

macro_rules! extensions {
    ($($scope:ident $variant:ident = $($module:ident)::+;)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
        pub enum Extension { $($variant),* }

        impl Extension {
            pub const ALL: &[Extension] = &[$(Extension::$variant),*];

            pub fn name(self) -> &'static CStr {
                match self { $(Extension::$variant => $($module)::+::NAME),* }
            }

            pub fn scope(self) -> Scope {
                match self { $(Extension::$variant => Scope::$scope),* }
            }

            pub fn revision(self) -> u32 {
                match self { $(Extension::$variant => $($module)::+::SPEC_VERSION),* }
            }
        }
    };
}

extensions! {
    Instance DebugUtils = ash::ext::debug_utils;
    Instance DeviceGroupCreation = ash::khr::device_group_creation;
    Instance ExternalFenceCapabilities = ash::khr::external_fence_capabilities;
    Instance ExternalMemoryCapabilities = ash::khr::external_memory_capabilities;
    Instance ExternalSemaphoreCapabilities = ash::khr::external_semaphore_capabilities;
    Instance GetPhysicalDeviceProperties2 = ash::khr::get_physical_device_properties2;
    // Windows.
    Instance Surface = ash::khr::surface;
    Instance GetSurfaceCapabilities2 = ash::khr::get_surface_capabilities2;
    Instance SurfaceMaintenance1 = ash::ext::surface_maintenance1;
    Instance HeadlessSurface = ash::ext::headless_surface;
    Instance WaylandSurface = ash::khr::wayland_surface;
    Instance XcbSurface = ash::khr::xcb_surface;
    Instance XlibSurface = ash::khr::xlib_surface;
    // In the core since 1.1.
    Device BindMemory2 = ash::khr::bind_memory2;
    Device DedicatedAllocation = ash::khr::dedicated_allocation;
    Device DescriptorUpdateTemplate = ash::khr::descriptor_update_template;
    Device DeviceGroup = ash::khr::device_group;
    Device ExternalFence = ash::khr::external_fence;
    Device ExternalMemory = ash::khr::external_memory;
    Device ExternalSemaphore = ash::khr::external_semaphore;
    Device GetMemoryRequirements2 = ash::khr::get_memory_requirements2;
    Device Maintenance1 = ash::khr::maintenance1;
    Device Maintenance2 = ash::khr::maintenance2;
    Device Maintenance3 = ash::khr::maintenance3;
    Device Multiview = ash::khr::multiview;
    Device RelaxedBlockLayout = ash::khr::relaxed_block_layout;
    Device Storage16bit = ash::khr::_16bit_storage;
    Device StorageBufferStorageClass = ash::khr::storage_buffer_storage_class;
    Device VariablePointers = ash::khr::variable_pointers;
    // In the core since 1.2.
    Device BufferDeviceAddress = ash::khr::buffer_device_address;
    Device CreateRenderpass2 = ash::khr::create_renderpass2;
    Device DepthStencilResolve = ash::khr::depth_stencil_resolve;
    Device DriverProperties = ash::khr::driver_properties;
    Device HostQueryReset = ash::ext::host_query_reset;
    Device ImageFormatList = ash::khr::image_format_list;
    Device ImagelessFramebuffer = ash::khr::imageless_framebuffer;
    Device SamplerFilterMinmax = ash::ext::sampler_filter_minmax;
    Device SamplerMirrorClampToEdge = ash::khr::sampler_mirror_clamp_to_edge;
    Device ScalarBlockLayout = ash::ext::scalar_block_layout;
    Device SeparateStencilUsage = ash::ext::separate_stencil_usage;
    Device SeparateDepthStencilLayouts = ash::khr::separate_depth_stencil_layouts;
    Device ShaderAtomicInt64 = ash::khr::shader_atomic_int64;
    Device ShaderFloat16Int8 = ash::khr::shader_float16_int8;
    Device ShaderFloatControls = ash::khr::shader_float_controls;
    Device ShaderSubgroupExtendedTypes = ash::khr::shader_subgroup_extended_types;
    Device Spirv14 = ash::khr::spirv_1_4;
    Device Storage8bit = ash::khr::_8bit_storage;
    Device TimelineSemaphore = ash::khr::timeline_semaphore;
    Device UniformBufferStandardLayout = ash::khr::uniform_buffer_standard_layout;
    Device VulkanMemoryModel = ash::khr::vulkan_memory_model;
    // In the core since 1.3.
    Device A4r4g4b4Formats = ash::ext::_4444_formats;
    Device CopyCommands2 = ash::khr::copy_commands2;
    Device DynamicRendering = ash::khr::dynamic_rendering;
    Device ExtendedDynamicState = ash::ext::extended_dynamic_state;
    Device ExtendedDynamicState2 = ash::ext::extended_dynamic_state2;
    Device FormatFeatureFlags2 = ash::khr::format_feature_flags2;
    Device ImageRobustness = ash::ext::image_robustness;
    Device Maintenance4 = ash::khr::maintenance4;
    Device PrivateData = ash::ext::private_data;
    Device ShaderDemoteToHelperInvocation = ash::ext::shader_demote_to_helper_invocation;
    Device ShaderIntegerDotProduct = ash::khr::shader_integer_dot_product;
    Device ShaderNonSemanticInfo = ash::khr::shader_non_semantic_info;
    Device ShaderTerminateInvocation = ash::khr::shader_terminate_invocation;
    Device SubgroupSizeControl = ash::ext::subgroup_size_control;
    Device Synchronization2 = ash::khr::synchronization2;
    Device TexelBufferAlignment = ash::ext::texel_buffer_alignment;
    Device ToolingInfo = ash::ext::tooling_info;
    Device DescriptorIndexing = ash::ext::descriptor_indexing;
    Device InlineUniformBlock = ash::ext::inline_uniform_block;
    Device PipelineCreationCacheControl = ash::ext::pipeline_creation_cache_control;
    Device PipelineCreationFeedback = ash::ext::pipeline_creation_feedback;
    Device ZeroInitializeWorkgroupMemory = ash::khr::zero_initialize_workgroup_memory;
    // In no core that we report.
    Device PerformanceQuery = ash::khr::performance_query;
    Device CalibratedTimestamps = ash::khr::calibrated_timestamps;
    Device CalibratedTimestampsExt = ash::ext::calibrated_timestamps;
    Device ComputeShaderDerivatives = crate::newer::compute_shader_derivatives;
    Device ComputeShaderDerivativesNv = ash::nv::compute_shader_derivatives;
    Device DeviceFault = ash::ext::device_fault;
    Device ExternalFenceFd = ash::khr::external_fence_fd;
    Device ExternalMemoryFd = ash::khr::external_memory_fd;
    Device ExternalMemoryHost = ash::ext::external_memory_host;
    Device ExternalSemaphoreFd = ash::khr::external_semaphore_fd;
    Device GlobalPriority = ash::khr::global_priority;
    Device GlobalPriorityExt = ash::ext::global_priority;
    Device GlobalPriorityQuery = ash::ext::global_priority_query;
    Device Maintenance5 = ash::khr::maintenance5;
    Device Maintenance6 = ash::khr::maintenance6;
    Device MapMemory2 = ash::khr::map_memory2;
    Device MemoryBudget = ash::ext::memory_budget;
    Device MemoryPriority = ash::ext::memory_priority;
    Device MutableDescriptorType = ash::ext::mutable_descriptor_type;
    Device PciBusInfo = ash::ext::pci_bus_info;
    Device PipelineExecutableProperties = ash::khr::pipeline_executable_properties;
    Device PipelineRobustness = ash::ext::pipeline_robustness;
    Device PushDescriptor = ash::khr::push_descriptor;
    Device Robustness2 = ash::ext::robustness2;
    Device ShaderAtomicFloat = ash::ext::shader_atomic_float;
    Device ShaderAtomicFloat2 = ash::ext::shader_atomic_float2;
    Device ShaderClock = ash::khr::shader_clock;
    Device ShaderCoreProperties = ash::amd::shader_core_properties;
    Device ShaderCoreProperties2 = ash::amd::shader_core_properties2;
    Device ShaderInfo = ash::amd::shader_info;
    Device ShaderExpectAssume = ash::khr::shader_expect_assume;
    Device ShaderFloatControls2 = ash::khr::shader_float_controls2;
    Device ShaderMaximalReconvergence = ash::khr::shader_maximal_reconvergence;
    Device ShaderImageAtomicInt64 = ash::ext::shader_image_atomic_int64;
    Device ShaderModuleIdentifier = ash::ext::shader_module_identifier;
    Device ShaderQuadControl = ash::khr::shader_quad_control;
    Device ShaderRelaxedExtendedInstruction = crate::newer::shader_relaxed_extended_instruction;
    Device ShaderReplicatedComposites = crate::newer::shader_replicated_composites;
    Device ShaderSubgroupBallot = ash::ext::shader_subgroup_ballot;
    Device ShaderSubgroupRotate = ash::khr::shader_subgroup_rotate;
    Device ShaderSubgroupUniformControlFlow = ash::khr::shader_subgroup_uniform_control_flow;
    Device ShaderSubgroupVote = ash::ext::shader_subgroup_vote;
    Device WorkgroupMemoryExplicitLayout = ash::khr::workgroup_memory_explicit_layout;
    // What HLSL compilers decorate modules with.
    Device DecorateString = ash::google::decorate_string;
    Device HlslFunctionality1 = ash::google::hlsl_functionality1;
    Device UserType = ash::google::user_type;
    Device BorderColorSwizzle = ash::ext::border_color_swizzle;
    Device CustomBorderColor = ash::ext::custom_border_color;
    Device HostImageCopy = ash::ext::host_image_copy;
    Device Image2dViewOf3d = ash::ext::image_2d_view_of_3d;
    Device ImageViewMinLod = ash::ext::image_view_min_lod;
    Device LoadStoreOpNone = ash::khr::load_store_op_none;
    Device LoadStoreOpNoneExt = ash::ext::load_store_op_none;
    Device NonSeamlessCubeMap = ash::ext::non_seamless_cube_map;
    // Pictures in windows.
    Device Swapchain = ash::khr::swapchain;
    Device SwapchainMaintenance1 = ash::ext::swapchain_maintenance1;
    Device SwapchainMutableFormat = ash::khr::swapchain_mutable_format;
    Device IncrementalPresent = ash::khr::incremental_present;
    Device PresentId = ash::khr::present_id;
    Device PresentWait = ash::khr::present_wait;
}

impl Extension {
    pub fn find(scope: Scope, name: &CStr) -> Option<Extension> {
        Extension::ALL.iter().copied().find(|e| e.scope() == scope && e.offered() && e.name() == name)
    }

    /// Whether it is reported: counters only where something counts.
    fn offered(self) -> bool {
        self != Extension::PerformanceQuery || crate::performance::offered()
    }

    /// All of one scope, as the enumeration commands list them.
    pub fn properties(scope: Scope) -> Vec<vk::ExtensionProperties> {
        let of_scope = Extension::ALL.iter().filter(|e| e.scope() == scope && e.offered());
        of_scope
            .map(|e| {
                let mut properties = vk::ExtensionProperties::default().spec_version(e.revision());
                crate::identity::put_string(&mut properties.extension_name, e.name());
                properties
            })
            .collect()
    }
}
