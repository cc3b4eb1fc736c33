import { type Body, BufferBody, emptyBody } from '../model/exchange/body.ts'
import type { Connection } from '../model/exchange/connection.ts'
import { Exchange } from '../model/exchange/exchange.ts'
import { Headers } from '../model/exchange/headers.ts'
import type { TraceSource } from '../model/trace/probe.ts'
import type { Reply } from '../model/exchange/reply.ts'
import { Request } from '../model/exchange/request.ts'
import type { Match } from '../model/resources/resources.ts'
import type { RouteLabels, Snapshot } from '../model/resources/snapshot.ts'
import { bareSnapshot } from './bare-snapshot.ts'

/** Differences from a plain `GET http://gateway.test/` over HTTP/1.1. */
export interface ExchangeOverrides {
  readonly method?: string
  /** May include a query: `/search?q=1`. */
  readonly path?: string
  readonly scheme?: 'http' | 'https'
  readonly authority?: string
  readonly httpVersion?: '1.0' | '1.1' | '2'
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer | Body
  readonly upgrade?: string
  readonly hasTrailers?: boolean
  readonly connection?: Partial<Connection>
  /** Makes it an exchange with a reply. */
  readonly reply?: Reply
  /** Makes it a traced exchange. */
  readonly trace?: TraceSource
  readonly snapshot?: Snapshot
  readonly labels?: RouteLabels
  readonly match?: Match
}

/**
 * An exchange for testing operators, without a socket.
 *
 * @example
 * const x = run(csrf({ additionalOrigins: [] }), exchange({ path: '/admin', headers: { origin: 'https://a.test' } }))
 */
export const exchange = (overrides: ExchangeOverrides = {}): Exchange => {
  const { path = '/', body = emptyBody } = overrides
  const mark = path.indexOf('?')
  const request = new Request({
    method: overrides.method ?? 'GET',
    path: mark < 0 ? path : path.slice(0, mark),
    query: mark < 0 ? '' : path.slice(mark),
    scheme: overrides.scheme ?? 'http',
    authority: overrides.authority ?? 'gateway.test',
    httpVersion: overrides.httpVersion ?? '1.1',
    headers: Headers.of(overrides.headers ?? {}),
    body: typeof body === 'string' || Buffer.isBuffer(body) ? new BufferBody(body) : body,
    connection: { ...loopback, ...overrides.connection },
    upgrade: overrides.upgrade,
    hasTrailers: overrides.hasTrailers ?? false,
  })
  const x = new Exchange(
    request,
    overrides.snapshot ?? bareSnapshot,
    overrides.trace ?? unwatched,
    overrides.labels ?? noLabels,
  )
  x.reply = overrides.reply
  x.match = overrides.match
  return x
}

const loopback: Connection = {
  sourceAddress: '127.0.0.1',
  sourcePort: 50_000,
  rawAddress: '127.0.0.1',
  rawPort: 50_000,
  destinationAddress: '127.0.0.1',
  destinationPort: 80,
  tls: undefined,
  connectHeaders: undefined,
}

const noLabels: RouteLabels = {
  bind: 'bind/80',
  gateway: undefined,
  listener: undefined,
  route: undefined,
  routeRule: undefined,
}

const unwatched: TraceSource = { probe: () => undefined }
