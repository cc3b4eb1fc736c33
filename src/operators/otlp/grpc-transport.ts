import type { Exchange } from '../../model/exchange/exchange.ts'
import { Fault } from '../../model/exchange/fault.ts'
import type { OtlpResponse, SendOtlp } from '../../model/tracing/otlp-transport.ts'
import { LogsService } from '../../protocols/grpc/otlp-logs.gen.ts'
import { TraceService } from '../../protocols/grpc/otlp-trace.gen.ts'
import type { GrpcService } from '../../upstream/grpc/grpc-client.ts'
import { callFailure } from './call-failure.ts'
import { embeddedMessage, partialSuccessIn } from './partial-success.ts'

/** How exports are sent over gRPC. */
export interface GrpcTransportOptions {
  readonly service: GrpcService
  readonly signal: 'traces' | 'logs'
  readonly timeoutMs: number
  readonly metadata: readonly (readonly [name: string, value: string])[]
  /** The exchange that expressions and credentials of the service refer to. */
  readonly about: () => Exchange
}

/** Exports over gRPC. */
export const grpcTransport =
  ({ service, signal: kind, timeoutMs, metadata, about }: GrpcTransportOptions): SendOtlp =>
  async ({ messages, signal }) => {
    const parts = messages.flatMap((message) => embeddedMessage(message) ?? [])
    const call = { timeoutMs, metadata, signal, about: about() }
    try {
      const { partialSuccess } =
        kind === 'traces'
          ? await service.unary(TraceService.method.export, { resourceSpans: parts }, call)
          : await service.unary(LogsService.method.export, { resourceLogs: parts }, call)
      return { ok: true, partialSuccess: partialSuccessIn(partialSuccess) }
    } catch (fault) {
      return outcomeOf(fault)
    }
  }

const outcomeOf = (fault: unknown): OtlpResponse => {
  const failure = callFailure(fault)
  const status = statusOf(fault)
  if (status === undefined || status === UNAVAILABLE || failure.reason === 'timeout') return failure
  return {
    ...failure,
    reason: status === RESOURCE_EXHAUSTED ? 'throttled' : 'rejected',
    error: `the collector responded with gRPC status ${status}`,
    mayRetry: transient.has(status),
  }
}

const statusOf = (fault: unknown): number | undefined => {
  const cause = fault instanceof Fault ? fault.cause : undefined
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'number' ? cause.code : undefined
}

const RESOURCE_EXHAUSTED = 8
const UNAVAILABLE = 14
/** CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, OUT_OF_RANGE, UNAVAILABLE and DATA_LOSS. */
const transient: ReadonlySet<number> = new Set([1, 4, RESOURCE_EXHAUSTED, 10, 11, UNAVAILABLE, 15])
