#!/usr/bin/env node
/** The program `agctl`: inspects gateways and checks configurations. */
import { runAgctl, unexpectedFailure } from './program.ts'

process.on('uncaughtException', (error) => {
  process.stderr.write(unexpectedFailure(error))
  process.exit(1)
})
process.exitCode = await runAgctl(process.argv.slice(2))
