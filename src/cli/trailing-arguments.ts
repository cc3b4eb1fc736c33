import type { Command } from 'commander'

/** The arguments of a command, divided at `--`. */
export interface DividedArguments {
  readonly before: readonly string[]
  /** Undefined without `--`. */
  readonly after: readonly string[] | undefined
}

/**
 * Divides the arguments of a command at the first `--`, which Commander takes out. What follows is for another
 * purpose than the command's own arguments and never an option: `agctl proxy trace --local -- -X POST URL`.
 */
export const divideArguments = (command: Command): DividedArguments => {
  let root = command
  while (root.parent) root = root.parent
  const { rawArgs } = root as Command & { readonly rawArgs: readonly string[] }
  const dashes = rawArgs.indexOf('--')
  if (dashes === -1) return { before: command.args, after: undefined }
  const after = rawArgs.slice(dashes + 1)
  return { before: command.args.slice(0, command.args.length - after.length), after }
}
