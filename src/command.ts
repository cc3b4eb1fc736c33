import { startHeapSampling } from './admin/profiling/heap-sampling.ts'
import { parseCommandLine, type ConfigSource } from './config/command-line.ts'
import { ConfigError, formatWarning } from './config/errors.ts'
import { loadConfig } from './config/load.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { StartFailure } from './model/resources/start-failure.ts'
import { serviceManagerVariables } from './streams/systemd/notify.ts'
import { reloadSignals, reopenSignals, signals } from './streams/signals.ts'
import { buildInfo } from './version.ts'

/** Runs the command of a command line: validates a configuration, or serves it until a signal ends the process. */
export const runCommand = async (args: readonly string[]): Promise<void> => {
  const command = parseCommandLine(args)
  try {
    if (command.command === 'run') await run(command.source)
    else if (command.command === 'validate') await validate(command.source)
    else if (command.command === 'controller') await runControlPlane(command.args)
    else if (command.command === 'help') process.stdout.write(command.text)
    else if (command.command === 'version')
      console.log(command.form === 'short' ? buildInfo.version : JSON.stringify(buildInfo))
    else {
      console.error(command.text)
      process.exitCode = 2
    }
  } catch (error) {
    // The user can fix an invalid configuration or a port in use: a stack would bury the message.
    if (error instanceof ConfigError) console.error('isVerbose' in command ? error.verbose : error.message)
    else console.error(error instanceof StartFailure ? error.message : error)
    process.exitCode = 1
  }
}

/** Loaded late: gateways need nothing of it. */
const runControlPlane = async (args: readonly string[]): Promise<void> => {
  const { runController } = await import('./controller/run-controller.ts')
  await runController(args)
}

const validate = async (source: ConfigSource): Promise<void> => {
  const { warnings, name } = await loadConfig(source, process.env)
  for (const warning of warnings) console.error(formatWarning(warning, name))
  console.log('Configuration is valid!')
}

const run = async (source: ConfigSource): Promise<void> => {
  const heapSampling = startHeapSampling()
  let daemon: Daemon | undefined
  let received = 0
  // Subscribed early: a signal may come as soon as the gateway is ready.
  const subscription = signals().subscribe((signal) => {
    received++
    if (!daemon) {
      subscription.unsubscribe()
      process.kill(process.pid, signal)
    } else if (received === 1) void daemon.quit()
    else process.exit(1) // second signal: exit at once
  })
  const [reloads$, reopens$] = [reloadSignals(), reopenSignals()]
  try {
    const started = await startDaemon(source, takeServiceVariables(), { reloads$, reopens$, heapSampling })
    daemon = started
    await started.ended
  } finally {
    subscription.unsubscribe()
  }
}

/** The environment of the process. Variables for this process alone are removed from what programs inherit. */
const takeServiceVariables = (): NodeJS.ProcessEnv => {
  const env = { ...process.env }
  for (const name of serviceManagerVariables) Reflect.deleteProperty(process.env, name)
  return env
}
