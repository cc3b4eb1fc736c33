import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import type { Verdict } from '../../pipeline/stage.ts'
import { applied } from '../trace-policy.ts'
import { ProcessorFault, processorRefusal } from './processor-fault.ts'
import { Interruption, type ProcessorState } from './processor-state.ts'
import type { ProcessorStream } from './processor-stream.ts'

/**
 * The verdict after a direction could not be processed: the processor's immediate response, a refusal, or none where
 * the exchange may continue without the processor.
 *
 * @throws Every error that is not about the processor.
 */
export const failureVerdict = (
  x: Exchange,
  processor: ProcessorStream,
  state: ProcessorState,
  why: unknown,
  failsOpen: boolean,
): Verdict => {
  if (why instanceof Interruption) return interruptedReply(x, processor, why.reply)
  processor.release()
  if (!(why instanceof ProcessorFault)) throw why
  const isOpen = failsOpen && why.isOfTransport && !state.handedOver && !processor.request.isFlowing
  const cause = why.cause instanceof Error ? `: ${why.cause.message}` : ''
  x.probe?.record(applied('ext_proc', why.message + cause))
  return isOpen ? undefined : processorRefusal(why)
}

/** The reply that takes the place of the upstream's because of what happened while the request was processed. */
export const replacementReply = (
  x: Exchange,
  processor: ProcessorStream,
  reply: Reply,
): Reply | undefined => {
  const { interruption, failure, fault, request } = processor
  if (interruption) return interruptedReply(x, processor, interruption)
  // A body that the processor keeps is lost, and a reply to the rest of it would be wrong.
  if (fault && !request.isDone && (request.handedOver || failure)) return processorRefusal(fault)
  return reply.reason === 'Upstream' && failure ? processorRefusal(failure) : undefined
}

const interruptedReply = (x: Exchange, processor: ProcessorStream, reply: Reply): Reply => {
  processor.interruption = undefined
  x.probe?.record(applied('ext_proc', `the processor answered with status ${reply.status}`))
  return reply
}
