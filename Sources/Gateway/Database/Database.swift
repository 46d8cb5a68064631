package import Postgres

/// The connections of the gateway: opened when wanted, so that it starts while the database is unreachable.
package struct Database: Sendable {
  /// How often a request whose transaction met another one is repeated.
  static let repetitionsMax = 3

  private let main: Pool
  /// Of a standby that may be slightly old.
  private let old: Pool?
  /// For the probe alone: requests that fill the pool do not hide the database.
  private let probing: Pool
  /// For the provider's hints alone: they must be answered in time, and must not be in the way of people.
  private let hints: Pool
  private let surroundings: Surroundings

  init(_ configuration: GatewayConfiguration, _ surroundings: Surroundings) {
    let size = configuration.limits.poolSize
    let pool = { (url: String, size: Int) in
      Pool(
        options: Self.options(url, configuration), size: size, waitTimeout: .seconds(2), maximumWaiters: size * 16)
    }
    main = pool(configuration.databaseURL, size)
    old = configuration.readDatabaseURL.map { pool($0, size) }
    probing = pool(configuration.databaseURL, 1)
    hints = pool(configuration.databaseURL, 4)
    self.surroundings = surroundings
  }

  static func options(_ url: String, _ configuration: GatewayConfiguration) -> ConnectionOptions {
    var options = ConnectionOptions(url: url, applicationName: "settled-gateway")
    options.poolsTransactions = !configuration.preparedStatements
    options.statementTimeout = .seconds(5)
    options.lockTimeout = .seconds(2)
    options.idleInTransactionTimeout = .seconds(5)
    options.answerGrace = .seconds(2)
    options.connectAtMost = .seconds(5)
    // Statements are short: compiling them costs more than it saves.
    options.settings["jit"] = "off"
    return options
  }

  /// Runs one statement, which answers one text or null, in a transaction of its own.
  ///
  /// `mayBeOld`: a standby may answer; where it cannot, the main database does. Where the connection is lost before
  /// the answer, the outcome is unknown: the error is a 503, and the request's key makes the repetition safe.
  package func answer(_ statement: Statement, mayBeOld: Bool = false) async throws(GatewayError) -> String? {
    do throws(PostgresError) {
      guard mayBeOld, let old else { return try await repeating(statement, on: main) }
      do throws(PostgresError) {
        return try await repeating(statement, on: old)
      } catch {
        guard Self.asksMain(error.verdict) else { throw error }
        return try await repeating(statement, on: main)
      }
    } catch {
      throw GatewayError(error)
    }
  }

  /// Whether the main database may answer what a standby cannot: that one may be away, replay what the statement reads,
  /// or not have a new release's functions yet.
  static func asksMain(_ verdict: Verdict) -> Bool {
    switch verdict {
    case .contention, .connection, .resource, .installation: true
    case .item, .timeout, .caller: false
    }
  }

  private func repeating(_ statement: Statement, on pool: Pool) async throws(PostgresError) -> String? {
    var attempt = 0
    while true {
      do throws(PostgresError) {
        return try await run(statement, on: pool)
      } catch {
        guard error.isRepeatable, attempt < Self.repetitionsMax else { throw error }
        attempt += 1
        // Two that met each other must not meet again.
        let chance = Int(surroundings.randomBytes(1).first ?? 0)
        do {
          try await surroundings.sleep(.milliseconds(1 + chance * (1 << attempt) / 16))
        } catch let cancellation {
          throw PostgresError(.cancelled, "\(cancellation)")
        }
      }
    }
  }

  private func run(_ statement: Statement, on pool: Pool) async throws(PostgresError) -> String? {
    do {
      return try await pool.withConnection { try await $0.query(statement).first(String?.self) } ?? nil
    } catch let error as PostgresError {
      throw error
    } catch {
      throw PostgresError(.usage, "\(error)")
    }
  }

  /// The same for the provider's hints, on connections of their own: 503 where it takes longer than `limit`.
  ///
  /// The statement may be executed nevertheless.
  func answerHint(_ statement: Statement, within limit: Duration) async throws(GatewayError) -> String? {
    do {
      return try await hints.answer(within: limit) { try await $0.query(statement).first(String?.self) } ?? nil
    } catch let error as PostgresError {
      throw GatewayError(error)
    } catch {
      throw .bug("\(error)")
    }
  }

  /// Whether the database responds, within so long.
  func probe(within limit: Duration) async -> Bool {
    do {
      return try await probing.answer(within: limit) { try await $0.query("SELECT 1").one(Int32.self) } == 1
    } catch {
      return false
    }
  }

  var statistics: PoolStatistics {
    get async { await main.statistics }
  }

  func close(within limit: Duration) async {
    await withDiscardingTaskGroup { group in
      for pool in [main, probing, hints] + [old].compactMap({ $0 }) {
        group.addTask { await pool.close(within: limit) }
      }
    }
  }
}
