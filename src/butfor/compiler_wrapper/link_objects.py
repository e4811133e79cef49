"""The small object that each link gets: it names the link, and in programs it asks `butfor run` how to go on."""

from __future__ import annotations

import os

from butfor.compiler_wrapper.ir_store import command_record, keep, name_of, place_of

_SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "startup.c")
_PLACEHOLDER = b"BUTFOR-LINK-ID-0123456789abcdefg"  # as long as the name of a link
_FLAGS = (
    "-c -O2 -fPIC -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables -fno-builtin -w -mno-sse "
    "--target=x86_64-linux-gnu -march=x86-64"
).split()


def link_object(zig: str, store: str, command: list[str], *, is_program: bool) -> str | None:
    """The object to add to a link, which is kept with it; None when the object cannot be made."""
    template = _template(zig, store, is_program)
    if template is None:
        return None
    record = command_record(os.getcwd(), command)
    name = name_of(record)
    keep(store, "links", name, "", record)
    content = template.replace(_PLACEHOLDER, name.encode())
    return keep(store, "links", name, f"-{name_of(content)[:8]}.o", content)


def _template(zig: str, store: str, is_program: bool) -> bytes | None:
    with open(_SOURCE, "rb") as file:
        source = file.read()
    name = name_of(source + zig.encode("utf-8", "surrogateescape"))
    path = place_of(store, "startup", name, "-program.o" if is_program else "-library.o")
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        new = f"{path}.{os.getpid()}"
        command = [zig, "clang", *_FLAGS, *(["-DBUTFOR_HOOK"] if is_program else []), _SOURCE, "-o", new]
        pid = os.posix_spawn(zig, command, os.environ)
        if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0:
            return None
        os.rename(new, path)
    with open(path, "rb") as file:
        return file.read()
