import { Fault } from '../../model/fault.ts'

/** How a child process came to its end, as far as it is known. */
export interface Death {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** What it closed although it lived on. */
  readonly closed?: 'input' | 'output' | undefined
}

/** A server that is a child process ended, or cannot be spoken to any more. Its last words are part of the message. */
export class ServerDied extends Fault {
  readonly death: Death
  /** The end of what it wrote to stderr; may be empty. */
  readonly stderr: string

  constructor(target: string, death: Death, stderr: string) {
    const words = stderr === '' ? '' : `; the end of what it wrote to stderr:\n${stderr}`
    super('mcp_server_died', `mcp: target ${target} ${inWords(death)}${words}`, {
      status: 503,
      reason: 'MCP',
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

/** It died again and again, and is left alone for a while. */
export const failsTooOften = (target: string, deaths: number, waitMs: number): Fault => {
  const seconds = Math.ceil(waitMs / 1_000)
  return new Fault(
    'mcp_server_failing',
    `mcp: target ${target} died ${deaths} times without an answer; it is started again in ${seconds} s at the earliest`,
    { status: 503, reason: 'MCP' },
  )
}

/** As many run as may. */
export const tooManyChildren = (whose: string, limit: number): Fault =>
  new Fault('mcp_too_many_children', `mcp: ${whose} at the limit of ${limit} running server processes`, {
    status: 503,
    reason: 'MCP',
  })

/** It does not read what it is sent. */
export const inputFull = (target: string, limitBytes: number): Fault =>
  new Fault(
    'mcp_server_not_reading',
    `mcp: target ${target} does not read its input, and more than ${limitBytes} bytes would wait for it`,
    { status: 503, reason: 'MCP' },
  )
