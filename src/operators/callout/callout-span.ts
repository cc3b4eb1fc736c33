import type { DescMethodBiDiStreaming, DescMethodUnary } from '@bufbuild/protobuf'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Fault } from '../../model/exchange/fault.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import { hideSecrets, redactQuery, redactText } from '../../model/trace/redact.ts'
import type { Span } from '../../model/tracing/span.ts'
import type { SpanScope } from '../../model/tracing/span-scope.ts'
import type { GrpcCallOptions, GrpcService } from '../../upstream/grpc/grpc-client.ts'
import type { CalloutRequest, HttpCallout } from '../../upstream/http-callout.ts'

/**
 * Callouts over HTTP with a span each, if the request that they are about is traced. The service continues the trace.
 *
 * @param kind Of the callout, as in metrics.
 */
export const tracedCallout =
  (callout: HttpCallout, kind: string): HttpCallout =>
  (request) => {
    const { about } = request
    const span = about?.span?.start('Policy', kind)
    return about?.span && span ? recordCallout(callout, request, about, about.span, span) : callout(request)
  }

const recordCallout = async (
  callout: HttpCallout,
  request: CalloutRequest,
  x: Exchange,
  { spans }: SpanScope,
  span: Span,
) => {
  const { attributes } = span
  const headers = request.headers.clone()
  addContext(headers, spans.traceParent(span), spans.traceState)
  attributes['http.method'] = request.method
  if (request.authority !== undefined) attributes['http.host'] = request.authority
  attributes['http.path'] = shownTarget(request.target, x)
  try {
    const response = await callout({ ...request, headers })
    attributes['http.status'] = response.status
    if (response.status >= 400) attributes['error.type'] = String(response.status)
    if (response.status >= 500) span.error = ''
    return response
  } catch (fault) {
    span.fail(codeOf(fault), messageOf(fault))
    throw fault
  } finally {
    spans.end(span)
  }
}

/** As {@link tracedCallout}, for gRPC. The span of a stream lasts until its end. */
export const tracedCalls = (service: GrpcService, kind: string): GrpcService => ({
  unary: async (method, message, options) => {
    const call = beginCall(options.about, kind, method)
    if (!call) return service.unary(method, message, options)
    try {
      const response = await service.unary(method, message, call.propagate(options))
      call.end(undefined)
      return response
    } catch (fault) {
      call.end(fault)
      throw fault
    }
  },
  stream: (method, events, options) => {
    const call = beginCall(options.about, kind, method)
    if (!call) return service.stream(method, events, options)
    return service.stream(
      method,
      {
        message: (message) => {
          events.message(message)
        },
        ended: (fault) => {
          call.end(fault)
          events.ended(fault)
        },
      },
      call.propagate(options),
    )
  },
  onConnected: (then) => service.onConnected(then),
})

const beginCall = (
  x: Exchange | undefined,
  kind: string,
  { parent, name }: DescMethodUnary | DescMethodBiDiStreaming,
) => {
  const scope = x?.span
  const span = scope?.start('Policy', kind)
  if (!scope || !span) return undefined
  const { spans } = scope
  span.attributes['rpc.system.name'] = 'grpc'
  span.attributes['rpc.method'] = `${parent.typeName}/${name}`
  return {
    propagate: (options: GrpcCallOptions): GrpcCallOptions => {
      const metadata: [string, string][] = [['traceparent', spans.traceParent(span)]]
      if (spans.traceState !== undefined) metadata.push(['tracestate', spans.traceState])
      return { ...options, metadata: [...metadata, ...(options.metadata ?? []).filter(isNoContext)] }
    },
    end: (fault: unknown): void => {
      span.attributes['grpc.status'] = fault === undefined ? 0 : grpcStatusOf(fault)
      if (fault !== undefined) span.fail(codeOf(fault), messageOf(fault))
      spans.end(span)
    },
  }
}

const addContext = (headers: Headers, traceParent: string, traceState: string | undefined): void => {
  headers.set('traceparent', traceParent)
  if (traceState === undefined) headers.delete('tracestate')
  else headers.set('tracestate', traceState)
}

const isNoContext = ([name]: readonly [name: string, value: string]): boolean =>
  name !== 'traceparent' && name !== 'tracestate'

const shownTarget = (target: string, { policy: { secrets = [] } }: Exchange): string => {
  const mark = target.indexOf('?')
  const shown = mark < 0 ? target : target.slice(0, mark) + redactQuery(target.slice(mark))
  return hideSecrets(shown, secrets)
}

const codeOf = (fault: unknown): string => (fault instanceof Fault ? fault.code : 'error')
const messageOf = (fault: unknown): string =>
  redactText(fault instanceof Error ? fault.message : String(fault))

/** UNKNOWN if the call failed without a status. */
const grpcStatusOf = (fault: unknown): number => {
  const cause = fault instanceof Error ? fault.cause : undefined
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'number' ? cause.code : 2
}
