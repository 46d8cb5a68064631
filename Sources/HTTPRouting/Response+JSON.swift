package import ControlAPI
package import HTTPServing
import HTTPTypes

extension Response {
  package static func json(_ body: String, status: Int = 200) -> Response {
    fresh(Response(status: status, contentType: "application/json", body: body))
  }

  package static func text(_ body: String, contentType: String) -> Response {
    fresh(Response(status: 200, contentType: contentType, body: body))
  }

  package static func problem(_ problem: Problem) -> Response {
    fresh(Response(status: problem.status, contentType: Problem.contentType, body: problem.json))
  }

  /// These answers are true of one moment.
  private static func fresh(_ response: Response) -> Response {
    var response = response
    response.fields[.cacheControl] = "no-store"
    return response
  }
}
