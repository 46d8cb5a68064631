package import ControlAPI

/// Routes by path and method; a literal segment wins over a parameter.
package struct RouteTable<Route: Sendable>: Sendable {
  package enum Match: Sendable {
    /// The values of the template's parameters, as they stand in the path.
    case route(Route, values: [String: String])
    /// The path has routes, in the order of their insertion, but none with this method.
    case otherMethods([Route])
    case nothing
  }

  private struct Entry: Sendable {
    let method: String
    let parameters: [String]
    let route: Route
  }

  private struct Node: Sendable {
    var literals: [String: Node] = [:]
    /// One at most: the node behind a parameter of any name.
    var parameter: [Node] = []
    var entries: [Entry] = []

    mutating func insert(_ segments: ArraySlice<PathTemplate.Segment>, _ entry: Entry) {
      switch segments.first {
      case nil:
        precondition(!entries.contains { $0.method == entry.method }, "two routes share a path and \(entry.method)")
        entries.append(entry)
      case .literal(let text): literals[text, default: Node()].insert(segments.dropFirst(), entry)
      case .parameter:
        if parameter.isEmpty { parameter = [Node()] }
        parameter[0].insert(segments.dropFirst(), entry)
      }
    }

    /// The entries of a path, and the values of its parameters in their order; nil where it has no route.
    func find(_ segments: ArraySlice<String>, _ values: [String] = []) -> ([Entry], [String])? {
      guard let first = segments.first else { return entries.isEmpty ? nil : (entries, values) }
      if let found = literals[first]?.find(segments.dropFirst(), values) { return found }
      guard !first.isEmpty else { return nil }
      return parameter.first?.find(segments.dropFirst(), values + [first])
    }
  }

  private var root = Node()

  package init() {}

  package mutating func insert(_ route: Route, _ method: String, _ template: PathTemplate) {
    root.insert(template.segments[...], Entry(method: method, parameters: template.parameters, route: route))
  }

  /// `segments`: of the path, compared as they are.
  package func match(_ method: String, _ segments: [String]) -> Match {
    guard let (entries, values) = root.find(segments[...]) else { return .nothing }
    guard let entry = entries.first(where: { $0.method == method }) else { return .otherMethods(entries.map(\.route)) }
    return .route(entry.route, values: Dictionary(zip(entry.parameters, values)) { first, _ in first })
  }
}
