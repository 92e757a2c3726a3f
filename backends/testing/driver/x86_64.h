// x86-64: the layout of a State on the wire, and how it goes into and comes out of a Linux signal frame.
// Must not know arenas, tracing or the protocol.
//
// Signal frame: struct sigcontext_64 and struct _fpx_sw_bytes of arch/x86/include/uapi/asm/sigcontext.h; the XSAVE
// area is in the standard format of the Intel SDM, volume 1, 13.4, its component offsets from CPUID leaf 0xD.

#ifndef ARCHITECTURE_H
#define ARCHITECTURE_H

#include "system.h"

enum { ARCHITECTURE = 1, TRAP_BYTE = 0xcc };

// The State on the wire; src/registers.rs has the same offsets. General registers in the order of their encoding.
enum { STATE_PC = 128, STATE_FLAGS = 136, STATE_MXCSR = 144, STATE_K = 152, STATE_ZMM = 256, STATE_SIZE = 2304 };

// Indices into the general registers of the frame, in the order of the State.
enum { FRAME_RIP = 16, FRAME_EFLAGS = 17, FRAME_FPSTATE = 23, FRAME_SAVED = 18 };
static const uint8_t frame_order[16] = {13, 14, 12, 11, 15, 10, 9, 8, 0, 1, 2, 3, 4, 5, 6, 7};

static uint64_t *frame(void *context) { return (uint64_t *)((uint8_t *)context + 40); }

enum { FLAG_TRAP = 0x100, FLAG_RESUME = 0x10000, FLAG_FIXED = 0x202 };
// The flags that a signal return restores, single step and resume excepted.
enum { FLAGS_SETTABLE = 0x40cd5 };

// Components of the XSAVE area, by their number.
enum { AVX = 2, OPMASK = 5, ZMM_HIGH = 6, ZMM_16_31 = 7 };
static uint32_t component_offset[8];

static uint32_t vector_bytes = 16, vector_registers = 16, mask_registers = 0;

static void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t *out)
{
    __asm__ volatile("cpuid" : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3]) : "a"(leaf), "c"(subleaf));
}

static uint64_t frame_features(uint8_t *area)
{
    enum { MAGIC = 0x46505853 }; // FP_XSTATE_MAGIC1: an XSAVE area follows the 512 bytes of FXSAVE
    return get32(area + 464) == MAGIC ? get64(area + 472) : 3;
}

// Called once with the frame of a trap: finds out what the machine has.
static void probe_machine(void *context)
{
    uint64_t features = frame_features((uint8_t *)frame(context)[FRAME_FPSTATE]);
    for (uint32_t component = AVX; component <= ZMM_16_31; component++) {
        uint32_t out[4];
        cpuid(0xd, component, out);
        component_offset[component] = features >> component & 1 ? out[1] : 0;
    }
    if (component_offset[AVX])
        vector_bytes = 32;
    if (component_offset[OPMASK] && component_offset[ZMM_HIGH] && component_offset[ZMM_16_31]) {
        vector_bytes = 64;
        vector_registers = 32;
        mask_registers = 8;
    }
}

static void touch_vectors(void) {}

// One component's part of one register, in either direction. A component whose bit in XSTATE_BV is clear is all zero.
static void move_part(uint8_t *area, int component, uint32_t offset, uint8_t *state, uint32_t length, int load)
{
    if (component >= AVX && !component_offset[component])
        return;
    uint8_t *place = area + (component >= AVX ? component_offset[component] : 0) + offset;
    if (load)
        memcpy(place, state, length);
    else if (component < AVX || get64(area + 512) >> component & 1)
        memcpy(state, place, length);
    else
        memset(state, 0, length);
}

static void move_vectors(uint8_t *area, uint8_t *state, int load)
{
    uint64_t features = frame_features(area);
    // XSTATE_BV says nothing about a plain FXSAVE area, and x87 and SSE are always written here.
    int sse_clear = features != 3 && !(get64(area + 512) >> 1 & 1) && !load;
    for (uint32_t i = 0; i < 16; i++) {
        uint8_t *zmm = state + STATE_ZMM + 64 * i;
        if (sse_clear)
            memset(zmm, 0, 16);
        else
            move_part(area, 1, 160 + 16 * i, zmm, 16, load);
        move_part(area, AVX, 16 * i, zmm + 16, 16, load);
        move_part(area, ZMM_HIGH, 32 * i, zmm + 32, 32, load);
        move_part(area, ZMM_16_31, 64 * i, zmm + 1024, 64, load);
    }
    for (uint32_t i = 0; i < 8; i++)
        move_part(area, OPMASK, 8 * i, state + STATE_K + 8 * i, 8, load);
    if (load && features != 3) {
        uint64_t written = 3;
        for (int component = AVX; component <= ZMM_16_31; component++)
            written |= component_offset[component] ? 1u << component : 0;
        put64(area + 512, get64(area + 512) | written);
    }
}

static void load_state(void *context, uint8_t *state)
{
    uint64_t *registers = frame(context);
    uint8_t *area = (uint8_t *)registers[FRAME_FPSTATE];
    for (int i = 0; i < 16; i++)
        registers[frame_order[i]] = get64(state + 8 * i);
    registers[FRAME_RIP] = get64(state + STATE_PC);
    registers[FRAME_EFLAGS] = (get64(state + STATE_FLAGS) & FLAGS_SETTABLE) | FLAG_FIXED;
    put32(area + 24, get32(state + STATE_MXCSR) & 0xffff);
    move_vectors(area, state, 1);
}

static void store_state(void *context, uint8_t *state)
{
    uint64_t *registers = frame(context);
    uint8_t *area = (uint8_t *)registers[FRAME_FPSTATE];
    memset(state, 0, STATE_SIZE);
    for (int i = 0; i < 16; i++)
        put64(state + 8 * i, registers[frame_order[i]]);
    put64(state + STATE_PC, registers[FRAME_RIP]);
    put64(state + STATE_FLAGS, registers[FRAME_EFLAGS] & ~(uint64_t)(FLAG_TRAP | FLAG_RESUME));
    put32(state + STATE_MXCSR, get32(area + 24));
    move_vectors(area, state, 0);
}

// The driver's own context is its general registers: it is compiled to use no others.
static uint64_t driver_registers[FRAME_SAVED];

static void save_driver(void *context) { memcpy(driver_registers, frame(context), sizeof driver_registers); }

static void resume_driver(void *context)
{
    memcpy(frame(context), driver_registers, sizeof driver_registers);
    put32((uint8_t *)frame(context)[FRAME_FPSTATE] + 24, 0x1f80);
}

static void trap(void) { __asm__ volatile("int3" ::: "memory"); }
static void skip_trap(void *context) { (void)context; } // the frame is already behind `int3`

static uint64_t frame_pc(void *context) { return frame(context)[FRAME_RIP]; }

// The place of the trapping instruction; SI_KERNEL is what `int3` gives.
static uint64_t trap_pc(void *context, int code) { return frame_pc(context) - (code == 0x80 ? 1 : 0); }

static void set_single_step(void *context, int on)
{
    uint64_t *flags = &frame(context)[FRAME_EFLAGS];
    *flags = on ? *flags | FLAG_TRAP : *flags & ~(uint64_t)FLAG_TRAP;
}

static void flush_code(uint8_t *from, uint64_t length)
{
    (void)from;
    (void)length;
}

static uint64_t ticks(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n rdtsc\n lfence" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
}

// Whether the lines could be evicted one by one.
static int evict(const uint8_t *from, uint64_t length)
{
    for (uint64_t i = 0; i < length + 63; i += 64)
        __asm__ volatile("clflush (%0)" ::"r"(from + (i < length ? i : length - 1)) : "memory");
    __asm__ volatile("mfence" ::: "memory");
    return 1;
}

#endif
