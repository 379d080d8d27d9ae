//! The driver's own kernels: what no packet does by itself, written in the machine's assembly and launched from command
//! buffers beside the program's work.
//!
//! ```text
//! s[0:1]      the address of the arguments, 16-byte aligned:
//!   0x00 T#  source      0x20 T#  destination      0x40, 0x60  as each kernel says
//! s2, s3, s4  work-group; a work-group is 8 × 8 texels of one slice
//! ```
//!
//! [`MetaKernel::Subtract`] has three addresses instead:
//! ```text
//!   0x00 difference      0x08 subtrahend      0x10 minuend, of 64 bits each
//! ```

use crate::descriptor::PipelineLayout;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::lock::{Mutex, rank};
use crate::pipeline::ComputePipeline;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;
use wavepipe_hw::code::{CodeObject, PADDING_DWORDS, S_CODE_END, SystemSgprs, WaveSize};
use wavepipe_hw::launch::UserData;
use wavepipe_hw::order;
use wavepipe_isa::{Gen, asm};

/// Texels of a work-group in x and y.
pub(crate) const TILE: u32 = 8;

/// What becomes of the samples of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResolveMode {
    SampleZero,
    Average,
    Min,
    Max,
}

/// A kernel of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MetaKernel {
    /// Scales: a sample of the source for each texel of the destination. 0x40: S#, first texel of the destination x, y,
    /// slice, and width; 0x60: height, scale x, y, z, and offset x, y, z of source coordinates.
    Blit { source_3d: bool, to_srgb: bool },
    /// One texel of several samples. 0x40: first texel of the source x, y, layer, width; the destination's, height.
    Resolve { samples: u32, mode: ResolveMode, integer: bool, to_srgb: bool },
    /// One number less another, by one work-group.
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
        let layout = PipelineLayout::new(Vec::new(), 0)?;
        let pipeline = ComputePipeline::from_code_object(device, kernel.code(device.config().isa())?, &layout)?;
        made.insert(kernel, pipeline.clone());
        Ok(pipeline)
    }
}

impl MetaKernel {
    fn code(self, isa: Gen) -> Result<CodeObject> {
        let (name, body, vgprs) = match self {
            MetaKernel::Blit { source_3d, to_srgb } => ("blit", blit(source_3d, to_srgb), 24),
            MetaKernel::Resolve { samples, mode, integer, to_srgb } => {
                ("resolve", resolve(samples, mode, integer, to_srgb), 24 + 4 * samples)
            }
            MetaKernel::Subtract => ("subtract", SUBTRACT.to_string(), 8),
        };
        let body = format!("s_ttracedata_imm {:#x}\n{body}", order::COPIES);
        let mut words =
            asm::assemble(&body, isa, 32).map_err(|e| Error::Internal(format!("the kernel `{name}`: {e}")))?;
        let code_bytes = words.len() as u32 * 4;
        words.resize(words.len() + PADDING_DWORDS, S_CODE_END);
        Ok(CodeObject {
            name: format!("wavepipe {name}"),
            text: words.iter().flat_map(|w| w.to_le_bytes()).collect(),
            code_bytes,
            isa,
            wave: WaveSize::W32,
            vgprs,
            sgprs: 48,
            workgroup: [TILE, TILE, 1],
            // Any pair of SGPRs: the one that holds an address.
            user_data: vec![UserData::PushConstants],
            system: SystemSgprs { tgid_x: true, tgid_y: true, tgid_z: true, ..Default::default() },
            tidig_comp_cnt: 1,
            ..Default::default()
        })
    }
}

const SUBTRACT: &str = "s_load_dwordx8 s[8:15], s[0:1], 0x0
         s_waitcnt lgkmcnt(0)
         s_load_dwordx2 s[16:17], s[10:11], 0x0
         s_load_dwordx2 s[18:19], s[12:13], 0x0
         s_waitcnt lgkmcnt(0)
         s_sub_u32 s16, s18, s16
         s_subb_u32 s17, s19, s17
         v_mov_b32_e32 v2, 0
         v_mov_b32_e32 v3, s16
         v_mov_b32_e32 v4, s17
         global_store_dwordx2 v2, v[3:4], s[8:9]
         s_endpgm
";

/// v2, v3: the texel; only lanes inside of width and height go on.
fn prologue(width: &str, height: &str) -> String {
    format!(
        "s_load_dwordx8 s[8:15], s[0:1], 0x0
         s_load_dwordx8 s[16:23], s[0:1], 0x20
         s_load_dwordx8 s[24:31], s[0:1], 0x40
         s_load_dwordx8 s[36:43], s[0:1], 0x60
         v_lshl_add_u32 v2, s2, 3, v0
         v_lshl_add_u32 v3, s3, 3, v1
         s_waitcnt lgkmcnt(0)
         v_cmpx_gt_u32_e32 {width}, v2
         v_cmpx_gt_u32_e32 {height}, v3
"
    )
}

/// The colour in v[8:11] to the texel at v[12:14]; image stores do not write sRGB, so that the transfer function of
/// IEC 61966-2-1 comes first.
fn epilogue(to_srgb: bool) -> String {
    let mut text = String::new();
    for c in (8..11).filter(|_| to_srgb) {
        let _ = write!(
            text,
            "v_med3_f32 v{c}, v{c}, 0, 1.0
             v_mul_f32_e32 v16, 0x414eb852, v{c} ; 12.92
             v_log_f32_e32 v17, v{c}
             v_mul_f32_e32 v17, 0x3ed55555, v17 ; 1 / 2.4
             v_exp_f32_e32 v17, v17
             v_mul_f32_e32 v17, 0x3f870a3d, v17 ; 1.055
             v_add_f32_e32 v17, 0xbd6147ae, v17 ; -0.055
             v_cmp_lt_f32_e32 vcc_lo, 0x3b4d2e1c, v{c} ; 0.0031308
             v_cndmask_b32_e32 v{c}, v16, v17, vcc_lo
"
        );
    }
    text + "image_store v[8:11], v[12:14], s[16:23] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY
            s_endpgm
"
}

fn blit(source_3d: bool, to_srgb: bool) -> String {
    let dim = if source_3d { "SQ_RSRC_IMG_3D" } else { "SQ_RSRC_IMG_2D_ARRAY" };
    let body = format!(
        "v_cvt_f32_u32_e32 v4, v2
         v_cvt_f32_u32_e32 v5, v3
         v_cvt_f32_u32_e32 v6, s4
         v_add_f32_e32 v4, 0.5, v4
         v_add_f32_e32 v5, 0.5, v5
         v_add_f32_e32 v6, 0.5, v6
         v_fma_f32 v4, v4, s37, s40
         v_fma_f32 v5, v5, s38, s41
         v_fma_f32 v6, v6, s39, s42
         image_sample_lz v[8:11], v[4:6], s[8:15], s[24:27] dmask:0xf dim:{dim}
         s_add_u32 s30, s30, s4
         v_add_nc_u32_e32 v12, s28, v2
         v_add_nc_u32_e32 v13, s29, v3
         v_mov_b32_e32 v14, s30
         s_waitcnt vmcnt(0)
"
    );
    prologue("s31", "s36") + &body + &epilogue(to_srgb)
}

fn resolve(samples: u32, mode: ResolveMode, integer: bool, to_srgb: bool) -> String {
    let mut text = prologue("s27", "s31");
    text += "s_add_u32 s26, s26, s4
             s_add_u32 s30, s30, s4
             v_add_nc_u32_e32 v4, s24, v2
             v_add_nc_u32_e32 v5, s25, v3
             v_mov_b32_e32 v6, s26
             v_add_nc_u32_e32 v12, s28, v2
             v_add_nc_u32_e32 v13, s29, v3
             v_mov_b32_e32 v14, s30
";
    let used = if mode == ResolveMode::SampleZero { 1 } else { samples };
    for i in 0..used {
        let first = 24 + 4 * i;
        let _ = writeln!(
            text,
            "v_mov_b32_e32 v7, {i}
             image_load v[{first}:{}], v[4:7], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D_MSAA_ARRAY",
            first + 3
        );
    }
    text += "s_waitcnt vmcnt(0)\n";
    let join = match (mode, integer) {
        (ResolveMode::Min, false) => "v_min_f32_e32",
        (ResolveMode::Max, false) => "v_max_f32_e32",
        (ResolveMode::Min, true) => "v_min_u32_e32",
        (ResolveMode::Max, true) => "v_max_u32_e32",
        _ => "v_add_f32_e32",
    };
    for c in 0..4 {
        let _ = writeln!(text, "v_mov_b32_e32 v{}, v{}", 8 + c, 24 + c);
        for i in 1..used {
            let _ = writeln!(text, "{join} v{0}, v{0}, v{1}", 8 + c, 24 + 4 * i + c);
        }
        if mode == ResolveMode::Average {
            let share = (1.0 / samples as f32).to_bits();
            let _ = writeln!(text, "v_mul_f32_e32 v{0}, {share:#x}, v{0}", 8 + c);
        }
    }
    text + &epilogue(to_srgb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_assembles() {
        let mut all = vec![MetaKernel::Subtract];
        for to_srgb in [false, true] {
            all.extend([false, true].map(|source_3d| MetaKernel::Blit { source_3d, to_srgb }));
            for samples in [2, 4, 8] {
                for mode in [ResolveMode::SampleZero, ResolveMode::Average, ResolveMode::Min, ResolveMode::Max] {
                    all.extend([false, true].map(|integer| MetaKernel::Resolve { samples, mode, integer, to_srgb }));
                }
            }
        }
        for kernel in all {
            kernel.code(Gen::default()).unwrap_or_else(|e| panic!("{kernel:?}: {e}"));
        }
    }
}
