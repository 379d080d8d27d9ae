//! Damaged data of pipeline caches: answers stay right. Where the damage has a right checksum, as from somebody who means
//! harm, the code may be any, and only the process is safe.

use super::*;
use sha2::{Digest as _, Sha256};
use wavepipe_runtime::simple::layout_of;
use wavepipe_runtime::{ComputePipeline, Origin, PipelineCache, PipelineInfo, ShaderModule};

/// `wpc1`, bytes of what follows the hash, the hash.
const HEAD: usize = 40;

/// Runs a case with a pipeline that is looked for in a cache, and says where it came from.
fn run_with(session: &Session, case: &Case, cache: &PipelineCache) -> Result<(Buffers, Origin), Error> {
    let words = case.module.words();
    let entry = entry_point(&words, None)?;
    let info = PipelineInfo {
        module: &ShaderModule::new(&words),
        entry: &entry.name,
        spec: &[],
        layout: &layout_of(&entry)?,
        wave: None,
        widen: true,
        cache: Some(cache),
        may_compile: true,
        capture: false,
    };
    let pipeline = ComputePipeline::create(session.device(), &info)?;
    Ok((session.run_pipeline(&pipeline, &job(case, &words)?)?, pipeline.origin()))
}

fn filled(session: &Session, cases: &[(Case, Buffers)]) -> Vec<u8> {
    let cache = PipelineCache::default();
    for (case, answer) in cases {
        assert_eq!(run_with(session, case, &cache).unwrap().0, *answer);
    }
    cache.data(usize::MAX).0
}

#[test]
fn damaged_pipeline_caches_give_right_answers() {
    let mut count = Count::default();
    let cases = answers();
    let session = Session::new(&Config { threads: 1, ..Config::default() }).unwrap();
    let data = filled(&session, &cases);
    for seed in tries("pipeline caches", 1) {
        let mut r = Random(seed);
        let mut damaged = data.clone();
        damage(&mut damaged, &mut r);
        let cache = PipelineCache::new(&damaged);
        assert!(cache.len() <= cases.len(), "{seed}");
        for (case, answer) in &cases {
            let (got, origin) = run_with(&session, case, &cache).unwrap();
            assert_eq!(got, *answer, "data {seed}, case {}", case.seed);
            count.add(if origin == Origin::PipelineCache { "taken" } else { "damaged" });
        }
    }
    count.done("pipeline caches", &["taken", "damaged"]);
}

#[test]
fn forged_pipeline_caches_do_no_harm() {
    let mut count = Count::default();
    let cases = answers();
    // Of both wave sizes, as the devices below have.
    let data: [Vec<u8>; 2] = [0, 1].map(|n| filled(&Session::new(&patient(n)).unwrap(), &cases));
    for seed in tries("forged caches", 2) {
        let mut r = Random(seed);
        let mut rest = &data[seed as usize % 2][..];
        let mut forged = Vec::new();
        while !rest.is_empty() {
            let bytes = u32::from_le_bytes(rest[4..8].try_into().unwrap()) as usize;
            let (entry, others) = rest.split_at(HEAD + bytes);
            rest = others;
            let (key, body) = entry[HEAD..].split_at(32);
            let mut body = body.to_vec();
            damage(&mut body, &mut r);
            let content = [key, &body].concat();
            forged.extend(*b"wpc1");
            forged.extend((content.len() as u32).to_le_bytes());
            forged.extend(Sha256::digest(&content));
            forged.extend(content);
        }
        let cache = PipelineCache::new(&forged);
        for (case, _) in &cases {
            let session = Session::new(&config(seed)).unwrap();
            let result = run_with(&session, case, &cache).map(|(got, origin)| {
                count.add(format_args!("from {origin:?}"));
                got
            });
            count.add(harmless(&result, &format_args!("data {seed}, case {}", case.seed)));
        }
    }
    count.done("forged caches", &["ran", "lost", "from PipelineCache"]);
}
