import { BufferBody, emptyBody } from '../../model/exchange/body.ts'
import { Exchange } from '../../model/exchange/exchange.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import { Request } from '../../model/exchange/request.ts'

/** The parts of a callout request. */
export interface CalloutParts {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly authority: string
  readonly headers: Headers
  readonly body?: Buffer | undefined
}

/**
 * A callout request about an exchange, as an exchange of its own, to which the policies of the service apply as those
 * of a backend do to a request. Expressions see the callout as `request`, and all other attributes of the original
 * exchange. Changes to attributes stay local, and the callout is not traced.
 */
export const calloutExchange = (x: Exchange, parts: CalloutParts): Exchange => {
  const { method, target, authority, headers, body } = parts
  const mark = target.indexOf('?')
  const request = new Request({
    method,
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark),
    scheme: x.request.scheme,
    authority,
    httpVersion: '1.1',
    headers,
    body: body ? new BufferBody(body) : emptyBody,
    connection: x.request.connection,
  })
  request.authorityFixed = true
  const asked = new Exchange(request, x.snapshot, unwatched, x.labels)
  asked.match = x.match
  asked.backend = x.backend
  asked.identity = x.identity
  asked.metadata = x.metadata && { ...x.metadata }
  asked.extauthz = x.extauthz
  asked.extproc = x.extproc
  asked.a2a = x.a2a
  asked.mcp = x.mcp
  asked.mcpGuardrails = x.mcpGuardrails
  return asked
}

const unwatched = { probe: () => undefined }
