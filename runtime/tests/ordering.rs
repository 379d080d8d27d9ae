//! What the check of the order of commands knows of layouts and dependencies.

use ImageLayout::{General, Other, ShaderRead, TransferDestination, Undefined};
use wavepipe_hw::finding::AccessKind::{Read, Write};
use wavepipe_runtime::tested::{LayoutStep, Layouts, Standing};
use wavepipe_runtime::{Dependency, ImageLayout, Scope, Stages, Ways};

fn step(parts: &[(u64, u64)], said: Option<ImageLayout>, becomes: Option<ImageLayout>) -> LayoutStep {
    LayoutStep { command: "c", image: 1, parts: parts.iter().map(|(a, b)| *a..*b).collect(), said, becomes }
}

#[test]
fn parts_have_layouts_of_their_own() {
    let mut all = Layouts::default();
    all.place(1, 1000..2000);
    assert_eq!(all.access(&(1000..1004), Read), Some((1000, Undefined)));
    assert_eq!(all.access(&(1000..1004), Read), None, "it is told once");
    assert_eq!(all.step(&step(&[(0, 500)], None, Some(General))), None);
    assert_eq!(all.access(&(1100..1200), Write), None);
    assert_eq!(all.access(&(1400..1600), Write), Some((1500, Undefined)));
    assert_eq!(
        all.step(&step(&[(100, 200), (700, 800)], Some(General), Some(ShaderRead))),
        Some((1700, Undefined, General))
    );
    assert_eq!((all.access(&(1100..1110), Read), all.access(&(1150..1151), Write)), (None, Some((1150, ShaderRead))));
    assert_eq!(all.step(&step(&[(0, 100)], Some(General), None)), None);
    assert_eq!(
        all.step(&step(&[(0, 100)], Some(TransferDestination), None)),
        Some((1000, General, TransferDestination))
    );
    assert_eq!(all.step(&step(&[(0, 100)], Some(TransferDestination), None)), None, "it is told once");
}

#[test]
fn what_is_not_known_is_right() {
    let mut all = Layouts::default();
    assert_eq!((all.access(&(0..4), Write), all.step(&step(&[(0, 4)], Some(General), None))), (None, None));
    all.place(1, 1000..2000);
    all.step(&step(&[(0, 1000)], None, Some(Other)));
    assert_eq!((all.access(&(1000..1004), Write), all.step(&step(&[(0, 4)], Some(General), None))), (None, None));
    // Two at the same bytes.
    all.place(2, 3000..4000);
    all.place(3, 3500..3600);
    assert_eq!((all.access(&(3000..3004), Write), all.access(&(3500..3504), Write)), (None, None));
    all.place(4, 5000..6000);
    all.free(4);
    assert_eq!(all.access(&(5000..5004), Write), None);
    all.place(5, 7000..8000);
    assert!(all.access(&(7000..7004), Write).is_some());
    all.forget(5);
    assert_eq!(all.access(&(7100..7104), Write), None);
    all.place(6, 7000..7100);
    assert_eq!(all.access(&(7000..7004), Read), Some((7000, Undefined)));
}

fn barrier(first: (Stages, Ways), second: (Stages, Ways)) -> Dependency {
    Dependency { first: Scope::new(first.0, first.1), second: Scope::new(second.0, second.1), only: None }
}

fn ordered(first: Ways, barriers: &[Dependency], second: Ways) -> bool {
    let mut standing = Standing::new(first);
    barriers.iter().for_each(|b| standing.pass(b, true));
    standing.is_before(second)
}

#[test]
fn what_orders_two_accesses() {
    use Stages as S;
    use Ways as W;
    let compute = barrier((S::COMPUTE, W::COMPUTE_WRITE), (S::COMPUTE, W::COMPUTE_READ));
    assert!(!ordered(W::COMPUTE_WRITE, &[], W::COMPUTE_READ));
    assert!(ordered(W::COMPUTE_WRITE, &[Dependency::FULL], W::TRANSFER_READ));
    assert!(ordered(W::COMPUTE_WRITE, std::slice::from_ref(&compute), W::COMPUTE_READ));
    assert!(ordered(W::COMPUTE_WRITE, std::slice::from_ref(&compute), W::COMPUTE_WRITE));
    assert!(!ordered(W::COMPUTE_WRITE, std::slice::from_ref(&compute), W::TRANSFER_READ));
    assert!(!ordered(W::TRANSFER_WRITE, std::slice::from_ref(&compute), W::COMPUTE_READ));
    // Execution alone orders what was read, and nothing that was written.
    let execution = barrier((S::COMPUTE, W::empty()), (S::TRANSFER, W::empty()));
    assert!(ordered(W::COMPUTE_READ, std::slice::from_ref(&execution), W::TRANSFER_WRITE));
    assert!(!ordered(W::COMPUTE_WRITE, std::slice::from_ref(&execution), W::TRANSFER_WRITE));
    assert!(!ordered(W::COMPUTE_WRITE, std::slice::from_ref(&execution), W::TRANSFER_READ));
    // A chain by way of another stage.
    let chain = [
        barrier((S::COMPUTE, W::COMPUTE_WRITE), (S::TRANSFER, W::TRANSFER_READ)),
        barrier((S::TRANSFER, W::empty()), (S::COMPUTE, W::COMPUTE_READ)),
    ];
    assert!(ordered(W::COMPUTE_WRITE, &chain, W::COMPUTE_READ));
    assert!(!ordered(W::COMPUTE_WRITE, &[chain[1].clone(), chain[0].clone()], W::COMPUTE_READ));
    // The counts of an indirect dispatch are read in a stage before the shader's.
    let indirect = barrier((S::COMPUTE, W::COMPUTE_WRITE), (S::INDIRECT, W::INDIRECT_READ));
    assert!(ordered(W::COMPUTE_WRITE, std::slice::from_ref(&indirect), W::INDIRECT_READ));
    assert!(!ordered(W::COMPUTE_WRITE, &[compute], W::INDIRECT_READ));
    // Accesses of stages that are not in the scope do not count.
    let odd = barrier((S::COMPUTE, W::TRANSFER_WRITE), (S::COMPUTE, W::COMPUTE_READ));
    assert!(!ordered(W::TRANSFER_WRITE, &[odd], W::COMPUTE_READ));
    // Another's memory.
    let mut standing = Standing::new(W::COMPUTE_WRITE);
    standing.pass(&Dependency::FULL, false);
    assert!(!standing.is_before(W::COMPUTE_READ) && !standing.is_loose());
}
