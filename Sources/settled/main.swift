import Daemon

await runSettled()
