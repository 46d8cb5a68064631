@preconcurrency import Dispatch
import Synchronization
import TextCoding

/// Hashes and compares passwords: one at a time, on a thread of its own.
///
/// One takes 128 MiB and about a third of a second, so that guessing is dear. So many have a place as are hashed in
/// `waitAtMost`, by the measured time of one. Each kind of caller has a third of the places, and one site a sixth, so
/// that nobody locks the others out. The shared threads of the process are never blocked.
package final class PasswordHasher: Sendable {
  /// Known: the person logged in from the same address lately.
  private enum Kind {
    case stranger, newPassword, known
  }

  /// Passwords that wait, and the one that is being hashed.
  private struct Admitted {
    var byKind: [Kind: Int] = [:]
    var bySite: [String: Int] = [:]
  }

  private static let waitAtMost: Duration = .seconds(6)
  /// No password that is allowed has more.
  private static let formBytesMax = 4 * PasswordRules.characters.upperBound
  /// The fewest places, however slow the machine is.
  private static let placesMin = 6
  /// The fewest places of one site.
  private static let sitePlacesMin = 2

  private let placesMax: Int
  /// The time of one, in milliseconds: the mean of the latest, in which a new one counts a quarter.
  private let milliseconds = Atomic(0)
  private let cost: ScryptCost
  private let random: RandomBytes
  private let queue = DispatchQueue(label: "settled.gateway.passwords")
  private let admitted = Mutex(Admitted())
  /// The hash that the password of an unknown person is compared with.
  private let nobody: PasswordHash

  /// `cost` is of new hashes and of comparisons with nothing.
  package init(cost: ScryptCost = .standard, placesMax: Int = 48, random: @escaping RandomBytes) {
    self.cost = cost
    self.placesMax = placesMax
    self.random = random
    let zeros = UnpaddedBase64.standard.encode([UInt8](repeating: 0, count: PasswordHash.saltBytes))
    let key = UnpaddedBase64.standard.encode([UInt8](repeating: 0, count: PasswordHash.keyBytes))
    guard let nobody = PasswordHash("$scrypt$ln=\(cost.logN),r=\(cost.r),p=\(cost.p)$\(zeros)$\(key)") else {
      preconditionFailure("unsupported password hash format")
    }
    self.nobody = nobody
  }

  /// The text to store for a new password, with a salt of its own.
  ///
  /// - Parameter site: where the caller is, as `IPAddress.siteKey`; nil: not known.
  package func hash(_ password: String, from site: String? = nil) async throws(PasswordError) -> String {
    guard PasswordRules.allows(password) else { throw .length }
    let password = PasswordRules.normalized(password)
    guard PasswordRules.allows(password) else { throw .length }
    let salt = random(PasswordHash.saltBytes)
    precondition(salt.count == PasswordHash.saltBytes, "the random source returned too few bytes")
    return try await run(.newPassword, site) { [cost] in
      try? PasswordHash(of: password, salt: salt, cost: cost)
    }.description
  }

  /// Whether a password is the one that was stored; nil: there is no such account, and the answer is false.
  ///
  /// The answer takes as long without an account, with an unusable text, and with a password that nobody may have, as
  /// with one that is wrong; so time does not tell which addresses have accounts.
  ///
  /// - Parameters:
  ///   - isKnown: whether the person logged in from the same address lately.
  ///   - site: where the caller is, as `IPAddress.siteKey`; nil: not known.
  package func isRight(
    _ password: String, for stored: String?, isKnown: Bool = false, from site: String? = nil
  ) async throws(PasswordError) -> Bool {
    let hash = stored.flatMap(PasswordHash.init)
    let reference = hash ?? nobody
    var isPossible = false
    var isEqual = false
    for form in Self.forms(password) where !isEqual {
      isPossible = PasswordRules.allows(form)
      let compared = isPossible ? form : "impossible"
      isEqual = try await run(isKnown ? .known : .stranger, site) {
        (try? PasswordHash(of: compared, salt: reference.salt, cost: reference.cost)).map(reference.hasKey)
      }
    }
    guard stored == nil || hash != nil else { throw .unusableHash }
    return isEqual && isPossible && hash != nil
  }

  /// What a stored hash may be of: the password in NFC, and as it was sent, because a former release hashed that.
  ///
  /// Texts that look the same are equal to Swift, so that their bytes are compared.
  private static func forms(_ password: String) -> [String] {
    guard password.utf8.count <= formBytesMax else { return [password] }
    let normalized = PasswordRules.normalized(password)
    return normalized.utf8.elementsEqual(password.utf8) ? [password] : [normalized, password]
  }

  /// Whether a stored hash is worth a new one, when its password is next seen.
  package func isOutdated(_ stored: String) -> Bool {
    PasswordHash(stored)?.cost != cost
  }

  /// Nil of `work` is no memory: as good as too many that wait.
  private func run<Value: Sendable>(
    _ kind: Kind, _ site: String?, _ work: @escaping @Sendable () -> Value?
  ) async throws(PasswordError) -> Value {
    guard enter(kind, site) else { throw .busy }
    let ticket = Ticket()
    let result: Result<Value, PasswordError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async { [self] in
          let result: Result<Value, PasswordError> =
            ticket.isCancelled.load(ordering: .relaxed)
            ? .failure(.cancelled) : timed(work).map { .success($0) } ?? .failure(.busy)
          leave(kind, site)
          continuation.resume(returning: result)
        }
      }
    } onCancel: {
      ticket.isCancelled.store(true, ordering: .relaxed)
    }
    return try result.get()
  }

  private func enter(_ kind: Kind, _ site: String?) -> Bool {
    let places = places
    return admitted.withLock { admitted in
      guard admitted.byKind[kind] ?? 0 < max(1, places / 3) else { return false }
      if let site {
        guard admitted.bySite[site] ?? 0 < max(Self.sitePlacesMin, places / 6) else { return false }
        admitted.bySite[site, default: 0] += 1
      }
      admitted.byKind[kind, default: 0] += 1
      return true
    }
  }

  private func leave(_ kind: Kind, _ site: String?) {
    admitted.withLock { admitted in
      admitted.byKind[kind, default: 0] -= 1
      guard let site, let count = admitted.bySite[site] else { return }
      admitted.bySite[site] = count > 1 ? count - 1 : nil
    }
  }

  private var places: Int {
    let each = max(1, milliseconds.load(ordering: .relaxed))
    return min(placesMax, max(Self.placesMin, Int(Self.waitAtMost / .milliseconds(each))))
  }

  /// On the queue, one at a time.
  private func timed<Value>(_ work: () -> Value?) -> Value? {
    let clock = ContinuousClock()
    let began = clock.now
    let value = work()
    let taken = max(1, Int((clock.now - began) / .milliseconds(1)))
    let before = milliseconds.load(ordering: .relaxed)
    milliseconds.store(before == 0 ? taken : (3 * before + taken) / 4, ordering: .relaxed)
    return value
  }

  /// A caller who goes away leaves an empty place in the queue, which costs nothing.
  private final class Ticket: Sendable {
    let isCancelled = Atomic(false)
  }
}
