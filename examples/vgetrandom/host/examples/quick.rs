//! Quick.
use std::time::Instant;
fn time(name: &str, mut f: impl FnMut()) {
    for _ in 0..1000 { f() }
    let mut best = f64::MAX;
    for _ in 0..200 { let t = Instant::now(); for _ in 0..2400 { f() } best = best.min(t.elapsed().as_nanos() as f64 / 2400.); }
    println!("{name}: {best:.1} ns");
}
fn main() {
    use vgetrandom::*;
    println!("{:?}", start(&Options::default()));
    let all = Features::detect(Options::default().features.hwcap());
    for (n, f) in [("sse2", all.up_to(26)), ("best", all)] {
        let v = Vdso::load(IMAGE, Choice::Patched, &f).unwrap();
        v.shared().set_ready(true);
        let pool = Pool::new(&v.parameters().unwrap(), None).unwrap();
        let s = pool.take().unwrap();
        let e = v.entry();
        let mut buf = vec![0u8; 65536];
        for len in [4usize, 64, 256, 1024, 4096, 65536] {
            time(&format!("{n} {len} entry"), || { unsafe { e(buf.as_mut_ptr(), len, 0, s, 144) }; });
        }
    }
    let mut buf = vec![0u8; 65536];
    time("4 fill", || vgetrandom::fill(&mut buf[..4]).unwrap());
}
