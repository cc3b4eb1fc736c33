import type { TraceOptions } from './trace-options.ts'

/** Whether the terminal UI can be shown: keys come from standard input, or from the terminal if that has the events. */
export const isTerminal = ({ file }: TraceOptions): boolean =>
  process.stdout.isTTY && (process.stdin.isTTY || file === '-') && process.env.TERM !== 'dumb'
