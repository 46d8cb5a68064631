import ControlAPI
import TextCoding

/// All routes that are served, by path: literal segments win over parameters.
package struct RouteTable: Sendable {
  /// A route at one of its prefixes.
  struct Mounted: Sendable {
    let route: Route
    let prefix: String

    /// For logs and metrics: `/v1/users/:id`.
    var pattern: String { "\(prefix)/\(route.path)" }
  }

  enum Match {
    case route(Mounted, values: [String: String])
    /// The path has routes, but none with this method.
    case otherMethods([Route.Method], System)
    case nothing
    /// The path is not percent-encoded UTF-8, or has a NUL.
    case malformed
  }

  private struct Node: Sendable {
    var literals: [String: Node] = [:]
    /// One at most: the node behind a parameter, whatever its name.
    var parameter: [Node] = []
    var routes: [Route.Method: Mounted] = [:]

    mutating func insert(_ segments: ArraySlice<Substring>, _ mounted: Mounted) {
      guard let first = segments.first else {
        let old = routes.updateValue(mounted, forKey: mounted.route.method)
        precondition(old == nil, "two routes are \(mounted.route.method.rawValue) \(mounted.pattern)")
        return
      }
      if first.hasPrefix(":") {
        if parameter.isEmpty { parameter = [Node()] }
        parameter[0].insert(segments.dropFirst(), mounted)
      } else {
        literals[String(first), default: Node()].insert(segments.dropFirst(), mounted)
      }
    }

    /// The node of a path that has routes, and the values of its parameters in their order.
    func find(_ segments: ArraySlice<String>, _ values: [String] = []) -> (Node, [String])? {
      guard let first = segments.first else { return routes.isEmpty ? nil : (self, values) }
      if let found = literals[first]?.find(segments.dropFirst(), values) { return found }
      guard !first.isEmpty else { return nil }
      return parameter.first?.find(segments.dropFirst(), values + [first])
    }
  }

  package let routes: [Route]
  private var root = Node()

  package init(_ routes: [Route]) {
    self.routes = routes
    for route in routes {
      for prefix in route.prefixes {
        let mounted = Mounted(route: route, prefix: prefix)
        root.insert(mounted.pattern.split(separator: "/")[...], mounted)
      }
    }
  }

  func match(_ method: String, _ path: Substring) -> Match {
    guard path.hasPrefix("/") else { return .nothing }
    var segments: [String] = []
    for piece in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let segment = PercentCoding.decode(piece), !segment.utf8.contains(0) else { return .malformed }
      segments.append(segment)
    }
    guard let (node, values) = root.find(segments[...]), let any = node.routes.first?.value else { return .nothing }
    guard let wanted = Route.Method(rawValue: method), let mounted = node.routes[wanted] else {
      return .otherMethods(node.routes.keys.sorted(), any.route.system)
    }
    let names = mounted.route.path.split(separator: "/").filter { $0.hasPrefix(":") }.map { String($0.dropFirst()) }
    return .route(mounted, values: Dictionary(zip(names, values)) { first, _ in first })
  }
}
