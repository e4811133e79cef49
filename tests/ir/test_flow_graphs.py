"""Control-flow algorithms against naive definitions on random graphs."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from butfor.ir import flow_graphs
from butfor.ir.instructions import Block, Function
from butfor.ir.machine_types import VOID
from butfor.ir.natural_loops import natural_loops

Edges = list[list[int]]


@st.composite
def random_graphs(draw: st.DrawFn) -> Edges:
    """Graphs with unreachable blocks, endless loops, exits, switches and duplicate edges."""
    size = draw(st.integers(1, 9))
    return draw(st.lists(st.lists(st.integers(0, size - 1), max_size=3), min_size=size, max_size=size))


def reach(succs: flow_graphs.Graph, start: int, without: int = -1) -> set[int]:
    """What `start` reaches on paths that avoid one node."""
    seen: set[int] = set()
    work = [start]
    while work:
        node = work.pop()
        if node != without and node not in seen:
            seen.add(node)
            work.extend(succs[node])
    return seen


@given(random_graphs())
def test_reverse_post_order_puts_sources_first_when_acyclic(succs: Edges) -> None:
    acyclic = [[target for target in targets if target > node] for node, targets in enumerate(succs)]
    order = flow_graphs.reverse_post_order(acyclic)
    place = {node: i for i, node in enumerate(order)}
    assert set(order) == reach(acyclic, 0)
    assert len(order) == len(place)
    assert all(place[node] < place[target] for node in order for target in acyclic[node])


@given(random_graphs())
def test_components_are_mutual_reachability_in_topological_order(succs: Edges) -> None:
    found = flow_graphs.components(succs)
    assert sorted(node for members in found for node in members) == list(range(len(succs)))
    closure = [reach(succs, node) for node in range(len(succs))]
    for i, members in enumerate(found):
        assert {node for node in closure[members[0]] if members[0] in closure[node]} == set(members)
        assert all(members[0] not in closure[later[0]] for later in found[i + 1 :])


@settings(max_examples=400)
@given(random_graphs())
def test_dominators_are_cut_nodes(succs: Edges) -> None:
    tree = flow_graphs.dominators(succs)
    reachable = reach(succs, 0)
    for a in range(len(succs)):
        cut = reach(succs, 0, without=a)
        for b in range(len(succs)):
            assert tree.dominates(a, b) == (a in reachable and b in reachable and b not in cut)
    for b in reachable - {0}:
        strict = [a for a in reachable if a != b and tree.dominates(a, b)]
        assert tree.parent[b] == max(strict, key=lambda a: sum(tree.dominates(c, a) for c in strict))


@settings(max_examples=400)
@given(random_graphs())
def test_postdominators_are_cut_nodes_of_the_completed_graph(succs: Edges) -> None:
    full, exit_node = flow_graphs.with_virtual_exit(succs), len(succs)
    assert all(exit_node in reach(full, node) for node in range(len(full)))
    tree = flow_graphs.dominator_tree(flow_graphs.immediate_postdominators(succs), len(succs))
    for a in range(len(full)):
        for b in range(len(full)):
            assert tree.dominates(a, b) == (exit_node not in reach(full, b, without=a) or a == b)


@given(random_graphs())
def test_virtual_exit_adds_one_edge_per_bottom_component(succs: Edges) -> None:
    full = flow_graphs.with_virtual_exit(succs)
    assert [targets[: len(old)] for targets, old in zip(full, succs, strict=False)] == succs
    assert all(full[node][-1] == len(succs) for node, targets in enumerate(succs) if not targets)
    bottom = {
        frozenset(reach(succs, n)) for n in range(len(succs)) if all(n in reach(succs, m) for m in reach(succs, n))
    }
    assert sum(len(succs) in targets for targets in full) == len(bottom)


@settings(max_examples=400)
@given(random_graphs())
def test_control_dependence_matches_its_definition(succs: Edges) -> None:
    tree = flow_graphs.dominator_tree(flow_graphs.immediate_postdominators(succs), len(succs))
    dependence = flow_graphs.control_dependence(succs)
    for node in range(len(succs)):
        naive = {
            (branch, index)
            for branch, targets in enumerate(succs)
            for index, target in enumerate(targets)
            if len(set(targets)) > 1
            and tree.dominates(node, target)
            and not (node != branch and tree.dominates(node, branch))
        }
        assert set(dependence[node]) == naive
        assert len(naive) == len(dependence[node])


@settings(max_examples=400)
@given(random_graphs())
def test_loops_match_their_definition(succs: Edges) -> None:
    loops, tree, reachable = natural_loops(succs), flow_graphs.dominators(succs), reach(succs, 0)
    backs = {(a, b) for a in reachable for b in succs[a] if tree.dominates(b, a)}
    assert {loop.header for loop in loops.loops} == {b for _, b in backs}
    for loop in loops.loops:
        assert {(a, loop.header) for a in loop.latches} == {edge for edge in backs if edge[1] == loop.header}
        inside = {n for n in reachable if set(loop.latches) & reach(succs, n, without=loop.header)}
        assert loop.body == inside | {loop.header}
        assert set(loop.exits) == {(a, b) for a in loop.body for b in succs[a] if b not in loop.body}
        assert loop.parent < 0 or loop.body < loops.loops[loop.parent].body
    for node in range(len(succs)):
        around = [i for i, loop in enumerate(loops.loops) if node in loop.body]
        assert loops.depth[node] == len(around)
        assert loops.innermost[node] == min(around, key=lambda i: len(loops.loops[i].body), default=-1)


@given(random_graphs())
def test_irreducible_regions_are_the_cycles_without_back_edges(succs: Edges) -> None:
    tree, reachable = flow_graphs.dominators(succs), reach(succs, 0)
    forward = [[b for b in targets if a in reachable and not tree.dominates(b, a)] for a, targets in enumerate(succs)]
    cyclic = {n for n in reachable if any(n in reach(forward, b) for b in forward[n])}
    regions = natural_loops(succs).irreducible
    assert set().union(*regions) == cyclic
    assert sum(map(len, regions)) == len(cyclic)


def test_goto_into_a_loop_is_irreducible() -> None:
    loops = natural_loops([[1, 2], [2], [1, 3], []])
    assert loops.loops == ()
    assert loops.irreducible == (frozenset({1, 2}),)


def test_endless_loop_keeps_its_inner_decision() -> None:
    """`for (;;) { if (c) x; }`: only x depends on the branch, although nothing is ever left."""
    assert flow_graphs.control_dependence([[1], [2, 3], [3], [1]]) == ((), (), ((1, 0),), ())


def test_empty_function_and_successors_of_a_function() -> None:
    assert flow_graphs.reverse_post_order([]) == []
    assert flow_graphs.components([]) == []
    assert flow_graphs.dominators([]).parent == ()
    assert natural_loops([]).loops == ()
    function = Function("f", 0, (), (), VOID, False, blocks=[Block(0, "a", 0, 1, (1,)), Block(1, "b", 1, 2)])
    assert flow_graphs.successors(function) == ((1,), ())


def test_long_chains_take_linear_time_and_no_recursion() -> None:
    """A chain of 20,000 blocks where every second block also jumps to the end, within a loop."""
    size = 20_000
    succs = [[i + 1] if i % 2 else [i + 1, size - 2] for i in range(size - 2)] + [[0, size - 1], []]
    begin = time.process_time()
    assert flow_graphs.immediate_postdominators(succs)[0] == size - 2
    assert flow_graphs.immediate_dominators(succs)[size - 1] == size - 2
    assert natural_loops(succs).depth == (1,) * (size - 1) + (0,)
    assert len(flow_graphs.control_dependence(succs)[0]) == 1
    assert time.process_time() - begin < 10
