/** Log levels, in order of verbosity. */
export const logLevels = ['off', 'error', 'warn', 'info', 'debug', 'trace'] as const

/** The level of a message, or the limit of a log. */
export type LogLevel = (typeof logLevels)[number]

/** Whether messages of a level are logged at another one. */
export const logsLevel = (level: LogLevel, what: LogLevel): boolean =>
  logLevels.indexOf(what) <= logLevels.indexOf(level)

/** The level of that name, in lower case; undefined if there is none. */
export const levelNamed = (name: string): LogLevel | undefined => logLevels.find((level) => level === name)
