//! VOP1 rows that RDNA has no more.

super::insts! { Vop1 from crate::insts::vop2_gcn::NEXT;
    /// D = log2(S0), −∞ held at the least finite value.
    V_LOG_CLAMP_F32 "v_log_clamp_f32" 6:0x26 9:- [F32] <- [F32] => lane(log_clamp_f32) Keep Trans;
    /// D = 1 / S0, infinities held at the greatest finite values.
    V_RCP_CLAMP_F32 "v_rcp_clamp_f32" 6:0x28 9:- [F32] <- [F32] => lane(rcp_clamp_f32) Keep Trans;
    /// D = 1 / S0, infinities made zero.
    V_RCP_LEGACY_F32 "v_rcp_legacy_f32" 6:0x29 9:- [F32] <- [F32] => lane(rcp_legacy_f32) Keep Trans;
    /// D = 1 / √S0, infinities held at the greatest finite values.
    V_RSQ_CLAMP_F32 "v_rsq_clamp_f32" 6:0x2c 9:- [F32] <- [F32] => lane(rsq_clamp_f32) Keep Trans;
    /// D = 1 / √S0, infinities made zero.
    V_RSQ_LEGACY_F32 "v_rsq_legacy_f32" 6:0x2d 9:- [F32] <- [F32] => lane(rsq_legacy_f32) Keep Trans;
    /// D = 1 / S0, infinities held at the greatest finite values.
    V_RCP_CLAMP_F64 "v_rcp_clamp_f64" 6:0x30 9:- [F64] <- [F64] => wide(rcp_clamp_f64) Keep Trans;
    /// D = 1 / √S0, infinities held at the greatest finite values.
    V_RSQ_CLAMP_F64 "v_rsq_clamp_f64" 6:0x32 9:- [F64] <- [F64] => wide(rsq_clamp_f64) Keep Trans;
    /// D = log2(S0), as GCN 1 computed it.
    V_LOG_LEGACY_F32 "v_log_legacy_f32" 7:0x45 9:0x4c 10:- [F32] <- [F32] => lane(log_f32) Keep Trans;
    /// D = 2 ^ S0, as GCN 1 computed it.
    V_EXP_LEGACY_F32 "v_exp_legacy_f32" 7:0x46 9:0x4b 10:- [F32] <- [F32] => lane(exp_f32) Keep Trans;
    /// D = which of four shader engines shades a screen position.
    V_SCREEN_PARTITION_4SE_B32 "v_screen_partition_4se_b32" 9:0x37 10:- [B32] <- [B32] => lane(screen_partition_4se) Keep Valu;
}
