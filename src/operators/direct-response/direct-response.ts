import { DEFAULT_BUFFER_BYTES } from '../../model/exchange/buffer-limit.ts'
import { type Evaluate, readsRequestBody } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Headers } from '../../model/exchange/headers.ts'
import { respond } from '../../model/exchange/reply.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { bodyBytes } from '../transformations/body-value.ts'
import { bodiesReadBy, withBufferedBodies } from '../body/buffer-body.ts'
import { isEditable } from '../headers/protected-headers.ts'
import { filterFault } from '../expression-fault.ts'
import { writtenText } from '../headers/header-value.ts'
import { applied } from '../trace-policy.ts'

/** A reply that needs no backend. */
export interface DirectResponseOptions {
  readonly status: number
  /** Literal text, or an expression; no body without it. */
  readonly body?: string | Evaluate | undefined
  /** A header whose expression fails, or gives no text, is left out; a text that no header can carry is refused. */
  readonly headers: readonly (readonly [name: string, value: Evaluate])[]
  /** Longest request body that expressions may read, in bytes; a longer one is refused with 413. 2 MiB by default. */
  readonly bufferLimitBytes?: number | undefined
}

/**
 * Replies to every exchange without a backend. A body has a content type: that of `headers`, else plain text, or JSON
 * for an expression that gives a map or a list.
 *
 * Belongs where the backend would be. A body that cannot be evaluated is an error for the client, never an empty body.
 *
 * @throws Fault `filter_failed`, through the error channel: 400 if the expression reads the request body, else 500.
 *   `unwritable_header` (400) where a header cannot carry the result of an expression.
 * @example
 * directResponse({ status: 200, body: 'ok', headers: [], bufferLimitBytes: 2 ** 21 })
 */
export const directResponse = ({
  status,
  body,
  headers,
  bufferLimitBytes = DEFAULT_BUFFER_BYTES,
}: DirectResponseOptions): Operator => {
  const makeBody = typeof body === 'function' ? evaluatedBody(body) : fixedBody(body ?? '')
  const fields = headers.filter(([name]) => isEditable(name))
  const bodies = bodiesReadBy([
    ...headers.map(([, value]) => value),
    typeof body === 'function' ? body : undefined,
  ])
  return onRequest(
    'answer-directly',
    withBufferedBodies(bodies, bufferLimitBytes, (x) => {
      const content = makeBody(x)
      const made = new Headers()
      for (const [name, value] of fields) {
        const text = writtenText(name, value(x))
        if (text !== undefined) made.append(name.toLowerCase(), text)
      }
      if (content.contentType && content.bytes.length && !made.has('content-type'))
        made.append('content-type', content.contentType)
      x.probe?.record(applied('direct_response', `answered with status ${status}`))
      return respond(status, content.bytes, made)
    }),
  )
}

interface Content {
  readonly bytes: Buffer
  readonly contentType: string | undefined
}

const fixedBody = (text: string): ((x: Exchange) => Content) => {
  const content = { bytes: Buffer.from(text), contentType: 'text/plain' }
  return () => content
}

const evaluatedBody =
  (expression: Evaluate) =>
  (x: Exchange): Content => {
    const made = bodyBytes(expression(x))
    if ('error' in made)
      throw filterFault(
        'the body of the direct response could not be evaluated',
        made.error,
        readsRequestBody(expression),
      )
    return { bytes: made.bytes, contentType: made.contentType ?? 'application/octet-stream' }
  }
