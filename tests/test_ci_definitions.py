"""The action for GitHub and the examples for build servers: their form, and their shell lines run as they stand."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.commands import TIMEOUT_SECONDS

ROOT = Path(__file__).parents[1]
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```", (ROOT / "docs" / "CI.md").read_text("utf-8"), re.M | re.S)
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
PROGRAM = "int main(int argc, char **argv) { return argc > 1 ? 7 / (argc - 2) : 0; }\n"


@pytest.fixture
def server(work: Path) -> Path:
    """The folder of a project on a build server, on which `pip install butfor` has nothing left to do."""
    tools = work / "tools"
    tools.mkdir()
    (tools / "pip").write_text("#!/bin/sh\nexit 0\n")
    (tools / "butfor").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m butfor "$@"\n')
    for tool in tools.iterdir():
        tool.chmod(0o755)
    (work / "src").mkdir()
    (work / "src" / "prog.c").write_text(PROGRAM)
    tests = [{"name": "none"}, {"name": "one", "args": ["x"]}]
    (work / "tests.json").write_text(json.dumps({"tests": tests}))
    (work / "manifest.toml").write_text('[[program]]\nsources = ["src/prog.c"]\ntests = ["tests.json"]\n')
    (work / "known-causes.json").write_text('{"groups": []}')
    return work


def run(server: Path, script: str, **variables: str) -> int:
    """The exit status of a script as a build server runs it: it ends at the first command that fails."""
    path = f"{server / 'tools'}{os.pathsep}{os.environ['PATH']}"
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    environment = {**os.environ, **variables, "PATH": path, "GITHUB_STEP_SUMMARY": str(server / "step.md")}
    return subprocess.run(
        words, cwd=server, env=environment, stdout=subprocess.DEVNULL, timeout=TIMEOUT_SECONDS, check=False
    ).returncode


def filled_in(text: str, inputs: Mapping[str, str]) -> str:
    """A value of the action with the inputs in their places."""
    return re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda found: inputs[found[1]], text)


def status_of_action(server: Path, **given: str) -> int:
    """The exit status of the first shell step of the action that fails, 0 if none does."""
    assert set(given) <= set(ACTION["inputs"])
    inputs = {name: given.get(name, entry.get("default")) for name, entry in ACTION["inputs"].items()}
    for step in ACTION["runs"]["steps"]:
        if "run" in step:
            variables = {name: filled_in(value, inputs) for name, value in step.get("env", {}).items()}
            status = run(server, step["run"], **variables)
            if status:
                return status
    return 0


def test_the_action_has_the_form_of_one() -> None:
    assert set(ACTION) == {"name", "description", "inputs", "runs"}
    assert ACTION["runs"]["using"] == "composite"
    for entry in ACTION["inputs"].values():
        assert entry["description"]
        assert entry.get("required") or isinstance(entry["default"], str)
    for step in ACTION["runs"]["steps"]:
        assert ("uses" in step) != ("run" in step)
        assert "run" not in step or step["shell"] == "bash"
        assert "${{" not in step.get("run", ""), "what a user gives is no code"
    named = set(re.findall(r"inputs\.([a-z-]+)", (ROOT / "action.yml").read_text("utf-8")))
    assert named == set(ACTION["inputs"])


@pytest.mark.slow
def test_the_action_fails_as_it_is_told(server: Path) -> None:
    assert status_of_action(server, programs="manifest.toml") == 1
    assert "2 runs: 1 failed, 1 passed" in (server / "step.md").read_text("utf-8")
    known = str(server / "butfor-batch" / "groups.json")
    (server / "known.json").write_bytes(Path(known).read_bytes())
    more = {"programs": "src/prog.c", "options": "--tests tests.json --method slice"}
    assert status_of_action(server, **more, **{"fail-on": "never", "output": "other"}) == 0
    assert status_of_action(server, programs="manifest.toml", **{"fail-on": "new-cause", "baseline": "known.json"}) == 0


def test_the_step_that_uses_the_action_gives_inputs_that_it_has() -> None:
    (step,) = (example[0] for example in map(yaml.safe_load, EXAMPLES) if isinstance(example, list))
    assert set(step["with"]) <= set(ACTION["inputs"])


def test_the_job_for_gitlab_runs(server: Path) -> None:
    (job,) = (found for example in EXAMPLES if (found := _job(yaml.safe_load(example))))
    assert run(server, "\n".join(job["script"])) == 1, "a cause that is not known"
    kept, left_out = job["artifacts"]["paths"], job["artifacts"]["exclude"]
    assert (server / job["artifacts"]["reports"]["junit"]).is_file()
    assert all((server / path).exists() for path in (*kept, *job["cache"]["paths"]))
    assert left_out == [f"{path}/**/*" for path in job["cache"]["paths"]]


def test_the_steps_of_the_workflow_run(server: Path) -> None:
    (workflow,) = (found for found in map(yaml.safe_load, EXAMPLES) if isinstance(found, dict) and "jobs" in found)
    steps = [step["run"] for step in workflow["jobs"]["explain"]["steps"] if "run" in step]
    assert [run(server, script) for script in steps] == [0, 1, 0]
    assert (server / "butfor.sarif").is_file()


def _job(example: Any) -> Any:
    return example.get("explain") if isinstance(example, dict) and "explain" in example else None
