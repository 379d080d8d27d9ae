@group(0) @binding(0) var<storage, read> next: array<u32>;
@group(0) @binding(1) var<storage, read_write> ends: array<u32>;

fn follow(start: u32) -> u32 {
    var at = start;
    for (var n = 0; n < 4; n++) { at = (next[at] + 997u) % 16384u; }
    return at;
}

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32) {
    for (var element = i; element < 1024u; element += 32u) {
        ends[element] = follow(element);
    }
}
