import HTTPTypes
import HummingbirdCore
import NIOCore

/// Reads the body of one request, within its limit and the room for all.
struct BodyReader {
  enum Outcome {
    case whole([UInt8])
    case tooLarge
    case noRoom
  }

  private let length: Int?
  private var pieces: RequestBody.AsyncIterator
  private let budget: BodyBudget
  private var hold: BodyBudget.Hold

  /// - Parameters:
  ///   - sharers: whose shares of the budget the body counts for.
  ///   - bytesMax: the limit of the body.
  init(_ request: Request, budget: BodyBudget, sharers: [String], bytesMax: Int) {
    length = request.headers[.contentLength].flatMap { Int($0) }
    pieces = request.body.makeAsyncIterator()
    self.budget = budget
    hold = BodyBudget.Hold(sharers: sharers, bytesMax: bytesMax)
  }

  /// Whether the head announces more than so many bytes.
  func announcesMore(than bytesMax: Int) -> Bool {
    length.map { $0 > bytesMax } ?? false
  }

  /// Reads all of it, and keeps it if it is wanted; stops where it is too large.
  mutating func read(isWanted: Bool) async throws -> Outcome {
    let bytesMax = hold.bytesMax
    guard !announcesMore(than: bytesMax) else { return .tooLarge }
    var body: [UInt8] = []
    var count = 0
    while let piece = try await pieces.next() {
      count += piece.readableBytes
      guard count <= bytesMax else { return .tooLarge }
      guard isWanted else { continue }
      guard budget.take(piece.readableBytes, for: &hold) else { return .noRoom }
      body += piece.readableBytesView
    }
    return .whole(body)
  }

  /// Reads and drops what still comes.
  mutating func drop() async throws {
    while try await pieces.next() != nil {}
  }

  mutating func giveBack() {
    budget.giveBack(&hold)
  }
}
