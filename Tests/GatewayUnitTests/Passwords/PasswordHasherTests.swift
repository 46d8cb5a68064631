import OneTimeTokens
import Synchronization
import HostProcess
import TestSupport
import Testing

@testable import Gateway

/// Numbers by kind.
private final class Counts: Sendable {
  private let numbers = Mutex<[String: Int]>([:])

  subscript(kind: String) -> Int { numbers.withLock { $0[kind] ?? 0 } }

  func add(_ kind: String) { numbers.withLock { $0[kind, default: 0] += 1 } }
}

@Suite("A password") struct PasswordHasherTests {
  private func hasher(random: @escaping RandomBytes = Host.randomBytes) throws -> PasswordHasher {
    PasswordHasher(cost: try #require(ScryptCost(logN: 10, r: 8, p: 1)), random: random)
  }

  @Test func `a password verifies against its own hash and no other does`() async throws {
    let hasher = try hasher()
    for password in ["12345678", "pässword 😀", String(repeating: "x", count: 1000), "nul\0 inside"] {
      let stored = try await hasher.hash(password)
      #expect(stored.hasPrefix("$scrypt$ln=10,r=8,p=1$"))
      #expect(try await hasher.isRight(password, for: stored))
      for wrong in [password + " ", password.uppercased() + "!", String(password.dropLast()), ""] {
        #expect(try await !hasher.isRight(wrong, for: stored))
      }
    }
  }

  @Test func `a password is the same in every form of Unicode, and a hash of a former release stays good`() async throws
  {
    let hasher = try hasher()
    let (composed, decomposed) = ("p\u{e4}ssw\u{f6}rd", "pa\u{308}sswo\u{308}rd")
    for chosen in [composed, decomposed] {
      let stored = try await hasher.hash(chosen)
      for sent in [composed, decomposed] { #expect(try await hasher.isRight(sent, for: stored)) }
      #expect(try await !hasher.isRight("passwo\u{308}rd", for: stored))
    }
    let cost = try #require(ScryptCost(logN: 10, r: 8, p: 1))
    let former = try PasswordHash(of: decomposed, salt: [UInt8](repeating: 7, count: 16), cost: cost).description
    #expect(try await hasher.isRight(decomposed, for: former))
    #expect(try await !hasher.isRight(composed, for: former))
    // Eight characters are eight in every form.
    await #expect(throws: PasswordError.length) { try await hasher.hash("123456o\u{308}") }
  }

  @Test func `a password is hashed with a new salt each time`() async throws {
    let hasher = try hasher()
    #expect(try await hasher.hash("12345678") != hasher.hash("12345678"))
    let counter = Atomic(0)
    let counted = try self.hasher { count in
      counter.add(count, ordering: .relaxed)
      return [UInt8](repeating: 7, count: count)
    }
    #expect(try await counted.hash("12345678").hasPrefix("$scrypt$ln=10,r=8,p=1$BwcHBwcHBwcHBwcHBwcHBw$"))
    #expect(counter.load(ordering: .relaxed) == 16)
  }

  @Test func `a password has 8 to 1,000 Unicode characters`() async throws {
    let hasher = try hasher()
    let zalgo = "e" + String(repeating: "\u{301}", count: 1000)
    for bad in ["", "1234567", String(repeating: "x", count: 1001), zalgo] {
      await #expect(throws: PasswordError.length) { try await hasher.hash(bad) }
    }
    #expect(PasswordRules.allows("🏳️‍🌈🏳️‍🌈"))
  }

  @Test func `a password without an account is wrong, even the placeholder's own`() async throws {
    let hasher = try hasher()
    for password in ["12345678", "", "impossible", String(repeating: "x", count: 100_000)] {
      #expect(try await !hasher.isRight(password, for: nil))
    }
    #expect(try await !hasher.isRight("", for: hasher.hash("impossible")))
  }

  @Test func `a malformed stored hash is an error, not a wrong password`() async throws {
    let hasher = try hasher()
    for text in ["", "x", PasswordHashTests.python.replacing("ln=10", with: "ln=40")] {
      await #expect(throws: PasswordError.unusableHash) { try await hasher.isRight("12345678", for: text) }
    }
  }

  @Test func `a password with another cost verifies, and needs a new hash`() async throws {
    let hasher = try hasher()
    #expect(try await hasher.isRight("pässword 😀", for: PasswordHashTests.python))
    #expect(hasher.isOutdated(PasswordHashTests.python))
    #expect(try await !hasher.isOutdated(hasher.hash("12345678")))
    #expect(ScryptCost.standard == ScryptCost(logN: 17, r: 8, p: 1))
  }

  /// One takes a third of a second here, and refusals come at once.
  @Test(arguments: ["stranger", "new", "known"])
  func `callers of one kind who fill their places leave others to each other kind`(first: String) async throws {
    let hasher = PasswordHasher(placesMax: 12, random: Host.randomBytes)
    let stored = try await hasher.hash("12345678")
    let (served, refused) = (Counts(), Counts())
    let kinds = [first] + ["stranger", "new", "known"].filter { $0 != first }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for kind in kinds {
        for _ in 0..<20 {
          group.addTask {
            do throws(PasswordError) {
              if kind == "new" {
                _ = try await hasher.hash("12345678")
              } else {
                _ = try await hasher.isRight("12345678", for: stored, isKnown: kind == "known")
              }
              served.add(kind)
            } catch {
              refused.add(kind)
            }
          }
        }
        try await untilTrue("all but those that wait") { served[kind] + refused[kind] >= 20 - 4 }
      }
      try await group.waitForAll()
    }
    // A slow machine has six places.
    for kind in kinds { #expect(served[kind] >= 2, "\(kind) after \(first)") }
  }

  @Test func `one site that fills its places leaves others to other sites`() async throws {
    let hasher = PasswordHasher(placesMax: 18, random: Host.randomBytes)
    let (served, refused) = (Counts(), Counts())
    await withTaskGroup(of: Void.self) { group in
      for site in ["a", "b"] {
        for _ in 0..<20 {
          group.addTask {
            do throws(PasswordError) {
              _ = try await hasher.isRight("12345678", for: nil, from: site)
              served.add(site)
            } catch {
              refused.add(site)
            }
          }
        }
      }
    }
    #expect(served["a"] >= 1 && served["b"] >= 1 && refused["a"] >= 10 && refused["b"] >= 10)
  }

  @Test func `passwords are hashed one at a time, and those that find no place are refused for the moment`()
    async throws
  {
    let hasher = PasswordHasher(cost: try #require(ScryptCost(logN: 11, r: 8, p: 1)), random: Host.randomBytes)
    let stored = try await hasher.hash("12345678")
    let outcomes = await withTaskGroup(of: PasswordError?.self) { group in
      for _ in 0..<400 {
        group.addTask {
          do throws(PasswordError) {
            return try await hasher.isRight("12345678", for: stored) ? nil : .length
          } catch {
            return error
          }
        }
      }
      return await group.reduce(into: [PasswordError?]()) { $0.append($1) }
    }
    let served = outcomes.count { $0 == nil }
    #expect(outcomes.allSatisfy { $0 == nil || $0 == .busy })
    // A third of the places is a stranger's: 16, and fewer where the machine is slow.
    #expect(served >= 2)
    #expect(served < 400)
    #expect(try await hasher.isRight("12345678", for: stored))
  }

  @Test func `a caller who has gone has no password hashed, and takes no place`() async throws {
    let hasher = try hasher()
    for _ in 0..<2 * 16 {
      let gone = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await hasher.hash("12345678")
      }
      await #expect(throws: PasswordError.cancelled) { try await gone.value }
    }
    #expect(try await hasher.hash("12345678").hasPrefix("$scrypt$"))
  }
}

@Suite("A one-time token") struct OneTimeTokenTests {
  @Test func `a one-time token has 43 characters, is never the same, and survives writing and reading`() throws {
    let tokens = (0..<100).map { _ in OneTimeToken(random: Host.randomBytes) }
    #expect(Set(tokens.map(\.text)).count == 100)
    for token in tokens {
      #expect(token.text.utf8.count == 43)
      #expect(OneTimeToken(token.text) == token)
    }
  }

  @Test func `a one-time token is stored as the SHA-256 of its text`() {
    let token = OneTimeToken(random: { [UInt8](repeating: 0, count: $0) })
    #expect(token.text == String(repeating: "A", count: 43))
    #expect(
      token.digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        == "0f007385b6f9d4b7eeb2748605afe1a984a0a3bfa3f014d09e2a784ce9e5cd1a")
  }

  @Test func `a one-time token in any other form is refused`() {
    let good = String(repeating: "A", count: 43)
    for bad in [
      "", String(good.dropLast()), good + "A", good.dropLast() + "B", good.dropLast() + "=", "+" + good.dropLast(),
    ] {
      #expect(OneTimeToken(String(bad)) == nil)
    }
  }
}
