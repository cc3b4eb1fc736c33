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
 * Compiles the changes of a reply. Returns the refusal that replaces it if they fail: a reply and not a fault, so
 * that later stages still process it.
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
    // The length of the body of a GET is not known.
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

/** A local reply is unchanged by a failure: its reason is more useful than this one. */
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

/** Parts of a reply with names like header fields. */
export const replyParts: Parts = new Map([[':status', setStatus]])

/** The request has been processed by now: a header that cannot be written is omitted, and the reply is still sent. */
const direction: TransformDirection = { parts: replyParts, textOf: (_, result) => evaluatedText(result) }
