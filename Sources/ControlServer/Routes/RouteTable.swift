import Operations
import ControlAPI

/// The commands by path and method.
struct RouteTable: Sendable {
  struct Route: Sendable {
    let command: Command
    let template: PathTemplate
  }

  enum Match: Sendable {
    case command(Command, [String: String])
    case otherMethods([String])
    case nothing
  }

  let routes: [Route]

  init(_ commands: [Command]) {
    routes = commands.map { Route(command: $0, template: PathTemplate($0.description.path)) }
  }

  func match(method: String, path: some StringProtocol) -> Match {
    var others: [String] = []
    for route in routes {
      guard let values = route.template.match(path) else { continue }
      let own = route.command.description.method.rawValue
      if own == method { return .command(route.command, values) }
      others.append(own)
    }
    return others.isEmpty ? .nothing : .otherMethods(others)
  }
}
