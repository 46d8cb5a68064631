import Daemon
import Sample

await runSettled(modules: Modules.all + [SampleModule()])
