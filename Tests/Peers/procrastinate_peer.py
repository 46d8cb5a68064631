"""procrastinate as a peer: jobs with scheduled_at, one async worker on psycopg."""

import asyncio

import asyncpg
import psycopg
from procrastinate import App, PsycopgConnector
from procrastinate.jobs import DEFAULT_PRIORITY, DEFAULT_QUEUE, Job

import peer

TASK = "peer_run"

# One loop fetches one job per query (its Worker), so few jobs at once keep it busy;
# 2, 8 and 20 were slower.
CONCURRENCY = 4

# The pool holds a connection per job and one more ("Discussions", "Mind the size").
POOL = CONCURRENCY + 1

# A due job is found only by polling: its NOTIFY went out when it was inserted. The option
# is a float of seconds without a documented floor (App.run_worker docstring).
POLL = 0.001


async def autocommit(connection: psycopg.AsyncConnection) -> None:
    """Spare the BEGIN and COMMIT around each of the queue's single statements."""
    await connection.set_autocommit(True)


def application() -> App:
    # PsycopgConnector passes its arguments to the pool ("How to", "Connector").
    return App(connector=PsycopgConnector(min_size=POOL, max_size=POOL, configure=autocommit))


async def install() -> None:
    async with application().open_async() as app:
        await app.schema_manager.apply_schema_async()


async def enqueue() -> None:
    # Task.batch_defer has one schedule_at for all its jobs; its manager takes one for each.
    batch = [
        Job(
            id=None,
            queue=DEFAULT_QUEUE,
            priority=DEFAULT_PRIORITY,
            lock=None,
            queueing_lock=None,
            task_name=TASK,
            task_kwargs={"job": row["id"]},
            scheduled_at=row["due"],
        )
        for row in await peer.jobs()
    ]
    async with application().open_async() as app:
        await app.job_manager.batch_defer_jobs_async(batch)


async def announce(sessions: asyncpg.Pool) -> None:
    """Print the line once the worker has registered itself, just before its first poll."""
    registered = "SELECT EXISTS (SELECT FROM procrastinate_workers WHERE last_heartbeat >= $1)"
    start = await sessions.fetchval("SELECT now()")
    while not await sessions.fetchval(registered, start):
        await asyncio.sleep(0.01)
    peer.ready()


async def work() -> None:
    app = application()
    async with peer.pool(CONCURRENCY) as sessions, app.open_async():

        @app.task(name=TASK)
        async def run(job: int) -> None:
            await peer.run(sessions, job)

        announcement = asyncio.create_task(announce(sessions))
        # The worker itself stops on SIGTERM ("How to", "Shutdown").
        if peer.is_idle():
            await app.run_worker_async()
        else:
            await app.run_worker_async(
                concurrency=CONCURRENCY,
                fetch_job_polling_interval=POLL,
                # Finished jobs would fill the table ("How to", "Delete finished jobs").
                delete_jobs="always",
            )
        announcement.cancel()


async def tables() -> None:
    print("public.procrastinate_jobs", "public.procrastinate_events", sep="\n")


if __name__ == "__main__":
    peer.main(install=install, enqueue=enqueue, work=work, tables=tables)
