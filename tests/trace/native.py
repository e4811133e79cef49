"""Native execution of single IR operations on many rows of operands, through LLVM's just-in-time compiler."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm

from butfor.ir.instructions import Const, Instr, Operand
from butfor.ir.machine_types import Kind, Type
from butfor.trace.semantics.instruction_semantics import Value, compile_instr, from_bytes, intrinsic, to_bytes

SLOT = 64  # bytes for every operand and result
_FLOATS = {16: "half", 32: "float", 64: "double", 80: "x86_fp80", 128: "fp128"}


def text_of(t: Type) -> str:
    """The type in LLVM's syntax."""
    match t.kind:
        case Kind.INT:
            return f"i{t.bits}"
        case Kind.FLOAT:
            return _FLOATS[t.bits]
        case Kind.PTR:
            return "ptr"
        case Kind.VECTOR:
            return f"<{t.count} x {text_of(t.elem)}>"
        case Kind.ARRAY:
            return f"[{t.count} x {text_of(t.elem)}]"
        case _:
            body = "{ " + ", ".join(map(text_of, t.elems)) + " }"
            return f"<{body}>" if t.packed else body


@dataclass(frozen=True)
class Operation:
    """One operation: its IR on %a0, %a1, ..., and what the library needs to compile it."""

    name: str
    ir: str
    args: tuple[Type, ...]
    result: Type
    op: str
    detail: Any = None
    consts: tuple[Operand, ...] = ()  # operands after the rows' ones
    callee: str = ""

    def __str__(self) -> str:
        return self.name

    def run(self, row: Sequence[Value]) -> Value:
        """The result that the library computes."""
        if self.callee:
            function = intrinsic(self.callee, self.args, self.result)
            assert function is not None, self.callee
            result: Value = function(*row, *self.consts)
            return result
        args = tuple(range(len(self.args))) + self.consts
        instr = Instr(0, 0, self.op, self.result, len(args), args, self.detail, 0)
        return compile_instr(instr, _const)(list(row))


def _const(const: Const) -> Value:
    """The value of a simple constant."""
    return int(const.value)


def _function(index: int, operation: Operation) -> str:
    """A loop that applies the operation to rows of operands."""
    width = SLOT * len(operation.args)
    lines = [
        f"define void @f{index}(ptr %in, ptr %out, i64 %n) {{\nentry:\n  br label %loop\nloop:",
        "  %i = phi i64 [ 0, %entry ], [ %j, %loop ]",
        f"  %o = mul i64 %i, {width}",
        "  %row = getelementptr i8, ptr %in, i64 %o",
    ]
    for k, t in enumerate(operation.args):
        lines.append(
            f"  %p{k} = getelementptr i8, ptr %row, i64 {k * SLOT}\n  %a{k} = load {text_of(t)}, ptr %p{k}, align 1"
        )
    lines += [
        f"  {operation.ir}\n  %x = mul i64 %i, {SLOT}\n  %q = getelementptr i8, ptr %out, i64 %x",
        f"  store {text_of(operation.result)} %r, ptr %q, align 1\n  %j = add i64 %i, 1",
        "  %c = icmp ult i64 %j, %n\n  br i1 %c, label %loop, label %done\ndone:\n  ret void\n}",
    ]
    return "\n".join(lines)


def _declaration(operation: Operation) -> str:
    """The declaration of the intrinsic that is called."""
    types = [text_of(t) for t in operation.args] + [
        "i32" if "fpclass" in operation.callee else "i1" for _ in operation.consts
    ]
    return f"declare {text_of(operation.result)} @{operation.callee}({', '.join(types)})"


def compile_module(text: str) -> Any:
    """The engine that holds the compiled module."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for library in ("libgcc_s.so.1", "libm.so.6"):
        llvm.load_library_permanently(library)
    machine = llvm.Target.from_default_triple().create_target_machine(cpu="x86-64", opt=0, jit=True)
    module = llvm.parse_assembly(f'target triple = "{llvm.get_default_triple()}"\n{text}')
    module.verify()
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


class Native:
    """All operations compiled to machine code at once."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        found = list(operations)
        self.numbers = {operation.name: i for i, operation in enumerate(found)}
        assert len(self.numbers) == len(found)
        declarations = {_declaration(operation) for operation in found if operation.callee}
        self.engine = compile_module(
            "\n".join([*sorted(declarations), *(_function(i, op) for i, op in enumerate(found))])
        )

    def run(self, operation: Operation, rows: Sequence[Sequence[Value]]) -> list[Value]:
        """The result of every row."""
        address = self.engine.get_function_address(f"f{self.numbers[operation.name]}")
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)(address)
        image = b"".join(
            to_bytes(v, t).ljust(SLOT, b"\0") for row in rows for v, t in zip(row, operation.args, strict=True)
        )
        source, target = ctypes.create_string_buffer(image, len(image)), ctypes.create_string_buffer(SLOT * len(rows))
        call(ctypes.addressof(source), ctypes.addressof(target), len(rows))
        data = target.raw
        return [from_bytes(data[i * SLOT : (i + 1) * SLOT], operation.result) for i in range(len(rows))]
