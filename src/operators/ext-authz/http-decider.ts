import { toPlain } from '../../cel/values.ts'
import { BufferBody } from '../../model/body.ts'
import type { Evaluate } from '../../model/evaluate.ts'
import type { Exchange } from '../../model/exchange.ts'
import { Headers } from '../../model/headers.ts'
import { Reply } from '../../model/reply.ts'
import type { Answer, Ask, Question } from '../../upstream/ask.ts'
import { bodyBytes } from '../body-bytes.ts'
import { fieldChange } from '../field-change.ts'
import { evaluatedText } from '../header-text.ts'
import { type Decider, type Judgement, PARTIAL_BODY, type ShownBody, unaskable } from './judgement.ts'

/** How an HTTP service is asked, and what its answer means. */
export interface HttpDeciderOptions {
  readonly ask: Ask
  readonly timeoutMs: number
  /** Gives path and query of the question. Default: those of the request. */
  readonly path: Evaluate | undefined
  /** Gives where callers without rights are sent. */
  readonly redirect: Evaluate | undefined
  /** Gives the body of the question. Default: what is shown of the request's. */
  readonly body: Evaluate | undefined
  /** Fields of the request that are sent, beside Authorization. Lower-case. */
  readonly includeRequestHeaders: readonly string[]
  /** Fields that are added; one that cannot be evaluated is left out. */
  readonly addRequestHeaders: readonly (readonly [name: string, value: Evaluate])[]
  /** Fields of the answer that are put into the request. Lower-case. */
  readonly includeResponseHeaders: readonly string[]
  /** Values about the answer for later expressions. */
  readonly metadata: readonly (readonly [key: string, value: Evaluate])[]
}

/**
 * Lets an HTTP service decide: 2xx lets the request pass, any other answer goes to the client as it is; where
 * `redirect` says so, 401 and 403 become a redirect.
 */
export const httpDecider = (options: HttpDeciderOptions): Decider => {
  const sent = [...new Set(['authorization', ...options.includeRequestHeaders])]
  return async (x, body) => {
    const answer = await options.ask(questionOf(x, body, sent, options))
    return withReply(x, answer, () => judgementOf(x, answer, options))
  }
}

/** Longest answer of a service: it may be a page for people. */
const LIMIT_BYTES = 1_048_576

const questionOf = (
  x: Exchange,
  shown: ShownBody | undefined,
  sent: readonly string[],
  { timeoutMs, path, body, addRequestHeaders }: HttpDeciderOptions,
): Question => {
  const { request } = x
  const headers = new Headers()
  for (const name of sent)
    if (name !== 'host') for (const value of request.headers.all(name)) headers.append(name, value)
  for (const name of ['content-length', PARTIAL_BODY]) headers.delete(name)
  if (shown) headers.set(PARTIAL_BODY, String(shown.isPartial))
  for (const [name, expression] of addRequestHeaders) {
    const text = evaluatedText(expression(x))
    if (text !== undefined) headers.set(name, text)
  }
  return {
    // Nobody can be asked about a tunnel, or about a server as a whole, in these very words.
    method: request.method === 'CONNECT' ? 'GET' : request.method,
    target: path ? evaluatedPath(path, x) : request.path.startsWith('/') ? request.target : '/',
    headers,
    body: body ? evaluatedBody(body, x) : shown?.bytes,
    authority: sent.includes('host') ? request.authority : undefined,
    timeoutMs,
    limitBytes: LIMIT_BYTES,
    about: x,
    signal: x.signal,
  }
}

const evaluatedPath = (path: Evaluate, x: Exchange): string => {
  const text = evaluatedText(path(x))
  if (text === undefined || !isTarget.test(text))
    throw unaskable('the path of the question could not be evaluated')
  return text
}

const isTarget = /^\/[\x21-\x7e]*$/

const evaluatedBody = (body: Evaluate, x: Exchange): Buffer => {
  const made = bodyBytes(body(x))
  if ('error' in made) throw unaskable('the body of the question could not be evaluated')
  return made.bytes
}

/** Expressions about the answer see it as `response`, although it is not the client's. */
const withReply = <T>(x: Exchange, { status, headers, body }: Answer, act: () => T): T => {
  const before = x.reply
  x.reply = new Reply(status, headers, new BufferBody(body), 'ExtAuth')
  try {
    return act()
  } finally {
    x.reply = before
  }
}

const judgementOf = (
  x: Exchange,
  { status, headers, body }: Answer,
  { includeResponseHeaders, metadata, redirect }: HttpDeciderOptions,
): Judgement => {
  const judged = { metadata: metadataOf(x, metadata), mayBeRemembered: status < 500 }
  if (status >= 200 && status < 300) {
    const fields = includeResponseHeaders.flatMap((name) =>
      headers.all(name).flatMap((value) => fieldChange(name, value, 'append') ?? []),
    )
    const query = { set: [], removed: [] }
    return { allowed: true, removed: [], fields, query, replyFields: [], ...judged }
  }
  const location = status === 401 || status === 403 ? redirect && evaluatedText(redirect(x)) : undefined
  if (location)
    return {
      allowed: false,
      status: 302,
      headers: new Headers(['location', location]),
      body: Buffer.alloc(0),
      ...judged,
    }
  const fields = headers.clone()
  for (const name of ['content-length', 'transfer-encoding']) fields.delete(name)
  return { allowed: false, status, headers: fields, body, ...judged }
}

const metadataOf = (
  x: Exchange,
  metadata: HttpDeciderOptions['metadata'],
): Record<string, unknown> | undefined => {
  if (metadata.length === 0) return undefined
  return Object.fromEntries(
    metadata.flatMap(([key, expression]) => {
      const result = expression(x)
      return 'value' in result ? [[key, toPlain(result.value)]] : []
    }),
  )
}
