import Engine
import Postgres

/// Seals codes from apps, and reseals secrets of a retired key.
///
/// Source: Strava.docc/Sealing.md. A code is exchanged only after it was sealed.
struct SealingJob: Job {
  typealias Key = KeyPair<String, Int64>

  struct Input: Sendable {
    let kind: Sealer.Kind
    let athlete: Int64
    /// Nil: the secret is in plaintext.
    let sealedWith: String?
    let secret: Bytes
    let present: String
  }

  struct Sealed: Sendable {
    let kind: Sealer.Kind
    let athlete: Int64
    let secret: Bytes
    let key: String
  }

  let name = "token-sealing"
  let largestBatch = 256
  let isBackground = true
  /// As token-refresh, which waits for it: a code lasts only minutes at the provider.
  let ignoresClockStop = true
  let progress: String? = """
    SELECT (SELECT count(*) FROM strava.secret AS s JOIN strava.sealing_key AS k USING (key_id) WHERE k.retired_at IS NULL),
      (SELECT count(*) FROM strava.secret)
    """
  let source = DueSource(
    "strava.secret", key: ["kind", "athlete_id"], order: "t.key_id IS NOT NULL, t.written_at",
    [
      .init(at: "t.written_at", where: "t.key_id IS NULL"),
      .init(
        at: "t.written_at", where: "t.key_id = k.key_id",
        rows: .init(
          of: "strava.secret AS t", key: ["t.kind", "t.athlete_id"], order: "t.written_at",
          each: "(SELECT key_id FROM strava.sealing_key WHERE retired_at IS NOT NULL) AS k")),
    ])

  let sealer: Sealer

  func gather(_ keys: [Key], at now: Timestamp, in transaction: Transaction) async throws -> [Input] {
    guard let present = try await SealingRows.present(in: transaction, else: sealer.primary?.id) else {
      throw Sealer.missing(nil)
    }
    guard sealer.has(present) else { throw Sealer.missing(present) }
    let secrets = try await transaction.query(SealingRows.secrets(keys)).decodeAll(as: SealingRows.Secret.init)
    let inputs = secrets.compactMap { secret in
      Sealer.Kind(rawValue: secret.kind).map {
        Input(kind: $0, athlete: secret.athlete, sealedWith: secret.key, secret: secret.secret, present: present)
      }
    }
    // A node leaves secrets that were sealed with a key which it lacks to a node that has it.
    if let missing = inputs.lazy.compactMap(\.sealedWith).first(where: { !sealer.has($0) }) {
      throw Sealer.missing(missing)
    }
    return inputs
  }

  func key(of input: Input) -> Key { Key(input.kind.rawValue, input.athlete) }

  func decide(_ input: Input, at now: Timestamp) throws -> Sealed {
    var text = input.secret.array
    if let former = input.sealedWith {
      text = try sealer.open(text, input.kind, of: input.athlete, with: former)
    }
    let sealed = try sealer.seal(text, input.kind, of: input.athlete, with: input.present)
    return Sealed(kind: input.kind, athlete: input.athlete, secret: Bytes(sealed), key: input.present)
  }

  func apply(_ sealed: [Sealed], at now: Timestamp, in transaction: Transaction) async throws {
    guard let key = sealed.first?.key else { return }
    try await transaction.execute(SealingRows.write(sealed, key: key))
  }
}
