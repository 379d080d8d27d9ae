//! What an instruction changes of the registers that a wave begins with.

use wavepipe_core::tested::Touched;
use wavepipe_isa::{Gen, asm, decode};

fn by(text: &str, lanes: u32) -> Touched {
    on(Gen::Gfx1010, text, lanes)
}

fn on(isa: Gen, text: &str, lanes: u32) -> Touched {
    let words = asm::assemble(text, isa, lanes).unwrap();
    Touched::by(&decode::decode(&words, isa).unwrap().0, lanes)
}

#[test]
fn registers_are_touched_where_they_are_written() {
    assert_eq!(by("s_mov_b32 s15, s40", 32), Touched(1));
    assert_eq!(by("s_mov_b64 s[16:17], s[40:41]", 32), Touched(2));
    assert_eq!(by("s_load_dwordx8 s[12:19], s[40:41], 0", 32), Touched(3));
    assert_eq!(by("v_cmp_lt_u32 vcc, v0, v1", 64), Touched(1 << 6));
    assert_eq!(by("v_cmpx_lt_u32 v0, v1", 32), Touched(1 << 7));
    assert_eq!(by("s_and_saveexec_b64 s[30:31], vcc", 64), Touched(1 << 1 | 1 << 7));
    assert_eq!(by("s_cmp_eq_u32 s1, s2", 32), Touched(0));
    assert!(on(Gen::Gfx900, "s_mov_b32 flat_scratch_lo, s1", 64).others());
    assert_eq!(by("v_mov_b32 v2, v7", 32), Touched(Touched::GIVEN));
    assert_eq!(by("v_mov_b32 v3, v0", 32), Touched(0));
    assert_eq!(by("buffer_store_dword v0, v1, s[8:11], 0 offen", 32), Touched(0));
}
