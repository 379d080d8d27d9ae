//! Where control goes.

use crate::random::GEN;
use wavepipe_flow::Graph;
use wavepipe_isa::asm;

#[test]
fn blocks_end_at_branches_and_begin_where_these_go() {
    let text = "s_mov_b32 s0, 0\nBB0:\ns_add_i32 s0, s0, 1\ns_cmp_lt_i32 s0, s1\ns_cbranch_scc1 BB0\ns_nop 0\ns_endpgm";
    let graph = Graph::new(&asm::assemble(text, GEN, 32).unwrap(), 0, 32, GEN);
    assert_eq!(graph.blocks(), [0..1, 1..4, 4..6]);
    assert_eq!(graph.nodes[3].next, [1, 4]);
    assert_eq!(graph.from[1], [0, 3]);
    assert_eq!((graph.at(1), graph.entry), (Some(1), Some(0)));
}

/// What does not decode, what lies outside and nothing at all end their paths.
#[test]
fn wild_code_has_a_graph() {
    for words in [&[][..], &[0xffff_ffff], &[0xbf82_7fff], &[0xbf82_ffff], &[0x7e00_02ff]] {
        let graph = Graph::new(words, 0, 64, GEN);
        assert!(graph.nodes.len() <= 1, "{words:x?}");
        assert!(wavepipe_flow::awaited(&graph).is_empty());
        assert_eq!(wavepipe_flow::Live::of(&graph).before.len(), graph.nodes.len());
    }
}
