import Engine
@preconcurrency import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// Replies that the database does not have yet, sealed, in a directory of the node's
/// own: `STATE/token-spool/ATHLETE.LEASE`.
///
/// A reply is written here, and synced with its directory, before it goes to the database; the file is removed once the
/// database has it. What a process before this one has left is committed by `SpoolWork`. Where the disk does not take
/// it within two seconds, the reply goes to the database nevertheless.
final class Spool: Sendable {
  private struct Entry {
    let file: String
    /// A call of this process has it in its hands.
    var isInHand: Bool
  }

  private let directory: String
  private let sealer: Sealer
  private let time: Timekeeper
  private let observe: @Sendable (Observation) -> Void
  private let entries = Mutex<[Int64: [Entry]]>([:])
  /// A disk that hangs must hold no thread of others.
  private let queue = DispatchQueue(label: "settled.token-spool")

  private static let diskTimeMax: Duration = .seconds(2)
  static let fileBytesMax = 64 * 1024
  /// More files than a node has calls under way come from many restarts while the database was away.
  private static let filesMax = 100_000

  init(
    in stateDirectory: String, _ sealer: Sealer, time: Timekeeper, observe: @escaping @Sendable (Observation) -> Void
  ) {
    directory = stateDirectory + "/token-spool"
    self.sealer = sealer
    self.time = time
    self.observe = observe
    let found = (try? SpoolDisk.list(directory, atMost: Self.filesMax)) ?? []
    entries.withLock { entries in
      for file in found {
        guard let athlete = Int64(file.prefix { $0 != "." }) else { continue }
        entries[athlete, default: []].append(Entry(file: file, isInHand: false))
      }
    }
  }

  /// Athletes with replies that a process before this one has left, or that the database has refused.
  var waiting: Set<Int64> {
    entries.withLock { Set($0.filter { $0.value.contains { !$0.isInHand } }.keys) }
  }

  /// The files of `waiting`.
  var files: [String] {
    entries.withLock { $0.values.flatMap { $0.filter { !$0.isInHand }.map(\.file) } }.sorted()
  }

  /// Writes a reply; returns when it is durable, or when the disk takes too long or fails, which it reports.
  func keep(_ tokens: SpooledTokens) async {
    let file = Self.name(tokens.athlete, tokens.lease)
    entries.withLock { $0[tokens.athlete, default: []].append(Entry(file: file, isInHand: true)) }
    let bytes: [UInt8]
    do {
      let sealed = try sealer.seal(
        Array(JSONEncoder().encode(tokens)), .spool, of: tokens.athlete, with: tokens.key)
      bytes = Array("\(tokens.key)\n\(Data(sealed).base64EncodedString())\n".utf8)
    } catch {
      return warn("\(error)", tokens.athlete)
    }
    let problem = await onDisk { [directory] in try SpoolDisk.write(bytes, to: file, in: directory) }
    if let problem { warn(problem, tokens.athlete) }
  }

  /// The call is over: its file goes where the database has the reply, and waits for `SpoolWork` otherwise.
  func release(lease: Int64, of athlete: Int64, isWritten: Bool) async {
    let file = Self.name(athlete, lease)
    guard isWritten else {
      entries.withLock { entries in
        for index in (entries[athlete] ?? []).indices where entries[athlete]?[index].file == file {
          entries[athlete]?[index].isInHand = false
        }
      }
      return
    }
    await remove(file, of: athlete)
  }

  func remove(_ file: String, of athlete: Int64) async {
    let isKnown = entries.withLock { entries in
      let before = entries[athlete]?.count ?? 0
      entries[athlete]?.removeAll { $0.file == file }
      let after = entries[athlete]?.count ?? 0
      if after == 0 { entries[athlete] = nil }
      return before > after
    }
    // A file that comes back after a crash is of an older generation: nothing waits for the removal.
    if isKnown { queue.async { [directory] in SpoolDisk.remove(file, in: directory) } }
  }

  /// The content of a file. Throws `EngineError.missing` where the key is not here,
  /// `StravaError` where it cannot be read.
  func read(_ file: String) throws -> SpooledTokens {
    let lines = try SpoolDisk.read(file, in: directory, atMost: Self.fileBytesMax).split(separator: "\n")
    guard lines.count == 2, let athlete = Int64(file.prefix { $0 != "." }),
      let sealed = Data(base64Encoded: String(lines[1]))
    else { throw StravaError(.spool, "the file is truncated") }
    let text = try sealer.open(Array(sealed), .spool, of: athlete, with: String(lines[0]))
    guard let tokens = try? JSONDecoder().decode(SpooledTokens.self, from: Data(text)), tokens.athlete == athlete else {
      throw StravaError(.spool, "the file has an unsupported version")
    }
    return tokens
  }

  /// Sets a file that nobody can read aside, for a person to look at.
  func setAside(_ file: String, of athlete: Int64, because error: any Error) {
    entries.withLock { $0[athlete]?.removeAll { $0.file == file } }
    queue.async { [directory] in SpoolDisk.setAside(file, in: directory) }
    observe(
      .warning(
        job: TokenRefreshJob.jobName, key: "\(athlete)",
        text: "the spooled reply \(file) cannot be used and was renamed to \(file).bad: \(error)"))
  }

  private func warn(_ problem: String, _ athlete: Int64) {
    observe(
      .warning(
        job: TokenRefreshJob.jobName, key: "\(athlete)",
        text: "a reply could not be spooled and is stored only in the database: \(problem)"))
  }

  private static func name(_ athlete: Int64, _ lease: Int64) -> String { "\(athlete).\(lease)" }

  /// The error; nil where there was none.
  private func onDisk(_ work: @escaping @Sendable () throws -> Void) async -> String? {
    let (ends, end) = AsyncStream<String?>.makeStream()
    queue.async {
      do {
        try work()
        end.yield(nil)
      } catch {
        end.yield("\(error)")
      }
    }
    let timer = Task { [time] in
      try await time.sleep(Self.diskTimeMax)
      end.yield("the disk write took more than \(Self.diskTimeMax.components.seconds) s")
    }
    defer { timer.cancel() }
    for await problem in ends { return problem }
    return nil
  }
}
