/* How a recording ends. */
#ifndef BUTFOR_END_H
#define BUTFOR_END_H

/* Ends the run: the recording is closed and the process exits. reason as in enum below; text is shown to the user. */
enum bf_end { END_EXIT = 1, END_SIGNAL, END_ASSERT, END_REACH_ERROR, END_ASSUME, END_UNSUPPORTED, END_LIMIT, END_DISK, END_STOPPED };
void bf_end_run(int reason, int status, const char *text) __attribute__((noreturn));
void bf_limit(const char *text); /* a limit was reached: ends the run, or the recording where the program goes on without it */
void bf_close(int reason, int status, const char *text); /* closes the recording, does not exit */
#endif
