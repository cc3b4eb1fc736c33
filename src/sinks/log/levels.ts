import { levelNamed, type LogLevel } from '../../model/log/log-level.ts'

/** Log levels of the program. */
export interface LogLevels {
  readonly level: LogLevel
  /** By scope, if different. */
  readonly scopes: ReadonlyMap<string, LogLevel>
  /** Calls back after each change; absent if levels do not change. */
  readonly onChange?: ((changed: () => void) => void) | undefined
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
    const name = entry.slice(equals + 1)
    const found = levelNamed(name.trim().toLowerCase())
    if (!found) continue
    if (equals < 0) level = found
    else scopes.set(entry.slice(0, equals).trim(), found)
  }
  return { level, scopes }
}

/** The level of one scope. */
export const levelOf = (levels: LogLevels, scope: string): LogLevel =>
  levels.scopes.get(scope) ?? levels.level
