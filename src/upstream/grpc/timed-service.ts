import type { GrpcService } from './grpc-client.ts'

/** A service whose calls are timed: to the response, the first message of a stream, or the failure. */
export const timedCalls = (service: GrpcService, took: (seconds: number) => void): GrpcService => ({
  unary: async (method, message, options) => {
    const recordTime = timer(took)
    try {
      return await service.unary(method, message, options)
    } finally {
      recordTime()
    }
  },
  stream: (method, events, options) => {
    const recordTime = timer(took)
    const timed: typeof events = {
      message(one) {
        recordTime()
        events.message(one)
      },
      ended(fault) {
        recordTime()
        events.ended(fault)
      },
    }
    return service.stream(method, timed, options)
  },
  whenReached: (then) => service.whenReached(then),
})

const timer = (took: (seconds: number) => void): (() => void) => {
  const startedAt = performance.now()
  let isRecorded = false
  return () => {
    if (isRecorded) return
    isRecorded = true
    took((performance.now() - startedAt) / 1000)
  }
}
