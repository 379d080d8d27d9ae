//! VOPC rows that RDNA has no more: those that write VCC and EXEC, and those that signal on quiet NaNs.

super::insts! { Vopc from crate::insts::vop1_gcn::NEXT;
    /// VCC[lane] = nothing: false.
    V_CMP_F_I16 "v_cmp_f_i16" 9:0xa0 10:- [Vcc] <- [I16 I16] => compare(cmp_false) Keep Valu, exchanged(V_CMP_F_I16);
    /// VCC[lane] = anything: true.
    V_CMP_T_I16 "v_cmp_t_i16" 9:0xa7 10:- [Vcc] <- [I16 I16] => compare(cmp_true) Keep Valu, exchanged(V_CMP_T_I16);
    /// VCC[lane] = nothing: false.
    V_CMP_F_U16 "v_cmp_f_u16" 9:0xa8 10:- [Vcc] <- [U16 U16] => compare(cmp_false) Keep Valu, exchanged(V_CMP_F_U16);
    /// VCC[lane] = anything: true.
    V_CMP_T_U16 "v_cmp_t_u16" 9:0xaf 10:- [Vcc] <- [U16 U16] => compare(cmp_true) Keep Valu, exchanged(V_CMP_T_U16);
    /// VCC[lane] = EXEC[lane] = nothing: false.
    V_CMPX_F_F32_VCC "v_cmpx_f_f32_vcc" (6:"v_cmpx_f_f32") 6:0x10 9:0x50 10:- [Vcc Exec] <- [F32 F32] => compare_exec(cmp_false) Keep Valu, exchanged(V_CMPX_F_F32_VCC);
    /// VCC[lane] = EXEC[lane] = S0 is of a class that S1 names.
    V_CMPX_CLASS_F32_VCC "v_cmpx_class_f32_vcc" (6:"v_cmpx_class_f32") 6:0x98 9:0x11 10:- [Vcc Exec] <- [F32 B32] => compare_exec(class_f32) Keep Valu;
    /// VCC[lane] = EXEC[lane] = S0 < S1.
    V_CMPX_LT_F32_VCC "v_cmpx_lt_f32_vcc" (6:"v_cmpx_lt_f32") 6:0x11 9:0x51 10:- [Vcc Exec] <- [F32 F32] => compare_exec(lt_f32) Keep Valu, exchanged(V_CMPX_GT_F32_VCC);
    /// VCC[lane] = EXEC[lane] = S0 = S1.
    V_CMPX_EQ_F32_VCC "v_cmpx_eq_f32_vcc" (6:"v_cmpx_eq_f32") 6:0x12 9:0x52 10:- [Vcc Exec] <- [F32 F32] => compare_exec(eq_f32) Keep Valu, exchanged(V_CMPX_EQ_F32_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≤ S1.
    V_CMPX_LE_F32_VCC "v_cmpx_le_f32_vcc" (6:"v_cmpx_le_f32") 6:0x13 9:0x53 10:- [Vcc Exec] <- [F32 F32] => compare_exec(le_f32) Keep Valu, exchanged(V_CMPX_GE_F32_VCC);
    /// VCC[lane] = EXEC[lane] = S0 is of a class that S1 names.
    V_CMPX_CLASS_F64_VCC "v_cmpx_class_f64_vcc" (6:"v_cmpx_class_f64") 6:0xb8 9:0x13 10:- [Vcc Exec] <- [F64 B32] => compare_exec(class_f64) Keep Double;
    /// VCC[lane] = EXEC[lane] = S0 > S1.
    V_CMPX_GT_F32_VCC "v_cmpx_gt_f32_vcc" (6:"v_cmpx_gt_f32") 6:0x14 9:0x54 10:- [Vcc Exec] <- [F32 F32] => compare_exec(gt_f32) Keep Valu, exchanged(V_CMPX_LT_F32_VCC);
    /// VCC[lane] = EXEC[lane] = S0 < S1 or S0 > S1.
    V_CMPX_LG_F32_VCC "v_cmpx_lg_f32_vcc" (6:"v_cmpx_lg_f32") 6:0x15 9:0x55 10:- [Vcc Exec] <- [F32 F32] => compare_exec(lg_f32) Keep Valu, exchanged(V_CMPX_LG_F32_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≥ S1.
    V_CMPX_GE_F32_VCC "v_cmpx_ge_f32_vcc" (6:"v_cmpx_ge_f32") 6:0x16 9:0x56 10:- [Vcc Exec] <- [F32 F32] => compare_exec(ge_f32) Keep Valu, exchanged(V_CMPX_LE_F32_VCC);
    /// VCC[lane] = EXEC[lane] = neither is NaN.
    V_CMPX_O_F32_VCC "v_cmpx_o_f32_vcc" (6:"v_cmpx_o_f32") 6:0x17 9:0x57 10:- [Vcc Exec] <- [F32 F32] => compare_exec(o_f32) Keep Valu, exchanged(V_CMPX_O_F32_VCC);
    /// VCC[lane] = EXEC[lane] = either is NaN.
    V_CMPX_U_F32_VCC "v_cmpx_u_f32_vcc" (6:"v_cmpx_u_f32") 6:0x18 9:0x58 10:- [Vcc Exec] <- [F32 F32] => compare_exec(u_f32) Keep Valu, exchanged(V_CMPX_U_F32_VCC);
    /// VCC[lane] = EXEC[lane] = not S0 ≥ S1.
    V_CMPX_NGE_F32_VCC "v_cmpx_nge_f32_vcc" (6:"v_cmpx_nge_f32") 6:0x19 9:0x59 10:- [Vcc Exec] <- [F32 F32] => compare_exec(nge_f32) Keep Valu, exchanged(V_CMPX_NLE_F32_VCC);
    /// VCC[lane] = EXEC[lane] = not (S0 < S1 or S0 > S1).
    V_CMPX_NLG_F32_VCC "v_cmpx_nlg_f32_vcc" (6:"v_cmpx_nlg_f32") 6:0x1a 9:0x5a 10:- [Vcc Exec] <- [F32 F32] => compare_exec(nlg_f32) Keep Valu, exchanged(V_CMPX_NLG_F32_VCC);
    /// VCC[lane] = EXEC[lane] = not S0 > S1.
    V_CMPX_NGT_F32_VCC "v_cmpx_ngt_f32_vcc" (6:"v_cmpx_ngt_f32") 6:0x1b 9:0x5b 10:- [Vcc Exec] <- [F32 F32] => compare_exec(ngt_f32) Keep Valu, exchanged(V_CMPX_NLT_F32_VCC);
    /// VCC[lane] = EXEC[lane] = not S0 ≤ S1.
    V_CMPX_NLE_F32_VCC "v_cmpx_nle_f32_vcc" (6:"v_cmpx_nle_f32") 6:0x1c 9:0x5c 10:- [Vcc Exec] <- [F32 F32] => compare_exec(nle_f32) Keep Valu, exchanged(V_CMPX_NGE_F32_VCC);
    /// VCC[lane] = EXEC[lane] = not S0 = S1.
    V_CMPX_NEQ_F32_VCC "v_cmpx_neq_f32_vcc" (6:"v_cmpx_neq_f32") 6:0x1d 9:0x5d 10:- [Vcc Exec] <- [F32 F32] => compare_exec(neq_f32) Keep Valu, exchanged(V_CMPX_NEQ_F32_VCC);
    /// VCC[lane] = EXEC[lane] = not S0 < S1.
    V_CMPX_NLT_F32_VCC "v_cmpx_nlt_f32_vcc" (6:"v_cmpx_nlt_f32") 6:0x1e 9:0x5e 10:- [Vcc Exec] <- [F32 F32] => compare_exec(nlt_f32) Keep Valu, exchanged(V_CMPX_NGT_F32_VCC);
    /// VCC[lane] = EXEC[lane] = anything: true.
    V_CMPX_TRU_F32_VCC "v_cmpx_tru_f32_vcc" (6:"v_cmpx_tru_f32") 6:0x1f 9:0x5f 10:- [Vcc Exec] <- [F32 F32] => compare_exec(cmp_true) Keep Valu, exchanged(V_CMPX_TRU_F32_VCC);
    /// VCC[lane] = EXEC[lane] = nothing: false.
    V_CMPX_F_F64_VCC "v_cmpx_f_f64_vcc" (6:"v_cmpx_f_f64") 6:0x30 9:0x70 10:- [Vcc Exec] <- [F64 F64] => compare_exec(cmp_false) Keep Double, exchanged(V_CMPX_F_F64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 < S1.
    V_CMPX_LT_F64_VCC "v_cmpx_lt_f64_vcc" (6:"v_cmpx_lt_f64") 6:0x31 9:0x71 10:- [Vcc Exec] <- [F64 F64] => compare_exec(lt_f64) Keep Double, exchanged(V_CMPX_GT_F64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 = S1.
    V_CMPX_EQ_F64_VCC "v_cmpx_eq_f64_vcc" (6:"v_cmpx_eq_f64") 6:0x32 9:0x72 10:- [Vcc Exec] <- [F64 F64] => compare_exec(eq_f64) Keep Double, exchanged(V_CMPX_EQ_F64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≤ S1.
    V_CMPX_LE_F64_VCC "v_cmpx_le_f64_vcc" (6:"v_cmpx_le_f64") 6:0x33 9:0x73 10:- [Vcc Exec] <- [F64 F64] => compare_exec(le_f64) Keep Double, exchanged(V_CMPX_GE_F64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 > S1.
    V_CMPX_GT_F64_VCC "v_cmpx_gt_f64_vcc" (6:"v_cmpx_gt_f64") 6:0x34 9:0x74 10:- [Vcc Exec] <- [F64 F64] => compare_exec(gt_f64) Keep Double, exchanged(V_CMPX_LT_F64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 < S1 or S0 > S1.
    V_CMPX_LG_F64_VCC "v_cmpx_lg_f64_vcc" (6:"v_cmpx_lg_f64") 6:0x35 9:0x75 10:- [Vcc Exec] <- [F64 F64] => compare_exec(lg_f64) Keep Double, exchanged(V_CMPX_LG_F64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≥ S1.
    V_CMPX_GE_F64_VCC "v_cmpx_ge_f64_vcc" (6:"v_cmpx_ge_f64") 6:0x36 9:0x76 10:- [Vcc Exec] <- [F64 F64] => compare_exec(ge_f64) Keep Double, exchanged(V_CMPX_LE_F64_VCC);
    /// VCC[lane] = EXEC[lane] = neither is NaN.
    V_CMPX_O_F64_VCC "v_cmpx_o_f64_vcc" (6:"v_cmpx_o_f64") 6:0x37 9:0x77 10:- [Vcc Exec] <- [F64 F64] => compare_exec(o_f64) Keep Double, exchanged(V_CMPX_O_F64_VCC);
    /// VCC[lane] = EXEC[lane] = either is NaN.
    V_CMPX_U_F64_VCC "v_cmpx_u_f64_vcc" (6:"v_cmpx_u_f64") 6:0x38 9:0x78 10:- [Vcc Exec] <- [F64 F64] => compare_exec(u_f64) Keep Double, exchanged(V_CMPX_U_F64_VCC);
    /// VCC[lane] = EXEC[lane] = not S0 ≥ S1.
    V_CMPX_NGE_F64_VCC "v_cmpx_nge_f64_vcc" (6:"v_cmpx_nge_f64") 6:0x39 9:0x79 10:- [Vcc Exec] <- [F64 F64] => compare_exec(nge_f64) Keep Double, exchanged(V_CMPX_NLE_F64_VCC);
    /// VCC[lane] = EXEC[lane] = not (S0 < S1 or S0 > S1).
    V_CMPX_NLG_F64_VCC "v_cmpx_nlg_f64_vcc" (6:"v_cmpx_nlg_f64") 6:0x3a 9:0x7a 10:- [Vcc Exec] <- [F64 F64] => compare_exec(nlg_f64) Keep Double, exchanged(V_CMPX_NLG_F64_VCC);
    /// VCC[lane] = EXEC[lane] = not S0 > S1.
    V_CMPX_NGT_F64_VCC "v_cmpx_ngt_f64_vcc" (6:"v_cmpx_ngt_f64") 6:0x3b 9:0x7b 10:- [Vcc Exec] <- [F64 F64] => compare_exec(ngt_f64) Keep Double, exchanged(V_CMPX_NLT_F64_VCC);
    /// VCC[lane] = EXEC[lane] = not S0 ≤ S1.
    V_CMPX_NLE_F64_VCC "v_cmpx_nle_f64_vcc" (6:"v_cmpx_nle_f64") 6:0x3c 9:0x7c 10:- [Vcc Exec] <- [F64 F64] => compare_exec(nle_f64) Keep Double, exchanged(V_CMPX_NGE_F64_VCC);
    /// VCC[lane] = EXEC[lane] = not S0 = S1.
    V_CMPX_NEQ_F64_VCC "v_cmpx_neq_f64_vcc" (6:"v_cmpx_neq_f64") 6:0x3d 9:0x7d 10:- [Vcc Exec] <- [F64 F64] => compare_exec(neq_f64) Keep Double, exchanged(V_CMPX_NEQ_F64_VCC);
    /// VCC[lane] = EXEC[lane] = not S0 < S1.
    V_CMPX_NLT_F64_VCC "v_cmpx_nlt_f64_vcc" (6:"v_cmpx_nlt_f64") 6:0x3e 9:0x7e 10:- [Vcc Exec] <- [F64 F64] => compare_exec(nlt_f64) Keep Double, exchanged(V_CMPX_NGT_F64_VCC);
    /// VCC[lane] = EXEC[lane] = anything: true.
    V_CMPX_TRU_F64_VCC "v_cmpx_tru_f64_vcc" (6:"v_cmpx_tru_f64") 6:0x3f 9:0x7f 10:- [Vcc Exec] <- [F64 F64] => compare_exec(cmp_true) Keep Double, exchanged(V_CMPX_TRU_F64_VCC);
    /// VCC[lane] = EXEC[lane] = nothing: false.
    V_CMPX_F_I32_VCC "v_cmpx_f_i32_vcc" (6:"v_cmpx_f_i32") 6:0x90 9:0xd0 10:- [Vcc Exec] <- [I32 I32] => compare_exec(cmp_false) Keep Valu, exchanged(V_CMPX_F_I32_VCC);
    /// VCC[lane] = EXEC[lane] = S0 < S1.
    V_CMPX_LT_I32_VCC "v_cmpx_lt_i32_vcc" (6:"v_cmpx_lt_i32") 6:0x91 9:0xd1 10:- [Vcc Exec] <- [I32 I32] => compare_exec(lt_i32) Keep Valu, exchanged(V_CMPX_GT_I32_VCC);
    /// VCC[lane] = EXEC[lane] = S0 = S1.
    V_CMPX_EQ_I32_VCC "v_cmpx_eq_i32_vcc" (6:"v_cmpx_eq_i32") 6:0x92 9:0xd2 10:- [Vcc Exec] <- [I32 I32] => compare_exec(eq_i32) Keep Valu, exchanged(V_CMPX_EQ_I32_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≤ S1.
    V_CMPX_LE_I32_VCC "v_cmpx_le_i32_vcc" (6:"v_cmpx_le_i32") 6:0x93 9:0xd3 10:- [Vcc Exec] <- [I32 I32] => compare_exec(le_i32) Keep Valu, exchanged(V_CMPX_GE_I32_VCC);
    /// VCC[lane] = EXEC[lane] = S0 > S1.
    V_CMPX_GT_I32_VCC "v_cmpx_gt_i32_vcc" (6:"v_cmpx_gt_i32") 6:0x94 9:0xd4 10:- [Vcc Exec] <- [I32 I32] => compare_exec(gt_i32) Keep Valu, exchanged(V_CMPX_LT_I32_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≠ S1.
    V_CMPX_NE_I32_VCC "v_cmpx_ne_i32_vcc" (6:"v_cmpx_ne_i32") 6:0x95 9:0xd5 10:- [Vcc Exec] <- [I32 I32] => compare_exec(ne_i32) Keep Valu, exchanged(V_CMPX_NE_I32_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≥ S1.
    V_CMPX_GE_I32_VCC "v_cmpx_ge_i32_vcc" (6:"v_cmpx_ge_i32") 6:0x96 9:0xd6 10:- [Vcc Exec] <- [I32 I32] => compare_exec(ge_i32) Keep Valu, exchanged(V_CMPX_LE_I32_VCC);
    /// VCC[lane] = EXEC[lane] = anything: true.
    V_CMPX_T_I32_VCC "v_cmpx_t_i32_vcc" (6:"v_cmpx_t_i32") 6:0x97 9:0xd7 10:- [Vcc Exec] <- [I32 I32] => compare_exec(cmp_true) Keep Valu, exchanged(V_CMPX_T_I32_VCC);
    /// VCC[lane] = EXEC[lane] = nothing: false.
    V_CMPX_F_I64_VCC "v_cmpx_f_i64_vcc" (6:"v_cmpx_f_i64") 6:0xb0 9:0xf0 10:- [Vcc Exec] <- [I64 I64] => compare_exec(cmp_false) Keep Valu, exchanged(V_CMPX_F_I64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 < S1.
    V_CMPX_LT_I64_VCC "v_cmpx_lt_i64_vcc" (6:"v_cmpx_lt_i64") 6:0xb1 9:0xf1 10:- [Vcc Exec] <- [I64 I64] => compare_exec(lt_i64) Keep Valu, exchanged(V_CMPX_GT_I64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 = S1.
    V_CMPX_EQ_I64_VCC "v_cmpx_eq_i64_vcc" (6:"v_cmpx_eq_i64") 6:0xb2 9:0xf2 10:- [Vcc Exec] <- [I64 I64] => compare_exec(eq_i64) Keep Valu, exchanged(V_CMPX_EQ_I64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≤ S1.
    V_CMPX_LE_I64_VCC "v_cmpx_le_i64_vcc" (6:"v_cmpx_le_i64") 6:0xb3 9:0xf3 10:- [Vcc Exec] <- [I64 I64] => compare_exec(le_i64) Keep Valu, exchanged(V_CMPX_GE_I64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 > S1.
    V_CMPX_GT_I64_VCC "v_cmpx_gt_i64_vcc" (6:"v_cmpx_gt_i64") 6:0xb4 9:0xf4 10:- [Vcc Exec] <- [I64 I64] => compare_exec(gt_i64) Keep Valu, exchanged(V_CMPX_LT_I64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≠ S1.
    V_CMPX_NE_I64_VCC "v_cmpx_ne_i64_vcc" (6:"v_cmpx_ne_i64") 6:0xb5 9:0xf5 10:- [Vcc Exec] <- [I64 I64] => compare_exec(ne_i64) Keep Valu, exchanged(V_CMPX_NE_I64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≥ S1.
    V_CMPX_GE_I64_VCC "v_cmpx_ge_i64_vcc" (6:"v_cmpx_ge_i64") 6:0xb6 9:0xf6 10:- [Vcc Exec] <- [I64 I64] => compare_exec(ge_i64) Keep Valu, exchanged(V_CMPX_LE_I64_VCC);
    /// VCC[lane] = EXEC[lane] = anything: true.
    V_CMPX_T_I64_VCC "v_cmpx_t_i64_vcc" (6:"v_cmpx_t_i64") 6:0xb7 9:0xf7 10:- [Vcc Exec] <- [I64 I64] => compare_exec(cmp_true) Keep Valu, exchanged(V_CMPX_T_I64_VCC);
    /// VCC[lane] = EXEC[lane] = nothing: false.
    V_CMPX_F_U32_VCC "v_cmpx_f_u32_vcc" (6:"v_cmpx_f_u32") 6:0xd0 9:0xd8 10:- [Vcc Exec] <- [U32 U32] => compare_exec(cmp_false) Keep Valu, exchanged(V_CMPX_F_U32_VCC);
    /// VCC[lane] = EXEC[lane] = S0 < S1.
    V_CMPX_LT_U32_VCC "v_cmpx_lt_u32_vcc" (6:"v_cmpx_lt_u32") 6:0xd1 9:0xd9 10:- [Vcc Exec] <- [U32 U32] => compare_exec(lt_u32) Keep Valu, exchanged(V_CMPX_GT_U32_VCC);
    /// VCC[lane] = EXEC[lane] = S0 = S1.
    V_CMPX_EQ_U32_VCC "v_cmpx_eq_u32_vcc" (6:"v_cmpx_eq_u32") 6:0xd2 9:0xda 10:- [Vcc Exec] <- [U32 U32] => compare_exec(eq_u32) Keep Valu, exchanged(V_CMPX_EQ_U32_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≤ S1.
    V_CMPX_LE_U32_VCC "v_cmpx_le_u32_vcc" (6:"v_cmpx_le_u32") 6:0xd3 9:0xdb 10:- [Vcc Exec] <- [U32 U32] => compare_exec(le_u32) Keep Valu, exchanged(V_CMPX_GE_U32_VCC);
    /// VCC[lane] = EXEC[lane] = S0 > S1.
    V_CMPX_GT_U32_VCC "v_cmpx_gt_u32_vcc" (6:"v_cmpx_gt_u32") 6:0xd4 9:0xdc 10:- [Vcc Exec] <- [U32 U32] => compare_exec(gt_u32) Keep Valu, exchanged(V_CMPX_LT_U32_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≠ S1.
    V_CMPX_NE_U32_VCC "v_cmpx_ne_u32_vcc" (6:"v_cmpx_ne_u32") 6:0xd5 9:0xdd 10:- [Vcc Exec] <- [U32 U32] => compare_exec(ne_u32) Keep Valu, exchanged(V_CMPX_NE_U32_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≥ S1.
    V_CMPX_GE_U32_VCC "v_cmpx_ge_u32_vcc" (6:"v_cmpx_ge_u32") 6:0xd6 9:0xde 10:- [Vcc Exec] <- [U32 U32] => compare_exec(ge_u32) Keep Valu, exchanged(V_CMPX_LE_U32_VCC);
    /// VCC[lane] = EXEC[lane] = anything: true.
    V_CMPX_T_U32_VCC "v_cmpx_t_u32_vcc" (6:"v_cmpx_t_u32") 6:0xd7 9:0xdf 10:- [Vcc Exec] <- [U32 U32] => compare_exec(cmp_true) Keep Valu, exchanged(V_CMPX_T_U32_VCC);
    /// VCC[lane] = EXEC[lane] = nothing: false.
    V_CMPX_F_U64_VCC "v_cmpx_f_u64_vcc" (6:"v_cmpx_f_u64") 6:0xf0 9:0xf8 10:- [Vcc Exec] <- [U64 U64] => compare_exec(cmp_false) Keep Valu, exchanged(V_CMPX_F_U64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 < S1.
    V_CMPX_LT_U64_VCC "v_cmpx_lt_u64_vcc" (6:"v_cmpx_lt_u64") 6:0xf1 9:0xf9 10:- [Vcc Exec] <- [U64 U64] => compare_exec(lt_u64) Keep Valu, exchanged(V_CMPX_GT_U64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 = S1.
    V_CMPX_EQ_U64_VCC "v_cmpx_eq_u64_vcc" (6:"v_cmpx_eq_u64") 6:0xf2 9:0xfa 10:- [Vcc Exec] <- [U64 U64] => compare_exec(eq_u64) Keep Valu, exchanged(V_CMPX_EQ_U64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≤ S1.
    V_CMPX_LE_U64_VCC "v_cmpx_le_u64_vcc" (6:"v_cmpx_le_u64") 6:0xf3 9:0xfb 10:- [Vcc Exec] <- [U64 U64] => compare_exec(le_u64) Keep Valu, exchanged(V_CMPX_GE_U64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 > S1.
    V_CMPX_GT_U64_VCC "v_cmpx_gt_u64_vcc" (6:"v_cmpx_gt_u64") 6:0xf4 9:0xfc 10:- [Vcc Exec] <- [U64 U64] => compare_exec(gt_u64) Keep Valu, exchanged(V_CMPX_LT_U64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≠ S1.
    V_CMPX_NE_U64_VCC "v_cmpx_ne_u64_vcc" (6:"v_cmpx_ne_u64") 6:0xf5 9:0xfd 10:- [Vcc Exec] <- [U64 U64] => compare_exec(ne_u64) Keep Valu, exchanged(V_CMPX_NE_U64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≥ S1.
    V_CMPX_GE_U64_VCC "v_cmpx_ge_u64_vcc" (6:"v_cmpx_ge_u64") 6:0xf6 9:0xfe 10:- [Vcc Exec] <- [U64 U64] => compare_exec(ge_u64) Keep Valu, exchanged(V_CMPX_LE_U64_VCC);
    /// VCC[lane] = EXEC[lane] = anything: true.
    V_CMPX_T_U64_VCC "v_cmpx_t_u64_vcc" (6:"v_cmpx_t_u64") 6:0xf7 9:0xff 10:- [Vcc Exec] <- [U64 U64] => compare_exec(cmp_true) Keep Valu, exchanged(V_CMPX_T_U64_VCC);
    /// VCC[lane] = EXEC[lane] = S0 is of a class that S1 names.
    V_CMPX_CLASS_F16_VCC "v_cmpx_class_f16_vcc" (9:"v_cmpx_class_f16") 9:0x15 10:- [Vcc Exec] <- [F16 B32] => compare_exec(class_f16) Keep Valu;
    /// VCC[lane] = EXEC[lane] = nothing: false.
    V_CMPX_F_F16_VCC "v_cmpx_f_f16_vcc" (9:"v_cmpx_f_f16") 9:0x30 10:- [Vcc Exec] <- [F16 F16] => compare_exec(cmp_false) Keep Valu, exchanged(V_CMPX_F_F16_VCC);
    /// VCC[lane] = EXEC[lane] = S0 < S1.
    V_CMPX_LT_F16_VCC "v_cmpx_lt_f16_vcc" (9:"v_cmpx_lt_f16") 9:0x31 10:- [Vcc Exec] <- [F16 F16] => compare_exec(lt_f16) Keep Valu, exchanged(V_CMPX_GT_F16_VCC);
    /// VCC[lane] = EXEC[lane] = S0 = S1.
    V_CMPX_EQ_F16_VCC "v_cmpx_eq_f16_vcc" (9:"v_cmpx_eq_f16") 9:0x32 10:- [Vcc Exec] <- [F16 F16] => compare_exec(eq_f16) Keep Valu, exchanged(V_CMPX_EQ_F16_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≤ S1.
    V_CMPX_LE_F16_VCC "v_cmpx_le_f16_vcc" (9:"v_cmpx_le_f16") 9:0x33 10:- [Vcc Exec] <- [F16 F16] => compare_exec(le_f16) Keep Valu, exchanged(V_CMPX_GE_F16_VCC);
    /// VCC[lane] = EXEC[lane] = S0 > S1.
    V_CMPX_GT_F16_VCC "v_cmpx_gt_f16_vcc" (9:"v_cmpx_gt_f16") 9:0x34 10:- [Vcc Exec] <- [F16 F16] => compare_exec(gt_f16) Keep Valu, exchanged(V_CMPX_LT_F16_VCC);
    /// VCC[lane] = EXEC[lane] = S0 < S1 or S0 > S1.
    V_CMPX_LG_F16_VCC "v_cmpx_lg_f16_vcc" (9:"v_cmpx_lg_f16") 9:0x35 10:- [Vcc Exec] <- [F16 F16] => compare_exec(lg_f16) Keep Valu, exchanged(V_CMPX_LG_F16_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≥ S1.
    V_CMPX_GE_F16_VCC "v_cmpx_ge_f16_vcc" (9:"v_cmpx_ge_f16") 9:0x36 10:- [Vcc Exec] <- [F16 F16] => compare_exec(ge_f16) Keep Valu, exchanged(V_CMPX_LE_F16_VCC);
    /// VCC[lane] = EXEC[lane] = neither is NaN.
    V_CMPX_O_F16_VCC "v_cmpx_o_f16_vcc" (9:"v_cmpx_o_f16") 9:0x37 10:- [Vcc Exec] <- [F16 F16] => compare_exec(o_f16) Keep Valu, exchanged(V_CMPX_O_F16_VCC);
    /// VCC[lane] = EXEC[lane] = either is NaN.
    V_CMPX_U_F16_VCC "v_cmpx_u_f16_vcc" (9:"v_cmpx_u_f16") 9:0x38 10:- [Vcc Exec] <- [F16 F16] => compare_exec(u_f16) Keep Valu, exchanged(V_CMPX_U_F16_VCC);
    /// VCC[lane] = EXEC[lane] = not S0 ≥ S1.
    V_CMPX_NGE_F16_VCC "v_cmpx_nge_f16_vcc" (9:"v_cmpx_nge_f16") 9:0x39 10:- [Vcc Exec] <- [F16 F16] => compare_exec(nge_f16) Keep Valu, exchanged(V_CMPX_NLE_F16_VCC);
    /// VCC[lane] = EXEC[lane] = not (S0 < S1 or S0 > S1).
    V_CMPX_NLG_F16_VCC "v_cmpx_nlg_f16_vcc" (9:"v_cmpx_nlg_f16") 9:0x3a 10:- [Vcc Exec] <- [F16 F16] => compare_exec(nlg_f16) Keep Valu, exchanged(V_CMPX_NLG_F16_VCC);
    /// VCC[lane] = EXEC[lane] = not S0 > S1.
    V_CMPX_NGT_F16_VCC "v_cmpx_ngt_f16_vcc" (9:"v_cmpx_ngt_f16") 9:0x3b 10:- [Vcc Exec] <- [F16 F16] => compare_exec(ngt_f16) Keep Valu, exchanged(V_CMPX_NLT_F16_VCC);
    /// VCC[lane] = EXEC[lane] = not S0 ≤ S1.
    V_CMPX_NLE_F16_VCC "v_cmpx_nle_f16_vcc" (9:"v_cmpx_nle_f16") 9:0x3c 10:- [Vcc Exec] <- [F16 F16] => compare_exec(nle_f16) Keep Valu, exchanged(V_CMPX_NGE_F16_VCC);
    /// VCC[lane] = EXEC[lane] = not S0 = S1.
    V_CMPX_NEQ_F16_VCC "v_cmpx_neq_f16_vcc" (9:"v_cmpx_neq_f16") 9:0x3d 10:- [Vcc Exec] <- [F16 F16] => compare_exec(neq_f16) Keep Valu, exchanged(V_CMPX_NEQ_F16_VCC);
    /// VCC[lane] = EXEC[lane] = not S0 < S1.
    V_CMPX_NLT_F16_VCC "v_cmpx_nlt_f16_vcc" (9:"v_cmpx_nlt_f16") 9:0x3e 10:- [Vcc Exec] <- [F16 F16] => compare_exec(nlt_f16) Keep Valu, exchanged(V_CMPX_NGT_F16_VCC);
    /// VCC[lane] = EXEC[lane] = anything: true.
    V_CMPX_TRU_F16_VCC "v_cmpx_tru_f16_vcc" (9:"v_cmpx_tru_f16") 9:0x3f 10:- [Vcc Exec] <- [F16 F16] => compare_exec(cmp_true) Keep Valu, exchanged(V_CMPX_TRU_F16_VCC);
    /// VCC[lane] = EXEC[lane] = nothing: false.
    V_CMPX_F_I16_VCC "v_cmpx_f_i16_vcc" (9:"v_cmpx_f_i16") 9:0xb0 10:- [Vcc Exec] <- [I16 I16] => compare_exec(cmp_false) Keep Valu, exchanged(V_CMPX_F_I16_VCC);
    /// VCC[lane] = EXEC[lane] = S0 < S1.
    V_CMPX_LT_I16_VCC "v_cmpx_lt_i16_vcc" (9:"v_cmpx_lt_i16") 9:0xb1 10:- [Vcc Exec] <- [I16 I16] => compare_exec(lt_i16) Keep Valu, exchanged(V_CMPX_GT_I16_VCC);
    /// VCC[lane] = EXEC[lane] = S0 = S1.
    V_CMPX_EQ_I16_VCC "v_cmpx_eq_i16_vcc" (9:"v_cmpx_eq_i16") 9:0xb2 10:- [Vcc Exec] <- [I16 I16] => compare_exec(eq_i16) Keep Valu, exchanged(V_CMPX_EQ_I16_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≤ S1.
    V_CMPX_LE_I16_VCC "v_cmpx_le_i16_vcc" (9:"v_cmpx_le_i16") 9:0xb3 10:- [Vcc Exec] <- [I16 I16] => compare_exec(le_i16) Keep Valu, exchanged(V_CMPX_GE_I16_VCC);
    /// VCC[lane] = EXEC[lane] = S0 > S1.
    V_CMPX_GT_I16_VCC "v_cmpx_gt_i16_vcc" (9:"v_cmpx_gt_i16") 9:0xb4 10:- [Vcc Exec] <- [I16 I16] => compare_exec(gt_i16) Keep Valu, exchanged(V_CMPX_LT_I16_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≠ S1.
    V_CMPX_NE_I16_VCC "v_cmpx_ne_i16_vcc" (9:"v_cmpx_ne_i16") 9:0xb5 10:- [Vcc Exec] <- [I16 I16] => compare_exec(ne_i16) Keep Valu, exchanged(V_CMPX_NE_I16_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≥ S1.
    V_CMPX_GE_I16_VCC "v_cmpx_ge_i16_vcc" (9:"v_cmpx_ge_i16") 9:0xb6 10:- [Vcc Exec] <- [I16 I16] => compare_exec(ge_i16) Keep Valu, exchanged(V_CMPX_LE_I16_VCC);
    /// VCC[lane] = EXEC[lane] = anything: true.
    V_CMPX_T_I16_VCC "v_cmpx_t_i16_vcc" (9:"v_cmpx_t_i16") 9:0xb7 10:- [Vcc Exec] <- [I16 I16] => compare_exec(cmp_true) Keep Valu, exchanged(V_CMPX_T_I16_VCC);
    /// VCC[lane] = EXEC[lane] = nothing: false.
    V_CMPX_F_U16_VCC "v_cmpx_f_u16_vcc" (9:"v_cmpx_f_u16") 9:0xb8 10:- [Vcc Exec] <- [U16 U16] => compare_exec(cmp_false) Keep Valu, exchanged(V_CMPX_F_U16_VCC);
    /// VCC[lane] = EXEC[lane] = S0 < S1.
    V_CMPX_LT_U16_VCC "v_cmpx_lt_u16_vcc" (9:"v_cmpx_lt_u16") 9:0xb9 10:- [Vcc Exec] <- [U16 U16] => compare_exec(lt_u16) Keep Valu, exchanged(V_CMPX_GT_U16_VCC);
    /// VCC[lane] = EXEC[lane] = S0 = S1.
    V_CMPX_EQ_U16_VCC "v_cmpx_eq_u16_vcc" (9:"v_cmpx_eq_u16") 9:0xba 10:- [Vcc Exec] <- [U16 U16] => compare_exec(eq_u16) Keep Valu, exchanged(V_CMPX_EQ_U16_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≤ S1.
    V_CMPX_LE_U16_VCC "v_cmpx_le_u16_vcc" (9:"v_cmpx_le_u16") 9:0xbb 10:- [Vcc Exec] <- [U16 U16] => compare_exec(le_u16) Keep Valu, exchanged(V_CMPX_GE_U16_VCC);
    /// VCC[lane] = EXEC[lane] = S0 > S1.
    V_CMPX_GT_U16_VCC "v_cmpx_gt_u16_vcc" (9:"v_cmpx_gt_u16") 9:0xbc 10:- [Vcc Exec] <- [U16 U16] => compare_exec(gt_u16) Keep Valu, exchanged(V_CMPX_LT_U16_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≠ S1.
    V_CMPX_NE_U16_VCC "v_cmpx_ne_u16_vcc" (9:"v_cmpx_ne_u16") 9:0xbd 10:- [Vcc Exec] <- [U16 U16] => compare_exec(ne_u16) Keep Valu, exchanged(V_CMPX_NE_U16_VCC);
    /// VCC[lane] = EXEC[lane] = S0 ≥ S1.
    V_CMPX_GE_U16_VCC "v_cmpx_ge_u16_vcc" (9:"v_cmpx_ge_u16") 9:0xbe 10:- [Vcc Exec] <- [U16 U16] => compare_exec(ge_u16) Keep Valu, exchanged(V_CMPX_LE_U16_VCC);
    /// VCC[lane] = EXEC[lane] = anything: true.
    V_CMPX_T_U16_VCC "v_cmpx_t_u16_vcc" (9:"v_cmpx_t_u16") 9:0xbf 10:- [Vcc Exec] <- [U16 U16] => compare_exec(cmp_true) Keep Valu, exchanged(V_CMPX_T_U16_VCC);
    /// VCC[lane] = nothing: false; signals on a quiet NaN too.
    V_CMPS_F_F32 "v_cmps_f_f32" 6:0x40 9:- [Vcc] <- [F32 F32] => compare(cmp_false) Keep Valu, exchanged(V_CMPS_F_F32);
    /// VCC[lane] = S0 < S1; signals on a quiet NaN too.
    V_CMPS_LT_F32 "v_cmps_lt_f32" 6:0x41 9:- [Vcc] <- [F32 F32] => compare(lt_f32) Keep Valu, exchanged(V_CMPS_GT_F32);
    /// VCC[lane] = S0 = S1; signals on a quiet NaN too.
    V_CMPS_EQ_F32 "v_cmps_eq_f32" 6:0x42 9:- [Vcc] <- [F32 F32] => compare(eq_f32) Keep Valu, exchanged(V_CMPS_EQ_F32);
    /// VCC[lane] = S0 ≤ S1; signals on a quiet NaN too.
    V_CMPS_LE_F32 "v_cmps_le_f32" 6:0x43 9:- [Vcc] <- [F32 F32] => compare(le_f32) Keep Valu, exchanged(V_CMPS_GE_F32);
    /// VCC[lane] = S0 > S1; signals on a quiet NaN too.
    V_CMPS_GT_F32 "v_cmps_gt_f32" 6:0x44 9:- [Vcc] <- [F32 F32] => compare(gt_f32) Keep Valu, exchanged(V_CMPS_LT_F32);
    /// VCC[lane] = S0 < S1 or S0 > S1; signals on a quiet NaN too.
    V_CMPS_LG_F32 "v_cmps_lg_f32" 6:0x45 9:- [Vcc] <- [F32 F32] => compare(lg_f32) Keep Valu, exchanged(V_CMPS_LG_F32);
    /// VCC[lane] = S0 ≥ S1; signals on a quiet NaN too.
    V_CMPS_GE_F32 "v_cmps_ge_f32" 6:0x46 9:- [Vcc] <- [F32 F32] => compare(ge_f32) Keep Valu, exchanged(V_CMPS_LE_F32);
    /// VCC[lane] = neither is NaN; signals on a quiet NaN too.
    V_CMPS_O_F32 "v_cmps_o_f32" 6:0x47 9:- [Vcc] <- [F32 F32] => compare(o_f32) Keep Valu, exchanged(V_CMPS_O_F32);
    /// VCC[lane] = either is NaN; signals on a quiet NaN too.
    V_CMPS_U_F32 "v_cmps_u_f32" 6:0x48 9:- [Vcc] <- [F32 F32] => compare(u_f32) Keep Valu, exchanged(V_CMPS_U_F32);
    /// VCC[lane] = not S0 ≥ S1; signals on a quiet NaN too.
    V_CMPS_NGE_F32 "v_cmps_nge_f32" 6:0x49 9:- [Vcc] <- [F32 F32] => compare(nge_f32) Keep Valu, exchanged(V_CMPS_NLE_F32);
    /// VCC[lane] = not (S0 < S1 or S0 > S1); signals on a quiet NaN too.
    V_CMPS_NLG_F32 "v_cmps_nlg_f32" 6:0x4a 9:- [Vcc] <- [F32 F32] => compare(nlg_f32) Keep Valu, exchanged(V_CMPS_NLG_F32);
    /// VCC[lane] = not S0 > S1; signals on a quiet NaN too.
    V_CMPS_NGT_F32 "v_cmps_ngt_f32" 6:0x4b 9:- [Vcc] <- [F32 F32] => compare(ngt_f32) Keep Valu, exchanged(V_CMPS_NLT_F32);
    /// VCC[lane] = not S0 ≤ S1; signals on a quiet NaN too.
    V_CMPS_NLE_F32 "v_cmps_nle_f32" 6:0x4c 9:- [Vcc] <- [F32 F32] => compare(nle_f32) Keep Valu, exchanged(V_CMPS_NGE_F32);
    /// VCC[lane] = not S0 = S1; signals on a quiet NaN too.
    V_CMPS_NEQ_F32 "v_cmps_neq_f32" 6:0x4d 9:- [Vcc] <- [F32 F32] => compare(neq_f32) Keep Valu, exchanged(V_CMPS_NEQ_F32);
    /// VCC[lane] = not S0 < S1; signals on a quiet NaN too.
    V_CMPS_NLT_F32 "v_cmps_nlt_f32" 6:0x4e 9:- [Vcc] <- [F32 F32] => compare(nlt_f32) Keep Valu, exchanged(V_CMPS_NGT_F32);
    /// VCC[lane] = anything: true; signals on a quiet NaN too.
    V_CMPS_TRU_F32 "v_cmps_tru_f32" 6:0x4f 9:- [Vcc] <- [F32 F32] => compare(cmp_true) Keep Valu, exchanged(V_CMPS_TRU_F32);
    /// VCC[lane] = nothing: false; signals on a quiet NaN too.
    V_CMPS_F_F64 "v_cmps_f_f64" 6:0x60 9:- [Vcc] <- [F64 F64] => compare(cmp_false) Keep Double, exchanged(V_CMPS_F_F64);
    /// VCC[lane] = S0 < S1; signals on a quiet NaN too.
    V_CMPS_LT_F64 "v_cmps_lt_f64" 6:0x61 9:- [Vcc] <- [F64 F64] => compare(lt_f64) Keep Double, exchanged(V_CMPS_GT_F64);
    /// VCC[lane] = S0 = S1; signals on a quiet NaN too.
    V_CMPS_EQ_F64 "v_cmps_eq_f64" 6:0x62 9:- [Vcc] <- [F64 F64] => compare(eq_f64) Keep Double, exchanged(V_CMPS_EQ_F64);
    /// VCC[lane] = S0 ≤ S1; signals on a quiet NaN too.
    V_CMPS_LE_F64 "v_cmps_le_f64" 6:0x63 9:- [Vcc] <- [F64 F64] => compare(le_f64) Keep Double, exchanged(V_CMPS_GE_F64);
    /// VCC[lane] = S0 > S1; signals on a quiet NaN too.
    V_CMPS_GT_F64 "v_cmps_gt_f64" 6:0x64 9:- [Vcc] <- [F64 F64] => compare(gt_f64) Keep Double, exchanged(V_CMPS_LT_F64);
    /// VCC[lane] = S0 < S1 or S0 > S1; signals on a quiet NaN too.
    V_CMPS_LG_F64 "v_cmps_lg_f64" 6:0x65 9:- [Vcc] <- [F64 F64] => compare(lg_f64) Keep Double, exchanged(V_CMPS_LG_F64);
    /// VCC[lane] = S0 ≥ S1; signals on a quiet NaN too.
    V_CMPS_GE_F64 "v_cmps_ge_f64" 6:0x66 9:- [Vcc] <- [F64 F64] => compare(ge_f64) Keep Double, exchanged(V_CMPS_LE_F64);
    /// VCC[lane] = neither is NaN; signals on a quiet NaN too.
    V_CMPS_O_F64 "v_cmps_o_f64" 6:0x67 9:- [Vcc] <- [F64 F64] => compare(o_f64) Keep Double, exchanged(V_CMPS_O_F64);
    /// VCC[lane] = either is NaN; signals on a quiet NaN too.
    V_CMPS_U_F64 "v_cmps_u_f64" 6:0x68 9:- [Vcc] <- [F64 F64] => compare(u_f64) Keep Double, exchanged(V_CMPS_U_F64);
    /// VCC[lane] = not S0 ≥ S1; signals on a quiet NaN too.
    V_CMPS_NGE_F64 "v_cmps_nge_f64" 6:0x69 9:- [Vcc] <- [F64 F64] => compare(nge_f64) Keep Double, exchanged(V_CMPS_NLE_F64);
    /// VCC[lane] = not (S0 < S1 or S0 > S1); signals on a quiet NaN too.
    V_CMPS_NLG_F64 "v_cmps_nlg_f64" 6:0x6a 9:- [Vcc] <- [F64 F64] => compare(nlg_f64) Keep Double, exchanged(V_CMPS_NLG_F64);
    /// VCC[lane] = not S0 > S1; signals on a quiet NaN too.
    V_CMPS_NGT_F64 "v_cmps_ngt_f64" 6:0x6b 9:- [Vcc] <- [F64 F64] => compare(ngt_f64) Keep Double, exchanged(V_CMPS_NLT_F64);
    /// VCC[lane] = not S0 ≤ S1; signals on a quiet NaN too.
    V_CMPS_NLE_F64 "v_cmps_nle_f64" 6:0x6c 9:- [Vcc] <- [F64 F64] => compare(nle_f64) Keep Double, exchanged(V_CMPS_NGE_F64);
    /// VCC[lane] = not S0 = S1; signals on a quiet NaN too.
    V_CMPS_NEQ_F64 "v_cmps_neq_f64" 6:0x6d 9:- [Vcc] <- [F64 F64] => compare(neq_f64) Keep Double, exchanged(V_CMPS_NEQ_F64);
    /// VCC[lane] = not S0 < S1; signals on a quiet NaN too.
    V_CMPS_NLT_F64 "v_cmps_nlt_f64" 6:0x6e 9:- [Vcc] <- [F64 F64] => compare(nlt_f64) Keep Double, exchanged(V_CMPS_NGT_F64);
    /// VCC[lane] = anything: true; signals on a quiet NaN too.
    V_CMPS_TRU_F64 "v_cmps_tru_f64" 6:0x6f 9:- [Vcc] <- [F64 F64] => compare(cmp_true) Keep Double, exchanged(V_CMPS_TRU_F64);
    /// VCC[lane] = EXEC[lane] = nothing: false; signals on a quiet NaN too.
    V_CMPSX_F_F32 "v_cmpsx_f_f32" 6:0x50 9:- [Vcc Exec] <- [F32 F32] => compare_exec(cmp_false) Keep Valu, exchanged(V_CMPSX_F_F32);
    /// VCC[lane] = EXEC[lane] = S0 < S1; signals on a quiet NaN too.
    V_CMPSX_LT_F32 "v_cmpsx_lt_f32" 6:0x51 9:- [Vcc Exec] <- [F32 F32] => compare_exec(lt_f32) Keep Valu, exchanged(V_CMPSX_GT_F32);
    /// VCC[lane] = EXEC[lane] = S0 = S1; signals on a quiet NaN too.
    V_CMPSX_EQ_F32 "v_cmpsx_eq_f32" 6:0x52 9:- [Vcc Exec] <- [F32 F32] => compare_exec(eq_f32) Keep Valu, exchanged(V_CMPSX_EQ_F32);
    /// VCC[lane] = EXEC[lane] = S0 ≤ S1; signals on a quiet NaN too.
    V_CMPSX_LE_F32 "v_cmpsx_le_f32" 6:0x53 9:- [Vcc Exec] <- [F32 F32] => compare_exec(le_f32) Keep Valu, exchanged(V_CMPSX_GE_F32);
    /// VCC[lane] = EXEC[lane] = S0 > S1; signals on a quiet NaN too.
    V_CMPSX_GT_F32 "v_cmpsx_gt_f32" 6:0x54 9:- [Vcc Exec] <- [F32 F32] => compare_exec(gt_f32) Keep Valu, exchanged(V_CMPSX_LT_F32);
    /// VCC[lane] = EXEC[lane] = S0 < S1 or S0 > S1; signals on a quiet NaN too.
    V_CMPSX_LG_F32 "v_cmpsx_lg_f32" 6:0x55 9:- [Vcc Exec] <- [F32 F32] => compare_exec(lg_f32) Keep Valu, exchanged(V_CMPSX_LG_F32);
    /// VCC[lane] = EXEC[lane] = S0 ≥ S1; signals on a quiet NaN too.
    V_CMPSX_GE_F32 "v_cmpsx_ge_f32" 6:0x56 9:- [Vcc Exec] <- [F32 F32] => compare_exec(ge_f32) Keep Valu, exchanged(V_CMPSX_LE_F32);
    /// VCC[lane] = EXEC[lane] = neither is NaN; signals on a quiet NaN too.
    V_CMPSX_O_F32 "v_cmpsx_o_f32" 6:0x57 9:- [Vcc Exec] <- [F32 F32] => compare_exec(o_f32) Keep Valu, exchanged(V_CMPSX_O_F32);
    /// VCC[lane] = EXEC[lane] = either is NaN; signals on a quiet NaN too.
    V_CMPSX_U_F32 "v_cmpsx_u_f32" 6:0x58 9:- [Vcc Exec] <- [F32 F32] => compare_exec(u_f32) Keep Valu, exchanged(V_CMPSX_U_F32);
    /// VCC[lane] = EXEC[lane] = not S0 ≥ S1; signals on a quiet NaN too.
    V_CMPSX_NGE_F32 "v_cmpsx_nge_f32" 6:0x59 9:- [Vcc Exec] <- [F32 F32] => compare_exec(nge_f32) Keep Valu, exchanged(V_CMPSX_NLE_F32);
    /// VCC[lane] = EXEC[lane] = not (S0 < S1 or S0 > S1); signals on a quiet NaN too.
    V_CMPSX_NLG_F32 "v_cmpsx_nlg_f32" 6:0x5a 9:- [Vcc Exec] <- [F32 F32] => compare_exec(nlg_f32) Keep Valu, exchanged(V_CMPSX_NLG_F32);
    /// VCC[lane] = EXEC[lane] = not S0 > S1; signals on a quiet NaN too.
    V_CMPSX_NGT_F32 "v_cmpsx_ngt_f32" 6:0x5b 9:- [Vcc Exec] <- [F32 F32] => compare_exec(ngt_f32) Keep Valu, exchanged(V_CMPSX_NLT_F32);
    /// VCC[lane] = EXEC[lane] = not S0 ≤ S1; signals on a quiet NaN too.
    V_CMPSX_NLE_F32 "v_cmpsx_nle_f32" 6:0x5c 9:- [Vcc Exec] <- [F32 F32] => compare_exec(nle_f32) Keep Valu, exchanged(V_CMPSX_NGE_F32);
    /// VCC[lane] = EXEC[lane] = not S0 = S1; signals on a quiet NaN too.
    V_CMPSX_NEQ_F32 "v_cmpsx_neq_f32" 6:0x5d 9:- [Vcc Exec] <- [F32 F32] => compare_exec(neq_f32) Keep Valu, exchanged(V_CMPSX_NEQ_F32);
    /// VCC[lane] = EXEC[lane] = not S0 < S1; signals on a quiet NaN too.
    V_CMPSX_NLT_F32 "v_cmpsx_nlt_f32" 6:0x5e 9:- [Vcc Exec] <- [F32 F32] => compare_exec(nlt_f32) Keep Valu, exchanged(V_CMPSX_NGT_F32);
    /// VCC[lane] = EXEC[lane] = anything: true; signals on a quiet NaN too.
    V_CMPSX_TRU_F32 "v_cmpsx_tru_f32" 6:0x5f 9:- [Vcc Exec] <- [F32 F32] => compare_exec(cmp_true) Keep Valu, exchanged(V_CMPSX_TRU_F32);
    /// VCC[lane] = EXEC[lane] = nothing: false; signals on a quiet NaN too.
    V_CMPSX_F_F64 "v_cmpsx_f_f64" 6:0x70 9:- [Vcc Exec] <- [F64 F64] => compare_exec(cmp_false) Keep Double, exchanged(V_CMPSX_F_F64);
    /// VCC[lane] = EXEC[lane] = S0 < S1; signals on a quiet NaN too.
    V_CMPSX_LT_F64 "v_cmpsx_lt_f64" 6:0x71 9:- [Vcc Exec] <- [F64 F64] => compare_exec(lt_f64) Keep Double, exchanged(V_CMPSX_GT_F64);
    /// VCC[lane] = EXEC[lane] = S0 = S1; signals on a quiet NaN too.
    V_CMPSX_EQ_F64 "v_cmpsx_eq_f64" 6:0x72 9:- [Vcc Exec] <- [F64 F64] => compare_exec(eq_f64) Keep Double, exchanged(V_CMPSX_EQ_F64);
    /// VCC[lane] = EXEC[lane] = S0 ≤ S1; signals on a quiet NaN too.
    V_CMPSX_LE_F64 "v_cmpsx_le_f64" 6:0x73 9:- [Vcc Exec] <- [F64 F64] => compare_exec(le_f64) Keep Double, exchanged(V_CMPSX_GE_F64);
    /// VCC[lane] = EXEC[lane] = S0 > S1; signals on a quiet NaN too.
    V_CMPSX_GT_F64 "v_cmpsx_gt_f64" 6:0x74 9:- [Vcc Exec] <- [F64 F64] => compare_exec(gt_f64) Keep Double, exchanged(V_CMPSX_LT_F64);
    /// VCC[lane] = EXEC[lane] = S0 < S1 or S0 > S1; signals on a quiet NaN too.
    V_CMPSX_LG_F64 "v_cmpsx_lg_f64" 6:0x75 9:- [Vcc Exec] <- [F64 F64] => compare_exec(lg_f64) Keep Double, exchanged(V_CMPSX_LG_F64);
    /// VCC[lane] = EXEC[lane] = S0 ≥ S1; signals on a quiet NaN too.
    V_CMPSX_GE_F64 "v_cmpsx_ge_f64" 6:0x76 9:- [Vcc Exec] <- [F64 F64] => compare_exec(ge_f64) Keep Double, exchanged(V_CMPSX_LE_F64);
    /// VCC[lane] = EXEC[lane] = neither is NaN; signals on a quiet NaN too.
    V_CMPSX_O_F64 "v_cmpsx_o_f64" 6:0x77 9:- [Vcc Exec] <- [F64 F64] => compare_exec(o_f64) Keep Double, exchanged(V_CMPSX_O_F64);
    /// VCC[lane] = EXEC[lane] = either is NaN; signals on a quiet NaN too.
    V_CMPSX_U_F64 "v_cmpsx_u_f64" 6:0x78 9:- [Vcc Exec] <- [F64 F64] => compare_exec(u_f64) Keep Double, exchanged(V_CMPSX_U_F64);
    /// VCC[lane] = EXEC[lane] = not S0 ≥ S1; signals on a quiet NaN too.
    V_CMPSX_NGE_F64 "v_cmpsx_nge_f64" 6:0x79 9:- [Vcc Exec] <- [F64 F64] => compare_exec(nge_f64) Keep Double, exchanged(V_CMPSX_NLE_F64);
    /// VCC[lane] = EXEC[lane] = not (S0 < S1 or S0 > S1); signals on a quiet NaN too.
    V_CMPSX_NLG_F64 "v_cmpsx_nlg_f64" 6:0x7a 9:- [Vcc Exec] <- [F64 F64] => compare_exec(nlg_f64) Keep Double, exchanged(V_CMPSX_NLG_F64);
    /// VCC[lane] = EXEC[lane] = not S0 > S1; signals on a quiet NaN too.
    V_CMPSX_NGT_F64 "v_cmpsx_ngt_f64" 6:0x7b 9:- [Vcc Exec] <- [F64 F64] => compare_exec(ngt_f64) Keep Double, exchanged(V_CMPSX_NLT_F64);
    /// VCC[lane] = EXEC[lane] = not S0 ≤ S1; signals on a quiet NaN too.
    V_CMPSX_NLE_F64 "v_cmpsx_nle_f64" 6:0x7c 9:- [Vcc Exec] <- [F64 F64] => compare_exec(nle_f64) Keep Double, exchanged(V_CMPSX_NGE_F64);
    /// VCC[lane] = EXEC[lane] = not S0 = S1; signals on a quiet NaN too.
    V_CMPSX_NEQ_F64 "v_cmpsx_neq_f64" 6:0x7d 9:- [Vcc Exec] <- [F64 F64] => compare_exec(neq_f64) Keep Double, exchanged(V_CMPSX_NEQ_F64);
    /// VCC[lane] = EXEC[lane] = not S0 < S1; signals on a quiet NaN too.
    V_CMPSX_NLT_F64 "v_cmpsx_nlt_f64" 6:0x7e 9:- [Vcc Exec] <- [F64 F64] => compare_exec(nlt_f64) Keep Double, exchanged(V_CMPSX_NGT_F64);
    /// VCC[lane] = EXEC[lane] = anything: true; signals on a quiet NaN too.
    V_CMPSX_TRU_F64 "v_cmpsx_tru_f64" 6:0x7f 9:- [Vcc Exec] <- [F64 F64] => compare_exec(cmp_true) Keep Double, exchanged(V_CMPSX_TRU_F64);
}
