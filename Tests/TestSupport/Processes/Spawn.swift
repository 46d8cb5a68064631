import Foundation

/// Starts a program with these three descriptors and no other of this process. With another, a reader that waits for a
/// connection's end would wait for the program, too. Accepted sockets of NIO do not close by themselves.
///
/// Foundation's `Process` lets every descendant inherit the socket by which it notices the end.
func spawn(
  _ arguments: [String], environment: [String: String], input: Int32, output: Int32, error: Int32
) throws -> Int32 {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for (theirs, ours) in [(0, input), (1, output), (2, error)] as [(Int32, Int32)] {
    posix_spawn_file_actions_adddup2(&actions, ours, theirs)
  }
  closeFrom(&actions, 3)
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  // The program shall not inherit the signals that we or our tools ignore or block.
  var none = sigset_t()
  var all = sigset_t()
  sigemptyset(&none)
  sigfillset(&all)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setsigdefault(&attributes, &all)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
  var pid: pid_t = 0
  let program = arguments[0]
  let code = withTexts(arguments) { arguments in
    withTexts(environment.map { "\($0.key)=\($0.value)" }) { environment in
      posix_spawn(&pid, program, &actions, &attributes, arguments, environment)
    }
  }
  guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
  return pid
}

/// The C library has it, and Swift's module of it does not.
@discardableResult
@_silgen_name("posix_spawn_file_actions_addclosefrom_np")
private func closeFrom(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ first: Int32) -> Int32

private func withTexts<R>(_ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
  let copies: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  let none: UnsafeMutablePointer<CChar>? = nil
  return body(copies + [none])
}

/// A pipe that no program inherits unless it is handed over.
func makePipe() throws -> (read: FileHandle, write: FileHandle) {
  var ends: [Int32] = [-1, -1]
  guard pipe(&ends) == 0, ends.allSatisfy({ fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }) else {
    throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE)
  }
  return (FileHandle(fileDescriptor: ends[0]), FileHandle(fileDescriptor: ends[1]))
}
