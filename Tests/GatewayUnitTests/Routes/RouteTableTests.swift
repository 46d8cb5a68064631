import ControlAPI
import HTTPRouting
import Postgres
import Testing

@testable import Gateway

struct RouteTableTests {
  private static func route(_ method: Route.Method, _ path: String, of system: System = .racepace) -> Route {
    Route(
      method, path, of: system, access: .everybody, answer: .anything, summary: path,
      action: .call { _ throws(GatewayError) in "null::jsonb" })
  }

  private static func found(_ method: String, _ path: String, _ routes: [Route]) -> String {
    switch try? RouteTable(routes).match(method, path: path[...]) {
    case .route(let mounted, let values):
      mounted.pattern + values.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    case .otherMethods(let routes): routes.map(\.route.method.rawValue).joined(separator: ",")
    case .nothing: "nothing"
    case nil: "malformed"
    }
  }

  @Test(
    arguments: [
      ("GET", "/a/b", "/a/b"), ("GET", "/a/c", "/a/:x x=c"), ("GET", "/v1/a/c", "/v1/a/:x x=c"),
      ("GET", "/a/b/c", "/a/:x/c x=b"), ("GET", "/a/b/d", "nothing"), ("POST", "/a/b", "GET"),
      ("DELETE", "/a/c", "GET,PUT"),
      ("GET", "/a", "nothing"), ("GET", "/a/", "nothing"), ("GET", "/", "nothing"), ("GET", "a/b", "nothing"),
      ("GET", "/a/%62", "/a/b"), ("GET", "/a/%2F", "/a/:x x=/"), ("GET", "/a/%", "malformed"), ("get", "/a/b", "GET"),
      ("GET", "/a/%00", "malformed"),
    ])
  func `literal segments of a route win, with backtracking`(_ method: String, _ path: String, _ expected: String) {
    let routes = [
      Self.route(.get, "a/b"), Self.route(.get, "a/:x"), Self.route(.put, "a/:y"), Self.route(.get, "a/:x/c"),
    ]

    #expect(Self.found(method, path, routes) == expected)
  }

  @Test func `systems have their own route prefixes`() {
    let routes = [Self.route(.get, "a"), Self.route(.get, "b", of: .seasons), Self.route(.get, "b", of: .checkin)]

    #expect(Self.found("GET", "/api/v1/b", routes) == "/api/v1/b")
    #expect(Self.found("GET", "/api/b", routes) == "/api/b")
    #expect(Self.found("GET", "/b", routes) == "nothing")
  }
}
