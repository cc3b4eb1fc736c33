import { inspect } from 'node:util'
import { Command, CommanderError } from 'commander'
import { CommandFailure } from './command-failure.ts'
import { commandGroup } from './command-group.ts'
import { clusterCheckCommand } from './commands/check.ts'
import { completionCommand } from './commands/completion.ts'
import { controllerLogCommand } from './commands/controller/log.ts'
import { proxyConfigCommand } from './commands/proxy/config.ts'
import { proxyLogCommand } from './commands/proxy/log.ts'
import { proxyProfileCommand } from './commands/proxy/profile.ts'
import { proxyTraceCommand } from './commands/proxy/trace.ts'
import { tokenCommand } from './commands/token.ts'
import { configCheckCommand } from './commands/config/check.ts'
import { configDiffCommand } from './commands/config/diff.ts'
import { configExplainCommand } from './commands/config/explain.ts'
import { proxyReplayCommand } from './commands/replay.ts'
import { configImportCommand } from './commands/config/import.ts'
import { versionCommand } from './commands/version.ts'
import { exitCode } from './exit-code.ts'
import { withLeadingOptionsMoved } from './leading-options.ts'
import { terminalText } from './output/terminal-text.ts'

/**
 * Runs `agctl` with arguments, without the names of Node and of the program.
 *
 * @returns The exit code.
 */
export const runAgctl = async (args: readonly string[]): Promise<number> => {
  try {
    const program = agctl()
    await program.parseAsync(withLeadingOptionsMoved(program, args), { from: 'user' })
    return exitCode.ok
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage
    if (error instanceof CommandFailure) {
      process.stderr.write(error.text)
      if (process.env.AGCTL_DEBUG) process.stderr.write(`${inspect(error)}\n`)
      return error.exitCode
    }
    process.stderr.write(unexpectedFailure(error))
    return exitCode.failed
  }
}

/**
 * The tree of commands, one a line. A file of `commands` has the arguments and the help of a command; what the command
 * does is imported when it runs, so that help and completion stay fast.
 */
export const agctl = (): Command => {
  const program = new Command('agctl')
    .description('Inspects running gateways, and checks configurations before they run.')
    .exitOverride()
    .showHelpAfterError('(agctl --help lists the commands)')
  const commands = [
    commandGroup('proxy', 'Inspects running gateways.', [
      proxyConfigCommand(),
      proxyLogCommand(),
      proxyProfileCommand(),
      proxyReplayCommand(),
      proxyTraceCommand(),
    ]),
    commandGroup('controller', 'Inspects the controller of a cluster.', [controllerLogCommand()]),
    clusterCheckCommand(),
    commandGroup('config', 'Checks and explains configuration files.', [
      configCheckCommand(),
      configExplainCommand(),
      configDiffCommand(),
      configImportCommand(),
    ]),
    tokenCommand(),
    completionCommand(),
    versionCommand(),
  ]
  for (const command of commands) program.addCommand(command)
  // The names of the reference without `proxy`; `config` is ours.
  program
    .addCommand(proxyProfileCommand(), { hidden: true })
    .addCommand(proxyTraceCommand(), { hidden: true })
  overrideExits(program)
  return program
}

/** A fault of this program: one line, and how to see more. */
export const unexpectedFailure = (error: unknown): string => {
  if (process.env.AGCTL_DEBUG) return `${inspect(error)}\n`
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return `Error: unexpected failure: ${terminalText(line)}\nAGCTL_DEBUG=1 shows where; please report it.\n`
}

/** Commander would end the process in the middle of an output. */
const overrideExits = (command: Command): void => {
  for (const child of command.commands) {
    child.exitOverride().showHelpAfterError('(--help explains it)')
    overrideExits(child)
  }
}
