// The kernel as the driver sees it: raw system calls, signal numbers, output. Owns no state of the driver.
// Numbers and structures are those of the Linux user-space ABI (include/uapi), the same under user-mode QEMU.

#ifndef SYSTEM_H
#define SYSTEM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
enum {
    SYS_read = 0, SYS_write = 1, SYS_mmap = 9, SYS_mprotect = 10, SYS_munmap = 11, SYS_rt_sigaction = 13,
    SYS_setitimer = 38, SYS_ftruncate = 77, SYS_sigaltstack = 131, SYS_exit_group = 231, SYS_close = 3,
    SYS_memfd_create = 319,
};

static long system_call(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

__asm__(".globl _start\n_start:\n mov %rsp, %rdi\n xor %ebp, %ebp\n and $-16, %rsp\n call start\n ud2\n"
        "signal_return:\n mov $15, %eax\n syscall\n");
#elif defined(__loongarch64)
enum {
    SYS_read = 63, SYS_write = 64, SYS_mmap = 222, SYS_mprotect = 226, SYS_munmap = 215, SYS_rt_sigaction = 134,
    SYS_setitimer = 103, SYS_ftruncate = 46, SYS_sigaltstack = 132, SYS_exit_group = 94, SYS_close = 57,
    SYS_memfd_create = 279,
};

static long system_call(long number, long a, long b, long c, long d, long e, long f)
{
    register long a7 __asm__("$a7") = number;
    register long a0 __asm__("$a0") = a;
    register long a1 __asm__("$a1") = b;
    register long a2 __asm__("$a2") = c;
    register long a3 __asm__("$a3") = d;
    register long a4 __asm__("$a4") = e;
    register long a5 __asm__("$a5") = f;
    __asm__ volatile("syscall 0"
                     : "+r"(a0)
                     : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5)
                     : "$t0", "$t1", "$t2", "$t3", "$t4", "$t5", "$t6", "$t7", "$t8", "memory");
    return a0;
}

__asm__(".globl _start\n_start:\n move $a0, $sp\n bstrins.d $sp, $zero, 3, 0\n bl start\n break 0\n");
#else
#error "The driver knows x86_64 and loongarch64 only; add the system calls of this architecture here."
#endif

enum { SIGILL = 4, SIGTRAP = 5, SIGBUS = 7, SIGFPE = 8, SIGSEGV = 11, SIGPROF = 27 };
enum { SA_SIGINFO = 4, SA_RESTORER = 0x04000000, SA_ONSTACK = 0x08000000 };
enum { PROT_NONE = 0, PROT_READ = 1, PROT_WRITE = 2, PROT_EXEC = 4 };
enum { MAP_SHARED = 1, MAP_PRIVATE = 2, MAP_FIXED = 0x10, MAP_ANONYMOUS = 0x20, MAP_FIXED_NOREPLACE = 0x100000 };
enum { ITIMER_PROF = 2, AT_PAGESZ = 6, AT_HWCAP = 16 };

// Eight bytes at a time: under QEMU each instruction counts.
typedef uint64_t __attribute__((aligned(1), may_alias)) unaligned64;

void *memcpy(void *to, const void *from, size_t length)
{
    size_t i = 0;
    for (; i + 8 <= length; i += 8)
        *(unaligned64 *)((uint8_t *)to + i) = *(const unaligned64 *)((const uint8_t *)from + i);
    for (; i < length; i++)
        ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
    return to;
}

void *memset(void *to, int byte, size_t length)
{
    uint64_t word = (uint8_t)byte * 0x0101010101010101;
    size_t i = 0;
    for (; i + 8 <= length; i += 8)
        *(unaligned64 *)((uint8_t *)to + i) = word;
    for (; i < length; i++)
        ((uint8_t *)to)[i] = (uint8_t)byte;
    return to;
}

static uint64_t get64(const void *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static uint32_t get32(const void *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static void put64(void *to, uint64_t value) { memcpy(to, &value, sizeof value); }
static void put32(void *to, uint32_t value) { memcpy(to, &value, sizeof value); }

static void quit(int status)
{
    for (;;)
        system_call(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

static void complain(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    system_call(SYS_write, 2, (long)text, (long)length, 0, 0, 0);
}

static void complain_number(const char *before, uint64_t value)
{
    char text[20] = " 0x";
    for (int i = 0; i < 16; i++)
        text[3 + i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
    complain(before);
    complain(text);
}

// For what makes any further answer worthless.
static void die(const char *why)
{
    complain("driver: ");
    complain(why);
    complain("\n");
    quit(70);
}

static void write_all(const void *from, size_t length)
{
    while (length) {
        long done = system_call(SYS_write, 1, (long)from, (long)length, 0, 0, 0);
        if (done == -4)
            continue;
        if (done <= 0)
            quit(71); // the other side is gone
        from = (const uint8_t *)from + done;
        length -= (size_t)done;
    }
}

static void read_all(void *to, size_t length)
{
    while (length) {
        long done = system_call(SYS_read, 0, (long)to, (long)length, 0, 0, 0);
        if (done == -4)
            continue;
        if (done <= 0)
            quit(0); // the other side has closed the pipe: the normal end
        to = (uint8_t *)to + done;
        length -= (size_t)done;
    }
}

static uint8_t *map(uint64_t address, uint64_t length, int protection, int flags, int file)
{
    long result = system_call(SYS_mmap, (long)address, (long)length, protection, flags, file, 0);
    return result < 0 && result > -4096 ? NULL : (uint8_t *)result;
}

static void protect(void *address, uint64_t length, int protection)
{
    if (system_call(SYS_mprotect, (long)address, (long)length, protection, 0, 0, 0) != 0)
        die("mprotect failed");
}

// Processor time, not wall time: a busy test machine must not end a call.
static void set_timer(uint64_t microseconds)
{
    uint64_t value[4] = {0, 0, microseconds / 1000000, microseconds % 1000000};
    system_call(SYS_setitimer, ITIMER_PROF, (long)value, 0, 0, 0, 0);
}

#endif
