//! LDSDIR, later VDSDIR: loads from LDS at M0, of a parameter of each primitive or of one dword for all lanes.

super::insts! { LdsDir from crate::insts::vop3_gcn::NEXT;
    /// D = a parameter of the lane's primitive.
    LDS_PARAM_LOAD "lds_param_load" (12:"ds_param_load") 11:0x00 [B32] <- [M0] => control(GraphicsOnly) Keep Lds;
    /// D = the dword, or part of one, at M0.
    LDS_DIRECT_LOAD "lds_direct_load" (12:"ds_direct_load") 11:0x01 [B32] <- [M0] => todo() Keep Lds;
}
