//! WMMA and SWMMAC: products of matrices that the lanes of a wave hold together.
//!
//! On RDNA 3 both halves of a wave hold A and B; on RDNA 4 every lane has its own part of them.

super::insts! { Vop3p from crate::insts::vop3p::NEXT;
    /// D = A · B + C, of 16×16 f16, in f32; A and B stand twice in the wave.
    V_WMMA_F32_16X16X16_F16 "v_wmma_f32_16x16x16_f16" 11:0x40 12:- [Matrix8] <- [B256 B256 Matrix8Wide] => todo() Keep Valu + MATRIX;
    /// D = A · B + C, of 16×16 bf16, in f32; A and B stand twice in the wave.
    V_WMMA_F32_16X16X16_BF16 "v_wmma_f32_16x16x16_bf16" 11:0x41 12:- [Matrix8] <- [B256 B256 Matrix8Wide] => todo() Keep Valu + MATRIX;
    /// D = A · B + C, of 16×16 f16, in f16; A and B stand twice in the wave.
    V_WMMA_F16_16X16X16_F16 "v_wmma_f16_16x16x16_f16" 11:0x42 12:- [Matrix8] <- [B256 B256 Matrix8Wide] => todo() Keep Valu + MATRIX + HALVES;
    /// D = A · B + C, of 16×16 bf16, in bf16; A and B stand twice in the wave.
    V_WMMA_BF16_16X16X16_BF16 "v_wmma_bf16_16x16x16_bf16" 11:0x43 12:- [Matrix8] <- [B256 B256 Matrix8Wide] => todo() Keep Valu + MATRIX + HALVES;
    /// D = A · B + C, of 16×16 iu8, in i32; A and B stand twice in the wave.
    V_WMMA_I32_16X16X16_IU8 "v_wmma_i32_16x16x16_iu8" 11:0x44 12:- [Matrix8] <- [B128 B128 Matrix8Wide] => todo() Keep Valu + MATRIX + INTEGERS;
    /// D = A · B + C, of 16×16 iu4, in i32; A and B stand twice in the wave.
    V_WMMA_I32_16X16X16_IU4 "v_wmma_i32_16x16x16_iu4" 11:0x45 12:- [Matrix8] <- [B64 B64 Matrix8Wide] => todo() Keep Valu + MATRIX + INTEGERS;
    /// D = A · B + C, of 16×16 f16, in f32.
    V_WMMA_F32_16X16X16_F16_SPREAD "v_wmma_f32_16x16x16_f16_spread" (12:"v_wmma_f32_16x16x16_f16") 12:0x40 [Matrix8] <- [Matrix4 Matrix4 Matrix8] => todo() Keep Valu + MATRIX;
    /// D = A · B + C, of 16×16 bf16, in f32.
    V_WMMA_F32_16X16X16_BF16_SPREAD "v_wmma_f32_16x16x16_bf16_spread" (12:"v_wmma_f32_16x16x16_bf16") 12:0x41 [Matrix8] <- [Matrix4 Matrix4 Matrix8] => todo() Keep Valu + MATRIX;
    /// D = A · B + C, of 16×16 f16, in f16.
    V_WMMA_F16_16X16X16_F16_SPREAD "v_wmma_f16_16x16x16_f16_spread" (12:"v_wmma_f16_16x16x16_f16") 12:0x42 [Matrix4] <- [Matrix4 Matrix4 Matrix4] => todo() Keep Valu + MATRIX;
    /// D = A · B + C, of 16×16 bf16, in bf16.
    V_WMMA_BF16_16X16X16_BF16_SPREAD "v_wmma_bf16_16x16x16_bf16_spread" (12:"v_wmma_bf16_16x16x16_bf16") 12:0x43 [Matrix4] <- [Matrix4 Matrix4 Matrix4] => todo() Keep Valu + MATRIX;
    /// D = A · B + C, of 16×16 iu8, in i32.
    V_WMMA_I32_16X16X16_IU8_SPREAD "v_wmma_i32_16x16x16_iu8_spread" (12:"v_wmma_i32_16x16x16_iu8") 12:0x44 [Matrix8] <- [Matrix2 Matrix2 Matrix8] => todo() Keep Valu + MATRIX + INTEGERS;
    /// D = A · B + C, of 16×16 iu4, in i32.
    V_WMMA_I32_16X16X16_IU4_SPREAD "v_wmma_i32_16x16x16_iu4_spread" (12:"v_wmma_i32_16x16x16_iu4") 12:0x45 [Matrix8] <- [Matrix1 Matrix1 Matrix8] => todo() Keep Valu + MATRIX + INTEGERS;
    /// D = A · B + C, of 16×16 fp8 and fp8, in f32.
    V_WMMA_F32_16X16X16_FP8_FP8 "v_wmma_f32_16x16x16_fp8_fp8" 12:0x46 [Matrix8] <- [Matrix2 Matrix2 Matrix8] => todo() Keep Valu + MATRIX + BYTES;
    /// D = A · B + C, of 16×16 fp8 and bf8, in f32.
    V_WMMA_F32_16X16X16_FP8_BF8 "v_wmma_f32_16x16x16_fp8_bf8" 12:0x47 [Matrix8] <- [Matrix2 Matrix2 Matrix8] => todo() Keep Valu + MATRIX + BYTES;
    /// D = A · B + C, of 16×16 bf8 and fp8, in f32.
    V_WMMA_F32_16X16X16_BF8_FP8 "v_wmma_f32_16x16x16_bf8_fp8" 12:0x48 [Matrix8] <- [Matrix2 Matrix2 Matrix8] => todo() Keep Valu + MATRIX + BYTES;
    /// D = A · B + C, of 16×16 bf8 and bf8, in f32.
    V_WMMA_F32_16X16X16_BF8_BF8 "v_wmma_f32_16x16x16_bf8_bf8" 12:0x49 [Matrix8] <- [Matrix2 Matrix2 Matrix8] => todo() Keep Valu + MATRIX + BYTES;
    /// D = A · B + C, of 16×32 iu4, in i32.
    V_WMMA_I32_16X16X32_IU4 "v_wmma_i32_16x16x32_iu4" 12:0x4a [Matrix8] <- [Matrix2 Matrix2 Matrix8] => todo() Keep Valu + MATRIX + INTEGERS;
    /// D = A · B + D, of 16×32 f16, in f32; of A the half that S2 names.
    V_SWMMAC_F32_16X16X32_F16 "v_swmmac_f32_16x16x32_f16" 12:0x50 [Matrix8] <- [Matrix4 Matrix8 Sparse8 Old] => todo() Keep Valu + MATRIX;
    /// D = A · B + D, of 16×32 bf16, in f32; of A the half that S2 names.
    V_SWMMAC_F32_16X16X32_BF16 "v_swmmac_f32_16x16x32_bf16" 12:0x51 [Matrix8] <- [Matrix4 Matrix8 Sparse8 Old] => todo() Keep Valu + MATRIX;
    /// D = A · B + D, of 16×32 f16, in f16; of A the half that S2 names.
    V_SWMMAC_F16_16X16X32_F16 "v_swmmac_f16_16x16x32_f16" 12:0x52 [Matrix4] <- [Matrix4 Matrix8 Sparse8 Old] => todo() Keep Valu + MATRIX;
    /// D = A · B + D, of 16×32 bf16, in bf16; of A the half that S2 names.
    V_SWMMAC_BF16_16X16X32_BF16 "v_swmmac_bf16_16x16x32_bf16" 12:0x53 [Matrix4] <- [Matrix4 Matrix8 Sparse8 Old] => todo() Keep Valu + MATRIX;
    /// D = A · B + D, of 16×32 iu8, in i32; of A the half that S2 names.
    V_SWMMAC_I32_16X16X32_IU8 "v_swmmac_i32_16x16x32_iu8" 12:0x54 [Matrix8] <- [Matrix2 Matrix4 Sparse8 Old] => todo() Keep Valu + MATRIX + INTEGERS;
    /// D = A · B + D, of 16×32 iu4, in i32; of A the half that S2 names.
    V_SWMMAC_I32_16X16X32_IU4 "v_swmmac_i32_16x16x32_iu4" 12:0x55 [Matrix8] <- [Matrix1 Matrix2 Sparse16 Old] => todo() Keep Valu + MATRIX + INTEGERS;
    /// D = A · B + D, of 16×64 iu4, in i32; of A the half that S2 names.
    V_SWMMAC_I32_16X16X64_IU4 "v_swmmac_i32_16x16x64_iu4" 12:0x56 [Matrix8] <- [Matrix2 Matrix4 Sparse32 Old] => todo() Keep Valu + MATRIX + INTEGERS;
    /// D = A · B + D, of 16×32 fp8 and fp8, in f32; of A the half that S2 names.
    V_SWMMAC_F32_16X16X32_FP8_FP8 "v_swmmac_f32_16x16x32_fp8_fp8" 12:0x57 [Matrix8] <- [Matrix2 Matrix4 Sparse8 Old] => todo() Keep Valu + MATRIX + BYTES;
    /// D = A · B + D, of 16×32 fp8 and bf8, in f32; of A the half that S2 names.
    V_SWMMAC_F32_16X16X32_FP8_BF8 "v_swmmac_f32_16x16x32_fp8_bf8" 12:0x58 [Matrix8] <- [Matrix2 Matrix4 Sparse8 Old] => todo() Keep Valu + MATRIX + BYTES;
    /// D = A · B + D, of 16×32 bf8 and fp8, in f32; of A the half that S2 names.
    V_SWMMAC_F32_16X16X32_BF8_FP8 "v_swmmac_f32_16x16x32_bf8_fp8" 12:0x59 [Matrix8] <- [Matrix2 Matrix4 Sparse8 Old] => todo() Keep Valu + MATRIX + BYTES;
    /// D = A · B + D, of 16×32 bf8 and bf8, in f32; of A the half that S2 names.
    V_SWMMAC_F32_16X16X32_BF8_BF8 "v_swmmac_f32_16x16x32_bf8_bf8" 12:0x5a [Matrix8] <- [Matrix2 Matrix4 Sparse8 Old] => todo() Keep Valu + MATRIX + BYTES;
}
