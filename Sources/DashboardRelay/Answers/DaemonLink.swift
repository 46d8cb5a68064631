import ControlAPI
import ControlClient
import Dashboard
import TextCoding

/// Asks the daemon for screens: a few asks at a time, one heavy one, and the same one once for all who want it.
actor DaemonLink {
  private static let freshFor: Duration = .seconds(1)
  private static let keptMax = 500

  private struct Kept {
    let task: Task<Reply, Never>
    var endedAt: ContinuousClock.Instant?
  }

  private let client: ControlClient
  private let clock = ContinuousClock()
  private let light = ConcurrencyLimit(RelayLimits.asksMax, waitingMax: RelayLimits.waitingAsksMax)
  private let one = ConcurrencyLimit(1, waitingMax: RelayLimits.waitingAsksMax)
  private var kept: [Ask: Kept] = [:]

  init(_ client: ControlClient) { self.client = client }

  /// Replies to all asks; those of the last second are not asked again.
  func replies(to asks: Set<Ask>) async -> [Ask: Reply] {
    let tasks = asks.map { ($0, task(for: $0)) }
    var replies: [Ask: Reply] = [:]
    for (ask, task) in tasks { replies[ask] = await task.value }
    return replies
  }

  /// After a change nothing that was read before it counts.
  func forget() { kept = [:] }

  private func task(for ask: Ask) -> Task<Reply, Never> {
    let now = clock.now
    if let known = kept[ask], known.endedAt.map({ now - $0 < Self.freshFor }) ?? true { return known.task }
    if kept.count >= Self.keptMax { kept = kept.filter { $0.value.endedAt.map { now - $0 < Self.freshFor } ?? true } }
    let limit = ask.isHeavy ? one : light
    let task = Task { [client] in
      let reply = await limit.run { await Self.reply(to: ask, client) }
      self.ended(ask)
      return reply ?? .unreachable("too many requests of this dashboard wait for the daemon")
    }
    kept[ask] = Kept(task: task)
    return task
  }

  private func ended(_ ask: Ask) { kept[ask]?.endedAt = clock.now }

  private static func reply(to ask: Ask, _ client: ControlClient) async -> Reply {
    guard let command = CommandDescription.named(ask.command), command.method == .get else { return .missing }
    guard let request = ControlRequest(command, checking: ask.arguments) else {
      return .refused(code: Problem.Rule.key, text: "the arguments do not fit \(command.name)")
    }
    let response: ControlResponse
    do {
      response = try await client.send(request)
    } catch {
      return .unreachable(error.description)
    }
    if (200..<300).contains(response.status) {
      guard let answer = try? JSONValue(response.body) else { return .unreachable("the answer is not JSON") }
      return .answer(answer)
    }
    guard let problem = try? JSONValue(response.body), let rule = problem["rule"]?.text else {
      return .unreachable("the daemon answered \(response.status)")
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
