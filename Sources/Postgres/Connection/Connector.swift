internal import CLibpq
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Opens connections, each on a thread of its own, because libpq blocks while it connects.
///
/// The asynchronous form would honour neither the time-out nor the next host.
enum Connector {
  /// Ends early when the task is cancelled; the connection is then closed as soon as it stands.
  static func open(_ options: ConnectionOptions) async throws(PostgresError) -> Socket {
    let race = Mutex<CheckedContinuation<Result<Socket, PostgresError>, Never>?>(nil)
    let cancelled = Mutex(false)
    let finish = { @Sendable (result: Result<Socket, PostgresError>) -> Bool in
      guard let waiting = race.withLock({ waiting in waiting.take() }) else { return false }
      waiting.resume(returning: result)
      return true
    }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        race.withLock { $0 = continuation }
        let queue = DispatchQueue(label: "settled.postgres.connect")
        queue.async {
          let addresses = addressCount(in: options.url)
          let limit = options.connectLimit(addresses: addresses) + .seconds(1)
          DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1)) {
            _ = finish(.failure(.noAnswer(of: addresses, within: limit)))
          }
          let result = Result { () throws(PostgresError) in try connect(options, addresses) }
          if !finish(result), case .success(let socket) = result { socket.queue.async { socket.close() } }
        }
        if cancelled.withLock({ $0 }) { _ = finish(.failure(.connectCancelled)) }
      }
    } onCancel: {
      cancelled.withLock { $0 = true }
      _ = finish(.failure(.connectCancelled))
    }
    return try result.get()
  }

  private static func connect(_ options: ConnectionOptions, _ addresses: Int) throws(PostgresError) -> Socket {
    let given = try parameters(in: options.url)
    let parameters = options.parameters(addresses: addresses)
    let names = parameters.map(\.name), values = parameters.map(\.value)
    let handle = withCStrings(names) { names in withCStrings(values) { PQconnectdbParams(names, $0, 1) } }
    guard let handle else { throw PostgresError(.connection, "libpq could not allocate memory for a connection") }
    guard PQstatus(handle) == CONNECTION_OK, PQsetnonblocking(handle, 1) == 0 else {
      defer { PQfinish(handle) }
      throw PostgresError(.connection, Self.message(of: handle, given))
    }
    guard let socket = Socket(handle, sink: NoticeSink(hook: options.onNotice)) else {
      PQfinish(handle)
      throw PostgresError(.connection, "no file descriptor is free for another connection")
    }
    return socket
  }

  /// How many addresses libpq may try one after the other; a name that cannot be resolved counts as one.
  private static func addressCount(in url: String) -> Int {
    guard let given = try? parameters(in: url) else { return 1 }
    if let numeric = given["hostaddr"] { return max(1, numeric.split(separator: ",").count) }
    let hosts = given["host"]?.split(separator: ",") ?? []
    return max(1, hosts.reduce(0) { $0 + ($1.hasPrefix("/") ? 1 : resolvedCount(String($1))) })
  }

  private static func resolvedCount(_ host: String) -> Int {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &first) == 0 else { return 1 }
    defer { freeaddrinfo(first) }
    var count = 0
    var next = first
    while let address = next {
      count += 1
      next = address.pointee.ai_next
    }
    return count
  }

  /// The parts of the URL, by libpq's names; throws `usage` when libpq cannot read the URL.
  static func parameters(in url: String) throws(PostgresError) -> [String: String] {
    var message: UnsafeMutablePointer<CChar>?
    guard let parsed = PQconninfoParse(url, &message) else {
      defer { PQfreemem(message) }
      let why = message.map { String(cString: $0) } ?? "out of memory"
      throw PostgresError(.usage, "the database URL cannot be parsed: \(PostgresError.withoutQuoted(why).firstLine)")
    }
    defer { PQconninfoFree(parsed) }
    var given: [String: String] = [:]
    var option = parsed
    while let keyword = option.pointee.keyword {
      given[String(cString: keyword)] = option.pointee.val.map { String(cString: $0) }
      option += 1
    }
    return given
  }

  private static func message(of handle: OpaquePointer, _ given: [String: String]) -> String {
    let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
    let lines = text.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: "; ")
    return shown(lines, given)
  }

  /// A message of libpq without the password.
  ///
  /// A quoted part is shown where the URL gives it as a host, port, user or database. Anything else is hidden where it
  /// holds the password, or an `@`: in a URL whose password was not encoded, its end is taken for the host.
  static func shown(_ message: String, _ given: [String: String]) -> String {
    let isAddress = { (text: Substring) in text.hasPrefix("@") || !text.contains("@") }
    let hosts = ["host", "hostaddr"].flatMap { (given[$0] ?? "").split(separator: ",") }.filter(isAddress)
    let names = ["user", "dbname"].compactMap { given[$0].map { Substring($0) } }
    let known = hosts + (given["port"] ?? "").split(separator: ",") + names
    let password = given["password"] ?? ""
    let pieces = message.split(separator: "\"", omittingEmptySubsequences: false)
    return pieces.enumerated().map { index, piece in
      let isQuoted = index % 2 == 1 && index < pieces.count - 1
      guard isQuoted, !known.contains(piece), !hosts.contains(where: { piece.hasPrefix("\($0)/.s.PGSQL.") }) else {
        return String(piece)
      }
      let isSecret = !isAddress(piece) || (!password.isEmpty && piece.contains(password))
      return isSecret ? "***" : String(piece)
    }.joined(separator: "\"")
  }

  private static func withCStrings<R>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> R
  ) -> R {
    var bytes: [CChar] = []
    let offsets = texts.map { text in
      defer { bytes += text.utf8CString }
      return bytes.count
    }
    return bytes.withUnsafeBufferPointer { buffer in
      let pointers = offsets.map { buffer.baseAddress?.advanced(by: $0) } + [nil]
      return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }
  }
}

extension PostgresError {
  fileprivate static let connectCancelled = PostgresError(.cancelled, "the task was cancelled while connecting")

  fileprivate static func noAnswer(of addresses: Int, within limit: Duration) -> PostgresError {
    let place = addresses == 1 ? "the address" : "any of \(addresses) addresses"
    return PostgresError(.connection, "no answer from \(place) within \(limit.roundedUp(to: .seconds(1))) s")
  }
}

extension String {
  var firstLine: String { split(separator: "\n").first.map(String.init) ?? "" }
}
