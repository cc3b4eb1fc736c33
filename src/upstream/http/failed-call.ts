import type { Fault } from '../../model/exchange/fault.ts'
import type { UpstreamCall, UpstreamEvents } from '../call.ts'

/** A call that failed before it started. */
export const failedCall = (events: UpstreamEvents, fault: Fault): UpstreamCall => {
  events.fail(fault)
  return over
}

const over: UpstreamCall = { abort: () => undefined }
