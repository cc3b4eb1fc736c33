import type { Exchange } from '../../model/exchange/exchange.ts'
import type { RequestTracing } from '../../model/tracing/request-tracing.ts'
import type { Collectors, SendOtlp } from '../../model/tracing/otlp-transport.ts'
import type { CompileContext } from '../../config/compile/compile-context.ts'
import { grpcOperators } from '../../config/compile/lazy-grpc.ts'
import { callService } from '../callout/stage/grpc-callout.ts'
import { callTimeoutMs } from '../callout/stage/service-policies.ts'
import { requestTracing, type Sampler } from './begin-spans.ts'
import { httpTransport } from './http-transport.ts'
import type { OtlpTarget, Sampling } from './schema.ts'

/** Begins spans by the policy `tracing`; undefined without one. */
export const tracingStage = ({
  resources,
  expression,
  random,
}: CompileContext): RequestTracing | undefined => {
  const { tracing } = resources.frontend
  if (!tracing) return undefined
  const sampler = (sampling: Sampling): Sampler => {
    if (sampling === 'parent') return sampling
    return 'share' in sampling ? sampling.share : expression(sampling.expression)
  }
  return requestTracing({
    randomSampling: sampler(tracing.randomSampling ?? { share: 0 }),
    clientSampling: sampler(tracing.clientSampling ?? { share: 1 }),
    random,
  })
}

/**
 * The collectors of traces and logs, called through the gateway's own connections, so that the policies of their
 * backends apply.
 *
 * @param about Returns the exchange that credentials and expressions of these policies refer to.
 */
export const collectors = (context: CompileContext, about: () => Exchange): Collectors => {
  const { tracing, accessLog } = context.resources.frontend
  return {
    traces: tracing && sender(tracing, 'traces', context, about),
    logs: accessLog?.otlp && sender(accessLog.otlp, 'logs', context, about),
  }
}

const sender = (
  target: OtlpTarget,
  signal: 'traces' | 'logs',
  context: CompileContext,
  about: () => Exchange,
): SendOtlp => {
  const { service, protocol, path, headers } = target
  const timeoutMs = callTimeoutMs(service, context, target.timeoutMs ?? TIMEOUT_MS)
  // Exports are no policy calls of requests.
  const uncounted = { ...context, called: () => undefined }
  if (protocol === 'http')
    return httpTransport({
      callout: context.httpCallout(service, 'Http', uncounted),
      path,
      headers,
      timeoutMs,
      about,
    })
  return grpcOperators.otlp().grpcTransport({
    service: callService(service, 'Http', uncounted),
    signal,
    timeoutMs,
    metadata: headers,
    about,
  })
}

/** For one attempt, as OpenTelemetry has it. */
const TIMEOUT_MS = 10_000
