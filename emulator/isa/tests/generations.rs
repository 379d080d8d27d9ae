//! Generations row by row, and beside llvm-mc: what the corpora do not have.

use crate::common::{self, Rng, llvm};
use wavepipe_isa::instr::Instr;
use wavepipe_isa::row::Format;
use wavepipe_isa::sample::{FORMS, sample};
use wavepipe_isa::{Gen, Op, asm, decode, disasm, encode};

/// A plain instruction of every row and form.
fn samples(generation: Gen) -> impl Iterator<Item = Instr> {
    let forms =
        move |op: Op| FORMS.into_iter().filter(move |&form| op.supports(form, generation)).map(move |f| (op, f));
    Op::of(generation).flat_map(forms).map(move |(op, form)| {
        sample(op, form, generation).unwrap_or_else(|| panic!("no {form:?} sample of {op:?} on {}", generation.name()))
    })
}

/// Wave sizes in which a generation runs an instruction.
fn waves(instr: &Instr, generation: Gen) -> &'static [u32] {
    match generation.caps().wave32 {
        false => &[64],
        true if instr.op.row().format == Format::Vopd => &[32],
        true => &[32, 64],
    }
}

fn words(instr: &Instr, generation: Gen) -> Vec<u32> {
    let mut words = Vec::new();
    encode::encode(instr, generation, &mut words).unwrap_or_else(|e| panic!("{instr:?}: {e}"));
    words
}

#[test]
fn every_row_and_form_both_ways() {
    for generation in Gen::ALL {
        let mut n = 0;
        for instr in samples(generation) {
            n += 1;
            let words = words(&instr, generation);
            assert_eq!(decode::decode(&words, generation), Ok((instr, words.len())), "{instr:?}");
            for &lanes in waves(&instr, generation) {
                let text = disasm::text(&instr, generation, lanes);
                assert_eq!(asm::parse_line(&text, generation, lanes), Ok(instr), "{text}");
            }
        }
        assert!(n > 1_100, "{n} rows and forms of {}", generation.name());
    }
}

/// Bits of plain instructions changed at random: what decodes, llvm-mc assembles to the same bytes. What it refuses are
/// modifiers that the encodings have and it does not, few in number.
#[test]
fn llvm_assembles_what_is_printed() {
    let Some(tool) = llvm::llvm_mc() else { return };
    for (generation, lanes) in Gen::ALL.into_iter().flat_map(|g| [(g, 32), (g, 64)]) {
        if lanes == 32 && !generation.caps().wave32 {
            continue;
        }
        let mut rng = Rng(u64::from(lanes) + generation as u64);
        let (mut lines, mut bytes) = (Vec::new(), Vec::new());
        for instr in samples(generation).filter(|instr| waves(instr, generation).contains(&lanes)) {
            let plain = words(&instr, generation);
            for _ in 0..6 {
                let mut words = plain.clone();
                for _ in 0..1 + rng.below(3) {
                    let bit = rng.below(32 * words.len() as u32);
                    words[bit as usize / 32] ^= 1 << (bit % 32);
                }
                words.push(rng.below(u32::MAX));
                let Ok((instr, size)) = decode::decode(&words, generation) else { continue };
                let text = disasm::text(&instr, generation, lanes);
                // In wave64 some masks have no name.
                let Ok(parsed) = asm::parse_line(&text, generation, lanes) else { continue };
                // A literal of 16 bits leaves the upper ones out of the text.
                if Ok(&parsed) == decode::decode(&words[..size], generation).as_ref().map(|(instr, _)| instr) {
                    lines.push(text);
                    bytes.push(common::hex(&words[..size]));
                }
            }
        }
        let mut refused = Vec::new();
        for ((line, bytes), made) in lines.iter().zip(&bytes).zip(llvm::llvm_lines_on(&tool, generation, lanes, &lines))
        {
            match made {
                Ok(made) => assert_eq!(made, *bytes, "{} wave{lanes}: {line}", generation.name()),
                Err(why) => refused.push((line, why)),
            }
        }
        println!("{} wave{lanes}: {} lines, {} refused", generation.name(), lines.len(), refused.len());
        refused.iter().take(3).for_each(|(line, why)| println!("    {line}: {why}"));
        assert!(lines.len() > 3_000, "{} lines", lines.len());
        assert!(refused.len() * 40 < lines.len(), "llvm-mc refuses {} of {}", refused.len(), lines.len());
    }
}

/// Lines that no assembler may take, ours and llvm-mc.
#[test]
fn what_is_refused() {
    use Gen::{Gfx1100 as Rdna3, Gfx1150 as Rdna35, Gfx1201 as Rdna4};
    let lines = [
        // Pairs: banks, destinations, the constant bus, literals, halves that are no first ones, wave64.
        (Rdna3, 32, "v_dual_add_f32 v0, v4, v1 :: v_dual_mul_f32 v1, v8, v2"),
        (Rdna3, 32, "v_dual_add_f32 v0, v4, v1 :: v_dual_mul_f32 v1, v3, v5"),
        (Rdna3, 32, "v_dual_fmac_f32 v0, v4, v1 :: v_dual_fmac_f32 v2, v3, v6"),
        (Rdna3, 32, "v_dual_add_f32 v0, s0, v1 :: v_dual_fmaak_f32 v1, s1, v2, 0x123456"),
        (Rdna3, 32, "v_dual_add_f32 v0, s0, v1 :: v_dual_cndmask_b32 v1, s1, v2"),
        (Rdna3, 32, "v_dual_add_f32 v0, 0x123456, v1 :: v_dual_add_f32 v1, 0x123457, v2"),
        (Rdna3, 32, "v_dual_add_nc_u32 v0, v4, v1 :: v_dual_mul_f32 v1, v5, v2"),
        (Rdna3, 32, "v_dual_mov_b32 v0, v4 :: v_dual_mov_b32 v1, v8"),
        (Rdna3, 64, "v_dual_add_f32 v0, v4, v1 :: v_dual_mul_f32 v1, v5, v2"),
        (Rdna4, 32, "v_dual_dot2acc_f32_f16 v0, v4, v1 :: v_dual_mul_f32 v1, v5, v2"),
        // Halves end at v127 in short encodings.
        (Rdna3, 32, "v_add_f16_e32 v128, v1, v2"),
        (Rdna3, 32, "v_cvt_f32_f16_e32 v1, v200"),
        (Rdna3, 32, "v_sat_pk_u8_i16_e32 v200, v1"),
        (Rdna3, 32, "v_cmp_class_f16_e32 vcc_lo, v1, v200"),
        (Rdna3, 32, "v_add_f16_dpp v200, v1, v2 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf"),
        (Rdna3, 32, "v_mov_b16_e32 v128.l, v1.h"),
        // Lane permutation: what it cannot have, and scalars as second source from RDNA 3.5 on.
        (Rdna3, 32, "v_mul_lo_u32_e64_dpp v0, v1, v2 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf"),
        (Rdna3, 32, "v_pk_add_f16_e64_dpp v0, v1, v2 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf"),
        (Rdna3, 32, "v_min_f32_e64_dpp v0, v1, s2 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf"),
        (Rdna35, 32, "v_min_f32_e64_dpp v0, v1, 0x1234567 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf"),
        (Rdna35, 32, "v_min_f32_e64_dpp v0, s1, v2 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf"),
        // Products of matrices: widths by the wave, sources, modifiers, index.
        (Rdna3, 64, "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]"),
        (Rdna3, 32, "v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[16:19], v[0:7]"),
        (Rdna4, 32, "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]"),
        (Rdna4, 32, "v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[16:19], s[0:7]"),
        (Rdna4, 32, "v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[16:19], v[0:7] clamp"),
        (Rdna4, 32, "v_wmma_i32_16x16x16_iu8 v[0:7], v[8:9], v[16:17], v[0:7] neg_lo:[0,0,1]"),
        (Rdna4, 32, "v_wmma_f32_16x16x16_fp8_fp8 v[0:7], v[8:9], v[16:17], v[0:7] neg_lo:[1,0,0]"),
        (Rdna4, 32, "v_swmmac_i32_16x16x32_iu4 v[3:10], v0, v[1:2], v11 index_key:2"),
        (Rdna4, 32, "v_swmmac_i32_16x16x64_iu4 v[3:10], v[0:1], v[20:23], v11 index_key:1"),
        // What is gone, and what never was.
        (Rdna3, 32, "v_mov_b32 v0, src_vccz"),
        (Rdna3, 32, "v_mov_b32 v0, src_lds_direct"),
        (Rdna3, 32, "v_mov_b32_sdwa v0, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD"),
        (Rdna3, 32, "v_s_exp_f32 s0, s1"),
        (Rdna4, 32, "v_s_exp_f32 v0, s1"),
        (Rdna4, 32, "v_cmp_f_f32_e32 vcc_lo, v0, v1"),
        (Rdna4, 32, "v_fmac_dx9_zero_f32_e32 v0, v1, v2"),
        (Rdna4, 32, "v_dot4_f32_fp8_fp8 v0, v1, v2, v3 neg_lo:[1,0,0]"),
        (Rdna3, 32, "v_interp_p10_f32 v0, v1, v2, v3 op_sel:[1,0,0,0] wait_exp:0"),
        (Rdna3, 32, "v_interp_p10_f32 v0, v1, v2, v3 wait_exp:8"),
        // Caches are told by flags or by hints of the access that it is, and only where something goes through them.
        (Rdna4, 32, "buffer_load_b32 v0, off, s[0:3], null glc"),
        (Rdna3, 32, "buffer_load_b32 v0, off, s[0:3], null scope:SCOPE_DEV"),
        (Rdna4, 32, "global_load_b32 v0, v[0:1], off th:TH_STORE_NT"),
        (Rdna4, 32, "global_store_b32 v[0:1], v0, off th:TH_LOAD_NT"),
        (Rdna4, 32, "global_load_b32 v0, v[0:1], off th:TH_LOAD_LU scope:SCOPE_SYS"),
        (Rdna4, 32, "s_load_b32 s0, s[0:1], 0x0 th:TH_LOAD_NT_RT"),
        (Rdna4, 32, "s_prefetch_data s[0:1], 0x0, s0, 4 th:TH_LOAD_NT"),
        (Rdna4, 32, "image_bvh_intersect_ray v[4:7], [v9, v10, v[11:13], v[14:16]], s[4:7] a16 scope:SCOPE_DEV"),
        (Rdna4, 32, "ds_load_b32 v0, v1 scope:SCOPE_DEV"),
        // Offsets, addresses and data.
        (Rdna3, 32, "flat_load_b32 v0, v[0:1] offset:-1"),
        (Rdna4, 32, "buffer_load_b32 v0, off, s[0:3], null offset:8388608"),
        (Rdna4, 32, "buffer_load_b32 v0, off, s[0:3], 0"),
        (Rdna4, 32, "global_inv offset:4"),
        (Rdna3, 32, "buffer_load_lds_b32 v0, off, s[0:3], 0"),
        (Rdna3, 32, "buffer_load_lds_b32 off, s[0:3], 0 tfe"),
        (Rdna4, 32, "buffer_load_lds_b32 off, s[0:3], 0"),
        (Rdna3, 32, "s_buffer_load_b32 s0, s[0:3], -0x4"),
        (Rdna3, 32, "ds_bvh_stack_rtn_b32 v0, v1, v2, v[3:6] gds"),
        (Rdna3, 32, "ds_add_gs_reg_rtn v[0:1], v2"),
        (Rdna4, 32, "ds_add_u32 v0, v1 gds"),
        (Rdna3, 32, "tbuffer_load_format_x v0, off, s[0:3], 0 format:[BUF_FMT_10_11_11_UNORM]"),
        // Parts of image addresses.
        (Rdna4, 32, "image_load v0, v[1:2], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D"),
        (Rdna3, 32, "image_sample_d v0, [v1, v2, v3, v4, v5, v6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D"),
        (Rdna4, 32, "image_sample_b_cl v0, [v1, v2, v3, v[4:6]], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D"),
        (Rdna3, 32, "image_bvh_intersect_ray v[4:7], [v9, v10, v11, v12, v13, v14, v15, v16], s[4:7] a16"),
        // Barriers, messages, delays, exports, parameters.
        (Rdna4, 32, "s_barrier_signal s0"),
        (Rdna3, 32, "s_barrier_signal -1"),
        (Rdna4, 32, "s_barrier"),
        (Rdna3, 32, "s_sendmsg sendmsg(MSG_GS, GS_OP_CUT, 0)"),
        (Rdna3, 32, "s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_GET_SE_AID_ID)"),
        (Rdna3, 32, "s_delay_alu instid0(VALU_DEP_5)"),
        (Rdna4, 32, "s_waitcnt_vscnt null, 0x0"),
        (Rdna3, 32, "s_wait_loadcnt 0x0"),
        (Rdna3, 32, "s_getreg_b32 s0, hwreg(HW_REG_STATE_PRIV)"),
        (Rdna3, 32, "exp param0 v0, v0, v0, v0"),
        (Rdna3, 32, "exp mrt0 v0, v0, off, off compr"),
        (Rdna3, 32, "lds_param_load v0, attr0.x wait_vdst:16"),
        (Rdna3, 32, "lds_param_load v0, attr0.x wait_va_vdst:1"),
        (Rdna4, 32, "lds_direct_load v0 wait_vdst:1"),
        (Rdna3, 32, "s_add_f32 s0, s1, s2"),
    ];
    let tool = llvm::llvm_mc();
    for (generation, lanes, line) in lines {
        let name = generation.name();
        assert!(asm::assemble(line, generation, lanes).is_err(), "{name} wave{lanes} takes {line}");
        if let Some(tool) = &tool {
            let made = llvm::llvm_lines_on(tool, generation, lanes, &[line.to_string()]);
            assert!(made[0].is_err(), "llvm-mc takes {line} on {name} wave{lanes}: {made:?}");
        }
    }
}

/// Lines without suffixes take the shortest form that holds their operands, as llvm-mc has it.
#[test]
fn the_shortest_form() {
    use Gen::{Gfx1100 as Rdna3, Gfx1150 as Rdna35, Gfx1201 as Rdna4};
    let Some(tool) = llvm::llvm_mc() else { return };
    for (generation, lanes, line) in [
        (Rdna3, 32, "v_add_f16 v128, v1, v2"),
        (Rdna3, 32, "v_add_f16 v127, v1, v2"),
        (Rdna3, 32, "v_cmp_lt_f32 s5, v1, v2 row_shl:1 row_mask:0xf bank_mask:0xf"),
        (Rdna3, 32, "v_cmp_lt_f32 vcc_lo, v1, v2 dpp8:[7,6,5,4,3,2,1,0]"),
        (Rdna3, 32, "v_add_f32 v1, |v2|, v3 clamp row_shl:1 row_mask:0xf bank_mask:0xf"),
        (Rdna35, 32, "v_min_f32 v0, v1, s2 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf"),
        (Rdna4, 32, "v_dual_mov_b32 v0, v4 :: v_dual_mov_b32 v1, v8"),
        (Rdna4, 32, "v_add_f64 v[0:1], v[2:3], s[4:5]"),
        (Rdna4, 64, "v_swmmac_f32_16x16x32_f16 v[12:15], v[0:1], v[4:7], v20 index_key:3"),
        (Rdna3, 64, "v_wmma_f16_16x16x16_f16 v[0:3], v[8:15], v[16:23], 1.0 op_sel:[0,0,1]"),
    ] {
        let made = llvm::llvm_lines_on(&tool, generation, lanes, &[line.to_string()]);
        let ours = asm::assemble(line, generation, lanes).unwrap_or_else(|e| panic!("{line}: {e}"));
        assert_eq!(made[0].as_deref(), Ok(common::hex(&ours).as_str()), "{line}");
    }
}
