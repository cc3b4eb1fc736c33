import { Command } from 'commander'

/** A command that only has other commands: `agctl proxy`. Without one of them it prints its help. */
export const commandGroup = (name: string, description: string, commands: readonly Command[]): Command => {
  const group = new Command(name).description(description)
  for (const command of commands) group.addCommand(command)
  return group
}
