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
  const outgoing = new Exchange(request, x.snapshot, unwatched, x.labels)
  outgoing.match = x.match
  outgoing.upstream.backend = x.upstream.backend
  outgoing.identity = x.identity
  outgoing.policy.metadata = x.policy.metadata && { ...x.policy.metadata }
  outgoing.policy.extAuthz = x.policy.extAuthz
  outgoing.policy.extProc = x.policy.extProc
  outgoing.protocol.a2a = x.protocol.a2a
  outgoing.protocol.mcp = x.protocol.mcp
  outgoing.policy.mcpGuardrails = x.policy.mcpGuardrails
  return outgoing
}

const unwatched = { probe: () => undefined }
