import Daemon
import Sample

await runSettled { Modules.all($0) + [SampleModule()] }
