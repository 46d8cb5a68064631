internal import CLibpq
internal import Dispatch
internal import Glibc
internal import Synchronization

/// A libpq connection with the event sources of its socket, and the order in which they are closed.
///
/// All but `init` happens on `queue`. The sources watch a duplicate of the socket: libpq closes its own descriptor
/// as soon as it finds the connection dead, and a source must never watch a number that may be somebody else's.
final class Socket: @unchecked Sendable {
  let executor = QueueExecutor(label: "settled.postgres")
  let canceller: Canceller
  let sink: NoticeSink
  private let handle: OpaquePointer
  private let reader: any DispatchSourceRead
  private let writer: any DispatchSourceWrite
  private let timer: any DispatchSourceTimer
  private var isWriterRunning = false
  private var openSources = 3
  private let closed = Atomic<Bool>(false)

  /// May be asked from any thread.
  var isClosed: Bool { closed.load(ordering: .acquiring) }

  var queue: DispatchQueue { executor.queue }

  /// The connection for libpq's functions; nil once closed.
  var pg: OpaquePointer? { isClosed ? nil : handle }

  /// Takes over `handle`, unless no descriptor or memory is left (nil).
  init?(_ handle: OpaquePointer, sink: NoticeSink) {
    guard let canceller = Canceller(handle) else { return nil }
    let socket = fcntl(PQsocket(handle), F_DUPFD_CLOEXEC, 3)
    guard socket >= 0 else { return nil }
    self.handle = handle
    self.sink = sink
    self.canceller = canceller
    reader = DispatchSource.makeReadSource(fileDescriptor: socket, queue: executor.queue)
    writer = DispatchSource.makeWriteSource(fileDescriptor: socket, queue: executor.queue)
    timer = DispatchSource.makeTimerSource(queue: executor.queue)
    sink.attach(to: handle)
    let closed: @Sendable () -> Void = { [self] in
      openSources -= 1
      guard openSources == 0 else { return }
      PQfinish(self.handle)
      Glibc.close(socket)
    }
    for source in [reader, writer, timer] as [any DispatchSourceProtocol] {
      source.setCancelHandler(handler: closed)
    }
  }

  /// Starts to watch the socket.
  func start(
    readable: @escaping @Sendable () -> Void, writable: @escaping @Sendable () -> Void,
    alarm: @escaping @Sendable () -> Void
  ) {
    guard !isClosed else { return }
    reader.setEventHandler(handler: readable)
    writer.setEventHandler(handler: writable)
    timer.setEventHandler(handler: alarm)
    isStarted = true
    reader.resume()
    timer.resume()
  }

  private var isStarted = false

  /// Watches for room in the socket only while libpq holds data that it could not send.
  func watchWritable(_ wanted: Bool) {
    guard !isClosed, wanted != isWriterRunning else { return }
    isWriterRunning = wanted
    if wanted { writer.resume() } else { writer.suspend() }
  }

  /// Sets the one alarm.
  func setAlarm(after span: Duration) {
    guard !isClosed else { return }
    let nanoseconds = Int(max(.zero, span) / .nanoseconds(1))
    timer.schedule(deadline: .now() + .nanoseconds(nanoseconds), leeway: .milliseconds(1))
  }

  /// Ends the session; a second time it does nothing. libpq's part follows when the sources are at rest.
  func close() {
    guard !isClosed else { return }
    closed.store(true, ordering: .releasing)
    if !isStarted {
      reader.resume()
      timer.resume()
    }
    if !isWriterRunning { writer.resume() }
    for source in [reader, writer, timer] as [any DispatchSourceProtocol] { source.cancel() }
  }
}
