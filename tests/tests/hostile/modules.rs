//! Mutated modules that compile also run: they end, or they lose their device, and in the same way each time.

use super::*;
use wavepipe_tests::spirv::mutate::mutate;

#[test]
fn mutated_modules_run() {
    let mut count = Count::default();
    let pool: Vec<Vec<u32>> = (0..60).map(|seed| case(seed, 4 + seed as usize % 24).module.words()).collect();
    for seed in tries("modules", 8) {
        let mut r = Random(seed);
        let base = r.below(pool.len());
        let donor = r.below(pool.len());
        let words = mutate(&pool[base], &pool[donor], &mut r);
        let case = case(base as u64, 4 + base % 24);
        let Ok(mut job) = job(&case, &words) else {
            count.add("refused");
            continue;
        };
        // Sizes of work-groups that a mutant asks for may be large.
        job.groups = [2, 1, 1];
        let once = |config| Session::new(&config).unwrap().run(&job);
        let result = once(config(seed));
        let became = harmless(&result, &format_args!("module {seed}"));
        count.add(became);
        if let Ok(answer) = &result
            && seed.is_multiple_of(4)
        {
            assert_eq!(
                once(patient(seed)).as_ref().ok(),
                Some(answer),
                "module {seed} has another answer the second time"
            );
            count.add("ran again");
        }
    }
    count.done("modules", &["ran", "refused", "ran again"]);
}
