"""What is said where a cluster cannot be used; test_ray.py has those that can."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from butfor.batch.ray_engine import RayEngine
from butfor.batch.supervisor import CallLimits
from butfor.batch.warm_worker import WorkerSetup
from butfor.errors import ToolMissing


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ToolMissing, match="needs the package ray"):
        RayEngine.connected("auto", WorkerSetup(CallLimits(1, 100), tmp_path, tmp_path), None)
