"""pgqueuer as a peer: deferred jobs (execute_after), one worker on asyncpg."""

import asyncio
import signal
from datetime import timedelta

import asyncpg
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.errors import FailingListenerError
from pgqueuer.models import Job
from pgqueuer.queries import Queries

import peer

ENTRYPOINT = "peer_run"

# Short jobs want larger batches ("Performance tuning", "Batch Size");
# 250 and 1,000 were not faster.
BATCH = 100

# A deferred job wakes the worker at its instant, but never sooner than this attribute
# of QueueManager (0.1 s); no page documents it, so 1 ms is our choice.
NAP = timedelta(milliseconds=1)

# Jobs run in sessions of their own; 8 competed for two cores, 2 were too few.
SESSIONS = 4


async def install() -> None:
    connection = await asyncpg.connect()
    queries = Queries(AsyncpgDriver(connection))
    # The tables stay logged (durability "durable", the default), as those of all peers.
    await queries.install()
    # The checklist asks for it after each installation ("Performance tuning", "pgq autovac").
    await queries.optimize_autovacuum()
    await connection.close()


async def enqueue() -> None:
    connection = await asyncpg.connect()
    # execute_after counts from now(), which stands still within one transaction.
    async with connection.transaction():
        rows = await connection.fetch(
            "SELECT id, due - now() AS wait FROM public.peer_job ORDER BY due, id"
        )
        # Lists make one INSERT of all jobs (QueueRepositoryPort.enqueue).
        await Queries(AsyncpgDriver(connection)).enqueue(
            [ENTRYPOINT] * len(rows),
            [str(row["id"]).encode() for row in rows],
            [0] * len(rows),
            [row["wait"] for row in rows],
        )
    await connection.close()


async def announce(pgq: PgQueuer) -> None:
    """Print the line once a NOTIFY comes back through the worker's own listener."""
    while True:
        try:
            await pgq.qm.listener_healthy(timedelta(seconds=0.1))
            break
        except FailingListenerError:
            continue
    peer.ready()


async def work() -> None:
    # A direct connection serves the manager ("Performance tuning", tip on LISTEN).
    connection = await asyncpg.connect()
    pgq = PgQueuer.from_asyncpg_connection(connection)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, pgq.shutdown.set)
    async with peer.pool(SESSIONS) as sessions:

        @pgq.entrypoint(ENTRYPOINT)
        async def run(job: Job) -> None:
            await peer.run(sessions, int(job.payload or b""))

        announcement = asyncio.create_task(announce(pgq))
        if peer.is_idle():
            await pgq.run()
        else:
            pgq.qm.min_dequeue_poll_interval = NAP
            await pgq.run(batch_size=BATCH)
        announcement.cancel()
    await connection.close()


async def tables() -> None:
    # The worker folds the log into the statistics every 30 s (log_aggregation_interval).
    print("public.pgqueuer", "public.pgqueuer_log", "public.pgqueuer_statistics", sep="\n")


if __name__ == "__main__":
    peer.main(install=install, enqueue=enqueue, work=work, tables=tables)
