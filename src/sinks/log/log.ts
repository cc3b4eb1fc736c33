import { pino, symbols } from 'pino'
import type { LogMessage } from '../../model/log/module-log.ts'
import { redactText } from '../../model/trace/redact.ts'
import type { LogDestination } from './destination.ts'
import { causeText, errorCodeOf } from './error-message.ts'
import { levelOf, type LogLevels } from './levels.ts'
import { jsonText, textValue } from '../access-log/text-format.ts'
import { timestamp } from './timestamp.ts'

/** Fields of a message. Errors are written as their message, code and causes. */
export type LogFields = Readonly<Record<string, unknown>>

/** The log of one scope. Messages are constant; variable data are fields. */
export interface Log {
  readonly error: LogMessage
  readonly warn: LogMessage
  readonly info: LogMessage
  readonly debug: LogMessage
  readonly trace: LogMessage
  /** The log of another scope. */
  scope(name: string): Log
}

/** Levels, format and destination of the log. */
export interface LogOptions {
  readonly levels: LogLevels
  readonly format: 'text' | 'json'
  readonly destination: LogDestination
}

/**
 * The log of the process, on pino. Text: `<time>\t<level>\t<scope>\t<message> <field>=<value> …`; JSON: one object a line.
 *
 * @example
 * const log = processLog({ levels: parseLogLevels('info'), format: 'text', destination: logDestination() }, 'gateway')
 * log.info('listening', { address: '0.0.0.0:3000' })
 */
export const processLog = (options: LogOptions, scope: string): Log => {
  const { levels, format, destination } = options
  const logger = pino(
    {
      level: pinoLevel(levels, scope),
      base: format === 'json' ? { scope } : null,
      messageKey: 'message',
      timestamp: () => `,"time":"${timestamp()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    format === 'json' ? destination : new TextLines(scope, destination),
  )
  levels.onChange?.(() => {
    logger.level = pinoLevel(levels, scope)
  })
  const scopes = new Map<string, Log>()
  const at =
    (label: 'error' | 'warn' | 'info' | 'debug' | 'trace') =>
    (message: string, fields: LogFields = {}): void => {
      if (logger.isLevelEnabled(label)) logger[label](printable(fields), message)
    }
  return {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    trace: at('trace'),
    scope: (name) => {
      const known = scopes.get(name) ?? processLog(options, name)
      scopes.set(name, known)
      return known
    },
  }
}

const pinoLevel = (levels: LogLevels, scope: string): string => {
  const level = levelOf(levels, scope)
  return level === 'off' ? 'silent' : level
}

/** Writes pino's record as text, in place of its JSON. */
class TextLines {
  // Makes pino store the parts of each record here before it writes.
  readonly [symbols.needsMetadataGsym] = true
  lastLevel = 0
  lastMsg: string | undefined = undefined
  lastObj: LogFields = {}
  readonly #scope: string
  readonly #destination: LogDestination

  constructor(scope: string, destination: LogDestination) {
    this.#scope = scope
    this.#destination = destination
  }

  write(): void {
    let line = `${timestamp()}\t${pino.levels.labels[this.lastLevel] ?? 'info'}\t${this.#scope}\t${this.lastMsg ?? ''}`
    for (const [name, value] of Object.entries(this.lastObj)) {
      if (value === undefined) continue
      line += ` ${name}=${typeof value === 'string' ? textValue(value) : jsonOf(value)}`
    }
    this.#destination.write(`${line}\n`)
  }
}

const jsonOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? jsonText(JSON.stringify(value)) : String(value)

/** Fields ready to write: errors as text, credentials in texts redacted. */
const printable = (fields: LogFields): LogFields => {
  const copy: Record<string, unknown> = {}
  for (const [given, value] of Object.entries(fields)) {
    // Duplicate names make lines that parsers reject, or misread.
    const name = ofEveryLine.has(given) ? `${given}_` : given
    if (value instanceof Error) copy[name] = errorText(value)
    else copy[name] = typeof value === 'string' ? redactText(value) : value
  }
  return copy
}

const ofEveryLine = new Set(['level', 'time', 'scope', 'message'])

/** An error with its causes, and for bugs with their stacks, the only way to locate them. */
const errorText = (error: Error): string => redactText(causeText(error)) + stacks(error)

const stacks = (error: Error): string => {
  const deeper = error.cause instanceof Error ? stacks(error.cause) : ''
  if (errorCodeOf(error) !== undefined || !bugs.has(error.name)) return deeper
  const { stack = '' } = error
  const at = stack.indexOf('\n    at ')
  return at < 0 ? deeper : stack.slice(at) + deeper
}

/** Names of errors that indicate a bug. */
const bugs = new Set(['Error', 'TypeError', 'RangeError', 'ReferenceError', 'SyntaxError', 'AssertionError'])
