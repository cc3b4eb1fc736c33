import { create } from '@bufbuild/protobuf'
import {
  type RateLimitRequest,
  type RateLimitResponse,
  RateLimitResponse_Code as Code,
  RateLimitResponseSchema,
  RateLimitService,
} from '../../src/protocols/grpc/rate-limit.gen.ts'
import { type GrpcServer, grpcServer, unary } from './grpc-server.ts'

/** A service that counts, by descriptor, for all callers. */
export interface CountingService extends GrpcServer {
  readonly heard: RateLimitRequest[]
  /** Changes the responses. */
  answer: (counted: RateLimitResponse) => RateLimitResponse | Promise<RateLimitResponse>
}

/** Starts a service that allows so many requests for each descriptor, unless that has a limit. */
export const startCounting = async (limit: number): Promise<CountingService> => {
  const counts = new Map<string, number>()
  const service = { heard: [] as RateLimitRequest[], answer: (counted: RateLimitResponse) => counted }
  const server = await grpcServer([
    unary(RateLimitService.method.shouldRateLimit, (request): Promise<RateLimitResponse> => {
      service.heard.push(request)
      const statuses = request.descriptors.map(({ entries, limit: own, hitsAddend, isNegativeHits }) => {
        const key = JSON.stringify([request.domain, entries.map(({ key, value }) => [key, value])])
        const hits = Number(hitsAddend ?? 1n)
        const count = (counts.get(key) ?? 0) + (isNegativeHits ? -hits : hits)
        counts.set(key, count)
        const requestsPerUnit = own?.requestsPerUnit ?? limit
        return {
          code: count > requestsPerUnit ? Code.OVER_LIMIT : Code.OK,
          currentLimit: { requestsPerUnit, unit: own?.unit ?? 2 },
          limitRemaining: Math.max(0, requestsPerUnit - count),
          durationUntilReset: { seconds: 42n },
        }
      })
      const isOver = statuses.some(({ code }) => code === Code.OVER_LIMIT)
      const answer = create(RateLimitResponseSchema, {
        overallCode: isOver ? Code.OVER_LIMIT : Code.OK,
        statuses,
      })
      return Promise.resolve(service.answer(answer))
    }),
  ])
  return Object.assign(service, server)
}
