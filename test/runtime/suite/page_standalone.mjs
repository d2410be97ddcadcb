import { report } from './report.mjs'
import { run } from './standalone.mjs'

report(run)
