//go:build gles

package main

/*
#include <stdlib.h>
#include <string.h>

// Fyne parses the locale while Go's packages are initialised, whatever their
// order, and says an error of a page for C.UTF-8. Go takes its environment from
// the array that the kernel gave, after constructors have run: it is changed
// there, in place.

static char *given[4];
static int count;

static int plain(const char *v) {
	return !strcmp(v, "C") || !strncmp(v, "C.", 2) || !strcmp(v, "POSIX") || !strncmp(v, "POSIX.", 6);
}

__attribute__((constructor)) static void settle(int argc, char **argv, char **envp) {
	static char *const names[] = {"LC_ALL=", "LC_MESSAGES=", "LANG=", "LANGUAGE="};
	static char *const settled[] = {"LC_ALL=en_US.UTF-8", "LC_MESSAGES=en_US.UTF-8", "LANG=en_US.UTF-8", "LANGUAGE=en_US"};
	(void)argc;
	(void)argv;
	for (char **e = envp; *e; e++) {
		for (int i = 0; i < 4; i++) {
			size_t n = strlen(names[i]);
			if (count < 4 && !strncmp(*e, names[i], n) && plain(*e + n)) {
				given[count++] = *e;
				*e = settled[i];
				break;
			}
		}
	}
}

static char *was(int i) { return i < count ? given[i] : NULL; }
static void restore(void) {
	for (int i = 0; i < count; i++)
		putenv(given[i]);
}
*/
import "C"

import (
	"os"
	"slices"
	"strings"
)

// settle ends what the constructor above began and gives the environment as it
// was: a daemon started here, and C's own library, go by the person's locale,
// Fyne alone by one that it can read.
func settle() []string {
	environ := os.Environ()
	for i := C.int(0); C.was(i) != nil; i++ {
		was := C.GoString(C.was(i))
		name, _, _ := strings.Cut(was, "=")
		environ = slices.DeleteFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
		environ = append(environ, was)
	}
	C.restore()
	if os.Getenv("LC_ALL")+os.Getenv("LC_MESSAGES")+os.Getenv("LANG") == "" {
		os.Setenv("LANG", "en_US.UTF-8")
	}
	return environ
}
