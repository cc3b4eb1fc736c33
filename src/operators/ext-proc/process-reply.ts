import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import type { Verdict } from '../../pipeline/stage.ts'
import { isBodiless } from '../body/buffer-body.ts'
import { applied } from '../trace-policy.ts'
import { replyParts } from '../transformations/reply.ts'
import { processMessage } from './process-message.ts'
import { failureVerdict } from './processing-failure.ts'
import { replyHead } from './processing-messages.ts'
import type { ProcessorStream } from './processor-stream.ts'

/** How replies are processed. */
export interface ReplyProcessingOptions {
  readonly failsOpen: boolean
  readonly bufferLimitBytes: number
  /** Name of the stage in trace events. */
  readonly tracedAs: string
}

/** Sends the reply of an upstream to the processor, and applies its changes. */
export const processReply = async (
  x: Exchange,
  reply: Reply,
  processor: ProcessorStream,
  { failsOpen, bufferLimitBytes, tracedAs }: ReplyProcessingOptions,
): Promise<Verdict> => {
  const isWithout = isBodiless(x, reply) || reply.body.lengthBytes === 0
  processor.upload?.stopPausing()
  try {
    await processMessage(
      {
        x,
        direction: 'reply',
        message: reply,
        hasBody: !isWithout,
        mayHaveTrailers: reply.body.lengthBytes === undefined,
        parts: replyParts,
        head: (endOfStream) => replyHead(reply, endOfStream),
        limitBytes: bufferLimitBytes,
      },
      processor,
    )
    x.probe?.record(applied('ext_proc', 'processed the response'))
    x.probe?.snapshot(tracedAs)
    return undefined
  } catch (why) {
    const verdict = failureVerdict(x, processor, processor.reply, why, failsOpen)
    if (verdict) reply.body.drop()
    return verdict
  }
}
