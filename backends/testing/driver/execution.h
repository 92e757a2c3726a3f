// Runs a function in a given state and catches how it ends: the signal handler, tracing of pages, single steps.
// Must not know the protocol or how registers lie in a signal frame.
//
// No register is given up for this. The driver executes a trap; the handler keeps the driver's registers, writes the
// wanted state into the signal frame and returns into the function. The function's return address leads to another trap
// (the sentinel), whose handler takes the whole state out of its frame and puts the driver's registers back.

#ifndef EXECUTION_H
#define EXECUTION_H

#include "memory.h"

enum end { END_RETURNED = 0, END_FAULT = 1, END_ILLEGAL = 2, END_TRAP = 3, END_ARITHMETIC = 4, END_TIME = 5 };

struct access {
    uint64_t pc, address, flags;
};
enum { ACCESS_WRITE = 1, ACCESS_CONTINUED = 2 };

enum { ACCESSES = 1 << 18, PCS = 1 << 22 };
static struct access accesses[ACCESSES];
static uint64_t pcs[PCS];

static struct {
    uint64_t end, pc, address;
    uint64_t access_count, pc_count; // may exceed what is kept
    uint8_t state[STATE_SIZE];
} outcome;

static enum { IDLE, PROBE, ENTER, RUNNING, ENTER_BENCH, BENCHING } volatile mode;
static uint8_t requested_state[STATE_SIZE];
static int step_all;
static uint64_t sentinel;

// The instruction that is being let through to traced pages.
static struct {
    int active;
    uint64_t pc;
    uint32_t count;
    struct {
        struct arena *arena;
        uint64_t page;
        int writable;
    } open[4];
#if defined(__loongarch64)
    uint32_t replaced; // the instruction that gave way to a trap
#endif
} step;

#if defined(__x86_64__)
static int arm_step(void *context)
{
    set_single_step(context, 1);
    return 1;
}

static void disarm_step(void *context) { set_single_step(context, step_all); }

static int at_step_end(void *context, int code)
{
    (void)context;
    return code != 0x80; // `int3` has SI_KERNEL
}
#else
// There is no single step for a user program: a trap replaces the next instruction. Loads and stores don't branch.
static void write_code(uint64_t address, uint32_t word)
{
    struct code *code = find_code(address);
    protect(code->mapping, code->length, PROT_READ | PROT_WRITE);
    put32((void *)address, word);
    protect(code->mapping, code->length, PROT_READ | PROT_EXEC);
    flush_code((uint8_t *)address, 4);
}

static int arm_step(void *context)
{
    uint64_t next = frame_pc(context) + 4;
    if (!find_code(next))
        return 0;
    step.replaced = get32((void *)next);
    write_code(next, TRAP_WORD);
    return 1;
}

static void disarm_step(void *context)
{
    (void)context;
    write_code(step.pc + 4, step.replaced);
}

static int at_step_end(void *context, int code)
{
    (void)code;
    return frame_pc(context) == step.pc + 4;
}
#endif

static void finish_step(void *context)
{
    if (!step.active)
        return;
    for (uint32_t i = 0; i < step.count; i++)
        apply_page(step.open[i].arena, step.open[i].page);
    step.active = 0;
    disarm_step(context);
}

static void end_call(void *context, enum end end, uint64_t pc, uint64_t address)
{
    int whole_state = mode == RUNNING;
    finish_step(context);
    set_timer(0);
    outcome.end = end;
    outcome.pc = pc;
    outcome.address = address;
    if (whole_state)
        store_state(context, outcome.state);
    mode = IDLE;
    resume_driver(context);
}

static void log_access(uint64_t pc, uint64_t address, uint64_t flags)
{
    if (outcome.access_count < ACCESSES)
        accesses[outcome.access_count] = (struct access){pc, address, flags};
    outcome.access_count++;
}

static void log_pc(uint64_t pc)
{
    if (outcome.pc_count < PCS)
        pcs[outcome.pc_count] = pc;
    outcome.pc_count++;
}

// Whether the fault was an access to a traced page that may go on. A page opens for reading first: an instruction that
// faults on the same page again is writing, whatever the architecture says of faults.
static int let_through(void *context, uint64_t address)
{
    struct arena *arena;
    uint64_t page, pc = frame_pc(context);
    if (!find_traced(address, &arena, &page) || (step.active && step.pc != pc))
        return 0;
    uint8_t *place = arena->base + page * page_size;
    int allowed = arena->page[page] & (PROT_READ | PROT_WRITE);
    for (uint32_t i = 0; step.active && i < step.count; i++)
        if (step.open[i].arena == arena && step.open[i].page == page) {
            if (step.open[i].writable || !(allowed & PROT_WRITE))
                return 0;
            step.open[i].writable = 1;
            for (uint64_t n = outcome.access_count; n > 0 && n <= ACCESSES && accesses[n - 1].pc == pc; n--)
                if (accesses[n - 1].address - (uint64_t)place < page_size) {
                    accesses[n - 1].flags |= ACCESS_WRITE;
                    break;
                }
            protect(place, page_size, PROT_READ | PROT_WRITE);
            return 1;
        }
    if (!(allowed & PROT_READ) || (step.active && step.count == 4))
        return 0;
    if (!step.active) {
        if (!arm_step(context))
            return 0;
        step.active = 1;
        step.pc = pc;
        step.count = 0;
    }
    log_access(pc, address, step.count ? ACCESS_CONTINUED : 0);
    step.open[step.count].arena = arena;
    step.open[step.count].page = page;
    step.open[step.count].writable = 0;
    step.count++;
    protect(place, page_size, PROT_READ);
    return 1;
}

static void handle_running(int signal, void *context, int code, uint64_t address)
{
    uint64_t pc = frame_pc(context);
    switch (signal) {
    case SIGTRAP:
        if (step.active && at_step_end(context, code))
            finish_step(context);
        else if (trap_pc(context, code) == sentinel && (ARCHITECTURE == 2 || code == 0x80)) {
            end_call(context, END_RETURNED, sentinel, 0);
            return;
        } else if (!(step_all && code != 0x80)) {
            end_call(context, END_TRAP, trap_pc(context, code), 0);
            return;
        }
        if (step_all && pc != sentinel)
            log_pc(pc);
        return;
    case SIGSEGV:
    case SIGBUS:
        if (mode != RUNNING || !let_through(context, address))
            end_call(context, END_FAULT, pc, address);
        return;
    case SIGILL:
        end_call(context, END_ILLEGAL, pc, 0);
        return;
    case SIGFPE:
        end_call(context, END_ARITHMETIC, pc, 0);
        return;
    default:
        end_call(context, END_TIME, pc, 0);
        return;
    }
}

static void handle_signal(int signal, uint8_t *information, void *context)
{
    int code = (int)get32(information + 8);
    uint64_t address = get64(information + 16);
    if (mode == RUNNING || mode == BENCHING) {
        handle_running(signal, context, code, address);
    } else if (signal == SIGPROF) {
        return; // the timer of a call that has ended meanwhile
    } else if (signal != SIGTRAP || mode == IDLE) {
        complain_number("driver: a fault of its own; signal", (uint64_t)signal);
        complain_number(", pc", frame_pc(context));
        complain_number(", address", address);
        die("");
    } else {
        skip_trap(context);
        if (mode == PROBE) {
            probe_machine(context);
            mode = IDLE;
        } else {
            save_driver(context);
            if (mode == ENTER_BENCH) {
                mode = BENCHING;
                return;
            }
            load_state(context, requested_state);
            mode = RUNNING;
#if defined(__x86_64__)
            if (step_all) {
                set_single_step(context, 1);
                log_pc(frame_pc(context));
            }
#endif
        }
    }
}

// Runs the function of `requested_state`; everything there is to know is in `outcome` afterwards.
static void run_call(uint64_t microseconds, int step_every_instruction)
{
    outcome.access_count = outcome.pc_count = 0;
    step_all = step_every_instruction;
    touch_vectors();
    set_timer(microseconds);
    mode = ENTER;
    trap();
}

typedef void function(uint64_t, uint64_t, uint64_t, uint64_t);

// Where no line can be evicted by address, more memory than any cache has is walked.
static void evict_everything(void)
{
    static volatile uint8_t walk[64 << 20];
    for (uint64_t i = 0; i < sizeof walk; i += 64)
        walk[i]++;
}

// Ticks of each sample into `samples`; `arguments`: output, key, counter, nblocks. With `cold` set each sample starts with
// code and data evicted.
__attribute__((noinline)) static void run_bench(uint64_t entry, const uint64_t *arguments, uint64_t count,
                                                uint64_t calls, int cold, uint64_t microseconds, uint64_t *samples)
{
    outcome.end = END_RETURNED;
    outcome.pc = outcome.address = 0;
    step_all = 0;
    set_timer(microseconds);
    mode = ENTER_BENCH;
    trap();
    // After a fault the driver comes back to this place a second time, then with mode IDLE.
    if (mode != BENCHING)
        return;
    function *called = (function *)entry;
    struct code *code = find_code(entry);
    for (uint64_t i = 0; i < count; i++) {
        if (cold) {
            int done = evict((const uint8_t *)arguments[0], 64 * arguments[3]) &&
                       evict((const uint8_t *)arguments[1], 32) && evict((const uint8_t *)arguments[2], 8) &&
                       (!code || evict(code->mapping, code->length));
            if (!done)
                evict_everything();
        }
        uint64_t before = ticks();
        for (uint64_t call = 0; call < calls; call++)
            called(arguments[0], arguments[1], arguments[2], arguments[3]);
        samples[i] = ticks() - before;
    }
    mode = IDLE;
    set_timer(0);
}

static void install_handlers(void)
{
    static uint8_t stack[1 << 18] __attribute__((aligned(64)));
    static const int signals[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGPROF};
    uint64_t alternate[3] = {(uint64_t)stack, 0, sizeof stack};
    system_call(SYS_sigaltstack, (long)alternate, 0, 0, 0, 0, 0);
    for (uint32_t i = 0; i < sizeof signals / sizeof *signals; i++) {
#if defined(__x86_64__)
        void signal_return(void);
        uint64_t action[4] = {(uint64_t)handle_signal, SA_SIGINFO | SA_ONSTACK | SA_RESTORER, (uint64_t)signal_return, ~0ull};
#else
        uint64_t action[3] = {(uint64_t)handle_signal, SA_SIGINFO | SA_ONSTACK, ~0ull};
#endif
        if (system_call(SYS_rt_sigaction, signals[i], (long)action, 0, 8, 0, 0) != 0)
            die("rt_sigaction failed");
    }
}

#endif
