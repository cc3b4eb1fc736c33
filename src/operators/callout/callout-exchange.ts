import { BufferBody, emptyBody } from '../../model/exchange/body.ts'
import { Exchange } from '../../model/exchange/exchange.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import { Request } from '../../model/exchange/request.ts'

/** What is to be asked, in the words of HTTP. */
export interface CalloutParts {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly authority: string
  readonly headers: Headers
  readonly body?: Buffer | undefined
}

/**
 * What a service is asked about an exchange, as an exchange of its own: the policies of the service act on it as those of
 * a backend do on a request. Expressions see the question as `request`, and all else as the exchange has it. What they
 * leave behind stays there, and nobody watches.
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
  asked.upstream.backend = x.upstream.backend
  asked.identity = x.identity
  asked.policy.metadata = x.policy.metadata && { ...x.policy.metadata }
  asked.policy.extAuthz = x.policy.extAuthz
  asked.policy.extProc = x.policy.extProc
  asked.protocol.a2a = x.protocol.a2a
  asked.protocol.mcp = x.protocol.mcp
  asked.policy.mcpGuardrails = x.policy.mcpGuardrails
  return asked
}

const unwatched = { probe: () => undefined }
