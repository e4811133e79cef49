"""`butfor batch --ray`: the same answer as on one machine, also when a node is lost in the middle."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.batch.test_batch_command import ALONE, batch, files, fuzzed
from tests.commands import TIMEOUT_SECONDS

cluster_utils = pytest.importorskip("ray.cluster_utils", reason="ray is not installed: pip install 'butfor[ray]'")
pytestmark = pytest.mark.slow
_COPIES = 4  # of each crashing input, with another comment: enough work for a node to be lost in the middle of it


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Any]:
    """A cluster of two nodes; each has a cache of its own, as if it were on a machine of its own."""
    made = cluster_utils.Cluster()
    for name in ("one", "two"):
        made.add_node(num_cpus=1, env_vars={"BUTFOR_CACHE_DIR": str(tmp_path / name)})
    yield made
    made.shutdown()


def many_crashes(work: Path) -> None:
    """More crashing inputs of the ledger."""
    fuzzed(work)
    for path in sorted((work / "crashes").iterdir()):
        for copy in range(1, _COPIES):
            more = path.with_name(path.name.replace("id:0", f"id:{copy}"))
            more.write_text(f"comment {copy}\n{path.read_text()}")


def test_a_node_that_is_lost_changes_nothing(work: Path, cluster: Any) -> None:
    many_crashes(work)
    command = ("--crashes", "crashes", "ledger.c", *ALONE)
    batch(work, *command, "-o", "here")
    words = [sys.executable, "-m", "butfor", "batch", *command, "-o", "there", "--ray", cluster.address]
    running = subprocess.Popen(words, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    store = work / "there" / "store"
    while running.poll() is None and len(list(store.glob("*/*.json"))) < 4:
        time.sleep(0.01)
    assert running.poll() is None, "it was over before a node could be lost"
    cluster.remove_node(cluster.worker_nodes.copy().pop(), allow_graceful=False)
    _, said = running.communicate(timeout=TIMEOUT_SECONDS)
    assert (running.returncode, said) == (0, b"")
    assert files(work, "there") == files(work, "here")
    for name in ("one", "two"):
        kinds = sorted(path.relative_to(work.parent / name).parts[0] for path in (work.parent / name).glob("*/*"))
        assert kinds.count("shipped") == 1, "the program is sent to each node, once"
        assert "programs" not in kinds, "and is not built there"


def test_a_cluster_that_cannot_be_reached_is_told(work: Path) -> None:
    fuzzed(work)
    words = [sys.executable, "-m", "butfor", "batch", "ledger.c", *ALONE, "--ray", "127.0.0.1:1"]
    done = subprocess.run(words, cwd=work, capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    assert done.returncode == 2
    assert b"no cluster can be reached there" in done.stderr
