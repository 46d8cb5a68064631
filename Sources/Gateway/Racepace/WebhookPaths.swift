import Postgres
import TextCoding

/// The digests of the paths that the provider may call, as the database had them last.
///
/// An unknown path is looked for in the database again, but not more often than every `interval`, and once for
/// everybody who waits. So whoever guesses paths costs the database next to nothing, and no rate limit stands in the
/// provider's way. The functions of the database compare the digest again.
actor WebhookPaths {
  /// Between two readings.
  static let interval: Duration = .milliseconds(200)
  typealias Read = @Sendable () async throws(GatewayError) -> Set<String>

  private let surroundings: Surroundings
  private var known: Set<String> = []
  private var lastAt: Duration?
  /// Readings that began, and the latest of them that has ended.
  private var begun = 0
  private var ended = 0
  private var reading: Task<Result<Void, GatewayError>, Never>?

  init(_ surroundings: Surroundings) {
    self.surroundings = surroundings
  }

  /// Whether the provider may call the path with this digest; `read` asks the database. Throws what it throws.
  func knows(_ digest: String, _ read: @escaping Read) async throws(GatewayError) -> Bool {
    if known.contains(digest) { return true }
    // One that begins from now on: a subscription may have been asked for just now.
    let wanted = begun + 1
    while ended < wanted { try await next(read).value.get() }
    return known.contains(digest)
  }

  private func next(_ read: @escaping Read) -> Task<Result<Void, GatewayError>, Never> {
    if let reading { return reading }
    let started = Task { await readOnce(read) }
    reading = started
    return started
  }

  private func readOnce(_ read: Read) async -> Result<Void, GatewayError> {
    defer { reading = nil }
    if let lastAt {
      let pause = lastAt + Self.interval - surroundings.now()
      if pause > .zero { try? await surroundings.sleep(pause) }
    }
    begun += 1
    let number = begun
    defer { lastAt = surroundings.now() }
    do throws(GatewayError) {
      known = try await read()
      ended = number
      return .success(())
    } catch {
      return .failure(error)
    }
  }
}
