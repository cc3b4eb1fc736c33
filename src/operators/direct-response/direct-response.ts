import { type Evaluate, readsRequestBody } from '../model/evaluate.ts'
import type { Exchange } from '../model/exchange.ts'
import { Headers } from '../model/headers.ts'
import { respond } from '../model/reply.ts'
import { onRequest, type Operator } from '../pipeline/stage.ts'
import { bodyBytes } from './body-bytes.ts'
import { bodiesReadBy, holding } from './body/hold.ts'
import { isEditable } from './editable-field.ts'
import { filterFault } from './filter-fault.ts'
import { evaluatedText } from './header-text.ts'
import { applied } from './policy-note.ts'

/** An answer that needs no backend. */
export interface DirectAnswer {
  readonly status: number
  /** Text as it is, or an expression; no body without it. */
  readonly body?: string | Evaluate | undefined
  /** A header whose expression fails, or gives no text, is left out. */
  readonly headers: readonly (readonly [name: string, value: Evaluate])[]
  /** How much of a request body expressions may read; a longer one is refused with 413. */
  readonly bufferLimitBytes: number
}

/**
 * Answers every exchange itself. A body comes with a content type: that of `headers`, else plain text, or JSON for an
 * expression that gives a map or a list.
 *
 * Belongs in the place of the backend. A body that cannot be evaluated is an error to the client, never an empty body.
 *
 * @throws Fault `filter_failed`, through the error channel: 400 if the expression reads the request body, else 500.
 * @example
 * answerDirectly({ status: 200, body: 'ok', headers: [], bufferLimitBytes: 2 ** 21 })
 */
export const answerDirectly = ({ status, body, headers, bufferLimitBytes }: DirectAnswer): Operator => {
  const makeBody = typeof body === 'function' ? evaluatedBody(body) : fixedBody(body ?? '')
  const fields = headers.filter(([name]) => isEditable(name))
  const held = bodiesReadBy([
    ...headers.map(([, value]) => value),
    typeof body === 'function' ? body : undefined,
  ])
  return onRequest(
    'answer-directly',
    holding(held, bufferLimitBytes, (x) => {
      const content = makeBody(x)
      const made = new Headers()
      for (const [name, value] of fields) {
        const text = evaluatedText(value(x))
        if (text !== undefined) made.append(name.toLowerCase(), text)
      }
      if (content.contentType && content.bytes.length && !made.has('content-type'))
        made.append('content-type', content.contentType)
      x.probe?.note(applied('direct_response', `answered with status ${status}`))
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
