#!/usr/bin/env node
/** The program `agctl`: inspects gateways and checks configurations. */
import { prepareProcess } from '../prepare-process.ts'

prepareProcess('agctl')
const { runAgctl, unexpectedFailure } = await import('./program.ts')

process.on('uncaughtException', (error) => {
  process.stderr.write(unexpectedFailure(error))
  process.exit(1)
})
// A reader such as `head` closes the pipe when it has enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
process.exitCode = await runAgctl(process.argv.slice(2))
