import Foundation
import Postgres
import TestSupport

/// A simulated database in which the functions of schema `gateway` are called by the role that may.
struct Wrappers: Sendable {
  let database: SettledDatabase
  /// The things that apps and operators do beside the routes.
  let owner: Connection
  let gateway: Connection

  /// - Parameter start: may lie before the day on which the database was made, as the instants of the documents do.
  init(at start: String) async throws {
    database = try await SettledDatabase.simulated()
    owner = try await database.connect()
    try await owner.execute("UPDATE settled.installation SET clock_base = \(start)::text::timestamptz")
    gateway = try await database.connect(.gateway)
  }

  func clock(_ instant: String) async throws {
    try await owner.execute("SELECT settled.set_clock(\(instant)::text::timestamptz)")
  }

  /// The answer of `gateway.CALL`.
  func answer(_ call: Statement) async throws -> DocumentJSON {
    try DocumentJSON(try await gateway.query("SELECT gateway.\(fragment: call)::text").one(String.self))
  }

  /// `ok`, or the refusal of `gateway.CALL`.
  func tried(_ call: Statement) async throws -> String {
    try await outcome { _ = try await gateway.query("SELECT gateway.\(fragment: call)::text").one(String.self) }
  }

  /// A runner of the rosters of 2023 to 2026.
  func runner(_ name: String = "Ann") async throws -> Int64 {
    try await owner.query("SELECT seasons.create_runner(\(name), 2027, 'UA', true, true)").one(Int64.self)
  }

  func user(_ name: String, _ role: String = "runner", called displayName: String? = nil) async throws {
    _ = try await owner.query("SELECT seasons.create_user(\(name), \(displayName ?? name), \(role))")
  }

  /// An account of somebody who checks in.
  func account(email: String, checkin: String) async throws {
    try await owner.execute(
      "INSERT INTO accounts.account (email, checkin_id, display_name) VALUES (\(email), \(checkin), 'Ann')")
  }
}
