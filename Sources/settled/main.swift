import ArgumentParser
import Daemon
import Demo
struct Settled: ParsableCommand { static let configuration = SettledCommand.composed(with: [DemoCommand.self]) }
await runSettled(Settled.self)
