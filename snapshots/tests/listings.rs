//! Whole listings. Review a change with `cargo insta review`.

use chacha_dsl_backends::TARGETS;
use chacha_dsl_codegen::description::builtin;
use chacha_dsl_codegen::layout::{Kind, MAX_BLOCKS};
use chacha_dsl_codegen::target::Use;
use chacha_dsl_codegen::{Description, Format, Request, Target, compile, fits, text};
use chacha_dsl_snapshots::header;

/// The description of that name: built in, or an example.
fn description(name: &str) -> Description {
    builtin(name).unwrap_or_else(|| {
        let path = format!("{}/../examples/{name}.chacha", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        Description::parse_text(&text).unwrap_or_else(|faults| panic!("{path}:\n{faults}"))
    })
}

/// Compares the listing with its snapshot in the target's folder.
fn check(target: &dyn Target, name: &str, layout: Option<&str>, format: Format) {
    let description = description(name);
    let save = format.save(&description, target);
    let listing = compile(&description, target, Request { layout, save, ..Request::default() }).unwrap_or_else(|faults| panic!("{faults}"));
    let option = layout.map_or(String::new(), |layout| format!(" --layout {layout}"));
    let of = if builtin(name).is_some() { String::new() } else { format!(" --description examples/{name}.chacha") };
    let command = format!("chacha-dsl emit --target {} --format {}{option}{of}", target.name(), format.name());
    let contents = format!("{}\n{}", header(&description, &listing), text::render(&listing, format, &command));
    let layout = layout.map_or(String::new(), |layout| format!("-{}", layout.replace(',', "-")));
    let snapshot = format!("{name}{layout}-{}", format.name());
    insta::with_settings!({ snapshot_path => format!("../{}", target.name()), prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(snapshot, contents);
    });
}

#[test]
fn every_format() {
    for target in TARGETS {
        Format::ALL.iter().for_each(|(_, format)| check(*target, "chacha20", None, *format));
    }
}

#[test]
fn every_layout() {
    for target in TARGETS {
        if !target.kinds().contains(&Kind::Rows) {
            continue;
        }
        let d = description("chacha20");
        let suffices = |layout: &String| fits(&d, *target, Request { layout: Some(layout), ..Request::default() }).unwrap_or(false);
        let most = (3..=MAX_BLOCKS).map(|blocks| format!("rows{blocks},rows2,rows1")).take_while(suffices).last().expect("rows3 fits");
        let mut layouts = vec!["rows1", &most];
        let bulk = target.layout(Use::Bulk);
        layouts.extend((bulk != most).then_some(bulk));
        layouts.into_iter().for_each(|layout| check(*target, "chacha20", Some(layout), Format::Gas));
    }
}

#[test]
fn every_example() {
    let folder = format!("{}/../examples", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(folder).expect("the examples are there").filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let names: Vec<String> = files.filter_map(|file| file.strip_suffix(".chacha").map(str::to_owned)).collect();
    assert!(names.len() >= 4, "examples are missing: {names:?}");
    for target in TARGETS {
        names.iter().for_each(|name| check(*target, name, None, Format::Gas));
    }
}

/// `vzeroupper` doesn't clear them, so that a system would save them from then on.
#[test]
fn the_vdso_gets_no_register_above_15_on_x86_64() {
    for target in TARGETS.iter().filter(|target| target.name().starts_with("x86_64")) {
        let listing = compile(&description("chacha20"), *target, Request::default()).unwrap_or_else(|faults| panic!("{faults}"));
        assert!(listing.registers.iter().all(|used| used.reg.number < 16), "{}: {:?}", target.name(), listing.registers);
    }
}
