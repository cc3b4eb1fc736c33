import type { Headers } from '../../model/exchange/headers.ts'

/** Whether a response is one of gRPC, whose outcome is in a field or in the trailers. */
export const isGrpcResponse = (fields: Headers): boolean =>
  fields.get('content-type')?.startsWith('application/grpc') ?? false

/** Why a gRPC call failed, by the fields or trailers of its response; undefined if it did not. */
export const grpcFailure = (fields: Headers): string | undefined => {
  const status = fields.get('grpc-status') ?? '0'
  return status === '0' ? undefined : `grpc-status ${status.slice(0, 3)}`
}
