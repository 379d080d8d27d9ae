//! Pages of a TLB, beside a plain list.

use wavepipe_timing::tested::Pages;

#[test]
fn behaves_as_a_list_in_order_of_use_does() {
    let mut state = 7u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 33
    };
    for (entries, pages) in [(1, 3), (2, 5), (16, 24), (64, 100), (232, 300)] {
        let mut tlb = Pages::new(entries);
        let mut list: Vec<(u64, u64)> = Vec::new();
        for step in 0..30_000u64 {
            let page = random() % pages * [1, 512][random() as usize % 2];
            let found = list.iter().position(|(p, _)| *p == page).map(|at| list.remove(at));
            assert_eq!(tlb.look(page), found.map(|(_, ready)| ready), "step {step}, page {page}");
            list.push(found.unwrap_or((page, step)));
            if found.is_none() {
                tlb.put(page, step);
                if list.len() > entries {
                    list.remove(0);
                }
            }
        }
    }
}
