//! EXP: export of a pixel's colours, a vertex's position or parameters.

super::insts! { Exp from crate::insts::vintrp::NEXT;
    /// Target = S0, S1, S2, S3, of which the enabled ones; two 16-bit pairs in S0 and S1 if compressed.
    EXP "exp" (12:"export") 6:0x00 [] <- [B32 B32 B32 B32] => control(GraphicsOnly) Keep Export;
}
