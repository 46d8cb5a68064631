import ControlAPI
import HTTPRouting
import HTTPServing
import HTTPTypes

/// The answers of the gateway's health socket, from memory.
struct GatewayProbes: HealthSource {
  let health: GatewayHealth
  let database: Database
  let records: RequestRecords
  let gauges: ServingGauges

  var isReady: Bool { health.isReady }

  var readiness: String { #"{"ready":\#(health.isReady)}"# }

  var metrics: String {
    get async {
      GatewayMetrics.text(
        records.totals, gauges: gauges, pool: await database.statistics, isReady: health.isReady)
    }
  }

  static func response(to request: HealthHandler.Unanswered) -> Response {
    switch request {
    case .nothing: return problem(.path)
    case .wrongMethod:
      var response = problem(GatewayError(405, rule: "method", "only GET is allowed here"))
      response.fields[.allow] = "GET"
      return response
    case .refused(let refusal): return problem(GatewayError(refusal))
    }
  }

  private static func problem(_ error: GatewayError) -> Response {
    .problem(Problem(error.status, rule: error.rule, error.message))
  }
}
