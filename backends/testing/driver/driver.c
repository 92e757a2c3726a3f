// A remote machine: executes functions given as bytes in a fully controlled state, on commands from standard input.
// This file owns the protocol (src/machine.rs is its other end) and the start; it must not know signal frames.
//
// Command: u32 operation, u32 length, payload. Answer: u32 status (0, or 1 with a sentence as payload), u32 length,
// payload. All numbers are in the machine's order. HELLO, LOAD, ALLOC, READ, CALL and BENCH are answered; an error of one of the
// others is the answer to the next command that has one.

#if defined(__x86_64__)
#include "x86_64.h"
#else
#include "loongarch64.h"
#endif

#include "execution.h"
#include "memory.h"
#include "system.h"

enum {
    HELLO = 1, LOAD, UNLOAD, ALLOC, WRITE, FILL, READ, PROTECT, TRACE, CALL, BENCH,
};

static uint8_t payload[16 << 20] __attribute__((aligned(16)));
static uint32_t payload_length;
static const char *error;

static uint64_t argument(uint32_t index) { return get64(payload + 8 * index); }

static void answer_header(uint32_t status, uint64_t length)
{
    uint32_t header[2] = {status, (uint32_t)length};
    write_all(header, sizeof header);
}

// Whether an answer may follow; if not, the error is the answer.
static int answer_begins(uint64_t length)
{
    if (!error) {
        answer_header(0, length);
        return 1;
    }
    size_t size = 0;
    while (error[size])
        size++;
    answer_header(1, size);
    write_all(error, size);
    error = NULL;
    return 0;
}

static void answer_numbers(const uint64_t *numbers, uint32_t count)
{
    if (answer_begins(8 * count))
        write_all(numbers, 8 * count);
}

// The arena of argument 0, if its bytes (or pages) [argument 1, argument 1 + count) exist.
static struct arena *arena_range(uint64_t count, int pages)
{
    if (argument(0) >= arena_count) {
        error = "there is no arena of that number";
        return NULL;
    }
    struct arena *arena = &arenas[argument(0)];
    uint64_t size = pages ? arena->pages : arena->pages * page_size;
    if (argument(1) > size || count > size - argument(1)) {
        error = "the range leaves its arena";
        return NULL;
    }
    return arena;
}

static void do_hello(void)
{
    uint64_t facts[7] = {ARCHITECTURE, page_size, vector_bytes, vector_registers, mask_registers, STATE_SIZE, sentinel};
    answer_numbers(facts, 7);
}

static void do_load(void)
{
    uint64_t address = 0;
    const char *failure = load_code(argument(0), argument(1), payload + 16, payload_length - 16, &address);
    if (failure)
        error = failure;
    else
        flush_code((uint8_t *)address, payload_length - 16);
    answer_numbers(&address, 1);
}

static void do_alloc(void)
{
    struct arena *arena = NULL;
    const char *failure = allocate_arena(argument(0), &arena);
    if (failure)
        error = failure;
    uint64_t result[2] = {arena_count - 1, arena ? (uint64_t)arena->base : 0};
    answer_numbers(result, 2);
}

static void do_read(void)
{
    struct arena *arena = arena_range(argument(2), 0);
    if (answer_begins(argument(2)))
        write_all(arena->alias + argument(1), argument(2));
}

static void do_pages(int trace)
{
    struct arena *arena = arena_range(argument(2), 1);
    if (!arena)
        return;
    for (uint64_t page = argument(1); page < argument(1) + argument(2); page++) {
        uint8_t *record = &arena->page[page];
        if (trace)
            *record = (uint8_t)(argument(3) ? *record | TRACED : *record & ~TRACED);
        else
            *record = (uint8_t)((*record & TRACED) | argument(3));
        apply_page(arena, page);
    }
}

static void do_call(void)
{
    if (payload_length != 16 + STATE_SIZE)
        error = "the state has another size than the driver's";
    if (!error) {
        memcpy(requested_state, payload + 16, STATE_SIZE);
        run_call(argument(0), argument(1) & 1);
    }
    uint64_t kept = outcome.access_count < ACCESSES ? outcome.access_count : ACCESSES;
    uint64_t kept_pcs = outcome.pc_count < PCS ? outcome.pc_count : PCS;
    uint64_t head[7] = {outcome.end, outcome.pc, outcome.address, outcome.access_count, kept, outcome.pc_count, kept_pcs};
    if (!answer_begins(sizeof head + STATE_SIZE + kept * sizeof *accesses + 8 * kept_pcs))
        return;
    write_all(head, sizeof head);
    write_all(outcome.state, STATE_SIZE);
    write_all(accesses, kept * sizeof *accesses);
    write_all(pcs, 8 * kept_pcs);
}

// Arguments: entry, microseconds, samples, calls, cold, output, key, counter, nblocks.
static void do_bench(void)
{
    static uint64_t samples[1 << 16], arguments[4];
    uint64_t count = argument(2);
    if (count > sizeof samples / sizeof *samples)
        error = "too many samples in one measurement: ask for at most 65536";
    if (!error) {
        memcpy(arguments, payload + 40, sizeof arguments);
        run_bench(argument(0), arguments, count, argument(3), (int)argument(4), argument(1), samples);
    }
    uint64_t head[3] = {outcome.end, outcome.pc, outcome.address};
    if (!answer_begins(sizeof head + 8 * count))
        return;
    write_all(head, sizeof head);
    write_all(samples, 8 * count);
}

static void execute(uint32_t operation)
{
    struct arena *arena;
    const char *failure;
    switch (operation) {
    case HELLO:
        do_hello();
        break;
    case LOAD:
        do_load();
        break;
    case UNLOAD:
        if ((failure = unload_code(argument(0))))
            error = failure;
        break;
    case ALLOC:
        do_alloc();
        break;
    case WRITE:
        if ((arena = arena_range(payload_length - 16, 0)))
            memcpy(arena->alias + argument(1), payload + 16, payload_length - 16);
        break;
    case FILL:
        if ((arena = arena_range(argument(2), 0)))
            memset(arena->alias + argument(1), (int)argument(3), argument(2));
        break;
    case READ:
        do_read();
        break;
    case PROTECT:
        do_pages(0);
        break;
    case TRACE:
        do_pages(1);
        break;
    case CALL:
        do_call();
        break;
    case BENCH:
        do_bench();
        break;
    default:
        die("unknown operation: the two ends of the protocol differ");
    }
}

static void read_auxiliary_vector(uint64_t *stack)
{
    uint64_t *word = stack + 1 + stack[0] + 1; // argc, argv, NULL
    while (*word++) {
    } // environment
    for (; word[0]; word += 2) {
        if (word[0] == AT_PAGESZ)
            page_size = word[1];
#if defined(__loongarch64)
        if (word[0] == AT_HWCAP)
            hardware = word[1];
#endif
    }
}

__attribute__((used)) void start(uint64_t *stack)
{
    read_auxiliary_vector(stack);
    install_handlers();
    mode = PROBE;
    touch_vectors();
    trap();
    if (load_code(0, 0, NULL, 0, &sentinel))
        die("the sentinel can't be mapped");
    for (;;) {
        uint32_t header[2];
        read_all(header, sizeof header);
        payload_length = header[1];
        if (payload_length > sizeof payload)
            die("a command is longer than the driver's buffer");
        read_all(payload, payload_length);
        execute(header[0]);
    }
}
