//! Prints wave-instructions a second on one thread: `cargo run --release -p wavepipe-core --example fma`.

fn main() {
    for rate in wavepipe_core::bench::rates(0.2).into_iter().flatten() {
        let per_second = rate.per_second();
        println!("{:20} {:8.1} M/s {:8.2} ns", rate.name, per_second / 1e6, 1e9 / per_second);
    }
}
