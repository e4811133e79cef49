"""Backward slices by the kernel, far larger than Python could follow; `backward_slice.py` is its specification."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from butfor.trace.dependence.dependence import Dependence, Edge
from butfor.trace.dependence.edge_costs import COSTS, UNIT, costs_as_target
from butfor.trace.dependence.sliced_instances import (
    MAX_INSTANCES,
    MAX_INSTANCES_ASKED,
    MAX_INSTANCES_PER_INSTRUCTION,
    Distances,
    EdgeKinds,
    Slice,
    SlicedInstruction,
)
from butfor.trace.kernel.kernel_run import KernelRun, kernels
from butfor.trace.kernel.structures import BYTE_ROW, EDGE_KINDS, NO_EDGE, TOTAL, ByteRows, SliceTable
from butfor.trace.trace import Node

_MAX_BYTES = 2 * 2**30  # of the walk: some 300 million instances
# Instances of one instruction; later ones of a loop lead to its first, so that a very long run takes seconds.
MAX_FOLLOWED_PER_INSTRUCTION = 400_000
_INSTANCES_PER_STOP_CHECK = 1 << 14  # some milliseconds
_NO_LIMIT = 2**62
_NO_NODE = (-1, 0)


class SliceKernel:
    """Slices one run."""

    def __init__(self, dependence: Dependence) -> None:
        edge_costs = {kind: COSTS[kind] for kind in ("data", "address", "control", "call", "potential")}
        self._dependence = dependence
        self._is_cut = False  # whether the time was up before a decision was looked for
        self.stop_asking: Callable[[], bool] = lambda: False  # whether no more decisions are to be looked for
        self._run = KernelRun(dependence.trace, costs_as_target, edge_costs, dependence.edges, self._potential)

    def _potential(self, node: Node) -> list[Edge]:
        """The potential dependences of an instance; none once the time is up, for each may take a while to find."""
        self._is_cut = self._is_cut or self._run.is_stopped() or self.stop_asking()
        return [] if self._is_cut else self._dependence.potential(node)

    @classmethod
    def of(cls, dependence: Dependence) -> SliceKernel | None:
        """The kernel for a run, None where it cannot be built."""
        return None if kernels() is None else cls(dependence)

    def ages(self, loads: Sequence[Node]) -> list[int] | None:
        """How long ago what each load reads was written; None if the kernel gave up."""
        nodes = np.array(loads, np.int64).reshape(-1, 2)
        i, n = np.ascontiguousarray(nodes[:, 0]), np.ascontiguousarray(nodes[:, 1], np.int32)
        found = np.empty(len(nodes), np.int64)
        columns = (ctypes.c_void_p(column.ctypes.data) for column in (i, n, found))
        is_done = self._run.call("bf_ages", *columns, ctypes.c_uint64(len(nodes)))
        return found.tolist() if is_done else None

    def backward(
        self,
        starts: Sequence[tuple[Node, int]],
        kind: str,
        anchor: Node | None,
        limit: int | None,
        stop: Callable[[], bool],
    ) -> Slice | None:
        """The slice from instances with their distances; None if the kernel gave up."""
        most = MAX_INSTANCES[kind] if limit is None else limit
        nodes = np.array([node for node, _ in starts], np.int64).reshape(-1, 2)
        asked = _Asked(nodes, np.array([cost for _, cost in starts], np.uint32), most)
        table = asked.table
        table.anchor_i, table.anchor_n = anchor or _NO_NODE
        table.with_control = kind != "data"
        table.with_potential = kind == "relevant"
        table.limit = _NO_LIMIT if limit is None else limit
        table.max_bytes = _MAX_BYTES
        table.instances_per_stop_check = _INSTANCES_PER_STOP_CHECK
        table.max_listed = most
        table.max_per_instruction = MAX_INSTANCES_PER_INSTRUCTION[kind]
        table.max_asked = min(most, MAX_INSTANCES_ASKED)
        table.max_asked_per_instruction = MAX_INSTANCES_PER_INSTRUCTION[kind]
        table.max_followed_per_instruction = MAX_FOLLOWED_PER_INSTRUCTION
        self._run.stop, self._is_cut = stop, False
        try:
            is_done = self._run.call("bf_slice", ctypes.byref(table))
            return asked.answer(is_cut=self._is_cut) if is_done else None
        finally:
            asked.free()


class _Asked:
    """The structure of one question, with the columns that it points to."""

    def __init__(self, nodes: NDArray[np.int64], costs: NDArray[np.uint32], most: int) -> None:
        self._roots: tuple[NDArray[Any], ...] = (
            np.ascontiguousarray(nodes[:, 0]),
            np.ascontiguousarray(nodes[:, 1], np.int32),
            costs,
        )
        self._listed: tuple[NDArray[Any], ...] = tuple(
            np.empty(most, dtype) for dtype in (np.uint32, np.int32, np.uint32, np.uint8)
        )
        self.table = SliceTable(roots=len(nodes))
        for name, column in zip(("root_i", "root_n", "root_cost"), self._roots, strict=True):
            setattr(self.table, name, column.ctypes.data)
        for name, listed in zip(("listed_i", "listed_n", "listed_cost", "listed_how"), self._listed, strict=True):
            setattr(self.table, name, listed.ctypes.data)

    def answer(self, *, is_cut: bool) -> Slice:
        """The slice that the kernel found."""
        table = self.table
        rows = tuple(column[: table.listed].copy() for column in self._listed)
        totals = _rows(table.totals, table.total_count, TOTAL)
        initial, uninit = _byte_rows(table.initial), _byte_rows(table.uninit)
        followed = bool(table.followed_all and table.asked_all) and not is_cut
        return Slice(
            lambda: _listing(*rows),
            dict(zip(initial["address"].tolist(), _nodes(initial["i"], initial["n"]), strict=True)),
            dict(zip(uninit["address"].tolist(), _nodes(uninit["i"], uninit["n"]), strict=True)),
            {
                node: cost / UNIT
                for found in (initial, uninit)
                for node, cost in zip(_nodes(found["i"], found["n"]), found["distance"].tolist(), strict=True)
            },
            complete=followed and bool(table.listed_all),
            followed_all=followed,
            size=int(table.size),
            totals=lambda: _totals(totals),
        )

    def free(self) -> None:
        """Free what the kernel allocated for the answer."""
        library = kernels()
        if library is not None:
            library.bf_slice_free(ctypes.byref(self.table))


def _rows(address: int | None, count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """A copy of rows that the kernel made."""
    if not address or not count:
        return np.empty(0, dtype)
    return np.frombuffer(ctypes.string_at(address, count * dtype.itemsize), dtype)


def _byte_rows(rows: ByteRows) -> NDArray[Any]:
    return _rows(rows.rows, rows.count, BYTE_ROW)


def _nodes(i: NDArray[Any], n: NDArray[Any]) -> list[Node]:
    return list(zip(i.tolist(), n.tolist(), strict=True))


def _listing(
    i: NDArray[np.uint32], n: NDArray[np.int32], cost: NDArray[np.uint32], how: NDArray[np.uint8]
) -> tuple[Distances, EdgeKinds]:
    nodes = _nodes(i, n)
    reached = {node: EDGE_KINDS[h] for node, h in zip(nodes, how.tolist(), strict=True) if h != NO_EDGE}
    return dict(zip(nodes, (cost / UNIT).tolist(), strict=True)), reached


def _totals(rows: NDArray[Any]) -> tuple[SlicedInstruction, ...]:
    return tuple(
        SlicedInstruction(
            (first, n),
            distance / UNIT,
            count,
            frozenset(kind for k, kind in enumerate(EDGE_KINDS) if how >> k & 1),
        )
        for _, n, _, first, count, distance, how in rows.tolist()
    )
