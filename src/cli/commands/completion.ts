import { Argument, Command } from 'commander'
import { addExamples } from '../command-examples.ts'

const shells = ['bash', 'zsh', 'fish'] as const

/** `agctl completion`: a script that completes commands and options in a shell. */
export const completionCommand = (): Command => {
  const command = new Command('completion')
    .description('Prints a script that completes commands and options of agctl in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
  addExamples(command, [
    ['bash, in ~/.bashrc', 'source <(agctl completion bash)'],
    ['zsh, in ~/.zshrc after compinit', 'source <(agctl completion zsh)'],
    ['fish', 'agctl completion fish > ~/.config/fish/completions/agctl.fish'],
  ])
  return command.action(async (shell: (typeof shells)[number]) => {
    const { completionScript } = await import('../completion/completion-script.ts')
    let root: Command = command
    while (root.parent) root = root.parent
    process.stdout.write(completionScript(root, shell))
  })
}
