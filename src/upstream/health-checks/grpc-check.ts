import { BufferBody } from '../../model/exchange/body.ts'
import type { GrpcCheck } from '../load-balancing/schema/normal-form.ts'
import { callHttp2 } from '../http/http2.ts'
import type { HealthProbe } from './health-probe.ts'
import { type CheckResponse, ProbeCall } from './check-call.ts'

const LIMIT_BYTES = 1_024
/** `HealthCheckResponse.ServingStatus`. */
const SERVING = 1
const STATES: Readonly<Record<number, string>> = { 0: 'UNKNOWN', 2: 'NOT_SERVING', 3: 'SERVICE_UNKNOWN' }

/**
 * Healthy is `SERVING` from `grpc.health.v1.Health/Check`. Its two fields are encoded and decoded here: a library would
 * open connections of its own, past the TLS and the proxy of the endpoint.
 */
export const probeGrpc = ({ service = '', host }: GrpcCheck): HealthProbe => {
  const body = new BufferBody(requestFrame(service))
  return (endpoint, timeoutMs, onResult) => {
    const name = host ?? ('unix' in endpoint.address ? 'localhost' : endpoint.name)
    const headers = ['host', name, 'content-type', 'application/grpc', 'te', 'trailers']
    headers.push('user-agent', 'agentgateway-health-check')
    const request = { method: 'POST', target: '/grpc.health.v1.Health/Check', headers, body }
    const scheme = endpoint.options.tls ? 'https' : 'http'
    return new ProbeCall({ evaluate, timeoutMs, limitBytes: LIMIT_BYTES }, onResult).start((events) =>
      callHttp2(endpoint.http2, request, scheme, events),
    )
  }
}

/** A `HealthCheckRequest` (field 1: service) in a gRPC frame. */
const requestFrame = (service: string): Buffer => {
  const name = Buffer.from(service)
  const message = name.length ? Buffer.concat([Buffer.from([0x0a, ...varint(name.length)]), name]) : name
  const frame = Buffer.alloc(5 + message.length)
  frame.writeUInt32BE(message.length, 1)
  message.copy(frame, 5)
  return frame
}

const varint = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]

const evaluate = ({ status, fields, body }: CheckResponse): string | undefined => {
  if (status !== 200) return `check: status ${status}`
  const grpcStatus = valueOf(fields, 'grpc-status')
  if (grpcStatus !== '0') return `check: grpc-status ${grpcStatus?.slice(0, 3) ?? 'missing'}`
  // A frame header of five bytes, then field 1 as a number; the default value is omitted.
  const serving = body[5] === 0x08 ? body[6] : 0
  if (serving === SERVING) return undefined
  return `check: ${STATES[serving ?? 0] ?? 'UNKNOWN'}`
}

const valueOf = (fields: readonly string[], name: string): string | undefined => {
  const at = fields.findLastIndex((field, i) => i % 2 === 0 && field.toLowerCase() === name)
  return at < 0 ? undefined : fields[at + 1]
}
