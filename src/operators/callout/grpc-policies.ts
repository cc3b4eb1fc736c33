import type { DescMethodBiDiStreaming, DescMethodUnary } from '@bufbuild/protobuf'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Fault } from '../../model/exchange/fault.ts'
import { Headers } from '../../model/exchange/headers.ts'
import { DeferredStream } from '../../upstream/grpc/deferred-stream.ts'
import type { GrpcService } from '../../upstream/grpc/grpc-client.ts'
import { type GrpcMetadata, metadataOf, sentWith } from './grpc-metadata.ts'
import { prepareCallout, type CalloutStages } from './http-policies.ts'
import { calloutExchange } from './callout-exchange.ts'

/**
 * gRPC calls to a service whose policies need the exchange that a call is about: credentials and changed headers
 * become metadata. Calls without an exchange are unchanged.
 */
export const prepareCalls = (service: GrpcService, stages: CalloutStages): GrpcService => ({
  unary: async (method, message, options) => {
    const startedAt = performance.now()
    const made = metadataFor(options.about, pathOf(method), stages)
    const metadata = made instanceof Promise ? await made : made
    const { timeoutMs } = options
    // The preparation counts towards the timeout.
    const leftMs = timeoutMs === undefined ? undefined : timeoutMs - (performance.now() - startedAt)
    return service.unary(method, message, { ...sentWith(options, metadata), timeoutMs: leftMs })
  },
  stream: (method, events, options) => {
    const made = metadataFor(options.about, pathOf(method), stages)
    if (!(made instanceof Promise)) return service.stream(method, events, sentWith(options, made))
    let metadata: GrpcMetadata = []
    const ready = made.then((known) => {
      metadata = known
    })
    return new DeferredStream(
      ready,
      () => service.stream(method, events, sentWith(options, metadata)),
      (fault) => {
        events.ended(fault as Fault)
      },
    )
  },
  onConnected: (then) => service.onConnected(then),
})

const metadataFor = (
  x: Exchange | undefined,
  target: string,
  stages: CalloutStages,
): GrpcMetadata | Promise<GrpcMetadata> => {
  if (!x) return []
  const outgoing = calloutExchange(x, { method: 'POST', target, authority: '', headers: new Headers() })
  try {
    const pending = prepareCallout(x, outgoing, stages)
    return pending instanceof Promise ? pending.then(() => metadataOf(outgoing)) : metadataOf(outgoing)
  } catch (fault) {
    // The stream reports the error later, as any other fault.
    return Promise.reject(fault)
  }
}

const pathOf = ({ parent, name }: DescMethodUnary | DescMethodBiDiStreaming): string =>
  `/${parent.typeName}/${name}`
