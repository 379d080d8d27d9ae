//! Prints wave-instructions a second on one thread: `cargo run --release -p wavepipe-core --example fma`; with a word behind it, of the kinds
//! in whose name that is.

fn main() {
    let word = std::env::args().nth(1).unwrap_or_default();
    for name in wavepipe_core::bench::names().filter(|name| name.contains(&word)) {
        let Some(rate) = wavepipe_core::bench::kind(name, 0.2) else { continue };
        let per_second = rate.per_second();
        println!("{name:24} {:8.1} M/s {:8.2} ns", per_second / 1e6, 1e9 / per_second);
    }
}
