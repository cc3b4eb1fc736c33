import { CommandFailure } from '../command-failure.ts'
import { type EnvironmentOptions, readEnvironment } from '../configuration/environment.ts'
import { readConfiguration } from '../configuration/read-configuration.ts'
import { Explainer } from '../explain/explainer.ts'
import { parseClaims } from '../explain/run-explain.ts'
import { readRequests } from '../recorded/read-requests.ts'
import type { RecordedRequest } from '../recorded/recorded-request.ts'
import { diffRequests } from './diff-requests.ts'
import { diffResources } from './diff-resources.ts'
import { terminalJson, terminalText } from '../output/terminal-text.ts'
import { printDiff } from './print-diff.ts'
import { resourceList } from './resource-list.ts'

/** Options of `agctl config diff`. */
export interface DiffOptions extends EnvironmentOptions {
  readonly requests?: string
  readonly output: 'text' | 'json'
  readonly gateway?: string
  readonly jwtClaims?: string
  readonly exitCode?: boolean
}

/**
 * Compares two configurations and prints the differences.
 *
 * @throws CommandFailure if they differ, with `exitCode`.
 */
export const runDiff = async (a: string, b: string, options: DiffOptions): Promise<void> => {
  const claims = parseClaims(options.jwtClaims)
  const env = await readEnvironment(options)
  const before = await readConfiguration(a, env)
  const after = await readConfiguration(b, env)
  const recorded: readonly RecordedRequest[] =
    options.requests === undefined ? [] : await readRequests(options.requests)
  await using old = new Explainer(before.loaded, before.origins, { env, claims })
  await using fresh = new Explainer(after.loaded, after.origins, { env, claims })
  const diff = {
    a,
    b,
    resources: diffResources(
      resourceList(before.loaded, before.origins),
      resourceList(after.loaded, after.origins),
    ),
    requests: await diffRequests(recorded, old, fresh, options.gateway),
    recorded: options.requests === undefined ? undefined : recorded.length,
  }
  process.stdout.write(
    options.output === 'json'
      ? terminalJson(`${JSON.stringify(diff, undefined, 2)}\n`)
      : terminalText(printDiff(diff)),
  )
  if (options.exitCode && diff.resources.length + diff.requests.length > 0)
    throw new CommandFailure('the configurations differ')
}
