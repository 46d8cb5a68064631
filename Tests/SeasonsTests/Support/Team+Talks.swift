import Engine
import Postgres
import Seasons
import TestSupport

extension Team {
  func user(_ name: String, _ role: String = "runner") async throws {
    _ = try await session.query("SELECT seasons.create_user(\(name), \("The \(name)"), \(role))")
  }

  func talk(
    _ title: String = "Pre-Race Strategy", _ season: String = "xc", _ year: String = "2031", team: String = "UA"
  )
    async throws -> String
  {
    try await session.query(
      """
      SELECT seasons.create_team_talk(jsonb_build_object('author', 'coach_mike', 'season', \(season)::text,
        'year', \(year)::text, 'title', \(title)::text, 'content', '# Race Day Tips', 'team', \(team)::text))::text
      """
    ).one(String.self)
  }

  func view(_ talk: String, _ user: String, on session: Connection? = nil) async throws {
    _ = try await (session ?? self.session).query(
      "SELECT seasons.track_view(\(talk)::text::uuid, \(user), \("The \(user)"), 'UA')")
  }

  func comment(_ talk: String, _ user: String, _ message: String, _ parent: String? = nil) async throws -> String {
    try await session.query(
      "SELECT seasons.comment(\(talk)::text::uuid, \(user), \(message), \(parent)::text::uuid)::text"
    ).one(String.self)
  }

  func react(_ talk: String, _ user: String, _ emoji: String) async throws {
    _ = try await session.query("SELECT seasons.react(\(talk)::text::uuid, \(user), \(emoji))")
  }

  func read(_ talk: String, as viewer: String? = nil) async throws -> TeamTalkResponse {
    try await session.document("SELECT seasons.team_talk(\(talk)::text::uuid, \(viewer))::text")
  }

  /// Runs the roll-up until nothing is due.
  func rollUp(_ options: ConnectionOptions? = nil) async throws {
    let pool = Pool(
      options: options ?? database.options(.daemon), size: 3, waitTimeout: .seconds(20), maximumWaiters: 10)
    defer { Task { await pool.close() } }
    _ = await JobRunner(ViewRollupJob(), in: database.context(pool)).runDue(until: StopFlag(), due: .zero)
  }
}
