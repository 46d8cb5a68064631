import ControlAPI
import Dashboard
import Markup
import NIOHTTP1
import Synchronization
import TextCoding

/// Answers the requests of one dashboard.
final class Relay: Sendable {
  private let gate: Gate
  private let shell: String
  /// Of this process's style and script, in their addresses.
  private let version: String
  private let link: DaemonLink
  private let facts: DaemonFacts
  private let commands: CommandRelay
  let watcher: Watcher
  private let clock = ContinuousClock()
  private let lastRequest: Mutex<ContinuousClock.Instant>

  /// - Parameters:
  ///   - path: of the daemon's control socket.
  ///   - place: where command lines find it.
  ///   - version: of the page's files: another one for each process, which serves the same files as long as it lives.
  init(_ gate: Gate, path: String, zone: String?, place: DaemonPlace, version: String) {
    self.gate = gate
    self.version = version
    shell = Shell.page(version: version)
    link = DaemonLink(path: path)
    facts = DaemonFacts(link, zone: zone, place: place)
    commands = CommandRelay(path: path)
    watcher = Watcher(path: path) { [link] in await link.forget() }
    lastRequest = Mutex(clock.now)
  }

  var idle: Duration { clock.now - lastRequest.withLock { $0 } }

  func answer(_ head: HTTPRequestHead, _ body: [UInt8], _ visitor: Visitor, _ sink: Sink) async throws {
    let fields = head.headers
    let approach = Approach(
      peer: await visitor.uid(), method: head.method.rawValue, route: RelayRoute(path: head.uri.prefix { $0 != "?" }),
      host: fields["Host"], origin: fields["Origin"], fetchSite: fields["Sec-Fetch-Site"],
      authorization: fields["Authorization"], requestId: fields[ControlDefaults.requestIdHeader])
    if let problem = gate.sender(approach) { return try await sink.send(RelayAnswer(problem)) }
    // The level is asked only where it counts, and only for somebody with the token.
    if let problem = gate.rights(approach, .admin) { return try await sink.send(RelayAnswer(problem)) }
    if case .command = approach.route, let problem = gate.rights(approach, await facts.presentCaller().level) {
      return try await sink.send(RelayAnswer(problem))
    }
    guard let route = approach.route else { return }
    lastRequest.withLock { $0 = clock.now }
    guard let query = RelayRequest.query(of: head.uri) else {
      return try await sink.send(RelayAnswer(Problem(400, rule: Problem.Rule.key, "the query is not percent-encoded")))
    }
    switch route {
    case .shell: try await sink.send(.html(shell))
    case .style: try await sink.send(file("text/css", PageFiles.style, query))
    case .script: try await sink.send(file("text/javascript", PageFiles.script, query))
    case .page(let screen):
      // Before its reads: a stream whose beats are later has something that the screen may lack.
      let beat = await watcher.beats
      var answer = RelayAnswer.html(await page(screen, query))
      answer.beat = beat
      try await sink.send(answer)
    case .part(_, let part): try await sink.send(.html(await render([part], query).parts[0].description))
    case .events: try await stream(sink)
    case .command(let command):
      let answer = await commands.answer(command, body, requestId: approach.requestId[0])
      await link.forget()
      try await sink.send(answer)
    }
  }

  private func file(_ type: String, _ text: String, _ query: [String: String]) -> RelayAnswer {
    var answer = RelayAnswer(200, type + "; charset=utf-8", text)
    answer.isKept = query["v"] == version
    return answer
  }

  /// A screen with its parts, as page.js puts it in place; after `within` ms those that are slower are left empty.
  private func page(_ screen: Screen, _ query: [String: String]) async -> String {
    let within = query["within"].flatMap { Int($0) }.map { min(.milliseconds(max(0, $0)), RelayLimits.pageAtMost) }
    let (parts, late) = await render(screen.parts, query, within: within)
    return ScreenPage.html(screen, parts, late: late).description
  }

  private func render(
    _ parts: [Part], _ query: [String: String], within: Duration? = nil
  ) async -> (parts: [HTML], late: Set<String>) {
    await ScreenPage.render(parts, state: state(query), link: link, within: within)
  }

  private func state(_ query: [String: String]) async -> PageState {
    var state = await facts.state(zone: query["zone"], allowsChanges: gate.allowsChanges)
    state.id = query["id"]
    state.query = query.filter { !["id", "zone", "within"].contains($0.key) }
    state.happenings = await watcher.happenings
    return state
  }

  /// One line for each beat, until the reader or the dashboard ends.
  private func stream(_ sink: Sink) async throws {
    let (id, beats) = await watcher.listen()
    do {
      try await sink.begin("application/x-ndjson")
      var last: Int?
      for await beat in beats {
        let isGap = last.map { beat.number != $0 + 1 } ?? false
        last = beat.number
        try await sink.write(BeatLine.text(beat, isGap: isGap))
      }
    } catch {
      await watcher.leave(id)
      throw error
    }
    await watcher.leave(id)
    sink.close()
  }
}
