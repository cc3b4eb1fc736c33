import { type LogModule, logModuleNames } from './log-modules.ts'

/** Writes one message. The message is constant; variable data are fields, whose credentials are redacted. */
export type LogMessage = (message: string, fields?: Readonly<Record<string, unknown>>) => void

/**
 * The log of one module. A level that is not logged is undefined, so that its fields are not even computed: the cost is
 * one comparison. Levels change while the gateway runs, so the functions must not be kept.
 *
 * @example
 * log.debug?.('a connection opened', { connection: numberOf(connection), protocol })
 */
export interface ModuleLog {
  readonly error: LogMessage | undefined
  readonly warn: LogMessage | undefined
  readonly info: LogMessage | undefined
  readonly debug: LogMessage | undefined
  readonly trace: LogMessage | undefined
}

/** The logs of all modules. */
export type ModuleLogs = Readonly<Record<LogModule, ModuleLog>>

/** Logs nothing. */
export const silentLog: ModuleLog = {
  error: undefined,
  warn: undefined,
  info: undefined,
  debug: undefined,
  trace: undefined,
}

/** Logs that write nothing. */
export const silentLogs = Object.fromEntries(logModuleNames.map((name) => [name, silentLog])) as ModuleLogs
