"""Which library function is followed by which model, and what is done for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from butfor.concolic import symbolic_addresses
from butfor.concolic.library_models import character_models, getopt_models, input_models, number_models, text_models
from butfor.concolic.library_models.scanf_models import scanned
from butfor.concolic.path_condition import Alternative
from butfor.concolic.search_inputs import STDIN
from butfor.concolic.shadow_state import ConsumedInput, LibraryCall, Shadow
from butfor.ir.machine_types import Kind, Type
from butfor.libc.record import Control, Overflow, SearchModel
from butfor.logic.byte_rules import simple_equal
from butfor.logic.terms import Term, const, negate

_Model = Callable[[Shadow, LibraryCall, Any, Type, Sequence[ConsumedInput]], Term | None]
MODELS: dict[SearchModel, _Model] = {
    SearchModel.CHARACTER_INPUT: input_models.character,
    SearchModel.LINE_INPUT: input_models.line,
    SearchModel.ITEM_INPUT: input_models.block,
    SearchModel.BYTE_INPUT: input_models.block,
    SearchModel.SCANNED_INPUT: scanned,
    SearchModel.SCANNED_TEXT: scanned,
    SearchModel.NONDETERMINISTIC: input_models.nondet,
    SearchModel.OPTIONS: getopt_models.getopt,
    SearchModel.TEXT_LENGTH: text_models.length,
    SearchModel.TEXT_COMPARISON: text_models.comparison,
    SearchModel.CASELESS_COMPARISON: text_models.comparison,
    SearchModel.MEMORY_COMPARISON: text_models.comparison,
    SearchModel.CHARACTER_SEARCH: text_models.search,
    SearchModel.TEXT_SEARCH: text_models.search,
    SearchModel.SET_SEARCH: text_models.search,
    SearchModel.SPLIT: text_models.split,
    SearchModel.SIGNED_NUMBER: number_models.number,
    SearchModel.UNSIGNED_NUMBER: number_models.number,
    SearchModel.REAL_NUMBER: number_models.real,
    SearchModel.ABSOLUTE_VALUE: number_models.absolute,
    SearchModel.LOWER_CASE: character_models.case,
    SearchModel.UPPER_CASE: character_models.case,
    SearchModel.CHARACTER_CLASS: character_models.is_in_class,
    SearchModel.CLASS_TABLE: character_models.table_pointer,
    SearchModel.LOWER_CASE_TABLE: character_models.table_pointer,
    SearchModel.UPPER_CASE_TABLE: character_models.table_pointer,
}


def before(shadow: Shadow, call: LibraryCall) -> None:
    """What a call asks of its arguments, which it may fail on."""
    record = call.record
    if record is None:
        return
    if record.overflow is Overflow.LENGTH and len(call.args) >= 3:
        length = call.terms[2]
        if length is not None:
            symbolic_addresses.long_copy(
                shadow, call.function, call.index, call.args, length, record.block_fill is None
            )
    if record.overflow is Overflow.TEXT:
        text_models.overfull(shadow, call)
    if record.control is Control.ASSUMPTION:
        term = call.terms[0]
        if term is not None and isinstance(call.args[0], int):
            holds = negate(simple_equal(term, const(0, term.width)))
            if call.args[0]:
                shadow.decide(holds)
            else:
                shadow.decide(negate(holds), (Alternative(holds, (*call.site, 1)),))


def filled_with(call: LibraryCall | None) -> int | None:
    """The byte that a call fills memory with, if it is one that does: memset its own, strncpy and the like zeros."""
    if call is None:
        return None
    fill = call.record.block_fill if call.record is not None else None
    if fill is not None:
        byte = call.args[fill.source]
        return byte if isinstance(byte, int) else None
    return 0


def after(shadow: Shadow, call: LibraryCall, value: Any, result: Type, taken: Sequence[ConsumedInput]) -> Term | None:
    """The term of the result, None when it does not depend on the input or nobody knows how."""
    known = SearchModel.UNKNOWN if call.record is None else call.record.search
    model = MODELS.get(known)
    if model is not None:
        return model(shadow, call, value, result, taken)
    if taken and any(stream == STDIN for _, _, stream, _ in taken):
        shadow.reads.add("stdin")
    if known is SearchModel.UNKNOWN and any(t is not None for t in call.terms) and result.kind is not Kind.VOID:
        shadow.gaps.add(f"the function {call.name}()")
    return None
