"""The tracer, whose clock is its own process's time: what else the machine does changes no figure."""

import runpy
import sys
import time
import types
from pathlib import Path

MAIN = Path(__file__).resolve().parents[2] / "server" / "shapewise" / "trace" / "__main__.py"

main = runpy.run_path(str(MAIN))
main["_package"]()
from shapewise.trace import agent, control  # noqa: E402

control.time = types.SimpleNamespace(monotonic=time.process_time)  # type: ignore[attr-defined]
sys.exit(agent.main())
