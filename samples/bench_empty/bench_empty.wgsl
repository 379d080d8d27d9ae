// As little work as a dispatch can hold.
@compute @workgroup_size(1)
fn main() {
}
