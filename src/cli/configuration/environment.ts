import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import type { Command } from 'commander'
import type { Environment } from '../../config/document/interpolate.ts'
import { CommandFailure, usageFailure } from '../command-failure.ts'
import { exitCode } from '../exit-code.ts'

/** Where variables come from, besides the environment of this program. */
export interface EnvironmentOptions {
  readonly envFile?: readonly string[]
  readonly env?: readonly string[]
}

/** Adds `--env-file` and `-e` to a command. Both may be repeated; the last one wins, and any wins over the environment. */
export const addEnvironmentOptions = (command: Command): Command =>
  command
    .option('--env-file <file>', 'read variables from a file of NAME=VALUE lines', appended)
    .option('-e, --env <NAME=VALUE>', 'set a variable for the configuration', appended)

/** Collects the values of an option that may be repeated. */
export const appended = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
]

/**
 * The variables for a configuration.
 *
 * @throws CommandFailure for a file that cannot be read, and for an argument without `=`.
 */
export const readEnvironment = async ({
  envFile = [],
  env = [],
}: EnvironmentOptions): Promise<Environment> => {
  const variables: Record<string, string | undefined> = { ...process.env }
  for (const path of envFile) {
    const text = await readFile(path, 'utf8').catch((cause: unknown) => {
      throw new CommandFailure(`${path} cannot be read: ${codeOf(cause)}`, {
        exitCode: exitCode.usage,
        cause,
      })
    })
    Object.assign(variables, parseEnv(text))
  }
  for (const pair of env) {
    const equals = pair.indexOf('=')
    if (equals < 1) throw usageFailure(`-e ${pair} sets nothing`, 'write -e NAME=VALUE')
    variables[pair.slice(0, equals)] = pair.slice(equals + 1)
  }
  return variables
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)
