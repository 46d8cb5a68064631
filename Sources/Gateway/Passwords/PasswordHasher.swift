@preconcurrency import Dispatch
import Synchronization
import TextCoding

/// Hashes and compares passwords: one at a time, on a thread of its own.
///
/// One takes 128 MiB and about a third of a second, so that guessing is dear; the bound on what waits keeps it from
/// being dear for others. The shared threads of the process are never blocked.
package final class PasswordHasher: Sendable {
  /// So many may wait for the one that is being hashed.
  private let waitingMax: Int
  private let cost: ScryptCost
  private let random: RandomBytes
  private let queue = DispatchQueue(label: "settled.gateway.passwords")
  /// Those that wait, and the one that is being hashed.
  private let admitted = Atomic(0)
  /// The hash that the password of an unknown person is compared with.
  private let nobody: PasswordHash

  /// `cost` is of new hashes and of comparisons with nothing.
  package init(cost: ScryptCost = .standard, waitingMax: Int = 16, random: @escaping RandomBytes) {
    self.cost = cost
    self.waitingMax = waitingMax
    self.random = random
    let zeros = UnpaddedBase64.standard.encode([UInt8](repeating: 0, count: PasswordHash.saltBytes))
    let key = UnpaddedBase64.standard.encode([UInt8](repeating: 0, count: PasswordHash.keyBytes))
    guard let nobody = PasswordHash("$scrypt$ln=\(cost.logN),r=\(cost.r),p=\(cost.p)$\(zeros)$\(key)") else {
      preconditionFailure("the form of a hash is not what it reads")
    }
    self.nobody = nobody
  }

  /// The text to store for a new password, with a salt of its own.
  package func hash(_ password: String) async throws(PasswordError) -> String {
    guard PasswordRules.allows(password) else { throw .length }
    let salt = random(PasswordHash.saltBytes)
    precondition(salt.count == PasswordHash.saltBytes, "the source of random bytes gives too few")
    return try await run { [cost] in try? PasswordHash(of: password, salt: salt, cost: cost) }.description
  }

  /// Whether a password is the one that was stored; nil: there is no such account, and the answer is false.
  ///
  /// The answer takes as long without an account, with an unusable text, and with a password that nobody may have, as
  /// with one that is wrong; so time does not tell which addresses have accounts.
  package func isRight(_ password: String, for stored: String?) async throws(PasswordError) -> Bool {
    let hash = stored.flatMap(PasswordHash.init)
    let isPossible = PasswordRules.allows(password)
    let reference = hash ?? nobody
    let compared = isPossible ? password : "impossible"
    let isEqual = try await run {
      (try? PasswordHash(of: compared, salt: reference.salt, cost: reference.cost)).map(reference.hasKey)
    }
    guard stored == nil || hash != nil else { throw .unusableHash }
    return isEqual && isPossible && hash != nil
  }

  /// Whether a stored hash is worth a new one, when its password is next seen.
  package func isOutdated(_ stored: String) -> Bool {
    PasswordHash(stored)?.cost != cost
  }

  /// Nil of `work` is no memory: as good as too many that wait.
  private func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value?) async throws(PasswordError) -> Value {
    guard admitted.add(1, ordering: .relaxed).newValue <= waitingMax + 1 else {
      admitted.subtract(1, ordering: .relaxed)
      throw .busy
    }
    let ticket = Ticket()
    let result: Result<Value, PasswordError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async { [self] in
          let result: Result<Value, PasswordError> =
            ticket.isCancelled.load(ordering: .relaxed)
            ? .failure(.cancelled) : work().map { .success($0) } ?? .failure(.busy)
          admitted.subtract(1, ordering: .relaxed)
          continuation.resume(returning: result)
        }
      }
    } onCancel: {
      ticket.isCancelled.store(true, ordering: .relaxed)
    }
    return try result.get()
  }

  /// A caller who goes away leaves an empty place in the queue, which costs nothing.
  private final class Ticket: Sendable {
    let isCancelled = Atomic(false)
  }
}
