/** In order of verbosity. */
const logLevels = ['off', 'error', 'warn', 'info', 'debug', 'trace'] as const

/** The level of a message, or the limit of a log. */
export type LogLevel = (typeof logLevels)[number]

/** Log levels of the program. */
export interface LogLevels {
  readonly level: LogLevel
  /** By scope, if different. */
  readonly scopes: ReadonlyMap<string, LogLevel>
}

/**
 * Parses a level such as `info`, or a list such as `info,config=debug`. An unknown level counts as `info`: a wrong
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

/** Whether messages of a level are logged at another one. */
export const logsLevel = (level: LogLevel, what: LogLevel): boolean =>
  logLevels.indexOf(what) <= logLevels.indexOf(level)
