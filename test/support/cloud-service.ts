import { EventEmitter, once } from 'node:events'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { compileHttpCallout } from '../../src/operators/callout/stage/http-callout.ts'
import { type CloudGuardKind, compileCloudGuard } from '../../src/operators/llm/guardrails/stage/services.ts'
import { LlmContentReads } from '../../src/operators/llm/stage/captured-content.ts'
import type { GuardRejection, TextScope } from '../../src/operators/llm/guardrails/schema/normal-form.ts'
import type { SimpleBackendPolicies } from '../../src/model/policies/policy-backend.ts'
import type {
  Guard,
  GuardedText,
  GuardPhase,
  GuardVerdict,
} from '../../src/operators/llm/guardrails/guard.ts'
import { faultReply } from '../../src/pipeline/fault-reply.ts'
import { Keyring } from '../../src/protocols/seal/aead-keyring.ts'
import { exchange } from '../../src/testing/index.ts'
import { Dependencies } from '../../src/upstream/dependency-status.ts'
import { mcpRuntime } from '../../src/upstream/mcp/mcp-runtime.ts'
import { Registry } from '../../src/upstream/registry.ts'
import { backendsAt, snapshotOf } from './resources.ts'
import { startUpstream } from './upstream.ts'
import { resourceIndex } from '../../src/model/resources/resource-index.ts'

/** A request to the service of a cloud. */
export interface CloudServiceRequest {
  readonly method: string
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly json: Record<string, unknown>
}

/** Its response as JSON; or the response is written by hand. */
export type CloudServiceResponse = object | ((res: ServerResponse) => void)

/** A service of a cloud on this machine, and guards that call it. */
export interface CloudService extends AsyncDisposable {
  readonly host: { readonly host: string; readonly port: number }
  readonly requests: CloudServiceRequest[]
  /** The durations of calls in the metrics, with the policy kind. */
  readonly called: (readonly [kind: string, seconds: number])[]
  /** Resolves when the next request has arrived. */
  nextRequest(): Promise<void>
  /** Resolves when so many requests have been cancelled before their responses. */
  abandoned(count: number): Promise<void>
  guard<K extends CloudGuardKind>(
    kind: Omit<K, 'service' | 'timeoutMs'>,
    policies?: SimpleBackendPolicies,
    timeoutMs?: number,
  ): Guard
}

/** The rejection of the tests' guards. */
export const rejection: GuardRejection = {
  status: 403,
  body: 'no',
  headers: { add: [], set: [], remove: [] },
}

/** The scope of the tests' guards. */
export const scopes: ReadonlySet<TextScope> = new Set(['systemPrompt', 'messages'])

/** Starts a service that responds with what `respond` returns. */
export const startCloudService = async (
  respond: (request: CloudServiceRequest, count: number) => CloudServiceResponse,
): Promise<CloudService> => {
  const requests: CloudServiceRequest[] = []
  const called: (readonly [string, number])[] = []
  const events = new EventEmitter()
  let abandoned = 0
  const upstream = await startUpstream((req, res) => {
    res.on('close', () => {
      if (res.writableFinished) return
      abandoned++
      events.emit('abandoned')
    })
    text(req).then(
      (body) => {
        const { method = '', url: target = '', headers } = req
        const json = JSON.parse(body) as Record<string, unknown>
        const request = { method, target, headers, body, json }
        requests.push(request)
        const response = respond(request, requests.length)
        if (typeof response === 'function') response(res)
        else res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(response))
        events.emit('request')
      },
      () => res.destroy(),
    )
  })
  const registry = new Registry()
  const resources = backendsAt({})
  const unneeded = () => {
    throw new Error('has no expressions')
  }
  const session = registry.session(resourceIndex(resources), unneeded)
  session.commit(snapshotOf(resources))
  const [host = '', port] = upstream.host.split(':')
  const context = {
    session,
    resources,
    lookup: resourceIndex(resources),
    hasLogins: false,
    expression: unneeded,
    llmReads: new LlmContentReads(),
    httpCallout: compileHttpCallout,
    rescuer: faultReply(),
    random: Math.random,
    dependencies: new Dependencies(),
    sealing: () => Keyring.of([]),
    mcp: mcpRuntime(),
    internal: unneeded,
    evicted: () => undefined,
    called: (kind: string, seconds: number) => called.push([kind, seconds] as const),
    guardChecked: () => undefined,
    insertions: [],
  }
  const target = { host, port: Number(port) }
  return {
    host: target,
    requests,
    called,
    nextRequest: async () => {
      await once(events, 'request')
    },
    abandoned: async (count) => {
      while (abandoned < count) await once(events, 'abandoned')
    },
    guard: (kind, policies = {}, timeoutMs = 60_000) => {
      const service = { backend: { kind: 'host', target }, policies }
      return compileCloudGuard({ ...kind, service, timeoutMs } as CloudGuardKind, rejection, scopes, context)
    },
    async [Symbol.asyncDispose]() {
      await upstream[Symbol.asyncDispose]()
      await registry.close(0)
    },
  }
}

/** Texts of a user. */
export const userTexts = (...texts: readonly string[]): GuardedText[] =>
  texts.map((one) => ({ role: 'user', scope: 'messages', text: one }))

/** Checks texts with a guard. */
export const check = async (
  guard: Guard,
  texts: readonly string[],
  { phase = 'request', signal }: { phase?: GuardPhase; signal?: AbortSignal } = {},
): Promise<GuardVerdict> =>
  guard.check(exchange({ method: 'POST', path: '/v1/chat/completions' }), userTexts(...texts), {
    phase,
    kept: undefined,
    signal: signal ?? new AbortController().signal,
  })

/** Responds with a status and a body as they are. */
export const plainly =
  (status: number, body: string, headers: Record<string, string> = {}): CloudServiceResponse =>
  (res) => {
    res.writeHead(status, headers).end(body)
  }
