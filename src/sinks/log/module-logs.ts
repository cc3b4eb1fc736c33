import { logsLevel } from '../../model/log/log-level.ts'
import { logModuleNames } from '../../model/log/log-modules.ts'
import type { LogMessage, ModuleLog, ModuleLogs } from '../../model/log/module-log.ts'
import { levelOf, type LogLevels } from './levels.ts'
import type { Log } from './log.ts'

/** The logs of all modules, which follow the levels in force. */
export const moduleLogs = (log: Log, levels: LogLevels): ModuleLogs => scopedLogs(logModuleNames, log, levels)

/** A log for each scope, which follows the level of the scope. */
export const scopedLogs = <Name extends string>(
  names: readonly Name[],
  log: Log,
  levels: LogLevels,
): Readonly<Record<Name, ModuleLog>> => {
  const logs = names.map((name) => [name, new ModuleLogger(log.scope(name))] as const)
  const follow = (): void => {
    for (const [name, logger] of logs) logger.follow((level) => logsLevel(levelOf(levels, name), level))
  }
  follow()
  levels.onChange?.(follow)
  return Object.fromEntries<ModuleLog>(logs) as Record<Name, ModuleLog>
}

class ModuleLogger implements ModuleLog {
  error: LogMessage | undefined = undefined
  warn: LogMessage | undefined = undefined
  info: LogMessage | undefined = undefined
  debug: LogMessage | undefined = undefined
  trace: LogMessage | undefined = undefined
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  follow(logs: (level: keyof ModuleLog) => boolean): void {
    const log = this.#log
    this.error = logs('error') ? log.error : undefined
    this.warn = logs('warn') ? log.warn : undefined
    this.info = logs('info') ? log.info : undefined
    this.debug = logs('debug') ? log.debug : undefined
    this.trace = logs('trace') ? log.trace : undefined
  }
}
