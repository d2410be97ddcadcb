import { run } from './all.mjs'
import { report } from './report.mjs'

report(run)
