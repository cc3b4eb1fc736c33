import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { ForwardedHeader } from '../../../../../src/operators/llm/guardrails/schema/normal-form.ts'
import type { Exchange } from '../../../../../src/model/exchange/exchange.ts'
import type { SimpleBackend } from '../../../../../src/model/resources/policies.ts'
import type { PoolSettings } from '../../../../../src/model/resources/process-settings.ts'
import type {
  Checking,
  Guard,
  GuardedText,
  GuardVerdict,
} from '../../../../../src/operators/llm/guardrails/guard.ts'
import {
  webhookGuard,
  type WebhookGuardOptions,
} from '../../../../../src/operators/llm/guardrails/webhook/webhook-guard.ts'
import { pattern } from '../../../../../src/protocols/pattern/pattern.ts'
import { exchange } from '../../../../../src/testing/exchange.ts'
import { Registry } from '../../../../../src/upstream/registry.ts'
import { backendsAt, snapshotOf } from '../../../../support/resources.ts'
import { listening, type UpstreamServer } from '../../../../support/upstream-servers.ts'
import { resourceIndex } from '../../../../../src/model/resources/resource-index.ts'

/** A callout that a webhook received. */
export interface ReceivedCallout {
  readonly method: string
  readonly path: string
  readonly headers: readonly string[]
  readonly body: string
}

/** A webhook that records its callouts. */
export interface Webhook extends UpstreamServer {
  readonly received: ReceivedCallout[]
}

/** Serves a webhook. */
export const webhook = async (
  respond: (received: ReceivedCallout, res: ServerResponse, req: IncomingMessage) => void,
): Promise<Webhook> => {
  const received: ReceivedCallout[] = []
  const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const one = {
        method: req.method ?? '',
        path: req.url ?? '',
        headers: req.rawHeaders,
        body: Buffer.concat(chunks).toString(),
      }
      received.push(one)
      respond(one, res, req)
    })
  })
  return Object.assign(await listening(server), { received })
}

/** Responds with HTTP 200 and this action. */
export const respondWith =
  (action: unknown) =>
  (_: unknown, res: ServerResponse): void => {
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ action }))
  }

/** Texts of roles: `user: hello`. */
export const texts = (...lines: readonly string[]): GuardedText[] =>
  lines.map((line) => {
    const [role = '', ...rest] = line.split(': ')
    return { role, scope: 'messages', text: rest.join(': ') }
  })

/** Options that differ from the defaults. */
export type More = Partial<Omit<WebhookGuardOptions, 'ask' | 'forwardHeaders'>> & {
  readonly forward?: readonly ForwardedHeader[]
  readonly pool?: PoolSettings
}

/** A guard with its own connections. */
export interface WebhookClient extends AsyncDisposable {
  readonly guard: Guard
  check(shown: readonly GuardedText[], about?: Partial<Checking>, x?: Exchange): Promise<GuardVerdict>
}

/** A guard for the webhook at a port. */
export const webhookClient = (port: number, { forward = [], pool, ...more }: More = {}): WebhookClient => {
  const registry = new Registry()
  const session = registry.session(resourceIndex(backendsAt({})), () => () => ({ error: 'none' }))
  const target: SimpleBackend = { kind: 'host', target: { host: '127.0.0.1', port } }
  const call = session.httpCallout(target, { pool: pool ?? { poolIdleTimeoutMs: 5_000, poolMaxSize: 100 } })
  session.commit(snapshotOf(backendsAt({})))
  if (!call) throw new Error('no upstream')
  const guard = webhookGuard({
    callout: call,
    timeoutMs: 60_000,
    maxConnections: pool?.poolMaxSize ?? 100,
    headers: [],
    opensOnFailure: false,
    rejectionHeaders: { add: [], set: [], remove: [] },
    scopes: new Set(['messages', 'systemPrompt']),
    ...more,
    forwardHeaders: forward.map(({ name, value }) => ({
      name,
      fits: 'regex' in value ? pattern(value.regex) : (text: string) => text === value.exact,
    })),
  })
  return {
    guard,
    async check(shown, about = {}, x = exchange()) {
      const { signal } = new AbortController()
      return guard.check(x, shown, { phase: 'request', kept: undefined, signal, ...about })
    },
    async [Symbol.asyncDispose]() {
      await registry.close(0)
    },
  }
}
