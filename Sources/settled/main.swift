import ArgumentParser
import Daemon
import Demo
struct Settled: ParsableCommand { static let configuration = SettledCommand.configuration(also: [DemoCommand.self]) }
await runSettled(Settled.self)
