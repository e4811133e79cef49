"""Many variants of a program in one build: changed functions stand beside the originals, a run chooses among them.

So a thousand edits cost one or two calls of the compiler, and trying one of them costs one fork. What the compiler
refuses is left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from butfor.errors import CompileError
from butfor.frontends.c import object_files, toolchain
from butfor.frontends.c.build import BuildSpec, code_version, initialise_llvm, linked
from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.hooked_build import HookedBuild, build_hooked, fork_server_objects
from butfor.frontends.c.instrument.hooked_module import MAIN
from butfor.frontends.file_kinds import is_ir
from butfor.ir.program import Program
from butfor.libc.library import replaced_functions
from butfor.native import build_cache
from butfor.native.kept_process import temporary_folder

_ERROR = re.compile(r"bf-variant-(\d+):\d+:\d+: (?:fatal )?error: (.*)")
_ANY_ERROR = re.compile(r": (?:fatal )?error: (.*)")
# A change that makes a number of a pointer or the other way round is no repair, even where old programs may do that.
_MISTAKES = ("int-conversion", "incompatible-pointer-types", "implicit-function-declaration")
_STRICT = ("-Wno-everything", *(f"-Werror={mistake}" for mistake in _MISTAKES))
_LENIENT = ("-Wno-everything", *(f"-Wno-{mistake}" for mistake in _MISTAKES))
_FLAGS = (
    "-c",
    "-O0",
    "-g0",
    "-fno-stack-protector",
    "-ffunction-sections",
    "-fsanitize-coverage=trace-pc,no-prune",
    "-ferror-limit=0",
    "-fno-caret-diagnostics",
    "-fno-color-diagnostics",
)
_MAX_COMPILATIONS = 4  # of one source: each leaves out the variants that the last one refused
_NOT_COPIED = re.compile(rb"\b(?:constructor|destructor|alias|ifunc|section)\b")


@dataclass(frozen=True, slots=True)
class Copy:
    """Another version of one function: `text` replaces the bytes from `start` to `end` of a source.

    The name stands at the offset `name` of both, and is `name_size` bytes long.
    """

    number: int
    source: Path
    start: int
    end: int
    name: int
    name_size: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Variants:
    """A program that holds variants; `refused` says why some are not in it."""

    build: HookedBuild
    refused: Mapping[int, str]
    sources: Mapping[Path, bytes]  # the text with all variants
    objects: tuple[bytes, ...]


def can_be_copied(definition: bytes) -> bool:
    """Whether a function can have a second version beside it."""
    return _NOT_COPIED.search(definition.partition(b"{")[0]) is None


def build_variants(spec: BuildSpec, copies: Sequence[Copy], texts: Mapping[Path, bytes] | None = None) -> Variants:
    """The program of `spec` with these variants; `texts` are other contents for some of its sources."""
    contents = {source: (texts or {}).get(source, b"") or source.read_bytes() for source in spec.sources}
    compiler = toolchain.find_compiler(spec.cc)
    refused: dict[int, str] = {}
    with temporary_folder() as work:

        def compiled(numbered: tuple[int, Path]) -> tuple[bytes, bytes]:
            k, source = numbered
            mine = [c for c in copies if c.source == source]
            return _compiled(compiler, spec, source, contents[source], mine, work / str(k), refused)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            done = list(pool.map(compiled, enumerate(spec.sources)))
        objects = _for_fork_server([code for code, _ in done])
        key = build_cache.key_of([code_version(), *compiler.command, *objects, "--", *spec.libs])

        def make(home: Path) -> None:
            files = []
            for k, code in enumerate(objects):
                files.append(home / f"{k}.o")
                files[-1].write_bytes(code)
            runtime = fork_server_objects(compiler)
            toolchain.link_with_libraries(compiler, [*files, *runtime], home / "program", spec.libs)
            for file in files:
                file.unlink()
            (home / "sites.json").write_text("[]", "utf-8")

        build = HookedBuild(build_cache.entry("variants", key, make))
    return Variants(
        build,
        refused,
        {source: text for source, (_, text) in zip(spec.sources, done, strict=True)},
        tuple(c for c, _ in done),
    )


def build_checked(
    spec: BuildSpec, copies: Sequence[Copy], texts: Mapping[Path, bytes], *, arithmetic: bool = False
) -> HookedBuild:
    """The program of `spec` with variants that all compile; memory errors end a run, those of `arithmetic` if asked."""
    compiler = toolchain.find_compiler(spec.cc)
    with temporary_folder() as work:

        def assembly(numbered: tuple[int, Path]) -> Path:
            k, source = numbered
            if is_ir(source):
                return source
            file, out = work / f"{k}.c", work / f"{k}.ll"
            data = texts.get(source, b"") or source.read_bytes()
            file.write_bytes(with_copies(data, str(source), [c for c in copies if c.source == source]))
            toolchain.compile_to_ir(
                compiler, file, out, ("-iquote", str(source.absolute().parent), *spec.flags, *_LENIENT)
            )
            return out

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            files = list(pool.map(assembly, enumerate(spec.sources)))
        initialise_llvm()
        text = str(linked(files))
    return build_hooked(Program(CModule(text)), spec.cc, spec.libs, checked=True, arithmetic=arithmetic, hooks=False)


def _compiled(
    compiler: toolchain.Compiler,
    spec: BuildSpec,
    source: Path,
    data: bytes,
    copies: Sequence[Copy],
    work: Path,
    refused: dict[int, str],
) -> tuple[bytes, bytes]:
    """The object of one source with its variants, and its text."""
    work.mkdir()
    out = work / "out.o"
    if is_ir(source):
        toolchain.run_tool(
            (*compiler.command, *compiler.arch_flags, "-c", "-g0", str(source), "-o", str(out)),
            f"{source} does not compile",
        )
        return out.read_bytes(), data
    file = work / "program.c"
    quiet = _STRICT
    for _ in range(_MAX_COMPILATIONS):
        left = [c for c in copies if c.number not in refused]
        text = with_copies(data, str(source), left)
        file.write_bytes(text)
        command = (
            *compiler.command,
            *_FLAGS,
            *compiler.arch_flags,
            "-iquote",
            str(source.absolute().parent),
            *spec.flags,
            *quiet,
        )
        try:
            toolchain.run_tool((*command, str(file), "-o", str(out)), f"{source} does not compile")
            return out.read_bytes(), text
        except CompileError as e:
            found = {int(m[1]): m[2] for m in _ERROR.finditer(e.stderr)}
            if found:
                refused.update(found)
            elif quiet is _STRICT and _are_tolerable(e.stderr):
                quiet = _LENIENT
            else:
                raise
    raise CompileError(f"{source} does not compile with its variants")


def _are_tolerable(stderr: str) -> bool:
    """Whether all errors are among those that a lenient compiler lets pass, so that it is worth asking one."""
    tags = tuple(f"-W{mistake}]" for mistake in _MISTAKES)
    return all(error.rstrip().endswith(tags) for error in _ANY_ERROR.findall(stderr))


def with_copies(data: bytes, name: str, copies: Iterable[Copy]) -> bytes:
    """The text of a source with variants of its functions after each of them, and a table of all."""
    shown = name.replace("\\", "\\\\").replace('"', '\\"').encode("utf-8", "surrogateescape")
    by_end: dict[int, list[Copy]] = {}
    for copy in copies:
        by_end.setdefault(copy.end, []).append(copy)
    out = [b'#line 1 "%s"\n' % shown]
    rows = []
    at = 0
    for end in sorted(by_end):
        out.append(data[at:end] + b"\n")
        for c in by_end[end]:
            old = data[c.start + c.name : c.start + c.name + c.name_size]
            new = b"%s__bf%d" % (old, c.number)
            body = c.text[: c.name] + new + c.text[c.name + c.name_size :]
            if old == b"main":  # only there, the end of the function returns 0
                body = body[: body.rindex(b"}")] + b"return 0; }"
            line = data.count(b"\n", 0, c.start) + 1
            out.append(b'#line %d "bf-variant-%d"\n__attribute__((used)) %s\n' % (line, c.number, body))
            rows.append(b"{%dul, (void *)%s, (void *)%s, 0}" % (c.number, old, new))
        out.append(b'#line %d "%s"\n' % (data.count(b"\n", 0, end) + 1, shown))
        at = end
    out.append(data[at:])
    if rows:
        head = (
            b"\nstatic struct { unsigned long number; void *from, *to, *unused; } __bf_variants[] "
            b'__attribute__((used, section("bf_variants"))) = {\n'
        )
        out.append(head + b",\n".join(rows) + b"};\n")
    return b"".join(out)


def _for_fork_server(objects: Sequence[bytes]) -> list[bytes]:
    """The objects with library functions that reach beyond a run replaced by the fork server's.

    The program's own functions are renamed, so that the runtime never calls them in place of the library's.
    """
    own = set().union(*map(object_files.exported, objects)) - {"main"}
    names = {name: f"__cf_w_{name}" for name in replaced_functions() if name not in own}
    names |= {name: f"u.{name}" for name in own} | {"main": MAIN}
    return [object_files.renamed(code, names) for code in objects]
