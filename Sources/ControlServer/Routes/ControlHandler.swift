import ControlAPI
import HTTPRouting
import HTTPServing
import HTTPTypes
import Operations
import Synchronization
import TextCoding

/// Answers on the control socket: finds the command, authorizes the peer, reads the arguments, and executes the
/// command.
///
/// In this order: callers without any level get no details, and callers that may not give a command get none about its
/// arguments.
struct ControlHandler: RequestHandler {
  let table: RouteTable<Command>
  let runner: any CommandRunner
  let current: CurrentAuthorizer
  /// The body of /openapi.json.
  let description: String
  let bodyBytesMax: Int
  let observe: @Sendable (ControlObservation) -> Void

  func standing(of client: Client) -> Standing {
    if case .peer(let peer) = client { current.authorizer.standing(of: peer) } else { .ordinary }
  }

  func response(to refusal: Refusal, of head: RequestHead?) -> Response { .refusal(refusal) }

  func receive(_ head: RequestHead, from client: Client) -> RouteResult {
    // Levels belong to users, and only the kernel of this machine identifies them.
    guard case .peer(let peer) = client else {
      return .response(
        .problem(Problem(403, rule: Problem.Rule.level, "this socket accepts only users of this machine")))
    }
    return receive(head, from: peer)
  }

  private func receive(_ head: RequestHead, from peer: Peer) -> RouteResult {
    let authorizer = current.authorizer
    guard authorizer.admits(peer) else {
      return denied(peer, nil, "neither your user nor your groups have a level on this socket")
    }
    if head.path == "/openapi.json" {
      guard head.method == "GET" else { return .response(.wrongMethod(head.method, allowed: ["GET"])) }
      return .response(.json(description))
    }
    switch match(head) {
    case .nothing: return .response(.notFound(head.path.prefix(200)))
    case .otherMethods(let commands):
      return .response(.wrongMethod(head.method, allowed: commands.map(\.description.method.rawValue)))
    case .route(let command, let path):
      guard let level = authorizer.level(of: peer, for: command.name, needing: command.description.level) else {
        let own = authorizer.level(of: peer)?.rawValue ?? "none"
        return denied(
          peer, command, "\(command.name) requires level \(command.description.level.rawValue), but yours is \(own)")
      }
      let caller = AuthorizedPeer(uid: peer.uid, gid: peer.gid, pid: peer.pid, level: level)
      return .work(bodyBytesMax: bodyBytesMax, sharers: ["uid \(peer.uid)"]) { body in
        let answer = await carryOut(command, head, path, body, caller)
        observe(.answered(command: command.name, status: answer.status, uid: caller.uid, pid: caller.pid))
        return answer
      }
    }
  }

  static func table(_ commands: [Command]) -> RouteTable<Command> {
    commands.reduce(into: RouteTable()) { table, command in
      table.insert(command, command.description.method.rawValue, PathTemplate(command.description.path))
    }
  }

  /// Only the values of parameters are decoded: literal segments have one spelling.
  private func match(_ head: RequestHead) -> RouteTable<Command>.Match {
    guard let segments = PathTemplate.segments(of: head.path), segments.allSatisfy({ PercentCoding.decode($0) != nil })
    else { return .nothing }
    let match = table.match(head.method, segments.map(String.init))
    guard case .route(let command, let values) = match else { return match }
    return .route(command, values: values.compactMapValues { PercentCoding.decode($0) })
  }

  private func denied(_ peer: Peer, _ command: Command?, _ detail: String) -> RouteResult {
    observe(.denied(uid: peer.uid, gid: peer.gid, pid: peer.pid, command: command?.name))
    return .response(.problem(Problem(403, rule: Problem.Rule.level, detail)))
  }

  private func carryOut(
    _ command: Command, _ head: RequestHead, _ path: [String: String], _ body: [UInt8], _ caller: AuthorizedPeer
  ) async -> Response {
    do {
      let values = try Parameters.read(for: command.description, path: path, query: head.query, body: body)
      let call = CommandCall(
        caller: caller, requestId: try Self.requestId(head.fields[values: .requestId]), values: values)
      return .json(try await runner.run(command, call))
    } catch let error as RequestProblem {
      return .problem(error.problem)
    } catch let error as CommandError {
      return .problem(Problem(error.kind.rawValue, rule: error.rule, position: error.position, error.description))
    } catch is CancellationError {
      return .problem(Problem(503, rule: Problem.Rule.timeout, "\(command.name) was cancelled and changed nothing"))
    } catch {
      observe(.unexpected(command: command.name, error: "\(error)"))
      return .problem(Problem(500, rule: "bug", "\(command.name) failed because of a bug; see the journal"))
    }
  }

  private static func requestId(_ given: [String]) throws(RequestProblem) -> String? {
    guard let id = given.first else { return nil }
    guard given.count == 1, ControlDefaults.isRequestId(id) else {
      let detail = "send one \(ControlDefaults.requestIdHeader) of 1 to 200 visible ASCII characters"
      throw RequestProblem(Problem(400, rule: Problem.Rule.requestId, detail))
    }
    return id
  }
}

/// The rights of callers; a reload may change them while requests are served.
final class CurrentAuthorizer: Sendable {
  private let current: Mutex<Authorizer>

  init(_ authorizer: Authorizer) {
    current = Mutex(authorizer)
  }

  var authorizer: Authorizer {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
}

extension HTTPField.Name {
  fileprivate static let requestId: HTTPField.Name = {
    guard let name = HTTPField.Name(ControlDefaults.requestIdHeader) else { preconditionFailure("not a header's name") }
    return name
  }()
}
