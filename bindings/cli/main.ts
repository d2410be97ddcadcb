import { FORMATS } from './registry'
import { run } from './run'

// Not process.exit: what has been written to a pipe may still be on its way.
process.exitCode = await run(process.argv.slice(2), process, FORMATS)
