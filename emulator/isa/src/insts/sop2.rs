//! SOP2: scalar, two sources.

super::insts! { Sop2 from 0;
    /// D = S0 + S1, SCC = carry out.
    S_ADD_U32 "s_add_u32" 0x00 [U32 Scc] <- [U32 U32] => carry(addc_u32) Body Salu;
}
