// The memory that a function under test may see: arenas and loaded code, each between guard pages.
// Owns the mappings and what each page allows; must not know signals or the protocol.

#ifndef MEMORY_H
#define MEMORY_H

#include "system.h"

static uint64_t page_size = 4096;

// An arena is mapped twice: `base` is what functions see, with the protection asked for; `alias` is always writable, so
// that the driver reads and writes an arena without touching its protection.
struct arena {
    uint8_t *base, *alias;
    uint64_t pages;
    uint8_t *page; // per page: its protection, and TRACED
};

enum { TRACED = 0x80, ARENAS = 256, CODES = 4096 };
static struct arena arenas[ARENAS];
static uint32_t arena_count;

struct code {
    uint8_t *mapping;
    uint64_t length; // of the executable pages, without the guards
};
static struct code codes[CODES];

static const char *allocate_arena(uint64_t pages, struct arena **result)
{
    if (arena_count == ARENAS)
        return "too many arenas in one machine: start another";
    struct arena *arena = &arenas[arena_count];
    uint64_t length = pages * page_size;
    long file = system_call(SYS_memfd_create, (long)"arena", 0, 0, 0, 0, 0);
    if (file < 0 || system_call(SYS_ftruncate, file, (long)length, 0, 0, 0, 0) != 0)
        return "memfd_create failed";
    uint8_t *around = map(0, length + 2 * page_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (!around)
        return "the arena does not fit into memory";
    arena->base = map((uint64_t)around + page_size, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, (int)file);
    arena->alias = map(0, length, PROT_READ | PROT_WRITE, MAP_SHARED, (int)file);
    arena->page = map(0, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    system_call(SYS_close, file, 0, 0, 0, 0, 0);
    if (!arena->base || !arena->alias || !arena->page)
        return "the arena does not fit into memory";
    arena->pages = pages;
    memset(arena->page, PROT_READ | PROT_WRITE, pages);
    arena_count++;
    *result = arena;
    return NULL;
}

// Gives a page of an arena the protection that its record says.
static void apply_page(struct arena *arena, uint64_t page)
{
    uint8_t record = arena->page[page];
    protect(arena->base + page * page_size, page_size, record & TRACED ? PROT_NONE : record);
}

// The traced page at an address.
static int find_traced(uint64_t address, struct arena **arena, uint64_t *page)
{
    for (uint32_t i = 0; i < arena_count; i++) {
        uint64_t offset = address - (uint64_t)arenas[i].base;
        if (offset < arenas[i].pages * page_size && arenas[i].page[offset / page_size] & TRACED) {
            *arena = &arenas[i];
            *page = offset / page_size;
            return 1;
        }
    }
    return 0;
}

// Fills what is left of the pages, and a word behind the code at least, with traps.
static void fill_with_traps(uint8_t *from, uint64_t length)
{
#if defined(__x86_64__)
    memset(from, TRAP_BYTE, length);
#else
    for (uint64_t i = 0; i + 4 <= length; i += 4)
        put32(from + i, TRAP_WORD);
#endif
}

// `address`: of the first guard page, or 0; `offset`: of the code from the start of its page.
static const char *load_code(uint64_t address, uint64_t offset, const uint8_t *bytes, uint64_t size, uint64_t *result)
{
    struct code *code = codes;
    while (code < codes + CODES && code->mapping)
        code++;
    if (code == codes + CODES)
        return "too many pieces of code in one machine: unload some";
    uint64_t length = (offset + size + 64 + page_size - 1) / page_size * page_size;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (address ? MAP_FIXED_NOREPLACE : 0);
    uint8_t *around = map(address, length + 2 * page_size, PROT_NONE, flags, -1);
    if (!around || (address && (uint64_t)around != address))
        return "the code can't be mapped at that address";
    code->mapping = around + page_size;
    code->length = length;
    protect(code->mapping, length, PROT_READ | PROT_WRITE);
    fill_with_traps(code->mapping, length);
    memcpy(code->mapping + offset, bytes, size);
    protect(code->mapping, length, PROT_READ | PROT_EXEC);
    *result = (uint64_t)code->mapping + offset;
    return NULL;
}

static struct code *find_code(uint64_t address)
{
    for (struct code *code = codes; code < codes + CODES; code++)
        if (code->mapping && address - (uint64_t)code->mapping < code->length)
            return code;
    return NULL;
}

static const char *unload_code(uint64_t address)
{
    struct code *code = find_code(address);
    if (!code)
        return "there is no code at the address to unload";
    system_call(SYS_munmap, (long)(code->mapping - page_size), (long)(code->length + 2 * page_size), 0, 0, 0, 0);
    code->mapping = NULL;
    return NULL;
}

#endif
