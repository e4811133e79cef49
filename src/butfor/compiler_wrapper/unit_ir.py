"""The IR of one unit: bitcode with the texts of its sources, made by the compiler that comes along."""

from __future__ import annotations

import os

from butfor.compiler_wrapper.ir_store import command_record, keep, name_of, place_of

_ALWAYS = (
    "-c -emit-llvm -O0 -gdwarf-5 -gembed-source -fno-stack-protector -fno-omit-frame-pointer -Wno-everything "
    "-Wimplicit-function-declaration -Wno-error -fno-color-diagnostics -fno-caret-diagnostics "
    "-Wno-error=implicit-function-declaration -Wno-error=int-conversion -Wno-error=implicit-int "
    "-Wno-error=incompatible-pointer-types -Wno-error=incompatible-function-pointer-types -Wno-error=return-mismatch "
    "-Wno-error=return-type"
).split()
# gcc changes the byte order of members with it; clang does not know it, and would give another program.
_MEANT_OTHERWISE = b"scalar_storage_order"
_IMPLICIT = b"call to undeclared function '"
_IMPLICIT_LIBRARY = b"call to undeclared library function '"


class UnitIr:
    """The IR of a unit: its name in the store, and functions that it calls without having declared them."""

    __slots__ = ("name", "undeclared")

    def __init__(self, name: str, undeclared: frozenset[bytes]) -> None:
        self.name = name
        self.undeclared = undeclared


def make_ir(zig: str, store: str, source: str, language: str, flags: list[str]) -> UnitIr | None:
    """The IR of a source file; None when it cannot be made."""
    os.makedirs(store, exist_ok=True)
    new = os.path.join(store, f"new-{os.getpid()}.bc")
    said = os.path.join(store, f"new-{os.getpid()}.err")
    command = ir_command(zig, language, flags) + [source, "-o", new]
    try:
        if _run_quietly(command, said) != 0:
            return None
        with open(new, "rb") as file:
            content = file.read()
        if _MEANT_OTHERWISE in content:
            return None
        name = name_of(content)
        keep(store, "units", name, ".bc", content)
        keep(store, "units", name, ".cmd", command_record(os.getcwd(), [*flags, "-x", language, source]))
        return UnitIr(name, _undeclared(said))
    finally:
        for path in (new, said):
            if os.path.exists(path):
                os.unlink(path)


def ir_command(zig: str, language: str, flags: list[str]) -> list[str]:
    """The command that makes bitcode, without the names of the files."""
    headers = os.path.join(os.path.dirname(zig), "lib", "include")
    target = ["--target=x86_64-linux-gnu", "-march=x86-64"]
    return [zig, "clang", *target, *_ALWAYS, *flags, "-isystem", headers, "-x", language]


def withdraw_ir(store: str, unit: UnitIr, reason: str) -> None:
    """Say that the IR of a unit must not be used, although objects name it."""
    keep(store, "units", unit.name, ".no", reason.encode())
    path = place_of(store, "units", unit.name, ".bc")
    if os.path.exists(path):
        os.unlink(path)


def _undeclared(said: str) -> frozenset[bytes]:
    with open(said, "rb") as file:
        lines = file.read().splitlines()
    return frozenset(
        line.partition(_IMPLICIT)[2].partition(b"'")[0]
        for line in lines
        if _IMPLICIT in line and b"builtin" not in line
    )


def _run_quietly(command: list[str], said: str) -> int:
    """The exit status of a command whose messages go to a file."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
    ]
    environment = {name: value for name, value in os.environ.items() if name not in _OUTPUT_VARIABLES}
    pid = os.posix_spawn(command[0], command, environment, file_actions=actions)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


# Clang and gcc write files that these variables name; the user's compiler has written them already, or will.
_OUTPUT_VARIABLES = ("DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "CC_PRINT_OPTIONS_FILE", "CC_LOG_DIAGNOSTICS_FILE")
