"""Where butfor keeps files of its own."""

from __future__ import annotations

import os
from pathlib import Path

CACHE_VARIABLE = "BUTFOR_CACHE_DIR"


def cache_dir() -> Path:
    """The directory of compiled programs and tool caches (it may not exist yet): $BUTFOR_CACHE_DIR, else the user's cache directory."""
    given = os.environ.get(CACHE_VARIABLE)
    if given:
        return Path(given).expanduser()
    import platformdirs  # late: `import butfor` stays fast

    return Path(platformdirs.user_cache_dir("butfor", appauthor=False))
