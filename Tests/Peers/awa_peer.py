"""awa as a peer: jobs with run_at in its queue storage, one worker of its Rust runtime."""

import asyncio
import os
import signal
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import quote

import asyncpg
import awa

import peer

QUEUE = "peer"

# Permits cover the time until a completion is durable, not handler time alone
# ("Configuration", "Hot-Queue Claim Control").
WORKERS = 256

# Only the maintenance leader makes due jobs claimable, once per interval (250 ms,
# "Configuration", "Scheduled jobs"). Below 30 ms it fell behind and stalled for 2 s.
PROMOTE_MS = 30

# The advice is at least num_queues * 4 + 20 ("Benchmarking", "Tuning guidelines").
CONNECTIONS = 24

# Jobs run in sessions of their own; more than a few only compete for two cores.
SESSIONS = 4


@dataclass
class PeerRun:
    id: int


def url() -> str:
    """Build the URL that awa needs, as it reads no libpq environment."""
    user, host, port, database = (
        quote(os.environ[name], safe="") for name in ("PGUSER", "PGHOST", "PGPORT", "PGDATABASE")
    )
    return f"postgres://{user}@{host}:{port}/{database}"


async def install() -> None:
    async with awa.AsyncClient(url()) as client:
        await client.migrate()
        # Else only the first worker's start would activate the storage that enqueue needs.
        await client.install_queue_storage()


async def enqueue() -> None:
    rows = await peer.jobs()
    async with awa.AsyncClient(url()) as client:
        # Direct COPY is the way for bulk producers ("Configuration", "Producer path choice").
        # One call has one run_at, so each instant makes a call and a commit of its own.
        for due, group in groupby(rows, key=lambda row: row["due"]):
            await client.enqueue_many_copy(
                [PeerRun(row["id"]) for row in group], queue=QUEUE, run_at=due
            )


async def announce(client: awa.AsyncClient) -> None:
    """Print the line once the dispatcher polls and this worker leads the maintenance."""
    while True:
        health = await client.health_check()
        if health.healthy and health.leader:
            break
        await asyncio.sleep(0.01)
    peer.ready()


async def work() -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with peer.pool(SESSIONS) as sessions, awa.AsyncClient(url(), CONNECTIONS) as client:

        @client.task(PeerRun, queue=QUEUE)
        async def run(job: "awa.Job[PeerRun]") -> None:
            await peer.run(sessions, job.args.id)

        if peer.is_idle():
            await client.start()
        else:
            # A deadline of zero skips the rescue path, as no other peer has a deadline
            # ("Configuration", QueueConfig). claim_batch_size (512) and claimers (1) keep
            # the defaults advised there; slower rotation of the rings made single jobs later.
            queue = {"name": QUEUE, "max_workers": WORKERS, "deadline_duration_ms": 0}
            await client.start([queue], promote_interval_ms=PROMOTE_MS)
        await announce(client)
        await stop.wait()
        await client.shutdown()


async def tables() -> None:
    """List the tables that keep jobs, their claims and their outcome, partition by partition."""
    connection = await asyncpg.connect()
    rows = await connection.fetch(
        "SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' "
        "AND relnamespace = 'awa'::regnamespace AND relname ~ $1 ORDER BY 1",
        "^(ready_|done_|receipt_|leases_|lease_claim|deferred_jobs|dlq_entries|attempt_state)",
    )
    await connection.close()
    print(*(row["name"] for row in rows), sep="\n")


if __name__ == "__main__":
    peer.main(install=install, enqueue=enqueue, work=work, tables=tables)
