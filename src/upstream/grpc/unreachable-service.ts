import type { Fault } from '../../model/exchange/fault.ts'
import type { GrpcService } from './grpc-client.ts'

/** A service whose calls all fail. `why` is made for each. */
export const unreachableService = (why: () => Fault): GrpcService => ({
  unary: () => Promise.reject(why()),
  stream: () => {
    throw why()
  },
  onConnected: () => () => undefined,
})
