import { envAttributes } from '../../cel/context/process-env.ts'
import { compileConfiguration } from '../../config/compile.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { mergePolicies } from '../../config/merge-policies.ts'
import { Exchange } from '../../model/exchange/exchange.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import type { Resources } from '../../model/resources/resources.ts'
import type { BackendLabels, Pipeline, Snapshot } from '../../model/resources/snapshot.ts'
import { faultReply } from '../../pipeline/fault-reply.ts'
import { ofExchange } from '../../pipeline/of-exchange.ts'
import type { RejectedRequest } from '../../streams/http/connection/rejected-request.ts'
import { countThisHop, pipelineWithinHops } from '../../streams/http/port/hop-limit.ts'
import { matchListener, ServedBind } from '../../streams/http/port/serve.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'
import { callerIdentity } from './caller-identity.ts'
import { dryConnection } from './dry-connection.ts'
import { DryProbe } from './dry-probe.ts'
import { type DryRequest, exchangeRequestOf, readDryHead } from './dry-request.ts'
import { mcpBoundary } from './mcp-boundary.ts'
import { OfflineRegistry } from './offline-registry.ts'
import { offlineResources, type OfflineResources } from './offline-resources.ts'
import { dynamicRefusal, type RecordedCall, recordingUpstream } from './recording-upstream.ts'
import type { Assumptions } from './undecided-policies.ts'

/** What would become of a request. */
export type DryOutcome =
  /** The connection is closed, without a reply. */
  | { readonly kind: 'closed'; readonly why: string }
  /** The head is refused before there is an exchange. */
  | { readonly kind: 'rejected'; readonly rejection: RejectedRequest }
  | DryExchange

/** A request that passed through the stages. */
export interface DryExchange {
  readonly kind: 'exchange'
  readonly x: Exchange
  readonly probe: DryProbe
  readonly reply: Reply | undefined
  /** What was sent to upstreams; the first call is what the gateway would send. */
  readonly calls: readonly RecordedCall[]
  /** Kinds of services that policies would have called. */
  readonly callouts: readonly string[]
  /** An MCP backend was reached, whose servers are not called. */
  readonly reachedMcp: boolean
}

/**
 * A configuration that is compiled as by a gateway, and through which requests run without a socket: nothing is
 * dialled, resolved, fetched or started, and policies that depend on the outside are left out.
 *
 * @example
 * await using run = new DryRun(loaded, {}, {})
 * const outcome = await run.send('bind/3000', { method: 'GET', target: '/', rawHeaders: ['host', 'a.test'] })
 */
export class DryRun implements AsyncDisposable {
  /** Resources with merged policies, all of them. */
  readonly merged: Resources
  readonly offline: OfflineResources
  readonly #registry: OfflineRegistry
  readonly #snapshot: Snapshot
  #calls: RecordedCall[] = []
  #callouts: string[] = []
  #reachedMcp = false

  /** @param change Changes the resources before they are compiled. */
  constructor(
    { resources, hash, process }: LoadedConfig,
    env: Readonly<Record<string, string | undefined>>,
    assumptions: Assumptions,
    change: (resources: Resources) => Resources = (same) => same,
  ) {
    this.merged = mergePolicies(resources)
    this.offline = offlineResources(this.merged, assumptions)
    const changed = change(this.offline.resources)
    this.#registry = new OfflineRegistry({
      upstream: (real, target, policies) =>
        recordingUpstream(real, this.#record, dynamicRefusal(real, target, policies, changed)),
      onCallout: (kind) => this.#callouts.push(kind),
    })
    this.#snapshot = compileConfiguration(
      { resources: changed, hash },
      {
        registry: this.#registry,
        rescuer: faultReply(() => undefined),
        env: envAttributes(env),
        sensitiveHeaders: process.sensitiveHeaders,
        internal: (labels) => this.#internal(labels),
        insertions: [
          ...callerIdentity(this.offline, assumptions),
          ...mcpBoundary(changed, () => {
            this.#reachedMcp = true
          }),
        ],
      },
    )
  }

  /** Runs one request. Not to be called again before it has settled. */
  async send(bindKey: string, request: DryRequest): Promise<DryOutcome> {
    const bind = this.#snapshot.binds.get(bindKey)
    if (!bind) throw new TypeError(`there is no bind ${bindKey}`)
    const served = new ServedBind(this.#snapshot, bind)
    const connection = dryConnection(served, request)
    if ('closed' in connection) return { kind: 'closed', why: connection.closed }
    const head = readDryHead(request, bind.frontend)
    if ('status' in head) return { kind: 'rejected', rejection: head }
    const match = matchListener(served, connection, head.host)
    let probe: DryProbe | undefined
    const x = new Exchange(
      exchangeRequestOf(head, request.body, connection, bind.frontend),
      this.#snapshot,
      { probe: (one) => (probe = new DryProbe(one)) },
      match.labels,
      match.frontend,
    )
    countThisHop(x.request, match.frontend)
    this.#calls = []
    this.#callouts = []
    this.#reachedMcp = false
    const reply = await replyOf(x, pipelineWithinHops(x.request, match))
    return {
      kind: 'exchange',
      x,
      probe: probe ?? new DryProbe(x),
      reply,
      calls: this.#calls,
      callouts: this.#callouts,
      reachedMcp: this.#reachedMcp,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#registry.close()
  }

  readonly #record = (call: RecordedCall): void => {
    this.#calls.push(call)
  }

  #internal(labels: BackendLabels): HttpUpstream {
    const nothing: HttpUpstream = { labels, call: () => ({ abort: () => undefined }) }
    return recordingUpstream(nothing, this.#record)
  }
}

/** The longest time a request may take here: passwords are verified, and nothing else takes time. */
const LIMIT_MS = 5_000

/** The reply, once the stages have passed it on; undefined if they do not within the limit. */
const replyOf = (x: Exchange, pipeline: Pipeline): Promise<Reply | undefined> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      subscription.unsubscribe()
      x.reply?.body.drop()
      resolve(x.reply)
    }
    const timer = setTimeout(() => end(), LIMIT_MS)
    const subscription = pipeline(ofExchange(x)).subscribe({
      next: () => queueMicrotask(end),
      error: (fault: unknown) => {
        clearTimeout(timer)
        reject(fault instanceof Error ? fault : new Error(String(fault)))
      },
    })
  })
