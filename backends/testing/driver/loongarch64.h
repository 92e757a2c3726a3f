// LoongArch (LP64): the layout of a State on the wire, and how it goes into and comes out of a Linux signal frame.
// Must not know arenas, tracing or the protocol.
//
// Signal frame: struct sigcontext and the extended context records of arch/loongarch/include/uapi/asm/sigcontext.h.

#ifndef ARCHITECTURE_H
#define ARCHITECTURE_H

#include "system.h"

enum { ARCHITECTURE = 2, TRAP_WORD = 0x002a0000 }; // break 0

// The State on the wire; src/registers.rs has the same offsets.
enum { STATE_PC = 256, STATE_FCSR = 264, STATE_FCC = 272, STATE_XR = 288, STATE_SIZE = 1312 };

enum { HWCAP_LSX = 1 << 4, HWCAP_LASX = 1 << 5 };
static uint64_t hardware;

static uint32_t vector_bytes = 8, vector_registers = 32, mask_registers = 0;

static uint64_t *frame(void *context) { return (uint64_t *)((uint8_t *)context + 176); } // sc_pc, sc_regs[32], sc_flags

// The record that holds the widest vector registers: 8, 16 or 32 bytes each, then fcc, then fcsr.
static uint8_t *vector_record(void *context, uint32_t *width)
{
    enum { FPU = 0x46505501, LSX = 0x53580001, LASX = 0x41535801 };
    uint8_t *record = (uint8_t *)frame(context) + 272;
    uint8_t *found = NULL;
    *width = 0;
    for (uint32_t magic; (magic = get32(record)) != 0; record += get32(record + 4)) {
        uint32_t this_width = magic == FPU ? 8 : magic == LSX ? 16 : magic == LASX ? 32 : 0;
        if (this_width > *width) {
            *width = this_width;
            found = record + 16;
        }
        if (get32(record + 4) == 0)
            break;
    }
    return found;
}

static void probe_machine(void *context)
{
    uint32_t width;
    if (!vector_record(context, &width))
        die("the signal frame has no floating-point record");
    vector_bytes = width;
}

// The kernel puts a record into the frame only for registers that the thread has used.
static void touch_vectors(void)
{
    if (hardware & HWCAP_LASX)
        __asm__ volatile(".word 0x77e00000"); // xvldi $xr0, 0
    else if (hardware & HWCAP_LSX)
        __asm__ volatile(".word 0x73e00000"); // vldi $vr0, 0
    else
        __asm__ volatile(".word 0x0114a800"); // movgr2fr.d $f0, $zero
}

static void load_state(void *context, uint8_t *state)
{
    uint32_t width;
    uint8_t *vectors = vector_record(context, &width);
    uint64_t *registers = frame(context);
    registers[0] = get64(state + STATE_PC);
    for (int i = 1; i < 32; i++)
        registers[1 + i] = get64(state + 8 * i);
    if (!vectors)
        die("the signal frame has no floating-point record");
    for (uint32_t i = 0; i < 32; i++)
        memcpy(vectors + width * i, state + STATE_XR + 32 * i, width);
    put64(vectors + width * 32, get64(state + STATE_FCC));
    put32(vectors + width * 32 + 8, get32(state + STATE_FCSR));
}

static void store_state(void *context, uint8_t *state)
{
    uint32_t width;
    uint8_t *vectors = vector_record(context, &width);
    uint64_t *registers = frame(context);
    memset(state, 0, STATE_SIZE);
    put64(state + STATE_PC, registers[0]);
    for (int i = 1; i < 32; i++)
        put64(state + 8 * i, registers[1 + i]);
    if (!vectors)
        die("the signal frame has no floating-point record");
    for (uint32_t i = 0; i < 32; i++)
        memcpy(state + STATE_XR + 32 * i, vectors + width * i, width);
    put64(state + STATE_FCC, get64(vectors + width * 32));
    put32(state + STATE_FCSR, get32(vectors + width * 32 + 8));
}

// The driver's own context is its general registers: it is compiled to use no others.
static uint64_t driver_registers[33];

static void save_driver(void *context) { memcpy(driver_registers, frame(context), sizeof driver_registers); }

static void resume_driver(void *context)
{
    uint32_t width;
    uint8_t *vectors = vector_record(context, &width);
    memcpy(frame(context), driver_registers, sizeof driver_registers);
    if (vectors)
        put32(vectors + width * 32 + 8, 0);
}

static void trap(void) { __asm__ volatile("break 0" ::: "memory"); }
static void skip_trap(void *context) { frame(context)[0] += 4; }

static uint64_t frame_pc(void *context) { return frame(context)[0]; }

static uint64_t trap_pc(void *context, int code)
{
    (void)code;
    return frame_pc(context);
}

static void flush_code(uint8_t *from, uint64_t length)
{
    (void)from;
    (void)length;
    __asm__ volatile("ibar 0" ::: "memory");
}

static uint64_t ticks(void)
{
    uint64_t value;
    __asm__ volatile("dbar 0\n rdtime.d %0, $zero\n ibar 0" : "=r"(value)::"memory");
    return value;
}

// User code has no instruction for it.
static int evict(const uint8_t *from, uint64_t length)
{
    (void)from;
    (void)length;
    return 0;
}

#endif
