/* Makes writes and syncs fail, on files whose name ends as a control file says, while it is there.

   The environment variable COSTREAM_TEST_FAULTS names the control file: "ERRNO TIMES CALLS ENDING", such
   as "28 -1 w log.sqlite-wal". CALLS are letters: w for write, s for sync, t for truncate. TIMES is how
   often calls fail; -1 is always. An ENDING that begins with * may stand anywhere in the name. Once
   something has failed, all calls on such files are listed in the file CONTROL.log.

   Preloaded with LD_PRELOAD, so SQLite and Python meet the same faults as on a disk that has them. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int failed = 0;

static int matches(const char *name, const char *ending) {
    if (*ending == '*')
        return strstr(name, ending + 1) != NULL;
    size_t n = strlen(name), m = strlen(ending);
    return n >= m && strcmp(name + n - m, ending) == 0;
}

static void list(const char *control, char call, const char *name) {
    char path[4200], line[4200];
    snprintf(path, sizeof path, "%s.log", control);
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) {
        int length = snprintf(line, sizeof line, "%c %s\n", call, name);
        syscall(SYS_write, file, line, (size_t)length);
        close(file);
    }
}

/* The errno that a call is to fail with, or 0. */
static int fault(char call, int fd) {
    const char *control = getenv("COSTREAM_TEST_FAULTS");
    int error, times, before = errno;
    char text[512], link[64], name[4096], calls[16], ending[256];
    if (control == NULL)
        return 0;
    int file = open(control, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        errno = before;
        return 0;
    }
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    text[size > 0 ? size : 0] = 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, name, sizeof name - 1);
    errno = before;
    if (sscanf(text, "%d %d %15s %255s", &error, &times, calls, ending) != 4 || length < 0)
        return 0;
    name[length] = 0;
    if (!matches(name, ending))
        return 0;
    int fails = strchr(calls, call) != NULL && (times < 0 || failed < times);
    failed += fails;
    if (failed)
        list(control, call, name);
    return fails ? error : 0;
}

#define UNLESS(call)                \
    do {                            \
        int error = fault(call, fd); \
        if (error) {                \
            errno = error;          \
            return -1;              \
        }                           \
    } while (0)

ssize_t write(int fd, const void *from, size_t count) {
    UNLESS('w');
    return syscall(SYS_write, fd, from, count);
}

ssize_t pwrite(int fd, const void *from, size_t count, off_t at) {
    UNLESS('w');
    return syscall(SYS_pwrite64, fd, from, count, at);
}

ssize_t pwrite64(int fd, const void *from, size_t count, off64_t at) {
    UNLESS('w');
    return syscall(SYS_pwrite64, fd, from, count, at);
}

int fsync(int fd) {
    UNLESS('s');
    return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
    UNLESS('s');
    return (int)syscall(SYS_fdatasync, fd);
}

int ftruncate(int fd, off_t length) {
    UNLESS('t');
    return (int)syscall(SYS_ftruncate, fd, length);
}

int ftruncate64(int fd, off64_t length) {
    UNLESS('t');
    return (int)syscall(SYS_ftruncate, fd, length);
}
