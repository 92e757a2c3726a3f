// SPDX-License-Identifier: 0BSD OR MIT OR Apache-2.0
//
// The first program in the guest: runs what lies in /run.list, a program with its arguments on each line, and says how each ended.
//
// Owns the lines by which the host tells a test's end and the end of all; what a test prints is the test's own.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 8, MOST_SECONDS = 240 };

static void run(char *line)
{
	char *arguments[MOST_ARGUMENTS + 1] = { 0 };
	int count = 0, status;

	for (char *word = strtok(line, " \n"); word && count < MOST_ARGUMENTS; word = strtok(NULL, " \n"))
		arguments[count++] = word;
	if (!count)
		return;
	printf("begin %s\n", arguments[0]);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		alarm(MOST_SECONDS);
		execv(arguments[0], arguments);
		perror(arguments[0]);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		status = -1;
	if (WIFSIGNALED(status))
		printf("end %s: signal %d\n", arguments[0], WTERMSIG(status));
	else
		printf("end %s: status %d\n", arguments[0], WEXITSTATUS(status));
	fflush(stdout);
}

int main(void)
{
	char line[256];
	FILE *list;

	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	printf("guest: AT_HWCAP %#lx\n", getauxval(AT_HWCAP));
	list = fopen("/run.list", "r");
	while (list && fgets(line, sizeof(line), list))
		run(line);
	// Where power-off doesn't end the machine, the host waits for this line.
	printf("guest: the end\n");
	fflush(stdout);
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}
