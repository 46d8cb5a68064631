import ControlAPI
import ControlClient
import Dashboard
import TextCoding

/// Asks the daemon for screens: a few asks at a time, one heavy one, and the same one once for all who want it.
actor DaemonLink {
  private struct Kept {
    let number: Int
    let task: Task<Reply, Never>
    var endedAt: ContinuousClock.Instant?
  }

  private let client: ControlClient
  /// Of heavy reads, for which the daemon takes up to a minute.
  private let patientClient: ControlClient
  private let clock = ContinuousClock()
  private let light = ConcurrencyLimit(RelayLimits.asksMax, waitingMax: RelayLimits.waitingAsksMax)
  private let one = ConcurrencyLimit(1, waitingMax: RelayLimits.waitingAsksMax)
  private let freshFor: Duration
  private let silentFor: Duration
  private var kept: [Ask: Kept] = [:]
  private var asked = 0
  private var answeredAt: ContinuousClock.Instant?
  private var silentUntil: ContinuousClock.Instant?

  /// - Parameters:
  ///   - path: of the daemon's control socket.
  ///   - answerAtMost: for a read that is not heavy.
  ///   - freshFor: how long a reply counts.
  ///   - silentFor: how long a daemon that did not answer is not asked.
  init(
    path: String, answerAtMost: Duration = RelayLimits.answerAtMost, freshFor: Duration = RelayLimits.freshFor,
    silentFor: Duration = RelayLimits.silentFor
  ) {
    (self.freshFor, self.silentFor) = (freshFor, silentFor)
    client = ControlClient(path: path, answerAtMost: answerAtMost, bytesMax: RelayLimits.answerBytesMax)
    patientClient = ControlClient(path: path, bytesMax: RelayLimits.answerBytesMax)
  }

  /// Replies to all asks; what was just read is not asked again.
  ///
  /// - Parameter within: after which an ask without a reply is `.awaited`; nil: all replies are awaited here.
  func replies(to asks: Set<Ask>, within: Duration? = nil) async -> [Ask: Reply] {
    let now = clock.now
    kept = kept.filter { isFresh($0.value, now) }
    let tasks = asks.map { ($0, task(for: $0)) }
    let (ready, continuation) = AsyncStream.makeStream(of: (Ask, Reply).self)
    for (ask, task) in tasks { Task { continuation.yield((ask, await task.value)) } }
    let timer = within.map { span in
      Task {
        try await Task.sleep(for: span)
        continuation.finish()
      }
    }
    var replies: [Ask: Reply] = [:]
    if !asks.isEmpty {
      for await (ask, reply) in ready {
        replies[ask] = reply
        if replies.count == asks.count { break }
      }
    }
    timer?.cancel()
    for ask in asks where replies[ask] == nil { replies[ask] = .awaited }
    return replies
  }

  /// How many replies are kept, those that are awaited among them.
  var keptCount: Int { kept.count }

  /// After a change nothing that was read before it counts.
  func forget() { kept = [:] }

  private func task(for ask: Ask) -> Task<Reply, Never> {
    if let known = kept[ask] { return known.task }
    let limit = ask.isHeavy ? one : light
    asked += 1
    let number = asked
    let task = Task {
      let reply = await limit.run { await self.newReply(to: ask) }
      self.ended(ask, number)
      return reply ?? .unreachable("too many requests from this dashboard are waiting for the daemon")
    }
    kept[ask] = Kept(number: number, task: task)
    return task
  }

  /// The reply to a later ask of the same, which a change has caused, is still awaited.
  private func ended(_ ask: Ask, _ number: Int) {
    if kept[ask]?.number == number { kept[ask]?.endedAt = clock.now }
  }

  private func isFresh(_ kept: Kept, _ now: ContinuousClock.Instant) -> Bool {
    kept.endedAt.map { now - $0 < freshFor } ?? true
  }

  private func newReply(to ask: Ask) async -> Reply {
    guard let command = CommandDescription.named(ask.command), command.method == .get else { return .missing }
    guard let request = ControlRequest(command, checking: ask.arguments) else {
      return .refused(code: Problem.Rule.key, text: "the arguments are not valid for \(command.name)")
    }
    if let silentUntil, clock.now < silentUntil { return .unreachable("the daemon failed to respond a moment ago") }
    let begin = clock.now
    let response: ControlResponse
    do {
      response = try await (ask.isHeavy ? patientClient : client).send(request)
      answeredAt = clock.now
    } catch {
      // Those that wait do not each wait as long: a daemon that answers nothing is asked again after a pause.
      let isSilent = error.code == .noAnswer && !ask.isHeavy && answeredAt.map { $0 < begin } ?? true
      if isSilent { silentUntil = clock.now + silentFor }
      return .unreachable(error.description)
    }
    return Self.reply(response)
  }

  private static func reply(_ response: ControlResponse) -> Reply {
    if (200..<300).contains(response.status) {
      guard let answer = try? JSONValue(response.body) else { return .unreachable("the response is not JSON") }
      return .answer(answer)
    }
    guard let problem = try? JSONValue(response.body), let rule = problem["rule"]?.text else {
      return .unreachable("the daemon returned \(response.status)")
    }
    // A daemon that is older than this program has no such path, or only its POST.
    if response.status == 404 && rule == Problem.Rule.path || response.status == 405 { return .missing }
    return .refused(code: rule, text: problem["detail"]?.text ?? "")
  }
}

extension Ask {
  /// Whether the daemon, too, carries out one such read at a time.
  var isHeavy: Bool { CommandDescription.named(command)?.isHeavy { arguments[$0] == .boolean(true) } ?? false }
}
