import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport

/// The database of the release of 21 November 2026 (commit c34a8df), restored in a cluster of its own.
///
/// `Tests/Releases/make-2026-11-21.sh` made the dump with the programs of that commit. Its daemon had worked for three
/// simulated days: races settled, void and cancelled, a race of a week still open with an activity under review, people
/// who check in, an operator's schedule, withdrawals. That release had no seasons, no achievements and no gateway.
struct OldRelease: Sendable {
  /// The race of a week that was open, and the activity of one of its entrants that was under review.
  static let openRace: Int64 = 163
  static let underReview: Int64 = 5
  /// The instant at which its last daemon stopped, and the one at which the open race is due.
  static let stopped = "2031-06-05T12:00:00Z"
  static let due = "2031-06-09T11:00:01Z"

  let cluster: EmbeddedPostgres
  let owner: Connection

  private static let dump = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Releases/2026-11-21.sql.gz").path()

  /// - Parameter locale: of both databases; by default the cluster's.
  init(locale: String? = nil, environment: [String: String] = [:]) async throws {
    cluster = try await EmbeddedPostgres.start(
      settings: ["max_connections": "60", "fsync": "off"], environment: environment)
    let administrator = try await Connection.connect(ConnectionOptions(url: cluster.url()))
    let suffix = locale.map { " LOCALE '\($0)' TEMPLATE template0" } ?? ""
    for name in ["release", "fresh"] { try await administrator.execute("CREATE DATABASE \(raw: name + suffix)") }
    await administrator.close()
    let restored = try await SettledProcess(
      ["-c", "gzip -dc \"$0\" | psql -q -v ON_ERROR_STOP=1 \"$1\"", Self.dump, cluster.url(database: "release")],
      program: "/bin/sh"
    ).finished()
    guard restored.exit == .code(0) else { throw TimeLimitError(description: "not restored: \(restored.errors)") }
    owner = try await Connection.connect(ConnectionOptions(url: cluster.url(database: "release")))
  }

  /// Runs the real `settled migrate` on one of the two databases.
  func migrate(_ database: String, _ options: String...) async throws -> Finished {
    try await SettledProcess.run(["migrate", "--database-url", cluster.url(database: database)] + options)
  }

  /// A daemon of today.
  func daemon() throws -> SettledProcess {
    try SettledProcess.daemon(
      url: cluster.url(database: "release", user: "settled_daemon"), node: "today",
      SettledProcess.adminsAreOurs.merging(
        ["SETTLED_SCHEDULES_DATABASE_URL": cluster.url(database: "release", user: "settled_schedule")]
      ) { $1 })
  }

  /// `athlete balance pending receivable` of each wallet.
  func wallets() async throws -> [String] {
    try await owner.query(
      "SELECT concat_ws(' ', athlete_id, balance_pence, pending_pence, receivable_pence) FROM racing.wallet ORDER BY athlete_id"
    ).decode(String.self)
  }

  func number(_ statement: Statement) async throws -> Int64 { try await owner.query(statement).one(Int64.self) }

  func end() async {
    await owner.close()
    await cluster.stop()
  }
}
