//! The clock, and what its unit is.
//!
//! Owns the reading of it. A tick of the time stamp counter is a unit of time, not a cycle of the core, whose clock goes up
//! and down; so the length of a core's cycle in ticks is measured beside everything else, on a chain of multiplications.

use std::arch::asm;

/// Latency of a 64-bit `imul`, in cycles: 3 on every Intel core since Nehalem and every AMD core since Zen (uops.info).
const IMUL_CYCLES: u64 = 3;

/// Multiplications in the shorter chain.
const CHAIN: u64 = 1000;

/// A clock.
pub enum Clock {
    /// Ticks of the time stamp counter.
    Tsc,
    /// Cycles of the core in user mode, counted by the kernel; a file descriptor of perf_event.
    Perf(i32),
}

impl Clock {
    /// The clock asked for.
    pub fn new(perf: bool) -> Result<Clock, String> {
        if !perf {
            return Ok(Clock::Tsc);
        }
        perf_cycles().map(Clock::Perf).map_err(|error| format!("perf_event can't count this machine's cycles: {error}"))
    }

    /// What it counts.
    pub fn unit(&self) -> &'static str {
        match self {
            Clock::Tsc => "TSC ticks",
            Clock::Perf(_) => "core cycles",
        }
    }

    /// The time. What was started before is done, and what comes after hasn't been started.
    #[inline]
    pub fn read(&self) -> u64 {
        match self {
            Clock::Tsc => ticks(),
            Clock::Perf(file) => {
                let mut value = 0u64;
                // SAFETY: the kernel writes the eight bytes of the counter.
                let length = unsafe { libc::read(*file, (&raw mut value).cast(), 8) };
                assert_eq!(length, 8, "the counter can't be read");
                value
            }
        }
    }
}

#[inline]
fn ticks() -> u64 {
    let (low, high): (u64, u64);
    // SAFETY: reads a counter. Loads and stores aside, the fences keep everything on its side.
    unsafe { asm!("mfence", "lfence", "rdtsc", "lfence", out("rax") low, out("rdx") high, options(nostack, preserves_flags)) };
    low | high << 32
}

/// Units of the clock per cycle of the core, now: the difference of two chains, so that reading the clock isn't in it.
pub fn units_per_cycle(clock: &Clock) -> f64 {
    let (one, two) = (multiplications(clock, CHAIN), multiplications(clock, 2 * CHAIN));
    (two as f64 - one as f64) / (CHAIN * IMUL_CYCLES) as f64
}

/// The time of a chain of so many multiplications, a multiple of ten.
fn multiplications(clock: &Clock, count: u64) -> u64 {
    let start = clock.read();
    // SAFETY: a loop on registers alone.
    unsafe {
        asm!(
            "2:", "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}",
            "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}",
            "dec {n}", "jnz 2b",
            x = inout(reg) 3u64 => _,
            n = inout(reg) count / 10 => _,
            options(nomem, nostack)
        );
    }
    clock.read() - start
}

/// Whether perf_event counts cycles here, as a sentence.
pub fn perf_availability() -> String {
    match perf_cycles() {
        Ok(file) => {
            // SAFETY: the descriptor is ours.
            unsafe { libc::close(file) };
            "perf_event counts cycles here: see `--clock perf`".to_owned()
        }
        Err(error) => format!("perf_event counts no cycles here ({error})"),
    }
}

/// `struct perf_event_attr` in its first published size (perf_event_open(2)).
#[repr(C)]
#[derive(Default)]
struct PerfEventAttr {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    bp_type: u32,
    bp_addr: u64,
}

/// Opens a counter of this thread's cycles in user mode.
fn perf_cycles() -> std::io::Result<i32> {
    const EXCLUDE_KERNEL: u64 = 1 << 5;
    const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
    // Kind 0 is PERF_TYPE_HARDWARE, config 0 PERF_COUNT_HW_CPU_CYCLES.
    let size = size_of::<PerfEventAttr>() as u32;
    let attr = PerfEventAttr { size, flags: EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR, ..Default::default() };
    // SAFETY: the kernel reads the structure, whose size stands in it.
    let file = unsafe { libc::syscall(libc::SYS_perf_event_open, &raw const attr, 0, -1, -1, 0) };
    if file < 0 { Err(std::io::Error::last_os_error()) } else { Ok(file as i32) }
}
