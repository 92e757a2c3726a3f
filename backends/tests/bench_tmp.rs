mod common;
use chacha_dsl_backends::TARGETS;
use chacha_dsl_codegen::{Request, compile};
use chacha_dsl_testing::{Architecture, Bench, Chain, Machine};
use common::{architecture, description};

#[test]
fn ladder() {
    let d = description("chacha20");
    let mut machine = Machine::start(Architecture::X86_64).unwrap();
    let mut all = Vec::new();
    for target in TARGETS.iter().filter(|t| architecture(**t) == Architecture::X86_64) {
        for k in [1usize, 2, 3, 4, 6, 8, 10, 12] {
            let layout = if k == 1 { "rows1".to_owned() } else { format!("rows{k},rows1") };
            let Ok(l) = compile(&d, *target, Request { layout: Some(&layout), ..Request::default() }) else { continue };
            let code = machine.load(&l.code()).unwrap();
            all.push((target.name(), k, l.facts.bytes, code.address));
        }
    }
    let [output, key, counter] = [(); 3].map(|()| machine.arena(4).unwrap().address);
    let mut results: Vec<(Vec<f64>, Vec<f64>)> = vec![(vec![], vec![]); all.len()];
    for _ in 0..151 {
        for (i, (_, k, _, entry)) in all.iter().enumerate() {
            for chained in [false, true] {
                let chain = if chained { Chain::Chained } else { Chain::BackToBack(key) };
                let bench = Bench { entry: *entry, output, chain, counter, nblocks: *k as u64, calls_per_sample: 20, samples: 5 };
                let mut t = machine.bench(&bench).unwrap();
                t.sort_unstable();
                let v = t[1] as f64 / 20.0;
                if chained { results[i].1.push(v) } else { results[i].0.push(v) }
            }
        }
    }
    let mut base = 0.0;
    for (i, (name, k, bytes, _)) in all.iter().enumerate() {
        let med = |v: &mut Vec<f64>| {
            v.sort_by(f64::total_cmp);
            v[v.len() / 2]
        };
        let (mut a, mut b) = results[i].clone();
        let (a, b) = (med(&mut a), med(&mut b));
        let pb = a / (64 * k) as f64;
        if i == 1 {
            base = pb;
        }
        println!(
            "{name:15} rows{k:<3} {bytes:5} bytes  back to back {a:7.1} ticks/call {:6.3} t/B  chained {b:7.1} ({:6.3} t/B)  vs sse2 rows2 {:.3}",
            pb,
            b / (64 * k) as f64,
            pb / base
        );
    }
}
