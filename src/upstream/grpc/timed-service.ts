import type { GrpcService } from './grpc.ts'

/** Calls of a service, each of which is timed: to its answer, the first one of a stream, or to its failure. */
export const timedCalls = (service: GrpcService, took: (seconds: number) => void): GrpcService => ({
  unary: async (method, message, options) => {
    const tell = timer(took)
    try {
      return await service.unary(method, message, options)
    } finally {
      tell()
    }
  },
  stream: (method, events, options) => {
    const tell = timer(took)
    const heard: typeof events = {
      message(one) {
        tell()
        events.message(one)
      },
      ended(fault) {
        tell()
        events.ended(fault)
      },
    }
    return service.stream(method, heard, options)
  },
  whenReached: (then) => service.whenReached(then),
})

const timer = (took: (seconds: number) => void): (() => void) => {
  const startedAt = performance.now()
  let isTold = false
  return () => {
    if (isTold) return
    isTold = true
    took((performance.now() - startedAt) / 1000)
  }
}
