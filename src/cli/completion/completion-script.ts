import type { Command } from 'commander'
import { bashScript } from './bash-script.ts'
import { commandNodes } from './command-tree.ts'
import { fishScript } from './fish-script.ts'
import { zshScript } from './zsh-script.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }

/** The completion script of a program for a shell. */
export const completionScript = (program: Command, shell: keyof typeof scripts): string =>
  scripts[shell](commandNodes(program))
