import { Fault } from '../../../model/exchange/fault.ts'

/** How a child process ended, as far as it is known. */
export interface Death {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** The stream it closed although it kept running. */
  readonly closed?: 'input' | 'output' | undefined
}

/**
 * A server that is a child process ended, or is unusable. What it wrote to stderr is for the log alone: it may contain
 * files, addresses and secrets, and the message goes to clients.
 */
export class ServerDied extends Fault {
  readonly death: Death
  /** The end of what it wrote to stderr; may be empty. */
  readonly stderr: string

  constructor(target: string, death: Death, stderr: string) {
    super('mcp_server_died', `mcp: target ${target} ${inWords(death)}`, {
      status: 503,
      reason: 'MCP',
      cause: stderr === '' ? undefined : `the end of what it wrote to stderr:\n${stderr}`,
    })
    this.death = death
    this.stderr = stderr
  }
}

const inWords = ({ exitCode, signal, closed }: Death): string => {
  if (signal !== null) return `was ended by ${signal}`
  if (exitCode !== null) return `ended with exit code ${exitCode}`
  return `closed its ${closed ?? 'output'} without ending`
}

/** The command cannot be run. */
export const notStarted = (target: string, command: string, cause: unknown): Fault => {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const why = { ENOENT: `was not found${hintFor(command)}`, EACCES: 'may not be run' }[code]
  const message = `mcp: target ${target} cannot be started: command ${JSON.stringify(command)} `
  return new Fault('mcp_server_not_started', message + (why ?? 'was refused by the system'), {
    status: 500,
    reason: 'MCP',
    cause,
  })
}

/** A whole command line in the place of the command is a likely mistake. */
const hintFor = (command: string): string => (/\s/.test(command) ? '; its arguments belong into args' : '')

/** It died repeatedly, and is not started for a while. */
export const failsTooOften = (target: string, deaths: number, waitMs: number): Fault => {
  const seconds = Math.ceil(waitMs / 1_000)
  return new Fault(
    'mcp_server_failing',
    `mcp: target ${target} died ${deaths} times without an answer; it is started again in ${seconds} s at the earliest`,
    { status: 503, reason: 'MCP' },
  )
}

/** The limit of processes is reached. */
export const tooManyChildren = (scope: string, limit: number): Fault =>
  new Fault('mcp_too_many_children', `mcp: ${scope} at the limit of ${limit} running server processes`, {
    status: 503,
    reason: 'MCP',
  })

/** It does not read its input. */
export const inputFull = (target: string, limitBytes: number): Fault =>
  new Fault(
    'mcp_server_not_reading',
    `mcp: target ${target} does not read its input, and more than ${limitBytes} bytes would wait for it`,
    { status: 503, reason: 'MCP' },
  )
