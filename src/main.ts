#!/usr/bin/env node
/** The program: reads the command line, then serves until it is told to end. */
import { parseCommandLine, type ConfigSource } from './config/command-line.ts'
import { ConfigError, formatWarning } from './config/errors.ts'
import { loadConfig } from './config/load.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { raiseInlineBudgets } from './inlining.ts'
import { StartFailure } from './model/start-failure.ts'
import { signals } from './streams/signals.ts'
import { buildInfo } from './version.ts'

const command = parseCommandLine(process.argv.slice(2))

const validate = async (source: ConfigSource): Promise<void> => {
  const { warnings, name } = await loadConfig(source, process.env)
  for (const warning of warnings) console.error(formatWarning(warning, name))
  console.log('Configuration is valid!')
}

const run = async (source: ConfigSource): Promise<void> => {
  raiseInlineBudgets()
  let daemon: Daemon | undefined
  let told = 0
  // From the beginning: whoever reads that all is ready may have it end at once.
  const subscription = signals().subscribe((signal) => {
    told++
    if (!daemon) {
      subscription.unsubscribe()
      process.kill(process.pid, signal)
    } else if (told === 1) void daemon.quit()
    else process.exit(1) // told twice: somebody is not willing to wait
  })
  try {
    const started = await startDaemon(source, process.env)
    daemon = started
    await started.ended
  } finally {
    subscription.unsubscribe()
  }
}

try {
  if (command.command === 'run') await run(command.source)
  else if (command.command === 'validate') await validate(command.source)
  else if (command.command === 'help') process.stdout.write(command.text)
  else if (command.command === 'version')
    console.log(command.form === 'short' ? buildInfo.version : JSON.stringify(buildInfo))
  else {
    console.error(command.text)
    process.exitCode = 2
  }
} catch (error) {
  // A wrong configuration and a port that is taken are the user's to mend: a stack would bury what there is to say.
  console.error(error instanceof ConfigError || error instanceof StartFailure ? error.message : error)
  process.exitCode = 1
}
