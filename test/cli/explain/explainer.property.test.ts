import assert from 'node:assert/strict'
import { Agent, createServer, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { ConfigError } from '../../../src/config/errors.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { PolicyOrigins } from '../../../src/config/policy-origins.ts'
import { createGateway } from '../../../src/create-gateway.ts'
import { Explainer } from '../../../src/cli/explain/explainer.ts'
import type { Explanation, RequestVerdict } from '../../../src/cli/explain/explanation.ts'
import type { Exchange } from '../../../src/model/exchange/exchange.ts'
import { configurations, type RandomRequest, requests } from '../../support/cli/random-configurations.ts'

/** A larger run: EXPLAIN_CONFIGURATIONS=2000. */
const numRuns = Number(process.env.EXPLAIN_CONFIGURATIONS ?? 100)
const seed = Number(process.env.EXPLAIN_SEED ?? 17)
const REQUESTS = 10

test('explains what a running gateway then does', async (t) => {
  let seen:
    { readonly method: string; readonly target: string; readonly headers: readonly string[] } | undefined
  const upstream = createServer((req, res) => {
    seen = { method: req.method ?? '', target: req.url ?? '', headers: req.rawHeaders }
    req.resume().on('end', () => res.end('ok'))
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`
  await using gateway = await createGateway({
    gateways: { plain: { port: 0 }, named: { port: 0 }, third: { port: 0 } },
  })
  const agent = new Agent({ keepAlive: true })
  t.after(() => {
    agent.destroy()
    upstream.close().closeAllConnections()
  })
  let ended: Exchange | undefined
  gateway.exchanges$.subscribe((x) => (ended = x))
  const kinds = new Map<string, number>()

  const observe = async (request: RandomRequest): Promise<Observed> => {
    const url = gateway.addresses.find(({ name }) => name === request.gateway)?.url ?? ''
    ended = seen = undefined
    const status = await new Promise<number>((resolve, reject) => {
      const { method, target: path, headers, body } = request
      const length = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))]
      const options = {
        port: new URL(url).port,
        host: '127.0.0.1',
        method,
        path,
        agent,
        insecureHTTPParser: true,
      }
      const req = sendRequest({ ...options, headers: [...headers, ...length] as never }, (res) => {
        text(res).then(() => resolve(res.statusCode ?? 0), reject)
      })
      req.on('error', reject).end(body)
    })
    // The exchange ends with its last byte, which may arrive before the event.
    for (let turns = 0; turns < 20; turns++) {
      if (ended as Exchange | undefined) break
      await new Promise((resolve) => setImmediate(resolve))
    }
    return { status, x: ended, seen }
  }

  await fc.assert(
    fc.asyncProperty(
      configurations(host),
      fc.array(requests, { minLength: REQUESTS, maxLength: REQUESTS }),
      async (config, all) => {
        const origins = new PolicyOrigins()
        const source = {
          kind: 'text',
          text: JSON.stringify(config, undefined, 1),
          name: 'random.yaml',
        } as const
        const loaded = await loadConfig(source, {}, undefined, origins).catch((error: unknown) => {
          if (error instanceof ConfigError) return undefined
          throw error
        })
        fc.pre(loaded !== undefined)
        await gateway.apply(config)
        await using explainer = new Explainer(loaded, origins)
        for (const request of all) {
          const explained = await explainer.explain(`bind/0/${request.gateway}`, request.target, {
            method: request.method,
            target: request.target,
            rawHeaders: [
              ...request.headers,
              ...(request.body === undefined ? [] : ['content-length', String(request.body.length)]),
            ],
            body: request.body === undefined ? undefined : Buffer.from(request.body),
          })
          const observed = await observe(request)
          compare(request, explained, observed)
          const kind = observed.x?.reply?.code ?? (observed.seen ? 'forwarded' : String(observed.status))
          kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
        }
      },
    ),
    { numRuns, seed, endOnFailure: process.env.EXPLAIN_SHRINK === undefined },
  )
  t.diagnostic([...kinds].map(([kind, count]) => `${kind}: ${count}`).join(', '))
  for (const kind of ['forwarded', 'authorization_failed', 'route_not_found', 'listener_not_found'])
    assert.ok((kinds.get(kind) ?? 0) > 10, `too few cases of ${kind}`)
})

interface Observed {
  readonly status: number
  readonly x: Exchange | undefined
  readonly seen:
    { readonly method: string; readonly target: string; readonly headers: readonly string[] } | undefined
}

const compare = (request: RandomRequest, explained: Explanation, { status, x, seen }: Observed): void => {
  const context = () =>
    JSON.stringify({ request, explained, status, code: x?.reply?.code, labels: x?.labels }, undefined, 1)
  const { verdicts, listener, routes } = explained
  if (!x) {
    assert.ok(
      verdicts.some((one) => one.kind === 'reply' && one.by === 'http' && one.status === status),
      context(),
    )
    return
  }
  assert.equal(listener?.name, x.labels.listener, context())
  assert.equal(routes.at(-1)?.name, x.labels.route, context())
  for (const { why } of explained.otherRoutes) assert.notEqual(why, '', context())
  const fitting = verdicts.filter((one) => fits(one, status, x))
  assert.ok(fitting.length > 0, context())
  if (!seen) return
  // A route may use one backend twice, with different policies.
  const sent = fitting.flatMap((one) => (one.kind === 'forward' && one.sent ? [summaryOf(one.sent)] : []))
  assert.ok(sent.includes(summaryOf(seen)), `${summaryOf(seen)} was sent: ${context()}`)
}

const fits = (verdict: RequestVerdict, status: number, x: Exchange): boolean => {
  if (verdict.kind === 'forward')
    return x.upstream.attempts > 0 && x.upstream.backend?.name === verdict.backend
  if (verdict.kind === 'closed' || x.upstream.attempts > 0) return false
  const location = (raw: readonly string[]): string | undefined =>
    raw.find((_, i) => raw[i - 1] === 'location')
  return (
    verdict.status === status &&
    verdict.code === x.reply?.code &&
    location(verdict.headers) === location(x.reply?.headers.raw ?? [])
  )
}

const summaryOf = ({ method, target, headers }: NonNullable<Observed['seen']>): string =>
  JSON.stringify([method, target, comparable(headers)])

/** Fields that are of the connection, or redacted. */
const comparable = (raw: readonly string[]): readonly string[] =>
  raw
    .flatMap((name, i) => (i % 2 === 0 ? [`${name.toLowerCase()}: ${raw[i + 1] ?? ''}`] : []))
    .filter((line) => !/^(?:connection|transfer-encoding|authorization):|^content-length: 0$/.test(line))
    .sort()
