//! What the CPU has and the system has switched on, numbered as the kernel numbers its features.

/// Features of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// `AT_HWCAP`; word 0 of the kernel's features on x86-64.
    hwcap: u64,
    /// Word 9 of the kernel's features on x86-64.
    leaf_7: u32,
}

impl Features {
    /// Those of this machine: on LoongArch by `AT_HWCAP`, where the system says what may be used (`cpucfg` tells of vectors even where
    /// the system has them off). On x86-64 `AT_HWCAP` is `edx` of `cpuid` leaf 1, which ends with SSE2, and the GNU C library's
    /// `getauxval` answers with something else: so by `cpuid`, leaves 1 and 7, and XCR0, the system's word.
    pub fn detect(hwcap: u64) -> Features {
        let (leaf_1, leaf_7) = leaves();
        Features { hwcap: leaf_1.unwrap_or(hwcap), leaf_7 }
    }

    /// None at all: what is chosen then is the system call.
    pub const NONE: Features = Features { hwcap: 0, leaf_7: 0 };

    /// Without all those numbered higher than this.
    #[must_use]
    pub fn up_to(self, feature: u16) -> Features {
        let bits = |word: u16| match feature.checked_sub(32 * word) {
            Some(bit) if bit < 31 => (2_u32 << bit) - 1,
            Some(_) => u32::MAX,
            None => 0,
        };
        Features { hwcap: self.hwcap & u64::from(bits(0)), leaf_7: self.leaf_7 & bits(9) }
    }

    /// Whether a feature is there: on x86-64 word · 32 + bit of the kernel's `cpufeatures.h`, on LoongArch the bit's number in `AT_HWCAP`.
    pub fn has(&self, feature: u16) -> bool {
        let (word, bit) = (feature / 32, feature % 32);
        match word {
            0 => self.hwcap >> bit & 1 != 0,
            9 => self.leaf_7 >> bit & 1 != 0,
            _ => false,
        }
    }

    /// What a resolver is told: `AT_HWCAP`.
    pub fn hwcap(&self) -> u64 {
        self.hwcap
    }
}

#[cfg(target_arch = "x86_64")]
fn leaves() -> (Option<u64>, u32) {
    use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};

    /// # Safety
    /// The CPU has XGETBV.
    #[target_feature(enable = "xsave")]
    unsafe fn xcr0() -> u64 {
        // SAFETY: by the caller.
        unsafe { _xgetbv(0) }
    }

    const AVX2: u32 = 1 << 5;
    const AVX512: u32 = 1 << 16 | 1 << 17 | 1 << 21 | 1 << 26 | 1 << 27 | 1 << 28 | 1 << 30 | 1 << 31;
    let leaf_1 = __cpuid(1);
    let mut leaf_7 = if __cpuid(0).eax < 7 { 0 } else { __cpuid_count(7, 0).ebx };
    // SAFETY: guarded by OSXSAVE.
    let saved = if leaf_1.ecx & 1 << 27 != 0 { unsafe { xcr0() } } else { 0 };
    if saved & 0b110 != 0b110 || leaf_1.ecx & 1 << 28 == 0 {
        leaf_7 &= !(AVX2 | AVX512);
    }
    // Masks, upper halves, upper registers. VL is of use only with F.
    if saved & 0b1110_0110 != 0b1110_0110 || leaf_7 & 1 << 16 == 0 {
        leaf_7 &= !AVX512;
    }
    (Some(leaf_1.edx.into()), leaf_7)
}

#[cfg(not(target_arch = "x86_64"))]
fn leaves() -> (Option<u64>, u32) {
    (None, 0)
}
