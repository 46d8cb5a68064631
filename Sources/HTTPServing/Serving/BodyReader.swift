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
  /// How many bytes of the budget it holds.
  private(set) var buffered = 0

  init(_ request: Request, budget: BodyBudget) {
    length = request.headers[.contentLength].flatMap { Int($0) }
    pieces = request.body.makeAsyncIterator()
    self.budget = budget
  }

  /// Whether the head announces more than so many bytes.
  func announcesMore(than bytesMax: Int) -> Bool {
    length.map { $0 > bytesMax } ?? false
  }

  /// Reads all of it, and keeps it if it is wanted; stops where it is too large.
  mutating func read(bytesMax: Int, isWanted: Bool) async throws -> Outcome {
    guard !announcesMore(than: bytesMax) else { return .tooLarge }
    var body: [UInt8] = []
    var count = 0
    while let piece = try await pieces.next() {
      count += piece.readableBytes
      guard count <= bytesMax else { return .tooLarge }
      guard isWanted else { continue }
      guard budget.take(piece.readableBytes) else { return .noRoom }
      buffered += piece.readableBytes
      body += piece.readableBytesView
    }
    return .whole(body)
  }

  /// Reads and drops what still comes.
  mutating func drop() async throws {
    while try await pieces.next() != nil {}
  }

  mutating func giveBack() {
    budget.giveBack(buffered)
    buffered = 0
  }
}
