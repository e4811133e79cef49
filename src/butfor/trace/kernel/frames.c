/* Whether each segment instance runs in a frame of its own function: trace/frame_consistency.py is the specification. */
#include "kernel.h"

/* The function whose segment a frame begins with. */
static i32 function_of_frame(struct run *r, u32 frame) {
  u64 entry = r->frame[frame].entry;
  return entry < r->seg_count ? table(r, segment_of(r, entry), OWNER) : NOTHING;
}

int bf_out_of_place(struct run *r, i64 *found) {
  u32 current = r->check[0].frame, coming = r->check[0].frames;
  u64 words = 0;
  *found = NOTHING;
  for (u64 i = 0; i < r->seg_count; i++) {
    u32 s = segment_of(r, i);
    i32 flags = table(r, s, FLAGS);
    const struct check_rec *c = &r->check[i / WINDOW];
    int is_wrong = i % WINDOW == 0 && (c->frame != current || c->frames != coming);
    if (flags & ENTRY) {
      u32 caller = current;
      current = coming++;
      is_wrong |= current >= r->frame_count || r->frame[current].entry != i || r->frame[current].parent != caller;
    } else if (flags & SETJMP && words < r->word_count) {
      is_wrong |= r->word[words] >= r->frame_count;
      current = (u32)r->word[words];
    }
    if (is_wrong || current >= r->frame_count || function_of_frame(r, current) != table(r, s, OWNER)) {
      *found = (i64)i;
      return 1;
    }
    words += (u64)table(r, s, WORDS);
    if (flags & RET) current = r->frame[current].parent;
  }
  return 1;
}
