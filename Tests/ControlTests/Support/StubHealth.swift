import HTTPRouting

struct StubHealth: HealthSource {
  var isReady = true
  var readiness: String { #"{"ready":\#(isReady)}"# }
  var metrics = "settled_up 1\n"
}
