import type { ConfigSource } from '../../config/command-line.ts'
import type { Environment } from '../../config/document/interpolate.ts'
import { ConfigError } from '../../config/errors.ts'
import { type LoadedConfig, loadConfig } from '../../config/load.ts'
import { PolicyOrigins } from '../../config/policy-origins.ts'
import { CommandFailure } from '../command-failure.ts'

/** A valid configuration, and where its policies are written. */
export interface ReadConfiguration {
  readonly loaded: LoadedConfig
  readonly origins: PolicyOrigins
}

/** The source of a file argument: `-` is standard input. */
export const sourceOfArgument = (path: string): ConfigSource =>
  path === '-' ? { kind: 'stdin' } : { kind: 'file', path }

/**
 * Reads a configuration that has to be valid.
 *
 * @throws CommandFailure with every problem.
 */
export const readConfiguration = async (path: string, env: Environment): Promise<ReadConfiguration> => {
  const origins = new PolicyOrigins()
  try {
    return { loaded: await loadConfig(sourceOfArgument(path), env, undefined, origins), origins }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new CommandFailure(error.message, { hint: 'agctl config check prints every problem with its hint' })
  }
}
