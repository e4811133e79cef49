"""A compiler's command line: what it does, from which files, with which options that change the meaning of a source."""

from __future__ import annotations

import os

C_SUFFIXES = (".c", ".i")
ASSEMBLER_SUFFIXES = (".s", ".S", ".sx")
CXX_SUFFIXES = (".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C", ".ii")
_C_LANGUAGES = ("c", "cpp-output")
_SOURCE_LANGUAGES = {"c++": CXX_SUFFIXES, "assembler": ASSEMBLER_SUFFIXES}

# Options whose argument is the next word. Without a blank before it, the argument is part of the same word.
_WITH_ARGUMENT = frozenset(
    "-o -I -D -U -include -imacros -isystem -iquote -idirafter -iprefix -iwithprefix -iwithprefixbefore -isysroot "
    "-imultilib -x -L -l -T -u -z -e -h -A -B -G -R -MF -MT -MQ -Xlinker -Xassembler -Xpreprocessor -Xclang -aux-info "
    "-dumpbase -dumpdir -dumpbase-ext --param -arch -target -wrapper -b -V -include-pch -mllvm --sysroot -rpath "
    "--serialize-diagnostics -gcc-toolchain --entry --output --include -soname -version-info -specs".split()
)
# Their meaning is that of the compiler that makes the IR, too.
_MEANT_ALIKE_WITH_ARGUMENT = (
    "-include -imacros -isystem -iquote -idirafter -iprefix -iwithprefixbefore -iwithprefix -isysroot --sysroot "
    "-I -D -U".split()
)
_MEANT_ALIKE = frozenset(
    "-ansi -trigraphs -nostdinc -undef -pthread -traditional-cpp -funsigned-char -fno-unsigned-char -fsigned-char "
    "-fno-signed-char -fshort-enums -fno-short-enums -fshort-wchar -fwrapv -fno-wrapv -fpack-struct -fgnu89-inline "
    "-fno-gnu89-inline -fcommon -fno-common -fms-extensions -ffreestanding -fhosted -fno-builtin -fno-asm "
    "-fdollars-in-identifiers -fno-dollars-in-identifiers -fPIC -fpic -fPIE -fpie -fno-pic -fno-pie -fno-PIC "
    "-fno-delete-null-pointer-checks".split()
)
_MEANT_ALIKE_PREFIXES = (
    "-std= --std= -fpack-struct= -fvisibility= -fno-builtin- -fmacro-prefix-map= -ftls-model= -fwchar-type= -march= "
    "-msse -mssse -mavx -mfma -mbmi -mlzcnt -mpopcnt -maes -mpclmul -mf16c -mrdrnd -mcx16 -mmovbe -madx -msha "
    "-mno-sse -mno-avx --sysroot="
).split()
_OTHER_MACHINES = ("-m32", "-mx32", "-m16", "-mcmodel=kernel", "--target=", "-target")
_NO_OBJECT = frozenset("-E -S -M -MM -fsyntax-only -### --help -emit-llvm -emit-ast --precompile".split())
_NO_OBJECT_PREFIXES = ("-print-", "--print-", "-dump", "--help=", "--version")
_MAX_RESPONSE_FILES = 50  # they may name each other, even in circles


class Unit:
    """A source file on the command line."""

    __slots__ = ("is_c", "path")

    def __init__(self, path: str, is_c: bool) -> None:
        self.path = path
        self.is_c = is_c  # so that IR can be made of it


class CommandLine:
    """What a call of a compiler does."""

    __slots__ = ("inputs", "is_lto", "language_flags", "makes_object", "output", "units", "words")

    def __init__(self, arguments: list[str]) -> None:
        self.words = expanded(arguments)
        self.units: list[Unit] = []
        self.inputs: list[str] = []  # objects, archives, libraries given as files
        self.language_flags: list[str] = []  # those that change what a source means
        self.output = ""
        self.is_lto = False
        self.makes_object = True  # in the end or on the way: it neither only preprocesses nor only prints
        self._read()

    @property
    def links(self) -> bool:
        """Whether it makes a program or a shared library."""
        return self.makes_object and "-c" not in self.words and bool(self.units or self.inputs)

    @property
    def makes_shared_library(self) -> bool:
        """Whether what it links is a shared library."""
        return self._linker_option("-shared", "--shared", "-Bshareable", "-qmkshrobj")

    @property
    def makes_partial_link(self) -> bool:
        """Whether it links objects to another object, or a program without the C library's start."""
        return self._linker_option("-r", "-i", "--relocatable", "-Ur") or any(
            word in self.words for word in ("-nostdlib", "-nostartfiles", "-ffreestanding")
        )

    def _linker_option(self, *names: str) -> bool:
        for k, word in enumerate(self.words):
            if word in names and not (k and self.words[k - 1] in _WITH_ARGUMENT - {"-Xlinker"}):
                return True
            if word.startswith("-Wl,") and any(name in word.split(",") for name in names):
                return True
        return False

    def _read(self) -> None:
        language = ""
        words = iter(self.words)
        for word in words:
            argument = next(words, "") if word in _WITH_ARGUMENT else ""
            if word in ("-o", "--output"):
                self.output = argument
            elif word.startswith("-o") and not word.startswith("-object"):
                self.output = word[2:]
            elif word == "-x":
                language = "" if argument == "none" else argument
            elif word.startswith("-x") and len(word) > 2:
                language = "" if word[2:] == "none" else word[2:]
            elif word[:1] != "-" or word == "-":
                self._add_input(word, language)
            else:
                self._add_option(word, argument)

    def _add_input(self, path: str, language: str) -> None:
        suffix = os.path.splitext(path)[1]
        if language:
            if not language.endswith("-header"):
                self.units.append(Unit(path, language in _C_LANGUAGES and path not in ("-", "/dev/null")))
            else:
                self.makes_object = False
        elif suffix in C_SUFFIXES:
            self.units.append(Unit(path, True))
        elif any(suffix in suffixes for suffixes in _SOURCE_LANGUAGES.values()):
            self.units.append(Unit(path, False))
        elif suffix in (".h", ".hh", ".hpp", ".H"):
            self.makes_object = False  # a precompiled header
        else:
            self.inputs.append(path)

    def _add_option(self, word: str, argument: str) -> None:
        if word in _NO_OBJECT or word.startswith(_NO_OBJECT_PREFIXES):
            self.makes_object = False
        if word.startswith("-flto") or word == "-fwhole-program":
            self.is_lto = True
        elif word == "-fno-lto":
            self.is_lto = False
        if word in _MEANT_ALIKE or word.startswith(tuple(_MEANT_ALIKE_PREFIXES)):
            self.language_flags.append(word)
        elif word.startswith("-Wp,"):
            self.language_flags += [part for part in word[4:].split(",") if part[:2] in ("-D", "-U", "-I")]
        else:
            self._add_option_with_argument(word, argument)

    def _add_option_with_argument(self, word: str, argument: str) -> None:
        for option in _MEANT_ALIKE_WITH_ARGUMENT:
            if word == option:
                self.language_flags += [word, argument]
                return
            if word.startswith(option) and len(option) == 2:
                self.language_flags.append(word)
                return

    @property
    def is_for_this_machine(self) -> bool:
        """Whether its code runs as an ordinary x86-64 program."""
        return not any(word.startswith(_OTHER_MACHINES) for word in self.words)


def takes_argument(word: str) -> bool:
    """Whether the next word is the argument of this option."""
    return word in _WITH_ARGUMENT


def expanded(arguments: list[str]) -> list[str]:
    """The arguments with the words of response files (`@file`) in the place of their names."""
    words: list[str] = []
    pending = list(reversed(arguments))
    left = _MAX_RESPONSE_FILES
    while pending:
        word = pending.pop()
        text = _response_text(word) if word[:1] == "@" and left else None
        if text is None:
            words.append(word)
        else:
            left -= 1
            pending += reversed(_response_words(text))
    return words


def _response_text(word: str) -> str | None:
    try:
        with open(word[1:], encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return None


def _response_words(text: str) -> list[str]:
    """The words of a response file: quotes keep blanks together, a backslash keeps the next character as it is."""
    words: list[str] = []
    word: list[str] | None = None
    quote = ""
    characters = iter(text)
    for c in characters:
        if c == "\\":
            word = (word or []) + [next(characters, "")]
        elif quote:
            if c == quote:
                quote = ""
            else:
                word = (word or []) + [c]
        elif c in "'\"":
            quote = c
            word = word or []
        elif c in " \t\n\r\f\v":
            if word is not None:
                words.append("".join(word))
            word = None
        else:
            word = (word or []) + [c]
    if word is not None:
        words.append("".join(word))
    return words
