"""Which inline assembly does nothing."""

from __future__ import annotations

import pytest

from butfor.frontends.c.llvm.idle_assembly import is_idle, with_idle_assembly_as_copies


@pytest.mark.parametrize("text", ["", "# note $0", " \\09# one\\0A# two\\0A"])
def test_comments_are_idle(text: str) -> None:
    assert is_idle(text)


@pytest.mark.parametrize("text", ["nop", "# one\\0Anop", "#APP nop", "/* */ nop", ".globl x"])
def test_instructions_and_directives_are_not(text: str) -> None:
    assert not is_idle(text)


def test_a_tied_operand_is_copied_and_other_assembly_is_left() -> None:
    clobbered = "~{dirflag},~{fpsr},~{flags}"
    copy = f'  %3 = call i32 asm "# $0", "=r,0,{clobbered}"(i32 %2) #1, !dbg !20, !srcloc !25'
    assert with_idle_assembly_as_copies(copy) == "  %3 = bitcast i32 %2 to i32, !dbg !20"
    barrier = f'  call void asm sideeffect "# note", "~{{memory}},{clobbered}"() #1, !dbg !20, !srcloc !25'
    assert with_idle_assembly_as_copies(barrier) == barrier.replace("# note", "")
    swap = f'  %3 = call i32 asm "bswap $0", "=r,0,{clobbered}"(i32 %2) #1, !dbg !20'
    assert with_idle_assembly_as_copies(swap) == swap
    two = f'  %3 = call i32 asm "", "=r,0,r,{clobbered}"(i32 %2, i32 %1) #1, !dbg !20'
    assert with_idle_assembly_as_copies(two) == two
