import { toPlain } from '../../cel/values/values.ts'
import { BufferBody } from '../../model/exchange/body.ts'
import type { Evaluate } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Headers } from '../../model/exchange/headers.ts'
import { Reply } from '../../model/exchange/reply.ts'
import type { CalloutResponse, HttpCallout, CalloutRequest } from '../../upstream/http-callout.ts'
import { bodyBytes } from '../transformations/body-value.ts'
import { fieldChange } from '../headers/header-mutation.ts'
import { evaluatedText, writtenText } from '../headers/header-value.ts'
import { type CheckRequestHead, checkRequestHead, targetText } from './check-request-head.ts'
import {
  type AuthzClient,
  type CheckResult,
  PARTIAL_BODY,
  type RequestBodyPart,
  checkNotPossible,
} from './check-result.ts'

/** How an HTTP service is called, and how its response is mapped. */
export interface HttpAuthzClientOptions {
  readonly callout: HttpCallout
  readonly timeoutMs: number
  /** Returns path and query of the check request. Default: those of the request. */
  readonly path: Evaluate | undefined
  /** Returns the URL to which refused callers are redirected. */
  readonly redirect: Evaluate | undefined
  /** Returns the body of the check request. Default: the included part of the request's body. */
  readonly body: Evaluate | undefined
  /** Fields of the request that are sent, besides Authorization; `:authority` stands for `host`. Lower-case. */
  readonly includeRequestHeaders: readonly string[]
  /**
   * Fields that are added; one that cannot be evaluated is omitted. Pseudo-headers change the head of the check
   * request.
   */
  readonly addRequestHeaders: readonly (readonly [name: string, value: Evaluate])[]
  /** Fields of the response that are copied to the request. Lower-case. */
  readonly includeResponseHeaders: readonly string[]
  /** Values from the response for later expressions. */
  readonly metadata: readonly (readonly [key: string, value: Evaluate])[]
}

/**
 * Authorizes with an HTTP service: 2xx allows the request, any other response goes to the client unchanged; with
 * `redirect`, 401 and 403 become a redirect.
 */
export const httpAuthzClient = (options: HttpAuthzClientOptions): AuthzClient => {
  const { addRequestHeaders, includeRequestHeaders } = options
  const parts: CheckRequestParts = {
    sent: [...new Set(['authorization', ...includeRequestHeaders])].filter((name) => !notAField.has(name)),
    sendsHost: includeRequestHeaders.some((name) => name === 'host' || name === ':authority'),
    head: checkRequestHead(addRequestHeaders),
    added: addRequestHeaders.filter(([name]) => !name.startsWith(':')),
  }
  return async (x, body) => {
    const response = await options.callout(checkRequestOf(x, body, parts, options))
    return withReply(x, response, () => checkResultFrom(x, response, options))
  }
}

/** Longest response of a service, in bytes: it may be an HTML page. */
const LIMIT_BYTES = 1_048_576

/** Never sent as fields: method and path are those of the request, unless the options change them. */
const notAField = new Set(['host', ':method', ':path', ':authority', ':scheme'])

interface CheckRequestParts {
  /** Fields of the request. */
  readonly sent: readonly string[]
  readonly sendsHost: boolean
  readonly head: (x: Exchange) => CheckRequestHead
  readonly added: HttpAuthzClientOptions['addRequestHeaders']
}

const checkRequestOf = (
  x: Exchange,
  part: RequestBodyPart | undefined,
  { sent, sendsHost, head, added }: CheckRequestParts,
  { timeoutMs, path, body }: HttpAuthzClientOptions,
): CalloutRequest => {
  const { request } = x
  const headers = new Headers()
  for (const name of sent) for (const value of request.headers.all(name)) headers.append(name, value)
  for (const name of ['content-length', PARTIAL_BODY]) headers.delete(name)
  if (part) headers.set(PARTIAL_BODY, String(part.isPartial))
  for (const [name, expression] of added) {
    const text = writtenText(name, expression(x))
    if (text !== undefined) headers.set(name, text)
  }
  return {
    // CONNECT and `*` cannot be sent to a service.
    method: request.method === 'CONNECT' ? 'GET' : request.method,
    target: path ? evaluatedPath(path, x) : request.path.startsWith('/') ? request.target : '/',
    headers,
    body: body ? evaluatedBody(body, x) : part?.bytes,
    authority: sendsHost ? request.authority : undefined,
    timeoutMs,
    limitBytes: LIMIT_BYTES,
    about: x,
    signal: x.signal,
    ...head(x),
  }
}

const evaluatedPath = (path: Evaluate, x: Exchange): string => {
  const text = targetText(evaluatedText(path(x)) ?? '')
  if (text === undefined) throw checkNotPossible('the path of the question could not be evaluated')
  return text
}

const evaluatedBody = (body: Evaluate, x: Exchange): Buffer => {
  const made = bodyBytes(body(x))
  if ('error' in made) throw checkNotPossible('the body of the question could not be evaluated')
  return made.bytes
}

/** Expressions see the service's response as `response`, although it is not the client's. */
const withReply = <T>(x: Exchange, { status, headers, body }: CalloutResponse, act: () => T): T => {
  const before = x.reply
  x.reply = new Reply(status, headers, new BufferBody(body), 'ExtAuth')
  try {
    return act()
  } finally {
    x.reply = before
  }
}

const checkResultFrom = (
  x: Exchange,
  { status, headers, body }: CalloutResponse,
  { includeResponseHeaders, metadata, redirect }: HttpAuthzClientOptions,
): CheckResult => {
  const base = { metadata: metadataOf(x, metadata), isCacheable: status < 500 }
  if (status >= 200 && status < 300) {
    const fields = includeResponseHeaders.flatMap((name) =>
      headers.all(name).flatMap((value) => fieldChange(name, value, 'append') ?? []),
    )
    const query = { set: [], removed: [] }
    return { allowed: true, removed: [], fields, query, replyFields: [], ...base }
  }
  const location = status === 401 || status === 403 ? redirect && evaluatedText(redirect(x)) : undefined
  if (location)
    return {
      allowed: false,
      status: 302,
      headers: new Headers(['location', location]),
      body: Buffer.alloc(0),
      ...base,
    }
  const fields = headers.clone()
  for (const name of ['content-length', 'transfer-encoding']) fields.delete(name)
  return { allowed: false, status, headers: fields, body, ...base }
}

const metadataOf = (
  x: Exchange,
  metadata: HttpAuthzClientOptions['metadata'],
): Record<string, unknown> | undefined => {
  if (metadata.length === 0) return undefined
  return Object.fromEntries(
    metadata.flatMap(([key, expression]) => {
      const result = expression(x)
      return 'value' in result ? [[key, toPlain(result.value)]] : []
    }),
  )
}
