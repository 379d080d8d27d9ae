//! Private memory that becomes values.

use wavepipe_compiler::ir::{Kernel, Local, Op, Space, validate};
use wavepipe_compiler::opt::promote::promote;

fn promoted(body: &str) -> Kernel {
    let text = format!(
        "kernel \"t\" workgroup 64 1 1 lds 0 scratch 44 local 0 4 local 4 40 {{\n%0:b32 = const 0\n%1:b32 = builtin subgroup_id\n%2:b1 = ine %1 %0\n{body}\nyield\n}}"
    );
    let mut k: Kernel = text.parse().unwrap();
    assert_eq!(validate::validate(&k), Ok(()));
    promote(&mut k);
    assert_eq!(validate::validate(&k), Ok(()), "{k}");
    k
}

fn scratch(k: &Kernel) -> usize {
    let mut n = 0;
    k.body.for_each_inst(&mut |i| {
        n += usize::from(matches!(
            i.op,
            Op::Load { space: Space::Scratch, .. }
                | Op::Store { space: Space::Scratch, .. }
                | Op::Atomic { space: Space::Scratch, .. }
        ));
    });
    n
}

#[test]
fn a_variable_set_in_one_arm() {
    let k = promoted(
        "store.scratch %0 %0\nif %2 {\nstore.scratch %0 %1\nyield\n} else {\nyield\n}\n%3:b32 = load.scratch %0\nstore.lds %0 %3",
    );
    assert_eq!(scratch(&k), 0);
    assert!(k.to_string().contains("yield %1\n  } else {\n    yield %0"), "{k}");
}

#[test]
fn a_counter_in_a_loop() {
    let k = promoted(
        "store.scratch %0 %0\nloop @0 () {\n%3:b32 = load.scratch %0\n%4:b32 = iadd %3 %1\nstore.scratch %0 %4\n%5:b1 = ult %4 %1\nif %5 {\nbreak @0\n} else {\nyield\n}\ncontinue @0\n}\n%6:b32 = load.scratch %0\nstore.lds %0 %6",
    );
    assert_eq!(scratch(&k), 0);
    let text = k.to_string();
    assert!(text.contains("break @0 %4") && text.contains("continue @0 %4"), "{k}");
}

#[test]
fn dynamic_arrays_stay_and_move_to_the_front() {
    let k = promoted(
        "store.scratch %0 %0\nstore.scratch offset=4 %1 %1\n%3:b32 = load.scratch offset=8 %1\nstore.lds %0 %3",
    );
    assert_eq!(scratch(&k), 2);
    assert_eq!(k.locals, [Local { offset: 0, size: 40 }]);
    assert!(k.to_string().contains("load.scratch offset=4 %1"), "{k}");
}
