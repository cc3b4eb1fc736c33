import type { Exchange } from '../../model/exchange/exchange.ts'
import type { McpBackend } from '../../model/mcp/mcp-backend.ts'
import type { Owner } from '../../model/resources/replica.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { Names } from '../../protocols/mcp/target-prefixes.ts'
import { type Revision, revisions } from '../../protocols/mcp/revisions.ts'
import type { Keyring } from '../../protocols/seal/aead-keyring.ts'
import type { Closable } from '../../upstream/draining.ts'
import { timedTransport } from '../../upstream/mcp/timed-transport.ts'
import type { McpRuntime } from '../../upstream/mcp/mcp-runtime.ts'
import type { CompiledRule } from '../authorization/exchange-rule.ts'
import type { McpGuards } from './guardrails/mcp-guardrails.ts'
import type { BridgeContext } from './bridge/bridge-context.ts'
import { SuspendedCalls } from './bridge/suspended-calls.ts'
import { SessionPool } from './bridge/session-pool.ts'
import { SessionEndpoint } from './endpoint/session-endpoint.ts'
import { StatelessEndpoint } from './endpoint/stateless-endpoint.ts'
import { SseChannels, HttpSseEndpoint } from './endpoint/http-sse-endpoint.ts'
import { Federation } from './federation/federation.ts'
import { mayUse } from './federation/authorization.ts'
import { lookupByList, lookupByName, type TargetLookup } from './federation/target-lookup.ts'
import { type ResolveTarget, resolveByName } from './federation/resolve-target.ts'
import { mcp } from './mcp-backend.ts'
import { ReplicaRouter } from './replicas/route-to-owner.ts'
import { forwardToReplica, type ForwardOptions } from './replicas/forward.ts'
import { ModernAccess } from './servers/stateless-access.ts'
import type { Target } from './servers/target.ts'
import { SessionIds } from './sessions/session-ids.ts'
import { SessionStore } from './sessions/session-store.ts'
import { type McpSessionStatus } from '../../upstream/mcp/status-registry.ts'
import { sessionDigest } from '../../protocols/mcp/session-digest.ts'

/** How several servers are federated. */
export type McpSettings = Pick<
  McpBackend,
  | 'failureMode'
  | 'hangUpAfterMs'
  | 'maxNameLength'
  | 'partialAfterMs'
  | 'prefixMode'
  | 'protocolVersions'
  | 'statefulMode'
>

/** The parts of an MCP backend. */
export interface McpAssembly {
  /** Used in labels, logs and the config dump. Session ids are valid for the backend of this name only. */
  readonly name: string
  readonly targets: readonly Target[]
  readonly settings: McpSettings
  readonly rules: readonly CompiledRule[]
  readonly guards: McpGuards | undefined
  readonly runtime: McpRuntime
  /** Seals session ids and the state of requests. */
  readonly ring: Keyring
  /** Returns the object kept under this name across configurations, or makes it. */
  readonly keep: <T extends Closable>(name: string, make: () => T) => T
  /** Upstreams to other replicas; used if this process has an address. */
  readonly replicas: () => ForwardOptions['upstream']
  /** Limit of a client's message, in bytes. */
  readonly limitBytes: number
  /** Whether `Host` and `Origin` of a request must name this machine. */
  readonly isGuarded: (x: Exchange) => boolean
}

/** The operator of an MCP backend, and its resolver of names for earlier policies. */
export interface AssembledMcp {
  readonly call: Operator
  readonly resolveTarget: ResolveTarget
}

/** Assembles an MCP backend. */
export const assembleMcp = (parts: McpAssembly): AssembledMcp => {
  const { name: key, settings, runtime, ring, keep, limitBytes } = parts
  const { failureMode, hangUpAfterMs, partialAfterMs, protocolVersions, statefulMode } = settings
  const { federation, names, lookup } = federate(parts)
  const { replica, address, version, sessionTtlMs, streams } = runtime
  const self = { replica, address }
  const offered = revisions.filter((one) => protocolVersions?.includes(one) ?? true)
  const sessions = keep(`mcp sessions ${key}`, () => new SessionStore(sessionTtlMs, runtime.events))
  const endpointOptions = {
    federation,
    failureMode,
    partialAfterMs,
    hangUpAfterMs,
    version,
    streams,
    sessionsMove: runtime.sessionsMove,
    stateful: statefulMode === 'stateful',
    sessions,
    offered,
    makeRoom: () => runtime.children.makeRoom() || sessions.makeRoom(),
    ids: new SessionIds(ring, key, self),
  }
  const channels = keep(`mcp sse ${key}`, () => new SseChannels())
  keep(`mcp sessions listed ${key}`, () =>
    runtime.statusRegistry.listSessions(
      key,
      () => sessions.size + channels.byId.size,
      () => statusesOf(sessions, channels),
    ),
  )
  const legacy = new SessionEndpoint(endpointOptions)
  const bridge = bridgeContext(parts, self, offered)
  const router =
    address === undefined
      ? undefined
      : new ReplicaRouter({
          ...endpointOptions,
          channels,
          bridge,
          forwardToReplica: forwardToReplica({ address, ring, upstream: parts.replicas() }),
        })
  const call = mcp({
    labels: { name: key, type: 'mcp', protocol: 'mcp' },
    targets: federation.targets,
    legacy,
    modern: new StatelessEndpoint({
      federation,
      failureMode,
      partialAfterMs,
      bridge,
      streams,
      offered,
      version,
    }),
    sse: new HttpSseEndpoint({ ...endpointOptions, sessionEndpoint: legacy, limitBytes }, channels),
    router,
    isGuarded: parts.isGuarded,
    offered,
    limitBytes,
  })
  return { call, resolveTarget: resolveByName(names, lookup, new ModernAccess(bridge)) }
}

/** The status of each session, made when it is reached. */
function* statusesOf(sessions: SessionStore, channels: SseChannels): Generator<McpSessionStatus> {
  for (const session of sessions.all()) yield session.status
  for (const [id, { session }] of channels.byId)
    if (session) yield { ...session.status, session: sessionDigest(id), transport: 'sse' }
}

interface Federated {
  readonly federation: Federation
  readonly names: Names
  readonly lookup: TargetLookup
}

const federate = ({
  name: backend,
  settings,
  targets: given,
  rules,
  guards,
  runtime,
}: McpAssembly): Federated => {
  const { failureMode, maxNameLength, partialAfterMs, prefixMode } = settings
  const targets = given.map((target): Target => ({
    ...target,
    createTransport: (era, resumed) =>
      timedTransport(target.createTransport(era, resumed), {
        target: target.name,
        counts: target.state.counts,
        timed: runtime.onCallTimed,
      }),
  }))
  const names = new Names(
    targets.map(({ name }) => name),
    prefixMode,
    { maxLength: maxNameLength },
  )
  const lookupBy = names.prefixed || targets.length === 1 ? lookupByName : lookupByList
  const lookup = lookupBy(targets, names, failureMode)
  const federation = new Federation({
    targets,
    names,
    lookup,
    failureMode,
    partialAfterMs,
    mayUse: mayUse(rules),
    // Guardrails may remove items from lists as well.
    isRuled: rules.length > 0 || guards !== undefined,
    onCollision: (collision) => {
      runtime.onCollision({ ...collision, backend })
    },
    guards,
  })
  return { federation, names, lookup }
}

const bridgeContext = (
  { name: key, keep, ring, runtime }: McpAssembly,
  self: Owner,
  offered: readonly Revision[],
): BridgeContext => ({
  sessions: keep(
    `mcp leases ${key}`,
    () =>
      new SessionPool({
        sharedIdleMs: runtime.sessionTtlMs,
        makeRoom: () => runtime.children.makeRoom(),
      }),
  ),
  suspended: keep(`mcp held ${key}`, () => new SuspendedCalls()),
  ring,
  self,
  offered,
})
