/* Inside of the recording runtime: what rt.c offers to the models of library functions in libc/models.

   Shadow memory, per byte of program memory: `ids` names the last writer, `vals` holds the byte that writer left. Per 8 bytes: `prov` names the
   object that a stored pointer points into. A writer id is
     0                            never written since the object was born
     index << 3 | offset          byte `offset` of store number `index` (1, 2, ...)
     BF_READ  | index << 3 | off  byte of a value first seen by irregular read number `index` (mixed bytes, initial data, changed outside)
     BF_EVENT | index << 3        written by event number `index` (a copy, a library call) */
#ifndef BUTFOR_RT_H
#define BUTFOR_RT_H
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>

#define BF_OWN __attribute__((visibility("hidden"))) /* reached without a detour through the table of a shared library */

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define BF_READ 0x80000000u
#define BF_EVENT 0xC0000000u
#define BF_COPY_TAG 1u /* in the low bits of an event's id: it was a copy */
#define BF_INDEX(id) (((id) & 0x3fffffffu) >> 3)

/* Provenance of a pointer value: an object number, or */
#define BF_NOPROV 0u          /* nothing is known and nothing is checked */
#define BF_LOOKUP 0xffffffffu /* not tracked here: found by address when needed */
#define BF_WEAK 0x80000000u   /* found by address: may be the neighbour of a one-past-the-end pointer */

enum bf_event { EV_COPY = 1, EV_FILL, EV_WRITE, EV_READ, EV_CALL, EV_INPUT, EV_BIRTH };
enum bf_error { ER_BOUNDS = 1, ER_FREED, ER_DOUBLE_FREE, ER_BAD_FREE, ER_RETURNED, ER_NULL, ER_OVERLAP, ER_SCOPE, ER_MEMBER, ER_SIZE, ER_OVERFLOW, ER_SHIFT, ER_CONVERSION };
enum bf_kind { OB_GLOBAL = 1, OB_STACK, OB_HEAP, OB_DYNAMIC };

/* Arguments of the call under way: provenance of pointer argument i. Valid when bf_args_set is 1; a wrapper reads it first thing. */
extern BF_OWN u32 __bf_argp[16];
extern BF_OWN u32 __bf_args_set;
extern BF_OWN u32 __bf_retp; /* provenance of the pointer being returned: a model sets it, BF_LOOKUP otherwise */

/* The object that argument i (with value p) points into, as an object number with or without BF_WEAK, or BF_NOPROV. */
u32 bf_arg(int i, const void *p);
u32 bf_lookup(const void *p); /* by address */

/* Checks that [p, p+n) lies in the live object `prov`; reports a memory error of the call under way if not. */
void bf_check(const void *p, u64 n, u32 prov, int is_write);
void bf_report(int error, const void *p, u64 n, u32 object, int is_write);

/* What the call under way did to memory. Each appends one event. */
void bf_wrote(const void *p, u64 n);                       /* [p,p+n) was written by the library */
void bf_read(const void *p, u64 n);                        /* the library's result depended on [p,p+n) */
void bf_copied(void *dst, const void *src, u64 n);         /* already done: [src..] was copied to [dst..]; call bf_before_copy first */
void bf_before_copy(const void *dst, const void *src, u64 n);/* saves the writers of src before memory changes; call before the real copy */
void bf_filled(void *p, u64 n);                            /* memset-like */
/* n bytes at p came from an input stream: stream 0 stdin, else fd; offset = position of the first byte in it, or -1 */
void bf_input(const void *p, u64 n, int stream, int64_t offset);
/* the result of the call (not memory) came from an input stream */
void bf_input_result(u64 n, int stream, int64_t offset);

/* Descriptors of the recording: the program did not open them, and must not close them. */
enum { MAX_LOG_DESCRIPTOR = 1024 };
int bf_is_log(int fd);

/* Heap objects. bf_born clears the shadow (never written) and returns the new object number; zeroed: calloc. */
u32 bf_born(void *p, u64 n, int zeroed);
void bf_died(u32 object);
u64 bf_object_size(u32 object);
void *bf_object_start(u32 object);
int bf_object_dead(u32 object);
int bf_object_kind(u32 object);

/* Output to standard output: the call under way appended `n` bytes. `pieces` (may be 0): for each conversion of a format, end offset within
   these n bytes of its text and the index of the call's argument that it shows: pairs (start, end, argument index). */
struct bf_piece { u32 start, end, arg; };
void bf_output(u64 n, const struct bf_piece *pieces, u32 npieces);
void bf_output_at(u64 n, int64_t file_offset); /* written past stdio straight to fd 1, landing at this offset of the file */
#endif
