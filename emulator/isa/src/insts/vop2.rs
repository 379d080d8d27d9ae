//! VOP2: vector, two sources, and their VOP3 forms.

super::insts! { Vop2 from crate::insts::sop2::NEXT;
    /// D = S0 + S1, one rounding.
    V_ADD_F32 "v_add_f32" 0x03 [F32] <- [F32 F32] => lane(add_f32) Keep Valu;
    /// D = S0 + S1 + VCC, VCC = carry out.
    V_ADD_CO_CI_U32 "v_add_co_ci_u32" 0x28 [U32 Vcc] <- [U32 U32 Vcc] => carry(addc_u32) Keep Valu;
}
