import { Authorization } from '../../protocols/grpc/ext-authz.gen.ts'
import type { GrpcService } from '../../upstream/grpc.ts'
import { checkRequest, type CheckRequestOptions } from './check-request.ts'
import { judgementOf } from './check-response.ts'
import type { Decider } from './judgement.ts'

/** How a gRPC service is asked. */
export interface GrpcDeciderOptions extends CheckRequestOptions {
  readonly service: GrpcService
  readonly timeoutMs: number
}

/** Lets a gRPC service decide. */
export const grpcDecider =
  ({ service, timeoutMs, ...options }: GrpcDeciderOptions): Decider =>
  async (x, body) =>
    judgementOf(
      await service.unary(Authorization.method.check, checkRequest(x, body, options), {
        timeoutMs,
        about: x,
        signal: x.signal,
      }),
    )
