//! Quick.
use std::time::Instant;
fn time(name: &str, mut f: impl FnMut()) {
    for _ in 0..1000 { f() }
    let mut best = f64::MAX;
    for _ in 0..20 { let t = Instant::now(); for _ in 0..2000 { f() } best = best.min(t.elapsed().as_nanos() as f64 / 2000.); }
    println!("{name}: {best:.1} ns");
}
fn main() {
    println!("{:?}", vgetrandom::start(&vgetrandom::Options::default()));
    let mut b = [0u8; 16]; vgetrandom::fill(&mut b).unwrap(); println!("{b:x?}");
    for n in [4usize, 64, 256, 1024, 4096, 65536] {
        let mut buf = vec![0u8; n + 128];
        time(&format!("{n} fill"), || vgetrandom::fill(&mut buf[..n]).unwrap());
        time(&format!("{n} room"), || vgetrandom::fill_with_room(&mut buf[..n+128]).unwrap());
    }
}
