import Engine
import ArgumentParser
import ConfigurationFiles
import HostProcess
import Postgres

struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Migrate the database to this program's schema version.",
    discussion: """
      Connects as a superuser or a member of the settled_owner role, which will own all objects. Pass the URL with \
      --database-url, because the daemon's role cannot create tables. Running the command again changes nothing; \
      concurrent runs are safe.
      """)

  @OptionGroup var options: ConfigurationOptions

  @Option(help: "Connect with this URL instead of the configured one.")
  var databaseURL: String?

  @Option(
    name: .customLong("database-url-file"),
    help: "Connect with the URL in this file; a password in an option is visible to everyone on the machine.")
  var databaseURLFile: String?

  @Flag(help: "Give this new database a clock that is set manually (settled.set_clock), for demos and tests.")
  var simulatedClock = false

  @Flag(
    help: "Mark the later of two journals with the same key; without this flag, migrate lists such journals and fails."
  )
  var markDoubles = false

  @Flag(
    help: """
      Give this copy of another database a new identity before its first daemon starts. This deletes all provider \
      tokens, and people must log in again.
      """)
  var fork = false

  @Flag(inversion: .prefixedNo, help: "Create the roles that receive privileges, if they are missing.")
  var roles = true

  func validate() throws {
    guard databaseURL == nil || databaseURLFile == nil else {
      throw ValidationError("--database-url and --database-url-file are mutually exclusive.")
    }
  }

  func run() async throws {
    let url = try url()
    let migrator = Migrator(
      makesRoles: roles, simulatesClock: simulatedClock, marksDoubles: markDoubles, forks: fork ? Modules.forks : []
    ) { step in
      StandardError.write("settled: \(step) ...\n")
    }
    do {
      let report = try await migrator.migrate(ConnectionOptions(url: url, applicationName: "settled migrate"))
      // A terminal shows both streams, and so has shown each step already.
      if !StandardError.isStandardOutput {
        for name in report.applied { print("applied \(name)") }
        if report.functionsChanged { print("applied the functions") }
        for label in report.putBack { print("restored \(label)") }
      } else if !report.applied.isEmpty || report.functionsChanged || !report.putBack.isEmpty {
        print("done")
      }
      for label in report.foreign { print("foreign, left unchanged: \(label)") }
      if report.applied.isEmpty && !report.functionsChanged && report.putBack.isEmpty { print("nothing to do") }
      if report.isForked {
        print("the database now has a new identity; athletes must reconnect, and people must log in again")
      }
      if report.isSimulated { print("this database uses a simulated clock") }
    } catch let error as EngineError {
      throw Exit(error)
    } catch let error as PostgresError {
      throw Exit(Self.exitCode(error.verdict), error.description)
    }
  }

  static func exitCode(_ verdict: Verdict) -> HostProcess.ExitCode {
    switch verdict {
    case .contention, .connection, .resource, .timeout, .caller: .tryLater
    case .item, .installation: .refused
    }
  }

  private func url() throws -> String {
    if let databaseURL {
      if ConnectionOptions(url: databaseURL).hasPassword {
        warn("everyone on the machine can see the password in --database-url: use --database-url-file")
      }
      return databaseURL
    }
    guard let databaseURLFile else {
      let configuration = try options.read()
      StandardError.warn(configuration.warnings, program: VersionCommand.program)
      return configuration.databaseURL
    }
    let text: String?
    do {
      text = try Host.text(ofFile: databaseURLFile)
    } catch {
      throw Exit(.configuration, "\(databaseURLFile): \(error)")
    }
    guard let text else { throw Exit(.configuration, "\(databaseURLFile): no such file") }
    if Host.isPublic(databaseURLFile), ConnectionOptions(url: text.trimmed).hasPassword {
      warn("\(databaseURLFile): contains a password, but anyone can read the file")
    }
    return text.trimmed
  }

  private func warn(_ text: String) {
    StandardError.warn([text], program: VersionCommand.program)
  }
}
