import { CommandFailure, usageFailure } from '../command-failure.ts'
import { type EnvironmentOptions, readEnvironment } from '../configuration/environment.ts'
import { readConfiguration } from '../configuration/read-configuration.ts'
import { parseClaims } from '../explain/run-explain.ts'
import { terminalJson, terminalText } from '../output/terminal-text.ts'
import type { Assumptions, UndecidedPolicy } from '../offline/undecided-policies.ts'
import type { ExtraFields } from '../recorded/explain-recorded.ts'
import { readRequests } from '../recorded/read-requests.ts'
import type { RecordedRequest } from '../recorded/recorded-request.ts'
import { printReplayed, printReplaySummary, type ReplaySummary } from './print-replay.ts'
import { ReplayGateway } from './replay-gateway.ts'
import { replayRequests } from './replay-requests.ts'
import type { ReplayedRequest } from './replayed-request.ts'
import { StandIn } from './stand-in.ts'

/** Options of `agctl proxy replay`. */
export interface ReplayOptions extends EnvironmentOptions {
  readonly output: 'text' | 'json'
  readonly header?: readonly string[]
  readonly jwtClaims?: string
  readonly gateway?: string
}

/**
 * Replays recorded requests, printing each as it is done, then a summary.
 *
 * @throws CommandFailure if anything changes, or a request gets no response.
 */
export const runReplay = async (file: string, config: string, options: ReplayOptions): Promise<void> => {
  const extra = (options.header ?? []).map(parseField)
  const claims = parseClaims(options.jwtClaims)
  const env = await readEnvironment(options)
  const { loaded } = await readConfiguration(config, env)
  const requests = await readRequests(file)
  const assumptions: Assumptions = { claims, tokensAreValid: tokensOf(requests, extra) }
  await using standIn = new StandIn()
  await using gateway = await ReplayGateway.open(loaded, env, assumptions, await standIn.open())
  const target = { gateway, standIn, binds: loaded.resources.binds }
  const all: ReplayedRequest[] = []
  for await (const one of replayRequests(requests, target, { gateway: options.gateway, extra })) {
    all.push(one)
    if (options.output === 'text') process.stdout.write(terminalText(printReplayed(one)))
  }
  const summary = summaryOf(all, gateway.offline.undecided)
  process.stdout.write(
    options.output === 'json'
      ? terminalJson(`${JSON.stringify({ requests: all.map(printable), ...summary }, undefined, 2)}\n`)
      : terminalText(printReplaySummary(summary)),
  )
  if (summary.changed + summary.failed > 0)
    throw new CommandFailure(
      `${String(summary.changed + summary.failed)} of ${String(all.length)} requests differ`,
    )
}

/** Records do not have tokens: where none is given, they cannot be verified. */
const tokensOf = (
  requests: readonly RecordedRequest[],
  extra: ExtraFields,
): Assumptions['tokensAreValid'] => {
  const isGiven = extra.some(([name]) => name === 'authorization')
  return !isGiven && requests.some(({ redacted }) => redacted.includes('authorization'))
    ? 'all'
    : 'remoteKeys'
}

const parseField = (text: string): readonly [name: string, value: string] => {
  const found = /^([^:\s]+):\s*(.*)$/.exec(text)
  if (found) return [(found[1] ?? '').toLowerCase(), found[2] ?? '']
  throw usageFailure(`--header ${JSON.stringify(text)} is no header field`, 'write --header "name: value"')
}

const summaryOf = (
  all: readonly ReplayedRequest[],
  undecided: ReadonlyMap<string, readonly UndecidedPolicy[]>,
): ReplaySummary => {
  const notReplayed = [...undecided].flatMap(([key, policies]) =>
    policies.map(({ policy, why }) => ({ policy, of: key, why })),
  )
  return {
    total: all.length,
    same: all.filter(({ changes, failure }) => failure === undefined && changes.length === 0).length,
    changed: all.filter(({ changes }) => changes.length > 0).length,
    failed: all.filter(({ failure }) => failure !== undefined).length,
    missingCredentials: [...new Set(all.flatMap(({ missing }) => missing))],
    cutBodies: all.filter(({ isCut }) => isCut).length,
    notReplayed,
  }
}

/** Bodies as text. */
const printable = ({ outcome, ...rest }: ReplayedRequest): object => ({
  ...rest,
  outcome: {
    ...outcome,
    ...(outcome.sent && { sent: { ...outcome.sent, body: outcome.sent.body?.toString('utf8') } }),
  },
})
