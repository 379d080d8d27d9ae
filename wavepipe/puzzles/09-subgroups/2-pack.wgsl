@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> kept: array<u32>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32) {
    let v = x[i];
    var at = 0u;
    for (var lane = 0u; lane < i; lane++) {
        if x[lane] % 3u == 0u { at++; }
    }
    if v % 3u == 0u {
        kept[at] = v;
    }
}
