"""What the three peers share: the command line, the mode, and the job's own statement."""

import os
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import asyncpg
import uvloop

Command = Callable[[], Coroutine[Any, Any, None]]

MODES = ("settle", "ticks", "idle")


def main(**commands: Command) -> None:
    """Run the one command that the argument names, on uvloop."""
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        sys.exit(f"usage: {sys.argv[0]} {'|'.join(commands)}")
    try:
        uvloop.run(commands[sys.argv[1]]())
    except Exception as error:
        sys.exit(f"{sys.argv[0]}: {type(error).__name__}: {error}")


def is_idle() -> bool:
    """Return whether the worker runs with the documented defaults; settle and ticks share one set."""
    mode = os.environ.get("PEER_MODE", MODES[0])
    if mode not in MODES:
        raise ValueError(f"PEER_MODE must be one of {', '.join(MODES)}: {mode}")
    return mode == "idle"


def pool(size: int) -> asyncpg.Pool:
    """Make the pool of the jobs' own sessions, all of them open before the first job."""
    return asyncpg.create_pool(min_size=size, max_size=size, max_inactive_connection_lifetime=0)


async def run(sessions: asyncpg.Pool, job: int) -> None:
    """Do the work of one job: one statement in autocommit."""
    await sessions.execute("SELECT public.peer_run($1)", job)


async def jobs() -> list[asyncpg.Record]:
    """Read all jobs that the caller wants, those due first in front."""
    connection = await asyncpg.connect()
    try:
        return await connection.fetch("SELECT id, due FROM public.peer_job ORDER BY due, id")
    finally:
        await connection.close()


def ready() -> None:
    """Print the line that a caller waits for: the worker takes jobs from now on."""
    print("ready", flush=True)
