import ControlAPI

/// Answers on the health socket: to anybody, and nothing that anybody may not know.
struct HealthHandler: Handler {
  let source: any HealthSource

  func standing(of peer: Peer) -> Standing { peer.uid == 0 ? .root : .ordinary }

  func receive(_ asked: Asked, from peer: Peer) -> Reception {
    let answer: (@Sendable () async -> Answer)? =
      switch asked.path {
      case "/health/live": { .json(#"{"status":"live"}"#) }
      case "/health/ready": { [source] in .json(await source.readiness, status: await source.isReady ? 200 : 503) }
      case "/metrics":
        { [source] in .text(await source.metrics, contentType: "text/plain; version=0.0.4; charset=utf-8") }
      default: nil
      }
    guard let answer else { return .settled(.notFound(asked.path)) }
    guard asked.method == "GET" else { return .settled(.wrongMethod(asked.method, allowed: ["GET"])) }
    return .wanted { _ in await answer() }
  }
}
