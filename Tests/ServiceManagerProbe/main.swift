import FoundationEssentials
import Glibc
import ServiceManager

// Started by systemd-socket-activate in a test: says which sockets it inherited, one line each.
let manager = ServiceManager(environment: ProcessInfo.processInfo.environment, pid: getpid())
do {
  for (name, descriptor) in try manager.inheritedSockets().sorted(by: { $0.value < $1.value }) {
    let closesOnExec = fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0
    print("\(name) \(descriptor) \(closesOnExec ? "closes on exec" : "stays open")")
  }
} catch {
  print("\(error.code.rawValue): \(error)")
}
