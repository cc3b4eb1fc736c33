import type { Command, Option } from 'commander'

/**
 * Arguments with the options that precede a command behind it, as kubectl takes them: `agctl -n apps check` is
 * `agctl check -n apps`. What no command has stays where it is, so that it is reported.
 */
export const withLeadingOptionsMoved = (program: Command, args: readonly string[]): readonly string[] => {
  const words: string[] = []
  const moved: string[] = []
  let command = program
  let at = 0
  while (command.commands.length > 0) {
    const arg = args[at]
    if (arg === undefined) return args
    const next = command.commands.find((child) => child.name() === arg || child.aliases().includes(arg))
    if (next) {
      command = next
      words.push(arg)
      at += 1
      continue
    }
    const length = optionLength(command, arg)
    if (length === 0) return args
    moved.push(...args.slice(at, at + length))
    at += length
  }
  return moved.length === 0 ? args : [...words, ...moved, ...args.slice(at)]
}

/** How many arguments an option of the commands of a group is, with its value; 0 for anything else. */
const optionLength = (group: Command, arg: string): number => {
  const [, name = '', attached] = /^(--[^=]+|-[A-Za-z])(.+)?$/s.exec(arg) ?? []
  const options = optionsBelow(group).filter(({ short, long }) => short === name || long === name)
  if (options.length === 0) return 0
  const isFlag = options.every(({ required, optional }) => !required && !optional)
  if (isFlag) return attached === undefined ? 1 : 0
  // `--header` is a flag of one command and has a value at another.
  if (!options.every(({ required }) => required)) return 0
  return attached === undefined ? 2 : 1
}

const optionsBelow = (group: Command): readonly Option[] =>
  group.commands.flatMap((command) => [...command.options, ...optionsBelow(command)])
