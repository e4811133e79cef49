/* Runs the SQL statements of standard input on a database in memory and prints the rows. */
#include "sqlite3.h"
#include <stdio.h>

static int row(void *unused, int count, char **values, char **names)
{
    (void)unused;
    (void)names;
    for (int i = 0; i < count; i++)
        printf("%s%s", i ? "|" : "", values[i] ? values[i] : "NULL");
    putchar('\n');
    return 0;
}

/* The distribution's sqlite3.c asks for its extensions, which are left out here. */
int sqlite3_sqlean_init(sqlite3 *db, char **error, const void *api)
{
    (void)db;
    (void)error;
    (void)api;
    return SQLITE_OK;
}

int main(void)
{
    static char text[65536];
    sqlite3 *db;
    char *error = NULL;
    text[fread(text, 1, sizeof text - 1, stdin)] = 0;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK)
        return 1;
    if (sqlite3_exec(db, text, row, NULL, &error) != SQLITE_OK)
        printf("error: %s\n", error);
    sqlite3_free(error);
    sqlite3_close(db);
    return 0;
}
