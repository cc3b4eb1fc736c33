import type { Exchange } from '../../model/exchange/exchange.ts'
import type { RequestTracing } from '../../model/tracing/request-tracing.ts'
import type { Collector, SendOtlp } from '../../model/tracing/otlp-transport.ts'
import type { AttachedFrontend, ListenerFrontend } from '../../model/resources/frontend-policies.ts'
import type { CompileContext } from '../../config/compile/compile-context.ts'
import { grpcOperators } from '../../config/compile/lazy-grpc.ts'
import { callService } from '../callout/stage/grpc-callout.ts'
import { callTimeoutMs } from '../callout/stage/service-policies.ts'
import { requestTracing, type Sampler } from './begin-spans.ts'
import { httpTransport } from './http-transport.ts'
import type { OtlpTarget, Sampling, Tracing } from './schema.ts'

/** Frontend policies that are attached to something, by a key that stays over reloads. */
export interface FrontendAttachment {
  readonly key: string
  readonly frontend: AttachedFrontend
}

/** Begins spans by the policy `tracing`. */
export const tracingStage = (tracing: Tracing, { expression, random }: CompileContext): RequestTracing => {
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
 * The collectors of traces and logs, of the process and of attached policies, called through the gateway's own connections, so that the policies of their
 * backends apply.
 *
 * @param about Returns the exchange that credentials and expressions of these policies refer to.
 */
export const collectors = (
  attached: readonly FrontendAttachment[],
  context: CompileContext,
  about: () => Exchange,
): readonly Collector[] => {
  const { frontend } = context.resources
  const resources = frontend.tracing?.resources ?? []
  const of = (key: string, { tracing, accessLog }: ListenerFrontend): readonly Collector[] => {
    const collector = (signal: 'traces' | 'logs', policy: OtlpTarget): Collector => ({
      ...{ signal, key, policy, resources: tracing?.resources ?? resources },
      send: sender(policy, signal, context, about),
    })
    const { otlp } = accessLog ?? {}
    return [...(tracing ? [collector('traces', tracing)] : []), ...(otlp ? [collector('logs', otlp)] : [])]
  }
  return [...of('', frontend), ...attached.flatMap(({ key, frontend: own }) => of(key, own))]
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
