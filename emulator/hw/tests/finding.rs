//! What findings say, and what they are called.

use wavepipe_hw::finding::*;
use wavepipe_hw::site::{Argument, Numeric, ScalarKind};
use wavepipe_hw::tested::number;

fn example() -> Finding {
    let site = |pc_offset, text: &str| Location {
        workgroup: [1, 2, 3],
        wave: 4,
        lane: 5,
        lanes: 0x20,
        pc: 0x1000 + pc_offset,
        pc_offset,
        disassembly: text.into(),
        function: None,
        source: Some(SourceLine { file: "a.comp".into(), line: pc_offset as u32 }),
    };
    let what = Awaited::Read("v2".into());
    Finding {
        kind: FindingKind::MissingWait(MissingWait { what, counter: "vmcnt", at_most: 0 }),
        kernel: "main".into(),
        queue: (0, 1),
        site: site(12, "v_mov_b32 v3, v2"),
        access: None,
        other: Some(Box::new(Party { site: site(8, "global_load_dword v2, v1, s[0:1]"), access: None })),
        count: 1,
    }
}

#[test]
fn an_id_is_of_check_kind_kernel_and_places_alone() {
    let one = example();
    // Written down, so that no change of it goes unseen: people keep ids.
    assert_eq!(one.id(), "wait-early-read-96b5a358");
    let change = |f: fn(&mut Finding)| {
        let mut finding = example();
        f(&mut finding);
        finding.id()
    };
    let same: [fn(&mut Finding); 6] = [
        |f| f.count = 9,
        |f| f.queue = (2, 0),
        |f| f.site.workgroup = [0; 3],
        |f| (f.site.pc, f.site.lane, f.site.wave, f.site.lanes) = (0x77, 1, 1, !0),
        |f| f.site.source.as_mut().unwrap().line = 1,
        |f| f.site.source.as_mut().unwrap().file = "else/where/a.comp".into(),
    ];
    same.into_iter().for_each(|f| assert_eq!(change(f), one.id()));
    let others: [fn(&mut Finding); 7] = [
        |f| f.site.source = None,
        |f| f.kind = FindingKind::DivergentBarrier(Absent::Elsewhere),
        |f| f.kernel = "other".into(),
        |f| f.site.pc_offset += 4,
        |f| f.site.function = Some("called".into()),
        |f| f.other.as_mut().unwrap().site.pc_offset += 4,
        |f| f.other = None,
    ];
    let ids: std::collections::BTreeSet<_> = others.into_iter().map(change).chain([one.id()]).collect();
    assert_eq!(ids.len(), others.len() + 1);
}

#[test]
fn its_text_names_both_parties() {
    assert_eq!(
        example().to_string(),
        "v2 is read before it is loaded: vmcnt(0) was to be waited for [wait-early-read-96b5a358]
  kernel `main`, work-group (1, 2, 3), wave 4, lane 5 (mask 0x20)
  pc 0x100c (+0xc): v_mov_b32 v3, v2
  at a.comp:12
  not done: work-group (1, 2, 3), wave 4, lane 5 (mask 0x20)
  pc 0x1008 (+0x8): global_load_dword v2, v1, s[0:1]
  at a.comp:8
  on front end queue 1"
    );
    assert!(Finding { count: 3, ..example() }.to_string().contains("\n  3 times; this is the first"));
}

#[test]
fn work_groups_come_before_waves_and_those_before_lanes() {
    let at = |workgroup, wave, lane| Location { workgroup, wave, lane, ..Location::default() }.order();
    let sorted =
        [at([0, 0, 0], 0, 1), at([0, 0, 0], 1, 0), at([1, 0, 0], 0, 0), at([0, 1, 0], 0, 0), at([0, 0, 1], 0, 0)];
    assert!(sorted.is_sorted());
}

#[test]
fn it_is_written_as_the_source_writes_it() {
    let of = |scalar, bits, components| Argument { scalar, bits, components };
    let text = |what, name, values: &[Argument], payload: &[u32]| {
        number(what, name, 32, values, payload).map(|n| (n.slug(), n.to_string()))
    };
    let (int, float) = (of(ScalarKind::Int, 32, 1), of(ScalarKind::Float, 32, 1));
    let said = |slug, text: &str| Some((slug, text.to_owned()));
    assert_eq!(
        text(Numeric::Division, "/", &[int, int, int], &[7, 0, 0]),
        said("division-by-zero", "division by zero: 7 / 0")
    );
    let overflow = [0x8000_0000, u32::MAX, 0];
    assert_eq!(
        text(Numeric::Division, "%", &[int, int, int], &overflow),
        said("overflow", "a quotient that the type does not have: -2147483648 % -1")
    );
    let root = [(-4f32).to_bits(), f32::NAN.to_bits()];
    assert_eq!(
        text(Numeric::NotFinite, "sqrt", &[float, float], &root),
        said("nan", "NaN of finite numbers: sqrt(-4.0) is NaN")
    );
    let (pair, none) = (of(ScalarKind::Float, 32, 2), of(ScalarKind::Float, 32, 0));
    let [two, inf] = [2f32.to_bits(), f32::INFINITY.to_bits()];
    assert_eq!(
        text(Numeric::NotFinite, "*", &[none, pair, pair], &[two, two, two, inf]),
        said("infinity", "infinity of finite numbers: … * (2.0, 2.0) is (2.0, inf)")
    );
    let wide = of(ScalarKind::Uint, 64, 1);
    assert_eq!(
        text(Numeric::Shift, "<<", &[wide, int, wide], &[1, 2, 64, 0, 0]),
        said("shift", "a shift by no less than the 32 bits that there are: 8589934593 << 64")
    );
    // Not what the site sends.
    assert_eq!(text(Numeric::Shift, "<<", &[wide, int, wide], &[1, 2]), None);
}
