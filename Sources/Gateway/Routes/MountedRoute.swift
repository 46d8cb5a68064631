import ControlAPI
import HTTPRouting
import TextCoding

/// A route at one of its prefixes.
struct MountedRoute: Sendable {
  let route: Route
  let prefix: String

  /// For logs and metrics: `/v1/users/:id`.
  var pattern: String { "\(prefix)/\(route.path)" }

  var template: PathTemplate { PathTemplate(pattern) }
}

extension Route {
  var mounted: [MountedRoute] { prefixes.map { MountedRoute(route: self, prefix: $0) } }
}

extension RouteTable<MountedRoute> {
  init(_ routes: [Gateway.Route]) {
    self.init()
    for mounted in routes.flatMap(\.mounted) { insert(mounted, mounted.route.method.rawValue, mounted.template) }
  }

  /// Throws 400 where the path is not percent-encoded UTF-8, or has a NUL.
  func match(_ method: String, path: Substring) throws(GatewayError) -> Match {
    guard let pieces = PathTemplate.segments(of: path) else { return .nothing }
    var segments: [String] = []
    for piece in pieces {
      guard let segment = PercentCoding.decode(piece), !segment.utf8.contains(0) else { throw .encoding }
      segments.append(segment)
    }
    return match(method, segments)
  }
}
