import ControlAPI
import HTTPServing
import HostProcess
import Postgres

/// The gateway as Prometheus text: durations in seconds.
enum GatewayMetrics {
  static func text(
    _ totals: RequestRecords.Totals, gauges: ServingGauges, pool: PoolStatistics, isReady: Bool
  ) -> String {
    var text = PrometheusText()
    text.head("settled_gateway_build_info", "gauge", "The program's version.")
    text.line("settled_gateway_build_info", ["version": Version.current], 1)
    text.gauge("settled_gateway_up", "Whether the database responds.", isReady ? 1 : 0)
    text.gauge("settled_gateway_connections", "Client connections.", Double(gauges.connections))
    text.gauge("settled_gateway_body_bytes", "Request bodies being read or processed.", Double(gauges.bodyBytes))
    text.counter(
      "settled_gateway_connections_refused_total", "Connections refused because of a limit.", totals.connectionsRefused)
    text.counter("settled_gateway_not_http_total", "Connections that did not send HTTP.", totals.notHTTP)
    text.head("settled_gateway_pool_connections", "gauge", "Connections to the database.")
    text.line("settled_gateway_pool_connections", ["state": "idle"], Double(pool.idle))
    text.line("settled_gateway_pool_connections", ["state": "leased"], Double(pool.leased))
    text.gauge("settled_gateway_pool_waiting", "Requests waiting for a database connection.", Double(pool.waiting))
    text.counter(
      "settled_gateway_pool_connect_failures_total", "Connections that could not be opened.", pool.connectsFailed)
    let series = totals.series.sorted { $0.key < $1.key }
    text.head("settled_gateway_requests_total", "counter", "Requests answered.")
    for (key, counts) in series {
      for (digit, count) in counts.byClass.sorted(by: { $0.key < $1.key }) {
        text.line(
          "settled_gateway_requests_total",
          ["method": key.method, "route": key.route, "class": "\(digit)xx"], Double(count))
      }
    }
    text.head("settled_gateway_request_seconds", "histogram", "Time from the request head to the response.")
    for (key, counts) in series {
      text.histogram(
        "settled_gateway_request_seconds", ["method": key.method, "route": key.route],
        bounds: LatencyHistogram.bounds, counts: counts.latency.counts, sum: counts.latency.sum)
    }
    text.process()
    return text.text
  }
}
