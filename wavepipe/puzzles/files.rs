/// The chapters, from 1, as the book has them.
pub const CHAPTERS: &[&str] = &[
    "A first hour",
    "Divergence",
    "Coalescing and strides",
    "LDS banks",
    "Occupancy and latency",
    "wave32 and wave64",
    "Barriers and the memory model",
    "Atomics",
    "Subgroups",
    "Asynchronous compute and tunneling",
    "Reading machine code",
    "Generations",
    "Cooperative matrices",
];

files! {
    "01-first-hour/1-saxpy.test.toml"
    "01-first-hour/1-saxpy.wgsl"
    "01-first-hour/2-product.test.toml"
    "01-first-hour/2-product.wgsl"
    "01-first-hour/3-tiles.test.toml"
    "01-first-hour/3-tiles.wgsl"
    "02-divergence/1-parity.test.toml"
    "02-divergence/1-parity.wgsl"
    "02-divergence/2-once.test.toml"
    "02-divergence/2-once.wgsl"
    "03-coalescing/1-neighbours.test.toml"
    "03-coalescing/1-neighbours.wgsl"
    "03-coalescing/2-rows.test.toml"
    "03-coalescing/2-rows.wgsl"
    "04-banks/1-pad.test.toml"
    "04-banks/1-pad.wgsl"
    "04-banks/2-tree.test.toml"
    "04-banks/2-tree.wgsl"
    "05-occupancy/1-room.test.toml"
    "05-occupancy/1-room.wgsl"
    "05-occupancy/2-waves.test.toml"
    "05-occupancy/2-waves.wgsl"
    "06-waves/1-any-size.test.toml"
    "06-waves/1-any-size.wgsl"
    "06-waves/2-halves.test.toml"
    "06-waves/2-halves.wgsl"
    "07-barriers/1-reverse.test.toml"
    "07-barriers/1-reverse.wgsl"
    "07-barriers/2-scan.test.toml"
    "07-barriers/2-scan.wgsl"
    "08-atomics/1-count.test.toml"
    "08-atomics/1-count.wgsl"
    "08-atomics/2-private.test.toml"
    "08-atomics/2-private.wgsl"
    "09-subgroups/1-sum.test.toml"
    "09-subgroups/1-sum.wgsl"
    "09-subgroups/2-pack.test.toml"
    "09-subgroups/2-pack.wgsl"
    "10-async/1-short.test.toml"
    "10-async/1-short.wgsl"
    "10-async/2-beside.test.toml"
    "10-async/2-beside.wgsl"
    "11-machine-code/1-signs.test.toml"
    "11-machine-code/1-signs.wgsl"
    "11-machine-code/2-scalar.test.toml"
    "11-machine-code/2-scalar.wgsl"
    "12-generations/1-everywhere.test.toml"
    "12-generations/1-everywhere.wgsl"
    "12-generations/2-tile.test.toml"
    "12-generations/2-tile.wgsl"
    "13-matrices/1-held.test.toml"
    "13-matrices/1-held.wgsl"
    "13-matrices/2-block.test.toml"
    "13-matrices/2-block.wgsl"
}
