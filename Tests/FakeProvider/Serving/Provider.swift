import NIOHTTP1
import Synchronization

/// The world of the provider, for all its connections.
final class Provider: Sendable {
  enum Arrival {
    case away, control
    case provider(Ticket)
  }

  private let world: Mutex<World>

  init(_ world: sending World) {
    self.world = Mutex(world)
  }

  /// A call's head has come.
  func arrival(_ head: HTTPRequestHead) -> Arrival {
    let path = ProviderCall.path(head)
    guard path.hasPrefix("/oauth/") || path.hasPrefix("/api/") else { return .control }
    let isRead = path.hasPrefix("/api/v3/") && head.method == .GET
    return world.withLock { world in world.ticket(isRead: isRead).map { .provider($0) } ?? .away }
  }

  /// A call has arrived in full: its effect happens now, and its answer follows later or never.
  func answer(_ call: ProviderCall) -> ProviderResponse {
    world.withLock { world in
      if let ticket = call.ticket { world.answer(call, ticket) } else { world.control(call) }
    }
  }

  /// The call that comes before an answer has been answered.
  func complete(
    _ answer: ProviderResponse, to call: ProviderCall, after outcome: OutgoingCall.Answer
  ) -> ProviderResponse {
    world.withLock { $0.complete(answer, to: call, after: outcome) }
  }

  /// An answer is with the kernel, or given up.
  func finished(_ answer: ProviderResponse, _ ticket: Ticket, wasWritten: Bool) {
    world.withLock { $0.finished(answer, ticket, wasWritten: wasWritten) }
  }
}
