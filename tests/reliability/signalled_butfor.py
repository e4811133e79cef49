"""`signalled_butfor.py SIGNAL COUNT WORDS...`: butfor, and a signal when so many functions were called."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Any

from butfor.__main__ import main

number, count = int(sys.argv[1]), int(sys.argv[2])
sys.argv[1:3] = []
called = 0


def profile(frame: FrameType, event: str, arg: Any) -> None:
    """Count calls of butfor's functions, and send the signal when there were so many."""
    global called
    if event == "call" and "/butfor/" in frame.f_code.co_filename:
        called += 1
        if called == count:
            sys.setprofile(None)
            os.kill(os.getpid(), number)


signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell lets background jobs ignore
sys.setprofile(profile)
try:
    main()
finally:
    sys.setprofile(None)
    if count == 0:
        print(called, file=sys.stderr)
