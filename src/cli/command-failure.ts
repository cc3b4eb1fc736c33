import { exitCode } from './exit-code.ts'
import { terminalText } from './output/terminal-text.ts'

/** Options of a failure. */
export interface CommandFailureOptions extends ErrorOptions {
  /** What to do next, in one or two sentences. */
  readonly hint?: string
  /** Default 1. */
  readonly exitCode?: number
}

/**
 * A command cannot do what it was called for. The message is all that the caller sees, without a stack.
 *
 * @example
 * throw new CommandFailure('no admin server at 127.0.0.1:15000', { hint: '-p chooses another port', exitCode: 3 })
 */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly hint: string | undefined
  readonly exitCode: number

  constructor(message: string, options: CommandFailureOptions = {}) {
    super(message, options)
    this.hint = options.hint
    this.exitCode = options.exitCode ?? exitCode.failed
  }

  /** The lines for standard error. */
  get text(): string {
    return terminalText(`Error: ${this.message}\n${this.hint === undefined ? '' : `${this.hint}\n`}`)
  }
}

/** The failure of a command with wrong arguments, which has done nothing. */
export const usageFailure = (message: string, hint?: string): CommandFailure =>
  new CommandFailure(message, { exitCode: exitCode.usage, ...(hint !== undefined && { hint }) })
