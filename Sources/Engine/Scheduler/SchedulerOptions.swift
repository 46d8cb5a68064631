/// How a node watches its work.
package struct SchedulerOptions: Sendable {
  package var node: String
  package var version: String
  /// False behind a proxy that pools transactions: what a session holds there is not this node's.
  package var ownsSessions = true
  /// The longest time without a look, whatever the bell says.
  package var sweep: Duration = .seconds(300)
  /// The same while notifications do not come.
  package var sweepWithoutListen: Duration = .seconds(1)
  package var heartbeat: Duration = .seconds(60)
  /// Looks at other work while some work is being done.
  package var busyLook: Duration = .milliseconds(100)
  /// How long a node leaves what it plans and what follows it alone, which a look would only delay.
  package var calm: Duration = .milliseconds(25)
  /// How long a node stays awake after its last work before it asks to be rung for.
  package var linger: Duration = .milliseconds(20)

  /// The longest sleep without a sign of life (`Observation.turned`); nil where nobody waits for one. A nap's end asks the
  /// database nothing.
  package var nap: Duration?

  package init(node: String, version: String) {
    self.node = node
    self.version = version
  }
}
