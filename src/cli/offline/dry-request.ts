import { type Body, BufferBody, emptyBody } from '../../model/exchange/body.ts'
import { Headers } from '../../model/exchange/headers.ts'
import { Request } from '../../model/exchange/request.ts'
import type { FrontendPolicies } from '../../model/resources/frontend-policies.ts'
import { type RequestHead, readRequestHead } from '../../protocols/http/request-head.ts'
import { headersTooLarge, type RejectedRequest } from '../../streams/http/connection/rejected-request.ts'
import { allowedUpgrade } from '../../streams/http/http1/upgrade.ts'
import type { ServedConnection } from '../../streams/http/port/serve.ts'

/** A request as a client would send it over HTTP/1.1. */
export interface DryRequest {
  readonly method: string
  /** The request target: path and query. */
  readonly target: string
  /** Names and values alternating; `host` included. */
  readonly rawHeaders: readonly string[]
  readonly body?: Buffer | undefined
  /** The name of the TLS handshake; undefined is cleartext. */
  readonly serverName?: string | undefined
  /** Default `127.0.0.1`. */
  readonly clientAddress?: string | undefined
}

/** Checks and normalizes the head of a request as a port does. */
export const readDryHead = (
  { method, target, rawHeaders }: DryRequest,
  { http }: FrontendPolicies,
): RequestHead | RejectedRequest => {
  const bytes = [method, target, ...rawHeaders].reduce((sum, text) => sum + text.length + 2, 0)
  if (rawHeaders.length > http.maxHeaders * 2 || bytes > http.maxHeaderBytes) return headersTooLarge
  const head = readRequestHead(method, target, '1.1', rawHeaders, http.path)
  return 'refused' in head
    ? { status: head.status, code: head.refused, message: `invalid request: ${head.message}` }
    : head
}

/** The request of an exchange, from its head. */
export const exchangeRequestOf = (
  head: RequestHead,
  body: Buffer | undefined,
  connection: ServedConnection,
  { http }: FrontendPolicies,
): Request =>
  new Request({
    method: head.method,
    path: head.path,
    query: head.query,
    scheme: connection.tls ? 'https' : 'http',
    authority: head.authority,
    httpVersion: '1.1',
    headers: new Headers(head.headers),
    body: bodyOf(body),
    connection,
    upgrade: allowedUpgrade(head.upgrade, new Set(http.upgrades)),
    hasTrailers: head.trailerNames.length > 0,
    encodedSlashes: http.path.encodedSlashes,
  })

const bodyOf = (bytes: Buffer | undefined): Body => (bytes?.length ? new BufferBody(bytes) : emptyBody)
