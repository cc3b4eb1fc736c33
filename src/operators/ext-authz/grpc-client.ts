import { Authorization } from '../../protocols/grpc/ext-authz.gen.ts'
import type { GrpcService } from '../../upstream/grpc/grpc-client.ts'
import { checkRequest, type CheckRequestOptions } from './check-request.ts'
import { checkResultOf } from './check-response.ts'
import type { AuthzClient } from './check-result.ts'

/** How a gRPC service is called. */
export interface GrpcAuthzClientOptions extends CheckRequestOptions {
  readonly service: GrpcService
  readonly timeoutMs: number
}

/** Authorizes with a gRPC service. */
export const grpcAuthzClient =
  ({ service, timeoutMs, ...options }: GrpcAuthzClientOptions): AuthzClient =>
  async (x, body) =>
    checkResultOf(
      await service.unary(Authorization.method.check, checkRequest(x, body, options), {
        timeoutMs,
        about: x,
        signal: x.signal,
      }),
    )
