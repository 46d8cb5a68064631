import Daemon

await runSettled(SettledDemo.self)
