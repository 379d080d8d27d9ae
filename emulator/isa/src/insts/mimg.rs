//! MIMG: image memory. Addresses are offset, bias, reference, derivatives, coordinates, level or clamp, in this order;
//! [`crate::image`] counts them.

super::insts! { Mimg from crate::insts::mtbuf::NEXT;
    /// D = texel of the base level, converted by the image's format.
    IMAGE_LOAD "image_load" 6:0x00 [ImageData] <- [ImageAddr Image] => image(Load { mip: false, packed: false, signed: false }) Keep Image;
    /// D = texel of the base level, its dwords as they are.
    IMAGE_LOAD_PCK "image_load_pck" 6:0x02 [ImageData] <- [ImageAddr Image] => image(Load { mip: false, packed: true, signed: false }) Keep Image;
    /// D = texel of the base level, its dwords as they are, sign-extended.
    IMAGE_LOAD_PCK_SGN "image_load_pck_sgn" 6:0x03 [ImageData] <- [ImageAddr Image] => image(Load { mip: false, packed: true, signed: true }) Keep Image;
    /// D = texel of a level, converted by the image's format.
    IMAGE_LOAD_MIP "image_load_mip" 6:0x01 [ImageData] <- [ImageAddr Image] => image(Load { mip: true, packed: false, signed: false }) Keep Image;
    /// D = texel of a level, its dwords as they are.
    IMAGE_LOAD_MIP_PCK "image_load_mip_pck" 6:0x04 [ImageData] <- [ImageAddr Image] => image(Load { mip: true, packed: true, signed: false }) Keep Image;
    /// D = texel of a level, its dwords as they are, sign-extended.
    IMAGE_LOAD_MIP_PCK_SGN "image_load_mip_pck_sgn" 6:0x05 [ImageData] <- [ImageAddr Image] => image(Load { mip: true, packed: true, signed: true }) Keep Image;
    /// Texel of the base level = data, converted by the image's format.
    IMAGE_STORE "image_store" 6:0x08 11:0x06 [] <- [ImageAddr Image Unused ImageData] => image(Store { mip: false, packed: false }) Keep Image;
    /// Texel of a level = data, converted by the image's format.
    IMAGE_STORE_MIP "image_store_mip" 6:0x09 11:0x07 [] <- [ImageAddr Image Unused ImageData] => image(Store { mip: true, packed: false }) Keep Image;
    /// Texel of the base level = data, as it is.
    IMAGE_STORE_PCK "image_store_pck" 6:0x0a 11:0x08 [] <- [ImageAddr Image Unused ImageData] => image(Store { mip: false, packed: true }) Keep Image;
    /// Texel of a level = data, as it is.
    IMAGE_STORE_MIP_PCK "image_store_mip_pck" 6:0x0b 11:0x09 [] <- [ImageAddr Image Unused ImageData] => image(Store { mip: true, packed: true }) Keep Image;
    /// D = width, height, depth or layers, levels, of one level.
    IMAGE_GET_RESINFO "image_get_resinfo" 6:0x0e 11:0x17 [ImageData] <- [ImageAddr Image] => image(Resinfo) Keep Image;
    /// m = data; if it returns, D = m before.
    IMAGE_ATOMIC_SWAP "image_atomic_swap" 6:0x0f 9:0x10 10:0x0f 11:0x0a [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::Swap)) Keep Image;
    /// m = m = data[1] ? data[0] : m; if it returns, D = m before.
    IMAGE_ATOMIC_CMPSWAP "image_atomic_cmpswap" 6:0x10 9:0x11 10:0x10 11:0x0b [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::CmpSwap)) Keep Image;
    /// m = m + data; if it returns, D = m before.
    IMAGE_ATOMIC_ADD "image_atomic_add" (12:"image_atomic_add_uint") 6:0x11 9:0x12 10:0x11 11:0x0c [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::Add)) Keep Image;
    /// m = m − data; if it returns, D = m before.
    IMAGE_ATOMIC_SUB "image_atomic_sub" (12:"image_atomic_sub_uint") 6:0x12 9:0x13 10:0x12 11:0x0d [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::Sub)) Keep Image;
    /// m = min(m, data), signed; if it returns, D = m before.
    IMAGE_ATOMIC_SMIN "image_atomic_smin" (12:"image_atomic_min_int") 6:0x14 11:0x0e [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::SMin)) Keep Image;
    /// m = min(m, data), unsigned; if it returns, D = m before.
    IMAGE_ATOMIC_UMIN "image_atomic_umin" (12:"image_atomic_min_uint") 6:0x15 11:0x0f [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::UMin)) Keep Image;
    /// m = max(m, data), signed; if it returns, D = m before.
    IMAGE_ATOMIC_SMAX "image_atomic_smax" (12:"image_atomic_max_int") 6:0x16 11:0x10 [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::SMax)) Keep Image;
    /// m = max(m, data), unsigned; if it returns, D = m before.
    IMAGE_ATOMIC_UMAX "image_atomic_umax" (12:"image_atomic_max_uint") 6:0x17 11:0x11 [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::UMax)) Keep Image;
    /// m = m & data; if it returns, D = m before.
    IMAGE_ATOMIC_AND "image_atomic_and" 6:0x18 11:0x12 [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::And)) Keep Image;
    /// m = m | data; if it returns, D = m before.
    IMAGE_ATOMIC_OR "image_atomic_or" 6:0x19 11:0x13 [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::Or)) Keep Image;
    /// m = m ^ data; if it returns, D = m before.
    IMAGE_ATOMIC_XOR "image_atomic_xor" 6:0x1a 11:0x14 [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::Xor)) Keep Image;
    /// m = m ≥ data ? 0 : m + 1; if it returns, D = m before.
    IMAGE_ATOMIC_INC "image_atomic_inc" (12:"image_atomic_inc_uint") 6:0x1b 11:0x15 [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::Inc)) Keep Image;
    /// m = m = 0 or m > data ? data : m − 1; if it returns, D = m before.
    IMAGE_ATOMIC_DEC "image_atomic_dec" (12:"image_atomic_dec_uint") 6:0x1c 11:0x16 [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::Dec)) Keep Image;
    /// m = m = data[1] ? data[0] : m, compared as floats; if it returns, D = m before.
    IMAGE_ATOMIC_FCMPSWAP "image_atomic_fcmpswap" 6:0x1d 9:- 10:0x1d 11:- [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::FCmpSwap)) Keep Image;
    /// m = min(m, data), as floats; if it returns, D = m before.
    IMAGE_ATOMIC_FMIN "image_atomic_fmin" (12:"image_atomic_min_flt") 6:0x1e 9:- 10:0x1e 11:- 12:0x84 [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::FMin)) Keep Image;
    /// m = max(m, data), as floats; if it returns, D = m before.
    IMAGE_ATOMIC_FMAX "image_atomic_fmax" (12:"image_atomic_max_flt") 6:0x1f 9:- 10:0x1f 11:- 12:0x85 [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::FMax)) Keep Image;
    /// D = filtered texel, implicit level.
    IMAGE_SAMPLE "image_sample" 6:0x20 11:0x1b [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Implicit) Keep Image;
    /// D = filtered texel, implicit level, at least a given level.
    IMAGE_SAMPLE_CL "image_sample_cl" 6:0x21 11:0x40 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Implicit clamp) Keep Image;
    /// D = filtered texel, derivatives.
    IMAGE_SAMPLE_D "image_sample_d" 6:0x22 11:0x1c [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Derivative) Keep Image;
    /// D = filtered texel, derivatives, at least a given level.
    IMAGE_SAMPLE_D_CL "image_sample_d_cl" 6:0x23 11:0x41 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Derivative clamp) Keep Image;
    /// D = filtered texel, given level.
    IMAGE_SAMPLE_L "image_sample_l" 6:0x24 11:0x1d [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Explicit) Keep Image;
    /// D = filtered texel, implicit level and bias.
    IMAGE_SAMPLE_B "image_sample_b" 6:0x25 11:0x1e [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Bias) Keep Image;
    /// D = filtered texel, implicit level and bias, at least a given level.
    IMAGE_SAMPLE_B_CL "image_sample_b_cl" 6:0x26 11:0x42 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Bias clamp) Keep Image;
    /// D = filtered texel, level 0.
    IMAGE_SAMPLE_LZ "image_sample_lz" 6:0x27 11:0x1f [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Zero) Keep Image;
    /// D = filtered texel, implicit level, compared with a reference.
    IMAGE_SAMPLE_C "image_sample_c" 6:0x28 11:0x20 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Implicit compare) Keep Image;
    /// D = filtered texel, implicit level, compared with a reference, at least a given level.
    IMAGE_SAMPLE_C_CL "image_sample_c_cl" 6:0x29 11:0x43 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Implicit compare clamp) Keep Image;
    /// D = filtered texel, derivatives, compared with a reference.
    IMAGE_SAMPLE_C_D "image_sample_c_d" 6:0x2a 11:0x21 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Derivative compare) Keep Image;
    /// D = filtered texel, derivatives, compared with a reference, at least a given level.
    IMAGE_SAMPLE_C_D_CL "image_sample_c_d_cl" 6:0x2b 11:0x44 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Derivative compare clamp) Keep Image;
    /// D = filtered texel, given level, compared with a reference.
    IMAGE_SAMPLE_C_L "image_sample_c_l" 6:0x2c 11:0x22 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Explicit compare) Keep Image;
    /// D = filtered texel, implicit level and bias, compared with a reference.
    IMAGE_SAMPLE_C_B "image_sample_c_b" 6:0x2d 11:0x23 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Bias compare) Keep Image;
    /// D = filtered texel, implicit level and bias, compared with a reference, at least a given level.
    IMAGE_SAMPLE_C_B_CL "image_sample_c_b_cl" 6:0x2e 11:0x45 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Bias compare clamp) Keep Image;
    /// D = filtered texel, level 0, compared with a reference.
    IMAGE_SAMPLE_C_LZ "image_sample_c_lz" 6:0x2f 11:0x24 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Zero compare) Keep Image;
    /// D = filtered texel, implicit level, texel offsets.
    IMAGE_SAMPLE_O "image_sample_o" 6:0x30 11:0x25 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Implicit offset) Keep Image;
    /// D = filtered texel, implicit level, at least a given level, texel offsets.
    IMAGE_SAMPLE_CL_O "image_sample_cl_o" 6:0x31 11:0x46 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Implicit clamp offset) Keep Image;
    /// D = filtered texel, derivatives, texel offsets.
    IMAGE_SAMPLE_D_O "image_sample_d_o" 6:0x32 11:0x26 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Derivative offset) Keep Image;
    /// D = filtered texel, derivatives, at least a given level, texel offsets.
    IMAGE_SAMPLE_D_CL_O "image_sample_d_cl_o" 6:0x33 11:0x47 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Derivative clamp offset) Keep Image;
    /// D = filtered texel, given level, texel offsets.
    IMAGE_SAMPLE_L_O "image_sample_l_o" 6:0x34 11:0x27 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Explicit offset) Keep Image;
    /// D = filtered texel, implicit level and bias, texel offsets.
    IMAGE_SAMPLE_B_O "image_sample_b_o" 6:0x35 11:0x28 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Bias offset) Keep Image;
    /// D = filtered texel, implicit level and bias, at least a given level, texel offsets.
    IMAGE_SAMPLE_B_CL_O "image_sample_b_cl_o" 6:0x36 11:0x48 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Bias clamp offset) Keep Image;
    /// D = filtered texel, level 0, texel offsets.
    IMAGE_SAMPLE_LZ_O "image_sample_lz_o" 6:0x37 11:0x29 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Zero offset) Keep Image;
    /// D = filtered texel, implicit level, compared with a reference, texel offsets.
    IMAGE_SAMPLE_C_O "image_sample_c_o" 6:0x38 11:0x2a [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Implicit compare offset) Keep Image;
    /// D = filtered texel, implicit level, compared with a reference, at least a given level, texel offsets.
    IMAGE_SAMPLE_C_CL_O "image_sample_c_cl_o" 6:0x39 11:0x49 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Implicit compare clamp offset) Keep Image;
    /// D = filtered texel, derivatives, compared with a reference, texel offsets.
    IMAGE_SAMPLE_C_D_O "image_sample_c_d_o" 6:0x3a 11:0x2b [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Derivative compare offset) Keep Image;
    /// D = filtered texel, derivatives, compared with a reference, at least a given level, texel offsets.
    IMAGE_SAMPLE_C_D_CL_O "image_sample_c_d_cl_o" 6:0x3b 11:0x4a [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Derivative compare clamp offset) Keep Image;
    /// D = filtered texel, given level, compared with a reference, texel offsets.
    IMAGE_SAMPLE_C_L_O "image_sample_c_l_o" 6:0x3c 11:0x2c [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Explicit compare offset) Keep Image;
    /// D = filtered texel, implicit level and bias, compared with a reference, texel offsets.
    IMAGE_SAMPLE_C_B_O "image_sample_c_b_o" 6:0x3d 11:0x2d [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Bias compare offset) Keep Image;
    /// D = filtered texel, implicit level and bias, compared with a reference, at least a given level, texel offsets.
    IMAGE_SAMPLE_C_B_CL_O "image_sample_c_b_cl_o" 6:0x3e 11:0x4b [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Bias compare clamp offset) Keep Image;
    /// D = filtered texel, level 0, compared with a reference, texel offsets.
    IMAGE_SAMPLE_C_LZ_O "image_sample_c_lz_o" 6:0x3f 11:0x2e [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Zero compare offset) Keep Image;
    /// D = one component of four texels, implicit level.
    IMAGE_GATHER4 "image_gather4" 6:0x40 11:0x2f [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Implicit) Keep Image;
    /// D = one component of four texels, implicit level, at least a given level.
    IMAGE_GATHER4_CL "image_gather4_cl" 6:0x41 11:0x60 [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Implicit clamp) Keep Image;
    /// D = one component of four texels, given level.
    IMAGE_GATHER4_L "image_gather4_l" 6:0x44 11:0x30 [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Explicit) Keep Image;
    /// D = one component of four texels, implicit level and bias.
    IMAGE_GATHER4_B "image_gather4_b" 6:0x45 11:0x31 [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Bias) Keep Image;
    /// D = one component of four texels, implicit level and bias, at least a given level.
    IMAGE_GATHER4_B_CL "image_gather4_b_cl" 6:0x46 11:0x61 [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Bias clamp) Keep Image;
    /// D = one component of four texels, level 0.
    IMAGE_GATHER4_LZ "image_gather4_lz" 6:0x47 11:0x32 [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Zero) Keep Image;
    /// D = one component of four texels, implicit level, compared with a reference.
    IMAGE_GATHER4_C "image_gather4_c" 6:0x48 11:0x33 [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Implicit compare) Keep Image;
    /// D = one component of four texels, implicit level, compared with a reference, at least a given level.
    IMAGE_GATHER4_C_CL "image_gather4_c_cl" 6:0x49 11:0x62 [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Implicit compare clamp) Keep Image;
    /// D = one component of four texels, given level, compared with a reference.
    IMAGE_GATHER4_C_L "image_gather4_c_l" 6:0x4c 11:0x63 [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Explicit compare) Keep Image;
    /// D = one component of four texels, implicit level and bias, compared with a reference.
    IMAGE_GATHER4_C_B "image_gather4_c_b" 6:0x4d 11:0x64 [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Bias compare) Keep Image;
    /// D = one component of four texels, implicit level and bias, compared with a reference, at least a given level.
    IMAGE_GATHER4_C_B_CL "image_gather4_c_b_cl" 6:0x4e 11:0x65 [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Bias compare clamp) Keep Image;
    /// D = one component of four texels, level 0, compared with a reference.
    IMAGE_GATHER4_C_LZ "image_gather4_c_lz" 6:0x4f 11:0x34 [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Zero compare) Keep Image;
    /// D = one component of four texels, implicit level, texel offsets.
    IMAGE_GATHER4_O "image_gather4_o" 6:0x50 11:0x35 [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Implicit offset) Keep Image;
    /// D = one component of four texels, implicit level, at least a given level, texel offsets.
    IMAGE_GATHER4_CL_O "image_gather4_cl_o" 6:0x51 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Implicit clamp offset) Keep Image;
    /// D = one component of four texels, given level, texel offsets.
    IMAGE_GATHER4_L_O "image_gather4_l_o" 6:0x54 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Explicit offset) Keep Image;
    /// D = one component of four texels, implicit level and bias, texel offsets.
    IMAGE_GATHER4_B_O "image_gather4_b_o" 6:0x55 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Bias offset) Keep Image;
    /// D = one component of four texels, implicit level and bias, at least a given level, texel offsets.
    IMAGE_GATHER4_B_CL_O "image_gather4_b_cl_o" 6:0x56 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Bias clamp offset) Keep Image;
    /// D = one component of four texels, level 0, texel offsets.
    IMAGE_GATHER4_LZ_O "image_gather4_lz_o" 6:0x57 11:0x36 [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Zero offset) Keep Image;
    /// D = one component of four texels, implicit level, compared with a reference, texel offsets.
    IMAGE_GATHER4_C_O "image_gather4_c_o" 6:0x58 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Implicit compare offset) Keep Image;
    /// D = one component of four texels, implicit level, compared with a reference, at least a given level, texel offsets.
    IMAGE_GATHER4_C_CL_O "image_gather4_c_cl_o" 6:0x59 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Implicit compare clamp offset) Keep Image;
    /// D = one component of four texels, given level, compared with a reference, texel offsets.
    IMAGE_GATHER4_C_L_O "image_gather4_c_l_o" 6:0x5c 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Explicit compare offset) Keep Image;
    /// D = one component of four texels, implicit level and bias, compared with a reference, texel offsets.
    IMAGE_GATHER4_C_B_O "image_gather4_c_b_o" 6:0x5d 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Bias compare offset) Keep Image;
    /// D = one component of four texels, implicit level and bias, compared with a reference, at least a given level, texel offsets.
    IMAGE_GATHER4_C_B_CL_O "image_gather4_c_b_cl_o" 6:0x5e 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Bias compare clamp offset) Keep Image;
    /// D = one component of four texels, level 0, compared with a reference, texel offsets.
    IMAGE_GATHER4_C_LZ_O "image_gather4_c_lz_o" 6:0x5f 11:0x37 [ImageData] <- [ImageAddr Image Sampler] => sample(Gather4, Zero compare offset) Keep Image;
    /// D = the quad's level of detail: clamped, raw.
    IMAGE_GET_LOD "image_get_lod" 6:0x60 11:0x38 [ImageData] <- [ImageAddr Image Sampler] => image(GetLod) Keep Image;
    /// D = one component of four texels in a row.
    IMAGE_GATHER4H "image_gather4h" 9:0x42 10:0x61 11:0x90 [ImageData] <- [ImageAddr Image Sampler] => image(Gather4h) Keep Image;
    /// D = filtered texel, coarse derivatives.
    IMAGE_SAMPLE_CD "image_sample_cd" 6:0x68 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, CoarseDerivative) Keep Image;
    /// D = filtered texel, coarse derivatives, at least a given level.
    IMAGE_SAMPLE_CD_CL "image_sample_cd_cl" 6:0x69 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, CoarseDerivative clamp) Keep Image;
    /// D = filtered texel, coarse derivatives, compared with a reference.
    IMAGE_SAMPLE_C_CD "image_sample_c_cd" 6:0x6a 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, CoarseDerivative compare) Keep Image;
    /// D = filtered texel, coarse derivatives, compared with a reference, at least a given level.
    IMAGE_SAMPLE_C_CD_CL "image_sample_c_cd_cl" 6:0x6b 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, CoarseDerivative compare clamp) Keep Image;
    /// D = filtered texel, coarse derivatives, texel offsets.
    IMAGE_SAMPLE_CD_O "image_sample_cd_o" 6:0x6c 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, CoarseDerivative offset) Keep Image;
    /// D = filtered texel, coarse derivatives, at least a given level, texel offsets.
    IMAGE_SAMPLE_CD_CL_O "image_sample_cd_cl_o" 6:0x6d 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, CoarseDerivative clamp offset) Keep Image;
    /// D = filtered texel, coarse derivatives, compared with a reference, texel offsets.
    IMAGE_SAMPLE_C_CD_O "image_sample_c_cd_o" 6:0x6e 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, CoarseDerivative compare offset) Keep Image;
    /// D = filtered texel, coarse derivatives, compared with a reference, at least a given level, texel offsets.
    IMAGE_SAMPLE_C_CD_CL_O "image_sample_c_cd_cl_o" 6:0x6f 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, CoarseDerivative compare clamp offset) Keep Image;
    /// D = filtered texel, derivatives, 16-bit derivatives.
    IMAGE_SAMPLE_D_G16 "image_sample_d_g16" 10:0xa2 11:0x39 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Derivative g16) Keep Image;
    /// D = filtered texel, derivatives, at least a given level, 16-bit derivatives.
    IMAGE_SAMPLE_D_CL_G16 "image_sample_d_cl_g16" 10:0xa3 11:0x5f [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Derivative clamp g16) Keep Image;
    /// D = filtered texel, derivatives, compared with a reference, 16-bit derivatives.
    IMAGE_SAMPLE_C_D_G16 "image_sample_c_d_g16" 10:0xaa 11:0x3a [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Derivative compare g16) Keep Image;
    /// D = filtered texel, derivatives, compared with a reference, at least a given level, 16-bit derivatives.
    IMAGE_SAMPLE_C_D_CL_G16 "image_sample_c_d_cl_g16" 10:0xab 11:0x54 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Derivative compare clamp g16) Keep Image;
    /// D = filtered texel, derivatives, texel offsets, 16-bit derivatives.
    IMAGE_SAMPLE_D_O_G16 "image_sample_d_o_g16" 10:0xb2 11:0x3b [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Derivative offset g16) Keep Image;
    /// D = filtered texel, derivatives, at least a given level, texel offsets, 16-bit derivatives.
    IMAGE_SAMPLE_D_CL_O_G16 "image_sample_d_cl_o_g16" 10:0xb3 11:0x55 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Derivative clamp offset g16) Keep Image;
    /// D = filtered texel, derivatives, compared with a reference, texel offsets, 16-bit derivatives.
    IMAGE_SAMPLE_C_D_O_G16 "image_sample_c_d_o_g16" 10:0xba 11:0x3c [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Derivative compare offset g16) Keep Image;
    /// D = filtered texel, derivatives, compared with a reference, at least a given level, texel offsets, 16-bit derivatives.
    IMAGE_SAMPLE_C_D_CL_O_G16 "image_sample_c_d_cl_o_g16" 10:0xbb 11:0x56 [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, Derivative compare clamp offset g16) Keep Image;
    /// D = filtered texel, coarse derivatives, 16-bit derivatives.
    IMAGE_SAMPLE_CD_G16 "image_sample_cd_g16" 10:0xe8 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, CoarseDerivative g16) Keep Image;
    /// D = filtered texel, coarse derivatives, at least a given level, 16-bit derivatives.
    IMAGE_SAMPLE_CD_CL_G16 "image_sample_cd_cl_g16" 10:0xe9 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, CoarseDerivative clamp g16) Keep Image;
    /// D = filtered texel, coarse derivatives, compared with a reference, 16-bit derivatives.
    IMAGE_SAMPLE_C_CD_G16 "image_sample_c_cd_g16" 10:0xea 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, CoarseDerivative compare g16) Keep Image;
    /// D = filtered texel, coarse derivatives, compared with a reference, at least a given level, 16-bit derivatives.
    IMAGE_SAMPLE_C_CD_CL_G16 "image_sample_c_cd_cl_g16" 10:0xeb 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, CoarseDerivative compare clamp g16) Keep Image;
    /// D = filtered texel, coarse derivatives, texel offsets, 16-bit derivatives.
    IMAGE_SAMPLE_CD_O_G16 "image_sample_cd_o_g16" 10:0xec 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, CoarseDerivative offset g16) Keep Image;
    /// D = filtered texel, coarse derivatives, at least a given level, texel offsets, 16-bit derivatives.
    IMAGE_SAMPLE_CD_CL_O_G16 "image_sample_cd_cl_o_g16" 10:0xed 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, CoarseDerivative clamp offset g16) Keep Image;
    /// D = filtered texel, coarse derivatives, compared with a reference, texel offsets, 16-bit derivatives.
    IMAGE_SAMPLE_C_CD_O_G16 "image_sample_c_cd_o_g16" 10:0xee 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, CoarseDerivative compare offset g16) Keep Image;
    /// D = filtered texel, coarse derivatives, compared with a reference, at least a given level, texel offsets, 16-bit derivatives.
    IMAGE_SAMPLE_C_CD_CL_O_G16 "image_sample_c_cd_cl_o_g16" 10:0xef 11:- [ImageData] <- [ImageAddr Image Sampler] => sample(Sample, CoarseDerivative compare clamp offset g16) Keep Image;
    /// D = one component of up to four samples of a texel.
    IMAGE_MSAA_LOAD "image_msaa_load" 10.3:0x80 11:- [ImageData] <- [ImageAddr Image] => image(MsaaLoad { quad: false }) Keep Image;
    /// D = one component of four samples of a texel.
    IMAGE_MSAA_LOAD_QUAD "image_msaa_load_quad" (11:"image_msaa_load") 11:0x18 [ImageData] <- [ImageAddr Image] => image(MsaaLoad { quad: true }) Keep Image;
    /// D = what a ray meets in a node of a bounding volume hierarchy, by a pointer of 32 bits.
    IMAGE_BVH_INTERSECT_RAY "image_bvh_intersect_ray" 10.3:0xe6 11:0x19 [B128] <- [ImageAddr Rsrc] => image(IntersectRay { wide: false }) Keep Image;
    /// D = what a ray meets in a node of a bounding volume hierarchy, by a pointer of 64 bits.
    IMAGE_BVH64_INTERSECT_RAY "image_bvh64_intersect_ray" 10.3:0xe7 11:0x1a [B128] <- [ImageAddr Rsrc] => image(IntersectRay { wide: true }) Keep Image;
    /// Texel = D − texel, and the value before.
    IMAGE_ATOMIC_RSUB "image_atomic_rsub" 6:0x13 9:- [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::Rsub)) Keep Image;
    /// m = m + data; with TH_ATOMIC_RETURN, D = m before.
    IMAGE_ATOMIC_ADD_FLT "image_atomic_add_flt" 12:0x83 [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::FAdd)) Keep Image;
    /// m = m + data, two f16; with TH_ATOMIC_RETURN, D = m before.
    IMAGE_ATOMIC_PK_ADD_F16 "image_atomic_pk_add_f16" 12:0x86 [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::PkAddF16)) Keep Image;
    /// m = m + data, two bf16; with TH_ATOMIC_RETURN, D = m before.
    IMAGE_ATOMIC_PK_ADD_BF16 "image_atomic_pk_add_bf16" 12:0x87 [ImageData] <- [ImageAddr Image Unused ImageData] => image(Atomic(crate::row::AtomicOp::PkAddBf16)) Keep Image;
}
