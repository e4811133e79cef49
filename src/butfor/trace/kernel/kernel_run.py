"""A recorded run as the kernels see it: its columns, and functions made ready when they are first met."""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from butfor.ir.instructions import Function
from butfor.native.shared_library import load_library
from butfor.trace.kernel.function_tables import Costs, MadeTable
from butfor.trace.kernel.structures import EDGE_KINDS, RunTable, layout_header
from butfor.trace.trace import Node, Trace

_HERE = Path(__file__).parent
_MAX_WINDOWS_KEPT = 4096  # decoded ones: some 80 MB
_EDGE_NUMBER = {name: number for number, name in enumerate(EDGE_KINDS)}

Edges = Callable[[Node], list[tuple[str, Node]]]


@cache
def kernels() -> ctypes.CDLL | None:
    """The compiled kernels; None where they cannot be built."""
    return load_library("kernels", sorted(_HERE.glob("*.c")), {"layout.h": layout_header()})


@contextmanager
def _deferred_signals() -> Iterator[list[BaseException]]:
    """What the handlers of signals raise in the block; the first of it is raised when the block has ended.

    A handler may raise, as that of Ctrl-C does, and an exception must not get lost between a kernel and the Python code
    that it asks. Most alarms only let a handler look at the clock.
    """
    raised: list[BaseException] = []
    is_main = threading.current_thread() is threading.main_thread()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGALRM) if is_main}
    ours = {number: handler for number, handler in before.items() if callable(handler)}

    def handled(caught: int, frame: FrameType | None) -> None:
        try:
            ours[signal.Signals(caught)](caught, frame)
        except BaseException as e:
            raised.append(e)

    for number in ours:
        signal.signal(number, handled)
    try:
        yield raised
    finally:
        for held, handler in ours.items():
            signal.signal(held, handler)
    if raised:
        raise raised[0]


class KernelRun:
    """The structure that the kernels work on, with the callbacks by which they ask Python."""

    def __init__(self, trace: Trace, costs: Costs, edge_costs: dict[str, int], edges: Edges, potential: Edges) -> None:
        self._is_ready = False  # until everything is there that the kernels rely on
        self.trace = trace
        self._costs = costs
        self._error: BaseException | None = None
        self._raised: list[BaseException] = []  # by handlers of signals since the kernel was called
        self.stop: Callable[[], bool] = lambda: False
        self._made: list[MadeTable] = []
        self._kept: list[Any] = []
        self.table = table = RunTable()
        log = trace.log
        for name in ("seg", "load", "escape", "value", "address", "word", "frame", "read", "event", "run", "check"):
            column = getattr(log, name)
            setattr(table, name, column.ctypes.data if len(column) else None)
            setattr(table, f"{name}_count", len(column))
        table.wide = log.seg.itemsize == 4
        table.table = self._keep(np.ascontiguousarray(log.table, np.int32))
        table.table_rows = len(log.table)
        starts, ends = trace.last_writers.globals
        table.global_start = self._keep(np.array(starts, np.uint64))
        table.global_end = self._keep(np.array(ends, np.uint64))
        table.globals = len(starts)
        unchanging = sorted(trace.last_writers.unchanging)
        table.unchanging = self._keep(np.array(unchanging, np.uint64))
        table.unchanging_count = len(unchanging)
        table.windows_kept = max(1, min(len(log.check), _MAX_WINDOWS_KEPT))
        table.windows = self._keep(np.zeros(table.windows_kept * self.call("bf_window_bytes"), np.uint8))
        table.parents = self._keep(np.zeros(len(log.check) + 1, np.uint64))
        self._functions = np.zeros(len(trace.program.names) + 1, np.uint64)
        table.functions = self._functions.ctypes.data
        table.function_count = len(self._functions)
        for kind, cost in edge_costs.items():
            setattr(table, f"cost_{kind}", cost)
        self._set_callbacks(edges, potential)
        self._is_ready = True

    def _keep(self, column: NDArray[Any]) -> int:
        """The address of a column that stays alive as long as this object."""
        self._kept.append(column)
        return int(column.ctypes.data)

    def guarded(self, act: Callable[..., int]) -> Callable[..., int]:
        """The act, with its exception kept until the kernel has returned."""

        def run(*args: int) -> int:
            try:
                return act(*args) if self._error is None else 0
            except BaseException as e:
                self._error = e
                self.table.damaged = 1
                return 0

        return run

    def _set_callbacks(self, edges: Edges, potential: Edges) -> None:
        table = self.table
        two = (ctypes.c_int64, ctypes.c_int32)
        for name, prototype, act in (
            ("read_function", ctypes.CFUNCTYPE(None, ctypes.c_int32), self._read_function),
            ("order_events", ctypes.CFUNCTYPE(None), self._order_events),
            ("python_edges", ctypes.CFUNCTYPE(ctypes.c_uint64, *two), lambda i, n: self._answer(edges((i, n)))),
            ("python_potential", ctypes.CFUNCTYPE(ctypes.c_uint64, *two), lambda i, n: self._answer(potential((i, n)))),
            ("is_stopped", ctypes.CFUNCTYPE(ctypes.c_int32), self.is_stopped),
        ):
            callback = prototype(self.guarded(act))
            self._kept.append(callback)
            setattr(table, name, ctypes.cast(callback, ctypes.c_void_p))

    def _read_function(self, number: int) -> int:
        trace = self.trace
        fn = self.function(number)
        source = trace.program.source
        made = MadeTable(
            trace.static, fn, trace.addresses.get(fn.name), self._costs, lambda i: source.location(i) is not None
        )
        self._made.append(made)
        self._functions[number] = ctypes.addressof(made.structure)
        return 0

    def _order_events(self) -> int:
        segments, order = self.trace.log.event_order
        self.table.event_segment = self._keep(np.array(segments, np.uint32))
        self.table.event_order = self._keep(np.array(order, np.int64))
        return 0

    def _answer(self, edges: list[tuple[str, Node]]) -> int:
        """The number of edges, which are put where the kernel finds them."""
        rows = [(_EDGE_NUMBER[kind], *target) for kind, target in edges]
        self._answered = (
            np.array([row[0] for row in rows], np.uint32),
            np.array([row[1] for row in rows], np.uint64).astype(np.int64),
            np.array([row[2] for row in rows], np.int32),
        )
        table = self.table
        table.answer_kind, table.answer_i, table.answer_n = (column.ctypes.data for column in self._answered)
        return len(rows)

    def is_stopped(self) -> bool:
        """Whether the kernel is to come to an end: the handler of a signal said so, or the caller does."""
        return bool(self._raised) or self.stop()

    def function(self, number: int) -> Function:
        """The function of a number."""
        return self.trace.program.function(self.trace.program.names[number])

    def call(self, name: str, *args: Any) -> int:
        """The result of a kernel; an exception that a callback raised is raised here."""
        library = kernels()
        assert library is not None
        with _deferred_signals() as self._raised:
            result = int(getattr(library, name)(ctypes.byref(self.table), *args))
        error, self._error = self._error, None
        if error is not None:
            raise error
        return result

    def __del__(self) -> None:
        library = kernels()
        if library is not None and getattr(self, "_is_ready", False):
            library.bf_forget(ctypes.byref(self.table))
