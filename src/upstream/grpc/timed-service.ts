import type { GrpcService } from './grpc-client.ts'

/** A service whose calls are timed: to the response, the first message of a stream, or the failure. */
export const timedCalls = (service: GrpcService, onTimed: (seconds: number) => void): GrpcService => ({
  unary: async (method, message, options) => {
    const recordTime = timer(onTimed)
    try {
      return await service.unary(method, message, options)
    } finally {
      recordTime()
    }
  },
  stream: (method, events, options) => {
    const recordTime = timer(onTimed)
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
  onConnected: (then) => service.onConnected(then),
})

const timer = (onTimed: (seconds: number) => void): (() => void) => {
  const startedAt = performance.now()
  let isRecorded = false
  return () => {
    if (isRecorded) return
    isRecorded = true
    onTimed((performance.now() - startedAt) / 1000)
  }
}
