/** From quiet to loud. */
const logLevels = ['off', 'error', 'warn', 'info', 'debug', 'trace'] as const

/** How loud a message is, or how loud messages may be. */
export type LogLevel = (typeof logLevels)[number]

/** How loud each part of the program may be. */
export interface LogLevels {
  readonly level: LogLevel
  /** By scope, where it differs. */
  readonly scopes: ReadonlyMap<string, LogLevel>
}

/**
 * Reads a level such as `info`, or a list such as `info,config=debug`. What is no level counts as `info`: a wrong
 * setting must not silence a log.
 *
 * @example
 * levelOf(parseLogLevels('warn,request=off'), 'request') // 'off'
 */
export const parseLogLevels = (text: string): LogLevels => {
  let level: LogLevel = 'info'
  const scopes = new Map<string, LogLevel>()
  for (const entry of text.split(',')) {
    const equals = entry.indexOf('=')
    const found = logLevels.find(
      (one) =>
        one ===
        entry
          .slice(equals + 1)
          .trim()
          .toLowerCase(),
    )
    if (!found) continue
    if (equals < 0) level = found
    else scopes.set(entry.slice(0, equals).trim(), found)
  }
  return { level, scopes }
}

/** The level of one scope. */
export const levelOf = (levels: LogLevels, scope: string): LogLevel =>
  levels.scopes.get(scope) ?? levels.level

/** Whether a level lets something of another level through. */
export const logsLevel = (level: LogLevel, what: LogLevel): boolean =>
  logLevels.indexOf(what) <= logLevels.indexOf(level)
