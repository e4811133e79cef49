"""From C sources to a program that records itself, with everything about it that later stages need."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from butfor.errors import CompileError, UsageError
from butfor.frontends.c import toolchain
from butfor.frontends.c.c_module import CModule
from butfor.frontends.c.instrument.recording_module import recording_module
from butfor.frontends.c.llvm.idle_assembly import with_idle_assembly_as_copies
from butfor.frontends.c.toolchain import IncludedHeaders
from butfor.frontends.file_kinds import is_ir
from butfor.ir.program import Program
from butfor.libc import library
from butfor.native import build_cache
from butfor.native.installed_packages import installed_as
from butfor.trace.recording import RecordedProgram

if TYPE_CHECKING:
    import llvmlite.binding as llvm

Progress = Callable[[str], None]
RUNTIME = Path(__file__).parent / "runtime"


@dataclass(frozen=True, slots=True)
class BuildSpec:
    """What to compile and how."""

    sources: tuple[Path, ...]
    cc: str | None = None
    flags: tuple[str, ...] = ()
    libs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Build:
    """A compiled program that records itself: `home` holds it, its assembly and its segment table."""

    home: Path
    spec: BuildSpec
    code: RecordedProgram = field(compare=False)
    binary: Path | None = None  # the program that was built before, where it was not built from `spec.sources`

    @property
    def name(self) -> str:
        """What the program is called: its first source file without the suffix, or the path of the binary."""
        if self.binary is not None:
            return str(self.binary) if "/" in str(self.binary) else f"./{self.binary}"
        return self.spec.sources[0].stem

    @property
    def executable(self) -> Path:
        """The program that records itself."""
        return self.home / "program"

    @property
    def module(self) -> Path:
        """The normalised LLVM assembly of the whole program."""
        return self.home / "module.ll"

    @property
    def segments(self) -> Path:
        """The segment table."""
        return self.home / "segments.npy"

    @property
    def warnings(self) -> str:
        """What the compiler warned of."""
        return (self.home / "warnings").read_text("utf-8")

    @property
    def coverage(self) -> str:
        """Which parts of the program are not looked into; empty when there are none."""
        file = self.home / "coverage"
        return file.read_text("utf-8", "surrogateescape") if file.exists() else ""

    @property
    def texts(self) -> Mapping[str, Path]:
        """Files with the sources as they were compiled, by path, where the program carries them."""
        file = self.home / "texts.json"
        return {path: self.home / name for path, name in json.loads(file.read_bytes()).items()} if file.exists() else {}


def initialise_llvm() -> None:
    """Make llvmlite ready for this machine, once."""
    import llvmlite.binding as llvm  # late: heavy, and a program that was built before needs none of it

    with contextlib.suppress(RuntimeError):
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        llvm.initialize_native_asmparser()  # inline assembly that never runs must not end the process


def _parsed_ir(path: Path) -> llvm.ModuleRef:
    """A module from LLVM assembly or bitcode."""
    import llvmlite.binding as llvm  # late: heavy, and a program that was built before needs none of it

    data = path.read_bytes()
    try:
        if data[:2] == b"BC" or data[:4] == b"\xde\xc0\x17\x0b":
            return llvm.parse_bitcode(data)
        return llvm.parse_assembly(
            data.decode("utf-8", "surrogateescape").encode("utf-8", "surrogateescape").decode("latin-1")
        )
    except RuntimeError as e:
        raise CompileError(f"{path} is not valid LLVM IR", stderr=str(e)) from e


_STRUCTORS = re.compile(r"^@llvm\.global_(ctors|dtors) = appending global \[\d+ x [^]]*\] \[(.*)\].*$", re.M)
_STRUCTOR = re.compile(r"\{ i32 (\d+), ptr ([^,]+), ptr [^}]+ \}")
_DEFAULT_PRIORITY = 65535


def _with_init_arrays(text: str) -> str:
    """A module whose constructors and destructors are in `.init_array` and `.fini_array`.

    llvmlite emits them as `.ctors` and `.dtors`, which the start-up code of today's C libraries does not read.
    """

    def entries(found: re.Match[str]) -> str:
        section = ".init_array" if found[1] == "ctors" else ".fini_array"
        lines = []
        for k, (priority, function) in enumerate(_STRUCTOR.findall(found[2])):
            name = section if int(priority) == _DEFAULT_PRIORITY else f"{section}.{int(priority):05}"
            lines.append(f'@butfor.{found[1]}.{k} = internal global ptr {function}, section "{name}", align 8')
        return "\n".join(lines)

    return _STRUCTORS.sub(entries, text)


def object_code(text: str, opt: int = 1, *, inlines: bool = False) -> bytes:
    """The object file of a module; if asked, functions that are marked so are inlined."""
    import llvmlite.binding as llvm  # late: heavy, and a program that was built before needs none of it

    initialise_llvm()
    module = llvm.parse_assembly(_with_init_arrays(text))
    module.verify()
    # opt 0 is three times faster here, but its frames are so much larger that programs which watch their stack
    # behave differently.
    machine = llvm.Target.from_triple(llvm.get_default_triple()).create_target_machine(
        opt=opt, reloc="pic", codemodel="default"
    )
    if inlines:
        passes = llvm.create_new_module_pass_manager()
        passes.add_always_inliner_pass()
        passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=0)))
    code: bytes = machine.emit_object(module)
    return code


@cache
def code_version() -> str:
    """A text that changes when butfor's own compiler part or its tools do."""
    parts = [*installed_as("llvmlite"), *installed_as("ziglang")]
    here = Path(__file__).parent
    files = sorted(
        (
            *here.rglob("*.py"),
            *RUNTIME.iterdir(),
            *(here / "hooks").iterdir(),
            *(here / "checks").iterdir(),
            *Path(library.__file__).parent.rglob("*.py"),
            *library.MODELS.iterdir(),
            *library.REPLACEMENTS.iterdir(),
            *(
                here.parents[1] / "ir" / name
                for name in ("recording_segments.py", "machine_types.py", "array_indices.py")
            ),
        )
    )
    return build_cache.key_of([*parts, *(f.read_bytes() for f in files if f.is_file())])


def linked(paths: Sequence[Path]) -> llvm.ModuleRef:
    """One module of several files with LLVM assembly or bitcode."""
    if len(paths) > _MODULES_LINKED_AT_ONCE:
        groups = (paths[k : k + _MODULES_LINKED_AT_ONCE] for k in range(0, len(paths), _MODULES_LINKED_AT_ONCE))
        return _linked_modules(map(_linked_files, groups))
    return _linked_files(paths)


_MODULES_LINKED_AT_ONCE = 24  # each takes time that grows with the module it is added to


def _linked_files(paths: Sequence[Path]) -> llvm.ModuleRef:
    return _linked_modules(map(_parsed_ir, paths))


def _linked_modules(modules: Iterable[llvm.ModuleRef]) -> llvm.ModuleRef:
    whole: llvm.ModuleRef | None = None
    for part in modules:
        if whole is None:
            whole = part
        else:
            try:
                whole.link_in(part)
            except RuntimeError as e:
                raise CompileError("the files do not link", stderr=str(e)) from e
    assert whole is not None
    return whole


def _compiled_ir(spec: BuildSpec, compiler: toolchain.Compiler, work: Path) -> tuple[llvm.ModuleRef, str]:
    def compiled(numbered: tuple[int, Path]) -> tuple[Path, str]:
        k, source = numbered
        if is_ir(source):
            return source, ""
        out = work / f"{k}.ll"
        return out, toolchain.compile_to_ir(compiler, source, out, spec.flags)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = list(pool.map(compiled, enumerate(spec.sources)))
    whole = linked([path for path, _ in parts])
    for path, _ in parts:
        if path.parent == work:
            path.unlink()
    return whole, "".join(said for _, said in parts)


def _contents(spec: BuildSpec, headers: Sequence[Path]) -> list[bytes | str]:
    """Content that decides the result: each source and each header with its path."""
    parts: list[bytes | str] = []
    for path in (*spec.sources, *headers):
        if path.exists() and not path.is_file():
            raise UsageError(f"{path}: is included, and is a device or a pipe; headers are files")
        try:
            parts += [str(path.absolute()), path.read_bytes()]
        except OSError as e:
            if path in spec.sources:
                raise UsageError(f"{path}: {e.strerror}") from e
            parts.append(str(path))
    return parts


def build(spec: BuildSpec, progress: Progress) -> Build:
    """The program of these sources, from the cache when it was built before."""
    compiler = toolchain.find_compiler(spec.cc)
    fixed = [code_version(), *compiler.command, *spec.flags, "--", *spec.libs]
    headers = IncludedHeaders(compiler, spec.sources, spec.flags)
    known = headers.known
    if known is not None:
        home = build_cache.find("programs", build_cache.key_of([*fixed, *_contents(spec, known)]))
        if home is not None:
            return Build(home, spec, RecordedProgram.in_folder(home, CModule))
    _contents(spec, ())  # a missing source is reported before the compiler is asked
    key = build_cache.key_of([*fixed, *_contents(spec, headers.find())])

    made: list[Program] = []

    def make(work: Path) -> None:
        made.append(_make(spec, compiler, work, progress))

    home = build_cache.entry("programs", key, make)
    if not made:
        return Build(home, spec, RecordedProgram.in_folder(home, CModule))
    return Build(home, spec, RecordedProgram(lambda: made[0], (home / "segments.npy").read_bytes()))


def _make(spec: BuildSpec, compiler: toolchain.Compiler, work: Path, progress: Progress) -> Program:
    """Build the program in the folder `work`; return it as parsed from its assembly."""
    initialise_llvm()
    progress("compiling")
    whole, warnings = _compiled_ir(spec, compiler, work)
    (work / "warnings").write_text(warnings, "utf-8")
    module = CModule(with_idle_assembly_as_copies(str(whole)))
    return make_recording_program(module, compiler, lambda: spec.libs, work, progress)


def make_recording_program(
    module: CModule,
    compiler: toolchain.Compiler,
    libraries: Callable[[], Sequence[str]],
    work: Path,
    progress: Progress,
) -> Program:
    """The program of a module, after building its twin that records itself in the folder `work`."""
    if "main" not in module.functions:
        raise UsageError("the program has no function `main`", hint="give all the files it consists of")
    program = Program(module)
    with toolchain.first_link_prepared(compiler, work, progress):
        progress("instrumenting")
        result = recording_module(module, program, frozenset(library.modelled_functions()))
        (work / "module.ll").write_bytes(module.text.encode("utf-8", "surrogateescape"))
        (work / "files").write_text("\n".join(module.user_files()), "utf-8", "surrogateescape")
        np.save(work / "segments.npy", result.table)
        (work / "program.o").write_bytes(object_code(result.text))
        runtime = recording_runtime(compiler, result.table)
    link_recording_program(compiler, [*runtime, work / "program.o"], libraries(), work, progress)
    (work / "program.o").unlink()
    return program


def recording_runtime(compiler: toolchain.Compiler, table: NDArray[np.int32]) -> list[Path]:
    """The objects of the runtime for a program with these segments."""
    return recorder_objects(compiler, wide=len(table) > _MAX_NARROW_SEGMENTS)


def link_recording_program(
    compiler: toolchain.Compiler, objects: Sequence[Path], libraries: Sequence[str], work: Path, progress: Progress
) -> None:
    """Link objects that record themselves, and their runtime."""
    progress("linking")
    toolchain.link_with_libraries(compiler, objects, work / "program", libraries)
    toolchain.note_first_link(compiler)


_MAX_NARROW_SEGMENTS = 0xFFFF  # whose numbers fit into the two bytes that the log of short programs has for them


def recorder_objects(compiler: toolchain.Compiler, *, wide: bool) -> list[Path]:
    """The objects of the recording runtime and of the models of library functions."""
    flags = [f"-I{RUNTIME}", *(["-DBF_WIDE_SEGMENTS"] if wide else [])]
    return [*runtime_objects(compiler, RUNTIME, flags), *runtime_objects(compiler, library.MODELS, flags)]


def runtime_objects(compiler: toolchain.Compiler, folder: Path, flags: Sequence[str]) -> list[Path]:
    """The objects of the C files of one of butfor's runtimes."""
    key = build_cache.key_of([code_version(), *compiler.command, folder.name, *flags])
    sources = sorted(folder.glob("*.c"))

    def make(work: Path) -> None:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(
                pool.map(
                    lambda source: toolchain.compile_object(compiler, source, work / f"{source.stem}.o", flags), sources
                )
            )

    home = build_cache.entry("runtime", key, make)
    return [home / f"{source.stem}.o" for source in sources]
