package import Postgres

extension PostgresError {
  /// The errors after which apps are asked to repeat a transaction: those of the classes 08, 40, 53, 55 and 57.
  /// Source: Daemon.docc/CallingFromApps.md.
  package var asksForRepetition: Bool {
    verdict == .connection || ["40", "53", "55", "57"].contains(sqlState?.prefix(2))
  }
}
