"""One call of `butfor cc` or `butfor c++`: make IR, then become the user's compiler.

Whatever goes wrong with the IR, the build goes on as if butfor were not there.
"""

from __future__ import annotations

import os
import sys

from butfor.compiler_wrapper.command_line import CommandLine, Unit
from butfor.compiler_wrapper.ir_store import NO_IR, UNITS_SECTION, keep, name_of, store_folder
from butfor.compiler_wrapper.link_objects import link_object
from butfor.compiler_wrapper.unit_ir import UnitIr, make_ir, withdraw_ir

_COMPILERS = {
    "cc": ("BUTFOR_CC", ("cc", "gcc", "clang"), "cc"),
    "c++": ("BUTFOR_CXX", ("c++", "g++", "clang++"), "c++"),
}
# Where build systems try out what the compiler can do: nobody will ask why such a program failed.
_PROBE_NAMES = ("conftest", "testCCompiler", "CMakeCCompilerId", "sanitycheckc", "_configtest")
_PROBE_FOLDERS = (
    "/CMakeFiles/CMakeScratch",
    "/CMakeFiles/CMakeTmp",
    "/CompilerIdC",
    "/meson-private",
    "/CheckIPOSupported",
)
_HELD_BACK = "BUTFOR_CC_ACTIVE"  # set for the user's compiler, in case that is this program again
_NOT_FOUND_STATUS = 127
_PRINT_PATH = "--print-path"  # of butfor, not of the compiler


def main(language: str, arguments: list[str], zig: str | None = None) -> int:
    """The exit status of the user's compiler; most calls end by becoming it."""
    if arguments == [_PRINT_PATH]:
        print(_fast_script(language))
        return 0
    compiler, zig = _user_compiler(language), zig or _zig()
    if os.environ.get(_HELD_BACK) or zig is None:
        return _become([*compiler, *arguments])
    os.environ[_HELD_BACK] = "1"
    call = _Call(compiler, arguments, zig)
    call.prepare()
    return call.finish()


class _Call:
    """One call of the user's compiler with what is added to it."""

    def __init__(self, compiler: list[str], arguments: list[str], zig: str) -> None:
        self.compiler = compiler
        self.arguments = arguments
        self.zig = zig
        self.store = store_folder()
        self.line = CommandLine(arguments)
        self.added: list[str] = []  # arguments in front of the user's
        self.made: list[UnitIr] = []
        self.stamp_header = ""  # a file that the compiler would list among the headers
        self.is_clang = any(
            "clang" in os.path.basename(os.path.realpath(word)) or word == "zig" for word in compiler[:3]
        )

    def prepare(self) -> None:
        """Make IR and find out what to add to the command: nothing where the disk is full or the store is not ours."""
        try:
            self._prepare()
        except OSError:
            self.added, self.made, self.stamp_header = [], [], ""

    def _prepare(self) -> None:
        line = self.line
        if not line.makes_object or not (line.units or line.links) or not line.is_for_this_machine or _is_probe(line):
            return
        if line.units and not self._are_units_compiled_alone():
            self._stamp([(self._ir_of(unit), unit) for unit in line.units])
        if line.links and not line.makes_partial_link:
            words = [str(len(self.compiler)), *self.compiler, *self.arguments]
            added = link_object(self.zig, self.store, words, is_program=not line.makes_shared_library)
            self.added = [added, *self.added] if added else self.added

    def _ir_of(self, unit: Unit) -> UnitIr | None:
        if not unit.is_c or not os.path.isfile(unit.path):
            return None
        language = "cpp-output" if unit.path.endswith(".i") else "c"
        made = make_ir(self.zig, self.store, unit.path, language, self.line.language_flags)
        if made is not None:
            self.made.append(made)
        return made

    def _stamp(self, units: list[tuple[UnitIr | None, Unit]]) -> None:
        rows = [f"{ir.name if ir else NO_IR} {os.path.abspath(unit.path)}" for ir, unit in units]
        is_c = all(unit.is_c for _, unit in units)
        text = "".join(_directives(row) for row in rows)
        if self.is_clang or self.line.is_lto:
            if is_c and "-include-pch" not in self.line.words:
                self.stamp_header = self._kept_stamp(_as_header(text), ".h")
                self.added += ["-include", self.stamp_header]
        else:
            stamp = self._kept_stamp(text, ".s")
            if "," not in stamp:
                self.added.append(f"-Wa,{stamp}")

    def _kept_stamp(self, text: str, suffix: str) -> str:
        content = text.encode("utf-8", "surrogateescape")
        return keep(self.store, "stamps", name_of(content), suffix, content)

    def _are_units_compiled_alone(self) -> bool:
        """Whether each unit gets a call of its own: objects of one call would all name the units of all."""
        units = [unit.path for unit in self.line.units]
        return len(units) > 1 and "-c" in self.arguments and all(self.arguments.count(path) == 1 for path in units)

    def _compile_one_by_one(self) -> int:
        """The exit status of the compiler, called for one unit after the other, as it would go through them itself."""
        units = [unit.path for unit in self.line.units]
        statuses = []
        for path in units:
            mine = [word for word in self.arguments if word == path or word not in units]
            call = _Call(self.compiler, mine, self.zig)
            call.prepare()
            statuses.append(call.finish(may_become=False))
        return max(statuses)

    def finish(self, *, may_become: bool = True) -> int:
        """Run the compiler, or become it when nothing is left to do afterwards."""
        if self._are_units_compiled_alone():
            return self._compile_one_by_one()
        theirs = [word for word in self.arguments if word != "-pipe"] if self.added else self.arguments
        command = [*self.compiler, *self.added, *theirs]
        undeclared = any(made.undeclared for made in self.made)
        if may_become and not undeclared and not self.stamp_header:
            return _become(command)
        status = _run(command)
        try:
            self._clean_depfiles()
            self._withdraw_wrong_ir()
        except OSError:
            return status  # the build is done; a name too many in a depfile does no harm
        return status

    def _clean_depfiles(self) -> None:
        """Remove the stamp from the list of headers that the compiler wrote for make."""
        if self.stamp_header:
            for path in _depfiles(self.line):
                _without_word(path, self.stamp_header)

    def _withdraw_wrong_ir(self) -> None:
        """Withdraw IR that calls functions that the user's object does not name: macros of another compiler."""
        objects = _objects(self.line)
        content = b"".join(_content(path) for path in objects)
        for made in self.made:
            missing = [name for name in made.undeclared if objects and b"\0" + name + b"\0" not in content]
            if missing:
                withdraw_ir(self.store, made, f"{os.fsdecode(missing[0])} is a macro of the other compiler only")


def _fast_script(language: str) -> str:
    """The path of a script that does the same as `butfor cc`, and starts in half the time."""
    packages = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    text = (
        f"#!{sys.executable} -IS\nimport sys\nsys.path.insert(0, {packages!r})\n"
        "from butfor.compiler_wrapper.wrap_compiler import main\n"
        f"sys.exit(main({language!r}, sys.argv[1:], {_zig()!r}))\n"
    ).encode()
    path = keep(store_folder(), "bin", name_of(text), f"/butfor-{language}", text)
    os.chmod(path, 0o755)
    return path


def _user_compiler(language: str) -> list[str]:
    """The words that start the user's own compiler."""
    variable, names, zig_command = _COMPILERS[language]
    given = os.environ.get(variable)
    if given and not os.environ.get(_HELD_BACK):
        return given.split()
    for name in names:
        path = _which(name)
        if path:
            return [path]
    zig = _zig()
    return [zig, zig_command] if zig else [names[0]]


def _zig() -> str | None:
    """The compiler that comes along, which makes the IR."""
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    for folder in (here, os.path.join(sys.prefix, "lib", version, "site-packages"), *sys.path):
        path = os.path.join(folder, "ziglang", "zig")
        if os.path.exists(path):
            return path
    return None


def _which(name: str) -> str | None:
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder or ".", name)
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    return None


def _is_probe(line: CommandLine) -> bool:
    where = os.getcwd() + "/"
    if any(folder in where for folder in _PROBE_FOLDERS):
        return True
    files = [unit.path for unit in line.units] + line.inputs + [line.output]
    return any(
        os.path.basename(path).startswith(_PROBE_NAMES) or any(f in path for f in _PROBE_FOLDERS) for path in files
    )


def _directives(row: str) -> str:
    """Assembly that puts one row into the section of units."""
    escaped = "".join(
        chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:03o}" for b in row.encode("utf-8", "surrogateescape")
    )
    return f'.pushsection {UNITS_SECTION},"",@progbits\n.ascii "{escaped}\\n"\n.popsection\n'


def _as_header(assembly: str) -> str:
    """A header that has this assembly put into the object."""
    lines = "".join('"' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"\n' for line in assembly.splitlines())
    return f"#ifndef __ASSEMBLER__\n__asm__({lines});\n#endif\n"


def _depfiles(line: CommandLine) -> list[str]:
    """Files that may list the headers of the units, for make."""
    words = line.words
    found = [words[k + 1] for k, word in enumerate(words[:-1]) if word == "-MF"]
    found += [word[3:] for word in words if word.startswith("-MF") and len(word) > 3]
    found += [part for word in words if word.startswith("-Wp,-M") for part in word.split(",")[2:]]
    for unit in line.units:
        stem = os.path.splitext(line.output or os.path.basename(unit.path))[0]
        found.append(stem + ".d")
    return [path for path in dict.fromkeys(found) if os.path.isfile(path)]


def _without_word(path: str, word: str) -> None:
    text = _content(path)
    if os.fsencode(word) in text:
        with open(path, "wb") as file:
            file.write(text.replace(b" " + os.fsencode(word), b"").replace(os.fsencode(word) + b":\n", b""))


def _objects(line: CommandLine) -> list[str]:
    """The files that the compiler made of the units."""
    if line.output:
        return [line.output] if os.path.isfile(line.output) else []
    made = [os.path.splitext(os.path.basename(unit.path))[0] + ".o" for unit in line.units]
    return [path for path in made if os.path.isfile(path)]


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _become(command: list[str]) -> int:
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"butfor cc: {command[0]}: {error.strerror}\n")
        return _NOT_FOUND_STATUS


def _run(command: list[str]) -> int:
    """The exit status of a command; when a signal ended it, that signal ends this process too."""
    try:
        pid = os.posix_spawnp(command[0], command, os.environ)
    except OSError as error:
        sys.stderr.write(f"butfor cc: {command[0]}: {error.strerror}\n")
        return _NOT_FOUND_STATUS
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code < 0:
        os.kill(os.getpid(), -code)
    return code
