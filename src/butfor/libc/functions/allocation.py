"""Blocks on the heap: allocated, resized, freed."""

from __future__ import annotations

from functools import partial

from butfor.libc.effects import NOTHING, result_holds, returns_new_block, stores_new_block
from butfor.libc.record import Allocation, CFile, LibcFunction, SearchModel

_ALLOC = CFile("libc_alloc.c")
_stdlib_h = partial(LibcFunction, "stdlib.h", harmless=True)
_malloc_h = partial(LibcFunction, "malloc.h", harmless=True)
_NEW = (returns_new_block(),)

FUNCTIONS = (
    _stdlib_h(
        "void *malloc(size_t size)",
        _NEW,
        allocates=Allocation(("size",)),
        search=SearchModel.IRRELEVANT,
        model=_ALLOC,
    ),
    _stdlib_h(
        "void *calloc(size_t count, size_t size)",
        _NEW,
        allocates=Allocation(("count", "size"), is_zeroed=True),
        search=SearchModel.IRRELEVANT,
        model=_ALLOC,
    ),
    _stdlib_h(
        "void *realloc(void *old, size_t size)",
        (returns_new_block(), result_holds("old")),
        allocates=Allocation(("size",), keeps_content=True),
        search=SearchModel.IRRELEVANT,
        model=_ALLOC,
    ),
    _stdlib_h(
        "void *reallocarray(void *old, size_t count, size_t size)",
        (returns_new_block(), result_holds("old")),
        allocates=Allocation(("count", "size"), keeps_content=True),
        model=_ALLOC,
    ),
    _stdlib_h(
        "void *aligned_alloc(size_t alignment, size_t size)", _NEW, allocates=Allocation(("size",)), model=_ALLOC
    ),
    _malloc_h("void *memalign(size_t alignment, size_t size)", _NEW, allocates=Allocation(("size",)), model=_ALLOC),
    _malloc_h("void *valloc(size_t size)", _NEW, allocates=Allocation(("size",)), model=_ALLOC),
    _malloc_h("void *pvalloc(size_t size)", _NEW, allocates=Allocation(("size",))),
    _stdlib_h("int posix_memalign(void **to, size_t alignment, size_t size)", (stores_new_block("to"),), model=_ALLOC),
    _stdlib_h("void free(void *block)", NOTHING, frees=True, search=SearchModel.IRRELEVANT, model=_ALLOC),
    LibcFunction("", "void cfree(void *block)", NOTHING, frees=True, harmless=True, model=_ALLOC),
    _malloc_h("size_t malloc_usable_size(void *block)", NOTHING, model=_ALLOC),
    _malloc_h("int malloc_trim(size_t kept)", NOTHING),
    _malloc_h("int mallopt(int option, int value)", NOTHING),
)
