import type { GrpcCallOptions, GrpcService } from './grpc-client.ts'

/**
 * A service whose calls are timed: to the response, the first message of a stream, or the failure.
 *
 * @param onBegin Called with each call; what it returns is called at the end of the call.
 */
export const timedCalls = (
  service: GrpcService,
  onTimed: (seconds: number) => void,
  onBegin: (options: GrpcCallOptions) => () => void = () => () => undefined,
): GrpcService => ({
  unary: async (method, message, options) => {
    const recordTime = timer(onTimed)
    const end = onBegin(options)
    try {
      return await service.unary(method, message, options)
    } finally {
      end()
      recordTime()
    }
  },
  stream: (method, events, options) => {
    const recordTime = timer(onTimed)
    const end = onBegin(options)
    const timed: typeof events = {
      message(one) {
        recordTime()
        events.message(one)
      },
      ended(fault) {
        end()
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
