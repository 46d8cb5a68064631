import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server of the loopback that keeps what each client sends first, and answers with fixed bytes.
final class RawServer: Sendable {
  private typealias Client = NIOAsyncChannel<ByteBuffer, ByteBuffer>

  private let seen = Mutex<[String]>([])
  private let running: Task<Void, any Error>
  let port: Int

  /// - Parameters:
  ///   - hasTLS: speaks TLS with a certificate that it has signed itself.
  ///   - before: ends when the answer is to be sent.
  init(
    hasTLS: Bool = false, answer: String, before: @escaping @Sendable () async -> Void = {}
  ) async throws {
    let context = hasTLS ? try Self.selfSigned() : nil
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          if let context { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context)) }
          return try Client(wrappingChannelSynchronously: channel)
        }
      }
    port = server.channel.localAddress?.port ?? 0
    let kept = Kept()
    self.kept = kept
    running = Task {
      try await server.executeThenClose { clients in
        await withDiscardingTaskGroup { group in
          do {
            for try await client in clients { group.addTask { try? await Self.serve(client, answer, kept, before) } }
          } catch {}
        }
      }
    }
  }

  private final class Kept: Sendable {
    let requests = Mutex<[String]>([])
  }

  private let kept: Kept

  /// The first bytes of each client.
  var requests: [String] { kept.requests.withLock { $0 } }

  deinit { running.cancel() }

  private static func serve(
    _ client: Client, _ answer: String, _ kept: Kept, _ before: @Sendable () async -> Void
  ) async throws {
    try await client.executeThenClose { requests, answers in
      for try await piece in requests {
        kept.requests.withLock { $0.append(String(buffer: piece)) }
        await before()
        try await answers.write(ByteBuffer(string: answer))
        break
      }
    }
  }

  private static func selfSigned() throws -> NIOSSLContext {
    let key = try NIOSSLPrivateKey(bytes: Array(keyText.utf8), format: .pem)
    let certificates = try NIOSSLCertificate.fromPEMBytes(Array(certificateText.utf8))
    return try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key)))
  }

  /// Of no use elsewhere: nobody trusts it.
  private static let keyText = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg3htAVDPp+YR1F84s
    y/tW94pCespjC5H/DfcuxertNNOhRANCAAR5/5Vg/BnO9cocWbdsGyJMfx+f21FA
    rcu6AIoCyCN+t+uXvr+GgryeVN7n0Wbs5tF6vNQcNCjBzdKE5wcQgYrC
    -----END PRIVATE KEY-----
    """

  private static let certificateText = """
    -----BEGIN CERTIFICATE-----
    MIIBkTCCATagAwIBAgIUN3ny4jzzFGue5QImb76FcwZ9FVwwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMjIwNTcxMloYDzIxMjYxMDI5
    MjA1NzEyWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAAR5/5Vg/BnO9cocWbdsGyJMfx+f21FArcu6AIoCyCN+t+uXvr+Ggrye
    VN7n0Wbs5tF6vNQcNCjBzdKE5wcQgYrCo2QwYjAdBgNVHQ4EFgQUEFRJ8VWVIVun
    lqWCpDKWG3YULeswHwYDVR0jBBgwFoAUEFRJ8VWVIVunlqWCpDKWG3YULeswDwYD
    VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0kAMEYC
    IQC5zhIY4YtDEoDlS3Bzmyccn5O94DkFY9QG6ZCFqee9UgIhAK6Zr03SzIBnppJh
    ApuknoP8sNqndz/7PMPyAZ/Wg9PN
    -----END CERTIFICATE-----
    """
}
