/** Counts requests of all gateways in windows of a minute, in memory only. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js'
import {
  type RateLimitRequest,
  RateLimitRequestSchema,
  type RateLimitResponse,
  RateLimitResponse_Code as Code,
  RateLimitResponse_RateLimit_Unit as Unit,
  RateLimitResponseSchema,
  RateLimitService,
} from '../../src/protocols/grpc/rate-limit.gen.ts'

const limit = 100
const windowMs = 60_000
const counts = new Map<string, number>()
let windowEndsAt = 0

const count = ({ domain, descriptors }: RateLimitRequest): RateLimitResponse => {
  const now = Date.now()
  if (now >= windowEndsAt) {
    counts.clear()
    windowEndsAt = now + windowMs
  }
  const statuses = descriptors.map(({ entries, limit: override, hitsAddend = 1n }) => {
    const key = JSON.stringify([domain, entries.map((entry) => [entry.key, entry.value])])
    const counted = (counts.get(key) ?? 0) + Number(hitsAddend)
    counts.set(key, counted)
    const requestsPerUnit = override?.requestsPerUnit ?? limit
    return {
      code: counted > requestsPerUnit ? Code.OVER_LIMIT : Code.OK,
      currentLimit: { requestsPerUnit, unit: Unit.MINUTE },
      limitRemaining: Math.max(0, requestsPerUnit - counted),
      durationUntilReset: { seconds: BigInt(Math.ceil((windowEndsAt - now) / 1000)) },
    }
  })
  const isOver = statuses.some(({ code }) => code === Code.OVER_LIMIT)
  return create(RateLimitResponseSchema, { overallCode: isOver ? Code.OVER_LIMIT : Code.OK, statuses })
}

const server = new Server()
server.register(
  `/${RateLimitService.typeName}/ShouldRateLimit`,
  (call: ServerUnaryCall<RateLimitRequest, RateLimitResponse>, told: sendUnaryData<RateLimitResponse>) => {
    told(null, count(call.request))
  },
  (answer: RateLimitResponse) => Buffer.from(toBinary(RateLimitResponseSchema, answer)),
  (bytes: Buffer) => fromBinary(RateLimitRequestSchema, bytes),
  'unary',
)
server.bindAsync(
  `127.0.0.1:${process.env.PORT ?? '8081'}`,
  ServerCredentials.createInsecure(),
  (error, port) => {
    if (error) throw error
    console.log(`counts on 127.0.0.1:${port}`)
  },
)
