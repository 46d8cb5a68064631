import Engine
import TextCoding
import Operations
import ControlAPI
import Postgres

/// The operators' commands about connections.
struct StravaHandlers: Sendable {
  let options: ProviderOptions?

  var commands: [Command] {
    [
      Command(.stravaStatus, .read { _, transaction in try await StravaStatus.read(in: transaction) }),
      Command(.stravaRefresh, .change { call, transaction in try await refresh(call, transaction) }),
      Command(.stravaDisconnect, .change { call, transaction in try await disconnect(call, transaction) }),
      Command(.stravaRotateKey, .change { _, transaction in try await rotate(transaction) }),
    ]
  }

  /// Makes an active connection due at once; the answer does not wait for the provider.
  private func refresh(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    _ = try configured()
    let athlete = call.integer("id") ?? 0
    let before = try await connection(athlete, transaction)
    let due = try await transaction.query(
      """
      UPDATE strava.connection SET next_call_at = least(next_call_at, settled.clock()), refreshed_at = NULL
      WHERE athlete_id = \(athlete) AND status = 'active' RETURNING athlete_id
      """
    ).first(Int64.self)
    guard due != nil else {
      throw CommandError(.refused, rule: "status", "only an active connection can be refreshed")
    }
    return CommandChange(
      target: "connection \(athlete)", before: before, after: try await connection(athlete, transaction))
  }

  /// Without a client id the credentials are not even read.
  private func configured() throws -> ProviderOptions {
    guard let options else {
      throw CommandError(
        .refused, rule: "client-id", "strava_client_id is not set on this node, so the node makes no calls")
    }
    return options
  }

  private func disconnect(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    _ = try call.reason()
    let athlete = call.integer("id") ?? 0
    let before = try await connection(athlete, transaction)
    _ = try await transaction.query("SELECT strava.disconnect(\(athlete))")
    return CommandChange(
      target: "connection \(athlete)", before: before, after: try await connection(athlete, transaction))
  }

  /// Locked, so that what is shown before is what is changed.
  private func connection(_ athlete: Int64, _ transaction: Transaction) async throws -> JSON {
    let shown = try await transaction.query(
      """
      SELECT jsonb_build_object('athleteId', c.athlete_id, 'status', c.status, 'expiresAt', settled.iso(c.expires_at))
      FROM strava.connection AS c WHERE c.athlete_id = \(athlete) FOR NO KEY UPDATE
      """
    ).first(JSON.self)
    guard let shown else {
      throw CommandError(.missing, rule: "connection", "athlete \(athlete) has never connected")
    }
    return shown
  }

  /// The node's own key seals from now on; tokens of other keys are resealed in the background.
  private func rotate(_ transaction: Transaction) async throws -> CommandChange {
    let sealer = Sealer(try configured())
    guard let own = sealer.primary else {
      throw CommandError(.refused, rule: "token-key", "this node has no token-key credential")
    }
    let present = try await SealingRows.present(in: transaction, else: own.id)
    let before = try await progress(transaction)
    if let present, present != own.id {
      // Otherwise nobody could open what is there.
      guard sealer.has(present) else {
        throw CommandError(
          .refused, rule: "token-key", "this node does not have the sealing key \(present): add it as token-key-old")
      }
      let isRetired = try await transaction.query(
        "SELECT EXISTS (SELECT FROM strava.sealing_key WHERE key_id = \(own.id))"
      ).one(Bool.self)
      guard !isRetired else {
        throw CommandError(
          .refused, rule: "token-key", "this node's key \(own.id) is retired: add the new key to the node")
      }
      _ = try await transaction.pipeline([
        "UPDATE strava.sealing_key SET retired_at = settled.clock() WHERE retired_at IS NULL",
        "INSERT INTO strava.sealing_key (key_id, began_at) VALUES (\(own.id), settled.clock())",
      ])
    }
    return CommandChange(target: "token key", before: before, after: try await progress(transaction))
  }

  private func progress(_ transaction: Transaction) async throws -> JSON {
    let (resealed, total, key) = try await transaction.query(
      """
      SELECT (SELECT count(*) FROM strava.secret AS s WHERE s.key_id = k.key_id), (SELECT count(*) FROM strava.secret),
        k.key_id
      FROM strava.sealing_key AS k WHERE k.retired_at IS NULL
      """
    ).one(Int64.self, Int64.self, String.self)
    return JSONValue.object([
      ("resealed", .integer(resealed)), ("left", .integer(total - resealed)), ("keyId", .text(key)),
    ]).json
  }
}
