import { CommandFailure } from './command-failure.ts'
import { exitCode } from './exit-code.ts'

/** Ctrl-C, or a request to end: what was begun has been undone. */
export class CommandInterruption extends CommandFailure {
  constructor() {
    super('interrupted', { exitCode: exitCode.interrupted })
  }

  override get text(): string {
    return ''
  }
}

/** Runs something that a signal of the system aborts, so that it can clean up. */
export const interruptible = async <T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const controller = new AbortController()
  const abort = () => {
    controller.abort(new CommandInterruption())
  }
  for (const name of signals) process.once(name, abort)
  try {
    return await run(controller.signal)
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error
  } finally {
    for (const name of signals) process.off(name, abort)
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
