import type { AuthorizationRule } from '../../operators/authorize.ts'
import type { Exchange } from '../../model/exchange.ts'
import type { McpBackend, McpTarget } from '../../model/mcp.ts'
import type { McpGuardrails } from '../../model/mcp-guardrails.ts'
import { Federation } from '../../operators/backend/mcp/federation/federation.ts'
import { HeldCalls } from '../../operators/backend/mcp/bridge/held-calls.ts'
import { LegacyDoor } from '../../operators/backend/mcp/doors/legacy-door.ts'
import { Leases } from '../../operators/backend/mcp/bridge/leases.ts'
import { mcp } from '../../operators/backend/mcp/mcp.ts'
import { mayUse } from '../../operators/backend/mcp/federation/mcp-rules.ts'
import { Elsewhere } from '../../operators/backend/mcp/replicas/elsewhere.ts'
import { passOn } from '../../operators/backend/mcp/replicas/pass-on.ts'
import { SessionIds } from '../../operators/backend/mcp/sessions/mcp-session-ids.ts'
import { ModernAccess } from '../../operators/backend/mcp/servers/modern-access.ts'
import { ModernDoor } from '../../operators/backend/mcp/doors/modern-door.ts'
import { ownersByList, ownersByName } from '../../operators/backend/mcp/federation/owners.ts'
import { McpSessions } from '../../operators/backend/mcp/sessions/sessions.ts'
import { SseChannels, SseDoor } from '../../operators/backend/mcp/doors/sse-door.ts'
import type { Target } from '../../operators/backend/mcp/servers/target.ts'
import { type Whose, whoseByName } from '../../operators/backend/mcp/federation/whose.ts'
import type { Operator } from '../../pipeline/stage.ts'
import type { Authorization } from '../../model/authorization.ts'
import { Names } from '../../protocols/mcp/names.ts'
import { timedWire } from '../../upstream/mcp/timed-wire.ts'
import { ruleParts } from './authorize-stage.ts'
import { compileMcpGuards } from './mcp-guards.ts'
import { compileMcpTarget, type Reach } from './mcp-target.ts'
import type { Workshop } from './workshop.ts'

/** What one MCP backend is, for compiling. */
export interface McpParts {
  readonly key: string
  readonly backend: McpBackend
  readonly rules: Authorization | undefined
  readonly guardrails: McpGuardrails | undefined
}

/** Where MCP requests are answered, and what stages before it ask about names. */
export interface CompiledMcp {
  readonly call: Operator
  readonly whose: Whose
}

/** Makes the place where MCP requests are answered. What has a life of its own there outlasts the configuration. */
export const compileMcpBackend = (
  { key, backend, rules, guardrails }: McpParts,
  workshop: Workshop,
  reach: Reach,
): CompiledMcp => {
  const { session, expression, mcp: settings, resources } = workshop
  const { failureMode, hangUpAfterMs, maxNameLength, partialAfterMs, prefixMode, statefulMode } = backend
  const targets = backend.targets.map((target: McpTarget): Target => {
    const compiled = compileMcpTarget(key, target, workshop, reach)
    return {
      ...compiled,
      wire: (era, resumed) => timedWire(compiled.wire(era, resumed), settings.timed),
    }
  })
  const names = new Names(
    targets.map(({ name }) => name),
    prefixMode,
    { maxLength: maxNameLength },
  )
  const ruled: AuthorizationRule[] = (rules?.rules ?? [])
    .map(ruleParts)
    .map(([mode, text]) => ({ mode, text, expression: expression(text) }))
  const owners =
    names.prefixed || targets.length === 1
      ? ownersByName(targets, names, failureMode)
      : ownersByList(targets, names, failureMode)
  const guards = compileMcpGuards(guardrails, workshop)
  const federation = new Federation({
    targets,
    names,
    owners,
    failureMode,
    partialAfterMs,
    mayUse: mayUse(ruled),
    // Guards may leave things out of lists as well.
    isRuled: ruled.length > 0 || guards !== undefined,
    collided: (collision) => {
      settings.collided({ ...collision, backend: key })
    },
    guards,
  })
  const ring = workshop.sealing()
  const { replica, address, version, sessionTtlMs } = settings
  const self = { replica, address }
  const limitBytes = resources.frontend.http.maxBufferBytes
  const door = {
    federation,
    failureMode,
    partialAfterMs,
    hangUpAfterMs,
    version,
    streams: settings.streams,
    sessionsMove: settings.sessionsMove,
    stateful: statefulMode === 'stateful',
    sessions: session.keep(`mcp sessions ${key}`, () => new McpSessions(sessionTtlMs)),
    ids: new SessionIds(ring, key, self),
  }
  const channels = session.keep(`mcp sse ${key}`, () => new SseChannels())
  session.keep(`mcp sessions listed ${key}`, () =>
    settings.book.listSessions(key, () => door.sessions.size + channels.byId.size),
  )
  const legacy = new LegacyDoor(door)
  const room = {
    leases: session.keep(`mcp leases ${key}`, () => new Leases()),
    held: session.keep(`mcp held ${key}`, () => new HeldCalls()),
    ring,
    self,
  }
  const elsewhere =
    address === undefined
      ? undefined
      : new Elsewhere({
          ...door,
          channels,
          room,
          passOn: passOn({ address, ring, upstream: session.replicas() }),
        })
  const call = mcp({
    labels: { name: key, type: 'mcp', protocol: 'mcp' },
    targets,
    legacy,
    modern: new ModernDoor({
      federation,
      failureMode,
      partialAfterMs,
      room,
      streams: settings.streams,
      version,
    }),
    sse: new SseDoor({ ...door, door: legacy, limitBytes }, channels),
    elsewhere,
    isGuarded: guarded(backend.dnsRebindingProtection),
    limitBytes,
  })
  return { call, whose: whoseByName(names, owners, new ModernAccess(room)) }
}

/** Unless it was set: where only this machine can connect, for then a page in its browser is whom to fear. */
const guarded =
  (setting: boolean | undefined) =>
  ({ snapshot, labels }: Exchange): boolean =>
    setting ?? isLoopback(snapshot.binds.get(labels.bind)?.resource.address ?? '')

const isLoopback = (address: string): boolean =>
  address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.')
