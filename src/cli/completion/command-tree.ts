import type { Command, Option } from 'commander'

/** A command of a completion script. */
export interface CommandNode {
  /** With the names of its parents: `agctl proxy log`. */
  readonly path: string
  readonly children: readonly CommandWord[]
  readonly options: readonly OptionWords[]
}

/** A word with its explanation. */
export interface CommandWord {
  readonly name: string
  readonly text: string
}

/** An option by its flags. */
export interface OptionWords {
  readonly flags: readonly string[]
  readonly text: string
  /** What follows it: a file, one of some words, another value, or nothing. */
  readonly value: 'none' | 'file' | 'any' | readonly string[]
}

/** A command and all below it, without hidden ones. */
export const commandNodes = (command: Command, parents = ''): readonly CommandNode[] => {
  const path = `${parents}${command.name()}`
  const help = command.createHelp()
  const children = help.visibleCommands(command).filter((child) => child.name() !== 'help')
  const node: CommandNode = {
    path,
    children: children.map((child) => ({ name: child.name(), text: firstSentence(child.description()) })),
    options: help.visibleOptions(command).map(optionWords),
  }
  return [node, ...children.flatMap((child) => commandNodes(child, `${path} `))]
}

const firstSentence = (text: string): string => text.split('. ')[0] ?? text

const optionWords = ({ short, long, description, required, flags, argChoices }: Option): OptionWords => ({
  flags: [short, long].filter((flag) => flag !== undefined),
  text: firstSentence(description),
  value: required ? (argChoices ?? (/<(file|dump)>/.test(flags) ? 'file' : valueWords(flags))) : 'none',
})

const valueWords = (flags: string): 'any' | readonly string[] =>
  flags.includes('<format>') ? ['table', 'wide', 'json', 'yaml'] : levelWords(flags)

const levelWords = (flags: string): 'any' | readonly string[] =>
  flags.includes('<level>') ? ['error', 'warn', 'info', 'debug', 'trace', 'off'] : 'any'
