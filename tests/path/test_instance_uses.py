"""The recorded values before each instance are those that copies for each position would have."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from butfor.logic.sorts import Value
from butfor.path.instance_uses import values_before
from butfor.path.path_model import Path
from tests.methods.error_invariants.random_paths import failing_paths


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(failing_paths())
def test_views_have_the_values_of_copies(path: Path) -> None:
    now: dict[str, Value] = {**path.start, **path.initial}
    states = values_before(path)
    assert len(states) == len(path.instances) + 1
    for k, instance in enumerate(path.instances):
        assert dict(states[k]) == now
        now.update(instance.recorded)
    assert dict(states[-1]) == now
    assert [dict(s) for s in states[1:]] == [dict(states[k]) for k in range(1, len(states))]
    with pytest.raises(KeyError):
        states[0]["no such cell"]
