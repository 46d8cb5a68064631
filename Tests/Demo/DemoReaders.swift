import Postgres

/// People who read books, and what they unlock by that; one reward brings the next within reach.
struct DemoReaders: Sendable {
  let app: DemoApp
  let owner: DemoOwner
  let show: @Sendable (String) -> Void

  private static let names = ["Wren", "Ivo", "Juno"]

  func begin() async throws {
    for (number, name) in Self.names.enumerated() { try await app.createReader(Int64(number + 1), name) }
    try await app.define("Bookworm", metric: "books_read", value: 3, reward: 40)
    try await app.define("Rising star", metric: "points", value: 50, reward: 60)
    try await app.define("Secret master", metric: "points", value: 100, reward: 0, isHidden: true)
    show("\n\(Self.names.joined(separator: ", ")) read for achievements; one of the three is hidden")
  }

  /// Each time the first one reads most; everybody gets a few points for it.
  func read(day: Int) async throws {
    for number in 1...Int64(Self.names.count) {
      try await app.report(number, "books_read", max(0, 3 - number), day: day)
      try await app.report(number, "points", 5, day: day)
    }
  }

  /// An achievement that comes late is for those who are there already, too.
  func run() async throws {
    try await app.define("Early bird", metric: "books_read", value: 1, reward: 5)
    show("\nWhat the readers unlocked, with an achievement that was added just now:")
    for (number, name) in Self.names.enumerated() {
      let unlocked = try await app.achievements(of: Int64(number + 1)).map { "\($0.isUnlocked ? "*" : "-") \($0.name)" }
      show("  \(name): " + unlocked.joined(separator: "   "))
    }
  }
}

extension DemoApp {
  func createReader(_ id: Int64, _ name: String) async throws {
    try await run("SELECT achievements.create_user(\(id), \(name))")
  }

  func define(_ name: String, metric: String, value: Int64, reward: Int64, isHidden: Bool = false) async throws {
    _ = try await call(
      """
      SELECT achievements.define(jsonb_build_object('slug', \(name)::text, 'name', \(name)::text, 'description', '',
        'icon', jsonb_build_object('type', 'star', 'color', '#FFD700', 'symbol', '*'), 'is_hidden', \(isHidden),
        'unlock_requirements', jsonb_build_object('metric', \(metric)::text, 'value', \(value)), 'reward', \(reward)))
      """)
  }

  func report(_ reader: Int64, _ metric: String, _ value: Int64, day: Int) async throws {
    try await run("SELECT achievements.report_metric(\(reader), \(metric), \(value), 'add', \("\(metric) \(day)"))")
  }

  private func run(_ statement: Statement) async throws {
    _ = try await pool.withConnection { try await $0.query(statement) }
  }

  /// As the reader's own list shows them.
  func achievements(of reader: Int64) async throws -> [(name: String, isUnlocked: Bool)] {
    let statement: Statement = """
      SELECT a->>'name', (a->>'is_unlocked')::boolean
      FROM jsonb_array_elements(achievements.of_user(\(reader))->'achievements') AS a
      """
    return try await pool.withConnection { try await $0.query(statement).decode(String.self, Bool.self) }
      .map { (name: $0, isUnlocked: $1) }
  }
}
