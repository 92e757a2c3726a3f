//! The system: its calls, and where it puts the words at the program's start. Owns the numbers and registers of both architectures.

use core::arch::asm;

/// A call that gives a number, or an error's number below zero.
///
/// # Safety
/// As for the call.
pub unsafe fn call(number: usize, a: [usize; 6]) -> isize {
    let result: isize;
    #[cfg(target_arch = "loongarch64")]
    // SAFETY: by the caller. The kernel changes the temporary registers.
    unsafe {
        asm!("syscall 0", in("$a7") number, inlateout("$a0") a[0] => result, in("$a1") a[1], in("$a2") a[2], in("$a3") a[3],
            in("$a4") a[4], in("$a5") a[5], out("$t0") _, out("$t1") _, out("$t2") _, out("$t3") _, out("$t4") _, out("$t5") _,
            out("$t6") _, out("$t7") _, out("$t8") _, options(nostack));
    }
    #[cfg(target_arch = "x86_64")]
    // SAFETY: by the caller. The kernel changes two registers.
    unsafe {
        asm!("syscall", inlateout("rax") number => result, in("rdi") a[0], in("rsi") a[1], in("rdx") a[2], in("r10") a[3], in("r8") a[4],
            in("r9") a[5], out("rcx") _, out("r11") _, options(nostack));
    }
    result
}

#[cfg(target_arch = "loongarch64")]
mod number {
    pub const WRITE: usize = 64;
    pub const EXIT: usize = 93;
    pub const MMAP: usize = 222;
    pub const MPROTECT: usize = 226;
}
#[cfg(target_arch = "x86_64")]
mod number {
    pub const WRITE: usize = 1;
    pub const EXIT: usize = 60;
    pub const MMAP: usize = 9;
    pub const MPROTECT: usize = 10;
}

pub const READ: usize = 1;
pub const WRITE: usize = 2;
pub const EXECUTE: usize = 4;

/// Private anonymous memory of zeros; none if there is none.
pub fn memory(length: usize, protection: usize) -> Option<*mut u8> {
    const PRIVATE_ANONYMOUS: usize = 0x22;
    // SAFETY: new memory, which nobody knows of.
    let address = unsafe { call(number::MMAP, [0, length, protection, PRIVATE_ANONYMOUS, usize::MAX, 0]) };
    (address > 0).then_some(address as *mut u8)
}

/// Changes what may be done with memory.
///
/// # Safety
/// The memory is the caller's, and what is taken away isn't needed.
pub unsafe fn protect(address: *mut u8, length: usize, protection: usize) -> bool {
    // SAFETY: by the caller.
    unsafe { call(number::MPROTECT, [address as usize, length, protection, 0, 0, 0]) == 0 }
}

/// Writes to standard output.
pub fn print(text: &[u8]) {
    // SAFETY: the text is readable.
    unsafe { call(number::WRITE, [1, text.as_ptr() as usize, text.len(), 0, 0, 0]) };
}

/// A number in hexadecimal, of so many digits.
pub fn print_hexadecimal(value: u64, digits: u32) {
    for digit in (0..digits).rev() {
        print(&[b"0123456789abcdef"[(value >> (4 * digit) & 15) as usize]]);
    }
}

/// Ends the program.
pub fn exit(status: usize) -> ! {
    loop {
        // SAFETY: nothing is needed any more.
        unsafe { call(number::EXIT, [status, 0, 0, 0, 0, 0]) };
    }
}

/// A word that the system put behind the environment at the start (`getauxval`), zero if it isn't there.
///
/// # Safety
/// `start` is the stack pointer at the program's entry.
pub unsafe fn auxiliary(start: *const usize, kind: usize) -> usize {
    // SAFETY: the ABI's layout: the number of arguments, these, a zero, the environment, a zero, pairs up to a zero.
    unsafe {
        let mut at = start.add(1 + *start + 1);
        while *at != 0 {
            at = at.add(1);
        }
        at = at.add(1);
        while *at != 0 {
            if *at == kind {
                return *at.add(1);
            }
            at = at.add(2);
        }
    }
    0
}
