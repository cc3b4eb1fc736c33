import type { Command } from 'commander'

/**
 * Adds examples to the help of a command: pairs of what it does and the command line.
 *
 * @example
 * addExamples(command, [['The routes of the local gateway', 'agctl proxy config routes --local']])
 */
export const addExamples = (
  command: Command,
  examples: readonly (readonly [text: string, line: string])[],
): Command => {
  const lines = examples.map(([text, line]) => `  # ${text}\n  ${line}`)
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`)
}
