//! mir: its text form, both ways, and its rules.

use wavepipe_compiler::mir::validate::validate;
use wavepipe_compiler::mir::{Bank, Func, Part};
use wavepipe_isa::Src;
use wavepipe_isa::instr::Extra;

const SAMPLE: &str = "\
mir wave64 {
  %s0: 4 dwords
  %s2: 2 dwords, align 4, spill_temp
  %v5: 3 dwords, resident
b0: logical b2
  %s0@s4, %v1@v0 = p_start
  %v4 = v_add_f32 -%v1, |%v1| clamp !0:12
  %v5[0] = v_fma_f32 -|%v4|, 0x3fc00000, vcc_lo omod:1
  %v5[1:2], %v4 = p_copy %s2, 0x5
  %v4 = v_mov_b32 %v1 dpp16:0x111 row_mask:0xf bank_mask:0x3 bound_ctrl tied
  %v5 = image_load %v1, %s0, - scope:array dmask:0x7 dim:1 addresses:2
  p_keep %s0[2]
  buffer_store_dword -, %s0, 0x0, %v4 imm:-16 scope:device
  %s2 = s_and_saveexec_b64 %s2
  branch execz b2
b2: depth 1 logical b2 b1 !3:7
  s_barrier
  branch vccnz b2
b1:
  jump b3
b3:
  end
}
";

#[test]
fn round_trip() {
    let f: Func = SAMPLE.parse().unwrap_or_else(|e| panic!("{e}"));
    let text = f.to_string();
    // The printer says a register's place at each mention.
    assert_eq!(
        text,
        SAMPLE
            .replace("%v1,", "%v1@v0,")
            .replace("%v1|", "%v1@v0|")
            .replace("%v1 dpp", "%v1@v0 dpp")
            .replace("%s0,", "%s0@s4,")
            .replace("%s0[2]", "%s0[2]@s4")
    );
    assert_eq!(text.parse::<Func>().unwrap(), f);
    assert_eq!(f.as_text(), f);
    assert_eq!((f.regs.len(), f.order.as_slice()), (6, [0, 2, 1, 3].as_slice()));
    assert_eq!(f.regs[0].fixed, Some(Src::s(4)));
}

#[test]
fn what_the_text_does_not_have_is_left_out() {
    let mut f: Func = SAMPLE.parse().unwrap();
    let (before, unlaid) = (f.clone(), f.block(3));
    f.reg(Bank::V, 7);
    f.blocks[unlaid as usize].loop_depth = 9;
    assert_ne!(f, before);
    assert_eq!(f.as_text(), before);
    assert_eq!(f.to_string(), before.to_string());
}

#[test]
fn errors_name_line_and_column() {
    // `^` stands where the error is.
    for (old, new, message) in [
        ("wave64", "^wave16", "expected wave32 or wave64, found `wave16`"),
        ("%s0: 4 dwords", "%s0: 4 ^words", "expected `dwords`, found `words`"),
        ("%s0: 4 dwords", "%s0: ^40 dwords", "expected a number from 1 to 32, found `40 dwords`"),
        ("%v5: 3", "^%s2: 3", "register 2 is described twice"),
        ("v_add_f32", "^v_ad_f32", "no such instruction, found `v_ad_f32`"),
        ("|%v1| clamp", "|%v1 ^clamp", "expected `|`, found `clamp !0:12`"),
        ("|%v1| clamp", "|%v1| ^clmp", "no such modifier here, found `clmp`"),
        ("vcc_lo omod", "^vcc omod", "expected an operand, found `vcc`"),
        ("%v5[1:2], ", "^%v5[1:3], ", "register 5 has 3 dwords"),
        ("p_keep %s0[2]", "p_keep ^%v0[2]", "register 0 is of the other bank"),
        ("p_keep %s0[2]", "p_keep ^%s0[2]@s8", "register 0 stands elsewhere before"),
        ("imm:-16", "imm:^x", "expected a number from 0 to 2147483648, found `x scope:device`"),
        ("branch execz b2", "branch ^never b2", "expected a condition, found `never`"),
        ("b1:\n", "b2:^\n", "b2 stands twice"),
        ("  jump b3\n", "  jump b3\n  ^s_barrier\n", "b1 has ended"),
        ("s_barrier", "s_barrier ^row_mask:3", "no such modifier here, found `row_mask`"),
        ("execz b2\nb2:", "execz b9\nb2:", "there is no b9"),
        ("  end\n}\n", "  end\n", "the text ends inside of a function"),
    ] {
        let marked = SAMPLE.replacen(old, new, 1);
        assert_ne!(marked, SAMPLE, "{old}");
        let text = marked.replace('^', "");
        let e = text.parse::<Func>().unwrap_err();
        let (line, column) = match marked.find('^') {
            Some(at) => {
                (marked[..at].matches('\n').count() + 1, at - marked[..at].rfind('\n').map_or(0, |n| n + 1) + 1)
            }
            // Of the text as a whole.
            None => (text.lines().count(), 1),
        };
        assert_eq!((e.line, e.column, e.message.as_str()), (line, column, message), "{new}");
    }
}

/// Characters of a text dropped, doubled and exchanged: an error or a function, never a panic.
#[test]
fn broken_texts_never_panic() {
    let mut seed = 1u64;
    let mut random = move |n: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n
    };
    let (mut good, mut bad) = (0, 0);
    for _ in 0..20_000 {
        let mut text: Vec<char> = SAMPLE.chars().collect();
        for _ in 0..1 + random(3) {
            let (a, b) = (random(text.len()), random(text.len()));
            match random(4) {
                0 => drop(text.remove(a)),
                1 => text.insert(a, text[b]),
                2 => text.swap(a, b),
                _ => text[a] = ['0', '9', '%', '[', 'é', ';', '-', '@'][random(8)],
            }
        }
        match text.into_iter().collect::<String>().parse::<Func>() {
            Ok(f) => {
                let again = f.to_string();
                assert_eq!(again.parse::<Func>().as_ref(), Ok(&f.as_text()), "{again}");
                // Whatever can be read can be looked at.
                let _ = validate(&f);
                good += 1;
            }
            Err(_) => bad += 1,
        }
    }
    assert!(good > 500 && bad > 1000, "{good} read, {bad} refused");
}

#[test]
fn each_rule_is_held() {
    let said = |body: &str| {
        let text = format!("mir wave32 {{\n %s0: 2 dwords\n{body}\n}}");
        validate(&text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"))).err().unwrap_or_default()
    };
    assert_eq!(said("b0:\n s_cmp_eq_u32 %s0[0], %s0[1]\n branch scc1 b0\nb1:\n end"), "");
    for (body, wanted) in [
        ("b0:\n branch scc0 b0\nb1:\n end", "b0: branches on SCC that nothing set"),
        ("b0:\n %s1 = s_cselect_b32 0x1, 0x2\n end", "b0: reads SCC that nothing set"),
        (
            "b0:\n s_cmp_eq_u32 %s0[0], %s0[1]\n %s0 = p_const_address\n branch scc1 b0\nb1:\n end",
            "b0: branches on SCC that nothing set",
        ),
        ("b0:\n %s1 = s_add_u32 %v2, 0x2\n end", "b0: vector register on the scalar unit"),
        ("b0:\n %s1, %s2 = p_copy 0x2\n end", "b0: uneven copy"),
        ("b0:\n %s1 = p_copy 0x2", "b0: falls off the end"),
    ] {
        let found = said(body);
        assert!(found.starts_with(wanted), "`{found}`, not `{wanted}`: {body}");
    }
    let mut f: Func = "mir wave32 {\nb0:\n p_keep %s0\n end\n}".parse().unwrap();
    f.blocks[0].insts[0].src[0] = Part { reg: 0, sub: 1, len: 1 }.into();
    assert!(validate(&f).unwrap_err().contains("part outside of its register"));
    f.blocks[0].insts[0].src[0] = Part { reg: 7, sub: 0, len: 1 }.into();
    assert!(validate(&f).unwrap_err().contains("part outside of its register"));
    f.blocks[0].insts[0].src.clear();
    f.blocks[0].insts[0].extra = Extra::Format(1);
    assert!(validate(&f).unwrap_err().contains("an encoding that mir does not have"));
}
