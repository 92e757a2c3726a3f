// SPDX-License-Identifier: 0BSD OR MIT OR Apache-2.0
//
// The length of a cache line for the kernel's self-test, where the C library has no name for it. Included before the test's text.

#include <unistd.h>

#ifndef _SC_LEVEL1_DCACHE_LINESIZE
#define _SC_LEVEL1_DCACHE_LINESIZE 0x10000
static inline long sysconf_with_line(int name)
{
	return name == _SC_LEVEL1_DCACHE_LINESIZE ? 64 : sysconf(name);
}
#define sysconf sysconf_with_line
#endif
