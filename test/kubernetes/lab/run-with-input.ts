import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/**
 * Runs a program with an input, and returns its output. Rejects with its status and what it wrote to stderr if it
 * fails, whether or not it has read its input.
 */
export const runWithInput = async (
  program: string,
  args: readonly string[],
  input: string | Buffer = '',
): Promise<string> => {
  const running = promisify(execFile)(program, args, { maxBuffer: 64 << 20 })
  // A program that ends before it has read its input says why by its status.
  running.child.stdin?.on('error', () => undefined).end(input)
  return (await running).stdout
}
