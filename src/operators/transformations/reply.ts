import { BufferBody } from '../../model/exchange/body.ts'
import type { Evaluate } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'
import { isBodiless } from '../body/buffer-body.ts'
import { bodyBytes } from './body-value.ts'
import { evaluatedText } from '../headers/header-value.ts'
import {
  type CompiledTransformation,
  type TransformDirection,
  headerSteps,
  type Parts,
  replaceHeaders,
  type SetPart,
} from './header-steps.ts'

/**
 * Compiles the changes of a reply. Gives the refusal to send in its place if they fail: a reply and no fault, so that the
 * stages that follow still see it.
 */
export const transformReply = (
  given: CompiledTransformation,
): ((x: Exchange, reply: Reply) => Reply | undefined) => {
  const { replace, body } = given
  const { metadata, fields } = headerSteps(given, direction)
  return (x, reply) => {
    for (const step of metadata) step(x)
    const replacing = replace && replaceHeaders(x, reply.headers, replace, direction)
    if (replacing !== undefined) {
      const refusal = refuse(x, reply, 'the response headers could not be replaced', replacing)
      if (refusal) return refusal
    }
    for (const step of fields) step(x, reply.headers)
    return body && replaceBody(x, reply, body)
  }
}

const replaceBody = (x: Exchange, reply: Reply, expression: Evaluate): Reply | undefined => {
  const { headers } = reply
  if (isBodiless(x, reply)) {
    // The length of what a GET would have brought is not known.
    headers.delete('content-length')
    return undefined
  }
  const made = bodyBytes(expression(x))
  if ('error' in made) return refuse(x, reply, 'the response body could not be transformed', made.error)
  reply.body.drop()
  reply.body = new BufferBody(made.bytes)
  headers.set('content-length', String(made.bytes.length))
  if (!made.contentType) return undefined
  headers.delete('content-encoding')
  if (!headers.has('content-type')) headers.append('content-type', made.contentType)
  return undefined
}

/** A refusal of our own stays what it is: the client is better served by its reason than by this one. */
const refuse = (x: Exchange, reply: Reply, what: string, cause: string): Reply | undefined => {
  x.probe?.record({ type: 'policyEvent', kind: 'transformation', details: `${what}: ${cause}` })
  if (reply.error !== undefined) return undefined
  reply.body.drop()
  return deny(500, 'filter_failed', { message: `failed to apply filters: ${what}` })
}

const setStatus: SetPart = (x, value) => {
  const status = typeof value === 'bigint' ? Number(value) : value
  if (x.reply && typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599)
    x.reply.status = status
}

/** What of a reply is named like a header field. */
export const replyParts: Parts = new Map([[':status', setStatus]])

/** By now the request has been served: a header that cannot be written is left out, and the answer still given. */
const direction: TransformDirection = { parts: replyParts, textOf: (_, result) => evaluatedText(result) }
