"""Python packages of the oracles, in private environments of this user."""

import fcntl
import os
import pathlib
import subprocess
import sys


def enter(name, packages):
    """Begins the program again in the environment `name`, which is installed once.

    Returns True inside of the environment, and False where its packages cannot be installed.
    """
    place = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "settled" / name
    if pathlib.Path(sys.prefix).resolve() == place.resolve():
        return True
    python = place / "bin" / "python3"
    done = place / "installed"
    wanted = " ".join(packages)
    place.mkdir(parents=True, exist_ok=True)
    # Two tests may begin at the same time.
    with open(place / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists() or done.read_text() != wanted:
            subprocess.run(["/usr/bin/python3", "-m", "venv", str(place)], check=True)
            pip = [str(python), "-m", "pip", "install", "-q", "--retries", "2", "--timeout", "30", *packages]
            if subprocess.run(pip, stdout=sys.stderr).returncode:
                return False
            done.write_text(wanted)
    os.execv(python, [str(python), *sys.argv])
