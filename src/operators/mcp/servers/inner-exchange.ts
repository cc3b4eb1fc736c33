import { of } from 'rxjs'
import { BufferBody, emptyBody } from '../../../model/exchange/body.ts'
import { Exchange } from '../../../model/exchange/exchange.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import { Headers } from '../../../model/exchange/headers.ts'
import { Request } from '../../../model/exchange/request.ts'
import type { SpanScope } from '../../../model/tracing/span-scope.ts'
import type { Operator } from '../../../pipeline/stage.ts'
import type { RequestContext, SendToServer } from '../../../upstream/mcp/transport.ts'
import { activityOf } from '../../../model/introspection/exchange-activity.ts'

/** Sends requests to a server through the pipeline of its backend, as exchanges inside the client's. */
export const contextThrough = (
  pipeline: Operator,
  authority: string,
  x: Exchange,
  scope: SpanScope | undefined = x.span,
): RequestContext => ({
  headers: fieldsFor(x),
  requestId: x.request.id,
  send: sendInside(pipeline, authority, x, scope),
})

/** For servers without HTTP, on behalf of a client's request. */
export const noHttpContextFor = (x: Exchange): RequestContext => ({
  ...noHttpContext,
  requestId: x.request.id,
})

/** For servers without HTTP. */
export const noHttpContext: RequestContext = {
  headers: new Headers(),
  send: (_, replies) => {
    replies.fail(new Fault('mcp_no_http', 'mcp: the target is not reached over HTTP'))
    return () => undefined
  },
}

const sendInside =
  (pipeline: Operator, authority: string, outer: Exchange, scope: SpanScope | undefined): SendToServer =>
  ({ method, target, headers, body, boundTo }, replies) => {
    const { connection, scheme, cdnLoop } = outer.request
    const queryAt = target.indexOf('?')
    const fields = new Headers(headers.raw.slice())
    if (body) fields.set('content-length', String(body.length))
    const request = new Request({
      method,
      path: queryAt < 0 ? target : target.slice(0, queryAt),
      query: queryAt < 0 ? '' : target.slice(queryAt),
      scheme,
      authority,
      httpVersion: '1.1',
      headers: fields,
      body: body ? new BufferBody(body) : emptyBody,
      connection,
      cdnLoop,
    })
    const inner = new Exchange(request, outer.snapshot, { probe: () => outer.probe }, outer.labels)
    inner.span = scope
    inner.upstream.pinnedTo = boundTo
    inner.identity = outer.identity
    inner.policy.extAuthz = outer.policy.extAuthz
    inner.policy.extProc = outer.policy.extProc
    inner.policy.metadata = outer.policy.metadata
    inner.protocol.mcp = outer.protocol.mcp
    inner.policy.mcpGuardrails = outer.policy.mcpGuardrails
    const run = pipeline(of(inner)).subscribe({
      next: ({ reply }) => {
        outer.upstream.endpoint = inner.upstream.endpoint
        if (reply) replies.head(reply, inner.upstream.endpoint)
      },
      error: (fault: unknown) => {
        outer.upstream.endpoint = inner.upstream.endpoint
        replies.fail(
          fault instanceof Fault ? fault : new Fault('internal', 'internal error', { cause: fault }),
        )
      },
    })
    const siblings = (activityOf(outer).inner ??= new Set())
    siblings.add(inner)
    run.add(() => siblings.delete(inner))
    return () => {
      inner.cancel()
      run.unsubscribe()
    }
  }

/** Headers of a client's request that concern the server: not those of its connection or its message. */
const fieldsFor = ({ request }: Exchange): Headers => {
  const { raw } = request.headers
  const kept: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string
    if (!ownFields.has(name)) kept.push(name, raw[i + 1] as string)
  }
  return new Headers(kept)
}

const ownFields: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'content-length',
  'content-type',
  'content-encoding',
  'accept',
  'accept-encoding',
  'origin',
  'referer',
  'last-event-id',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
])
