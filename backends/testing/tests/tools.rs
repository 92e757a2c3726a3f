//! Every tool is found; the threads of this file build the driver at once with those of the other files.

use chacha_dsl_testing::{Architecture, Machine, Tool};

#[test]
fn every_tool_is_there() {
    for tool in [
        Tool::Clang,
        Tool::LlvmMc,
        Tool::LlvmObjdump,
        Tool::Lld,
        Tool::QemuX86,
        Tool::QemuLoongArch,
        Tool::GnuX86As,
        Tool::GnuX86Ld,
        Tool::GnuX86Objcopy,
        Tool::GnuLoongArchAs,
        Tool::GnuLoongArchLd,
        Tool::GnuLoongArchObjcopy,
    ] {
        assert!(tool.path().unwrap().is_file());
    }
}

#[test]
fn many_machines_may_start_at_once() {
    std::thread::scope(|scope| {
        for i in 0..8 {
            let architecture = Architecture::ALL[i % 2];
            scope.spawn(move || Machine::start(architecture).unwrap());
        }
    });
}

/// Each process starts with an empty target folder that it shares with the others.
#[test]
fn processes_may_build_the_driver_at_once() {
    let folder = std::env::temp_dir().join(format!("chacha-dsl-race-{}", std::process::id()));
    let start = || {
        std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "many_machines_may_start_at_once"])
            .env("CARGO_TARGET_DIR", &folder)
            .output()
            .unwrap()
    };
    let ended: Vec<_> = std::thread::scope(|scope| {
        let processes: Vec<_> = (0..4).map(|_| scope.spawn(start)).collect();
        processes.into_iter().map(|process| process.join().unwrap()).collect()
    });
    // Two drivers, and nothing else is left.
    assert_eq!(std::fs::read_dir(folder.join("chacha-dsl-testing")).unwrap().count(), 2);
    std::fs::remove_dir_all(&folder).unwrap();
    for output in ended {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}
