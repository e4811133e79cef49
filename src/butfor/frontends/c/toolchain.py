"""The C compiler: sources to LLVM assembly, objects to a program, the headers that a source includes."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from butfor.errors import ButforError, CompileError
from butfor.frontends.file_kinds import is_ir
from butfor.native import build_cache
from butfor.native.build_cache import cache_dir
from butfor.native.c_compiler import Compiler, find_compiler, without_noise
from butfor.native.run_tool import run_tool, run_under_limits

__all__ = ["Compiler", "find_compiler", "run_tool"]  # with what follows, the whole tool chain

Progress = Callable[[str], None]

_COMMON = ("-g", "-O0", "-fno-stack-protector", "-fno-omit-frame-pointer")
_OLD_STYLE = (
    "-Wno-implicit-function-declaration",
    "-Wno-implicit-int",
    "-Wno-int-conversion",
    "-Wno-return-type",
    "-Wno-deprecated-non-prototype",
    "-Wno-incompatible-pointer-types",
    "-Wno-incompatible-function-pointer-types",
    "-Wno-return-mismatch",
)


def compile_to_ir(compiler: Compiler, source: Path, out: Path, flags: Sequence[str], old_style: bool = True) -> str:
    """The compiler's warnings, after compiling one C file to LLVM assembly at `out`."""
    quiet = _OLD_STYLE if old_style else ()
    command = (
        *compiler.command,
        "-S",
        "-emit-llvm",
        *_COMMON,
        *compiler.arch_flags,
        *quiet,
        *flags,
        _as_operand(source),
        "-o",
        str(out),
    )
    return without_noise(run_tool(command, f"{source} does not compile"))


def _as_operand(file: Path) -> str:
    """A file name that no compiler takes for an option."""
    return str(file.absolute() if str(file).startswith("-") else file)


def compile_object(compiler: Compiler, source: Path, out: Path, flags: Sequence[str]) -> None:
    """Compile one C file of the runtime to an object."""
    command = (
        *compiler.command,
        "-O2",
        "-fomit-frame-pointer",
        "-w",
        *compiler.arch_flags,
        "-fno-stack-protector",
        "-fno-builtin",
        "-fno-delete-null-pointer-checks",
        *flags,
        "-c",
        str(source),
        "-o",
        str(out),
    )
    run_tool(command, f"butfor's own runtime ({source.name}) does not compile")


_WITHOUT_SANITIZER_RUNTIME = "-fno-sanitize=undefined"  # zig links, and builds first, a library for it otherwise


def link(compiler: Compiler, objects: Sequence[Path], out: Path, flags: Sequence[str]) -> None:
    """Link a program."""
    plain = (*compiler.arch_flags, *((_WITHOUT_SANITIZER_RUNTIME,) if compiler.is_zig else ()))
    _run_linker((*compiler.command, *plain, *map(str, objects), "-o", str(out), *flags))


_UNDEFINED = re.compile(r"undefined (?:symbol: |reference to [`'\"])(\w+)")


def _run_linker(command: Sequence[str]) -> None:
    """Run the linker; functions without a body are named when it fails."""
    try:
        run_tool(command, "the program does not link")
    except CompileError as e:
        missing = list(dict.fromkeys(_UNDEFINED.findall(e.stderr)))
        if not missing:
            raise
        what = "it" if len(missing) == 1 else "them"
        hint = (
            f"give the file or library (-l) that defines {what}; where any value will do, "
            f"-D {missing[0]}=__VERIFIER_nondet_int makes its calls nondeterministic"
        )
        raise CompileError(f"the program does not link: there is no {', '.join(missing)}", hint=hint) from e


WHOLE_LINK = "--whole-link"  # the first of the "libraries" of a program whose link is known, word for word
PROGRAM_OBJECTS = "--objects"  # among those words: where the objects of the program belong


def link_with_libraries(compiler: Compiler, objects: Sequence[Path], out: Path, libs: Sequence[str]) -> None:
    """Link a program with libraries, or by the words of a whole link."""
    if tuple(libs[:1]) != (WHOLE_LINK,):
        link(compiler, objects, out, [*(f"-l{x}" for x in libs), "-lm"])
        return
    at = libs.index(PROGRAM_OBJECTS)
    _run_linker((*libs[1:at], *map(str, objects), "-o", str(out), *libs[at + 1 :], "-lm"))


@contextlib.contextmanager
def first_link_prepared(compiler: Compiler, folder: Path, progress: Progress) -> Iterator[None]:
    """Build what zig links every program with, where none was linked before, while the block runs.

    That takes seconds, and so does what is compiled meanwhile. `folder` takes files of its own.
    """
    if not compiler.is_zig or _first_link_stamp().exists():
        yield
        return
    progress("first use: building what programs are linked with (some seconds, once)")
    source, out = folder / "first-link.c", folder / "first-link"
    source.write_text("int main(void) { return 0; }\n", "utf-8")

    def build() -> None:
        with contextlib.suppress(ButforError):  # the link of the program says what is wrong
            link(compiler, [source], out, ["-lm"])
        source.unlink(missing_ok=True)
        out.unlink(missing_ok=True)

    thread = threading.Thread(target=build)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def note_first_link(compiler: Compiler) -> None:
    """Remember that the first link is done."""
    if compiler.is_zig:
        stamp = _first_link_stamp()
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()


def _first_link_stamp() -> Path:
    return cache_dir() / "zig-libc-built"


_MAKE_WORD = re.compile(r"(?:\\[ #\\]|[^\s\\]|\\(?!\n))+")


def _headers_of(compiler: Compiler, source: Path, flags: Sequence[str]) -> list[Path]:
    """The headers that a source includes, without those of the system; none when it does not compile."""
    command = (*compiler.command, "-M", *compiler.arch_flags, *flags, str(source))
    done = run_under_limits(command)
    if done.limit:
        raise CompileError(f"{source} does not compile: the compiler was ended because {done.limit}")
    if done.returncode != 0:
        return []
    text = done.out.decode("utf-8", "surrogateescape").replace("\\\n", " ")
    words = [
        w.replace("\\ ", " ").replace("\\#", "#").replace("$$", "$")
        for w in _MAKE_WORD.findall(text.partition(": ")[2])
    ]
    return [Path(w) for w in words if not w.startswith(("/usr/include/", "/usr/lib/")) and "/ziglang/" not in w]


class IncludedHeaders:
    """The headers of a program's sources; `known` are those of the last build with the same sources and flags."""

    def __init__(self, compiler: Compiler, sources: Sequence[Path], flags: Sequence[str]) -> None:
        self.compiler = compiler
        self.sources = [s for s in sources if not is_ir(s)]
        self.flags = flags
        key = build_cache.key_of([*compiler.command, *flags, "--", *(str(s.absolute()) for s in sources)])
        self._list = cache_dir() / "headers" / key

    @property
    def known(self) -> list[Path] | None:
        """The headers as last seen, None the first time."""
        try:
            return [Path(line) for line in self._list.read_text("utf-8", "surrogateescape").splitlines()]
        except OSError:
            return None

    def find(self) -> list[Path]:
        """The headers as they are now."""
        found = dict.fromkeys(
            path for source in self.sources for path in _headers_of(self.compiler, source, self.flags)
        )
        with contextlib.suppress(OSError):  # only a help for the next time
            self._list.parent.mkdir(parents=True, exist_ok=True)
            self._list.write_text("\n".join(map(str, found)), "utf-8", "surrogateescape")
        return list(found)
