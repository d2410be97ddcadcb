import { run } from './all.mjs'

// The options come as an argument where there is a process, which all runtimes with a command line have.
run(JSON.parse(globalThis.process?.argv[2] ?? '{}')).then((outcome) => console.log(JSON.stringify(outcome)))
