//! The driver's own kernels: what no packet does by itself, launched from command buffers beside the program's work, as a program
//! would. They are shaders (`meta/`), which became SPIR-V when the driver was built, and are compiled when they are first wanted.

use crate::descriptor::{Binding, DescriptorSetLayout, PipelineLayout};
use crate::device::Device;
use crate::error::Result;
use crate::lock::{Mutex, rank};
use crate::pipeline::{ComputePipeline, ShaderModule};
use std::collections::HashMap;
use std::sync::Arc;
use wavepipe_compiler::SpecValue;
use wavepipe_hw::launch::{BindingKind, PUSH_CONSTANT_BYTES};

/// What becomes of the samples of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResolveMode {
    SampleZero,
    Average,
    Min,
    Max,
}

/// A kernel of the driver. Where they stand, bindings and push constants are those of its shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MetaKernel {
    /// Scales: a sample of the source for each texel of the destination.
    Blit { source_3d: bool, to_srgb: bool },
    /// One texel of several samples.
    Resolve { samples: u32, mode: ResolveMode, integer: bool, to_srgb: bool },
    /// One number less another, by one invocation.
    Subtract,
}

/// Kernels made so far.
#[derive(Default)]
pub(crate) struct MetaKernels(Mutex<HashMap<MetaKernel, Arc<ComputePipeline>>, { rank::KERNELS }>);

impl MetaKernels {
    pub fn get(&self, device: &Arc<Device>, kernel: MetaKernel) -> Result<Arc<ComputePipeline>> {
        let mut made = self.0.lock();
        if let Some(pipeline) = made.get(&kernel) {
            return Ok(pipeline.clone());
        }
        let set = DescriptorSetLayout::new(kernel.bindings())?;
        let layout = PipelineLayout::new(vec![set], PUSH_CONSTANT_BYTES)?;
        let (module, spec) = (ShaderModule::new(&kernel.module()), kernel.specialization());
        let pipeline = ComputePipeline::of_driver(device, kernel.name(), &module, &spec, &layout)?;
        made.insert(kernel, pipeline.clone());
        Ok(pipeline)
    }
}

impl MetaKernel {
    /// Its name in reports.
    fn name(self) -> &'static str {
        match self {
            MetaKernel::Blit { .. } => "wavepipe blit",
            MetaKernel::Resolve { .. } => "wavepipe resolve",
            MetaKernel::Subtract => "wavepipe subtract",
        }
    }

    pub fn module(self) -> Vec<u32> {
        let bytes: &[u8] = match self {
            MetaKernel::Blit { .. } => include_bytes!(concat!(env!("OUT_DIR"), "/blit.spv")),
            MetaKernel::Resolve { .. } => include_bytes!(concat!(env!("OUT_DIR"), "/resolve.spv")),
            MetaKernel::Subtract => include_bytes!(concat!(env!("OUT_DIR"), "/subtract.spv")),
        };
        bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    }

    pub fn bindings(self) -> Vec<Binding> {
        let kinds: &[BindingKind] = match self {
            MetaKernel::Subtract => &[BindingKind::StorageBuffer; 3],
            _ => &[BindingKind::CombinedImageSampler, BindingKind::StorageImage],
        };
        (0..).zip(kinds).map(|(binding, kind)| Binding { binding, kind: *kind, count: 1 }).collect()
    }

    pub fn specialization(self) -> Vec<SpecValue> {
        let values: Vec<u32> = match self {
            MetaKernel::Blit { source_3d, to_srgb } => vec![to_srgb.into(), source_3d.into()],
            MetaKernel::Resolve { samples, mode, integer, to_srgb } => {
                vec![to_srgb.into(), samples, mode as u32, integer.into()]
            }
            MetaKernel::Subtract => Vec::new(),
        };
        (0..).zip(values).map(|(id, value)| SpecValue { id, bits: value.into(), size: 4 }).collect()
    }
}
