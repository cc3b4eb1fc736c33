import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Verdict } from '../../pipeline/stage.ts'
import { applied } from '../trace-policy.ts'
import { requestParts } from '../transformations/request.ts'
import { processMessage } from './process-message.ts'
import { failureVerdict } from './processing-failure.ts'
import { requestHead } from './processing-messages.ts'
import type { ProcessorStream } from './processor-stream.ts'

/** How requests are processed. */
export interface RequestProcessingOptions {
  readonly failsOpen: boolean
  /** Fields that the processor sets: the client's own are removed. Lower-case. */
  readonly resultHeaders: readonly string[]
  readonly bufferLimitBytes: number
  /** Name of the stage in trace events. */
  readonly tracedAs: string
}

/** Sends a request to the processor, and applies its changes. */
export const processRequest = async (
  x: Exchange,
  processor: ProcessorStream,
  { failsOpen, resultHeaders, bufferLimitBytes, tracedAs }: RequestProcessingOptions,
): Promise<Verdict> => {
  const { request } = x
  const processing = processMessage(
    {
      x,
      direction: 'request',
      message: request,
      hasBody: request.body.lengthBytes !== 0,
      mayHaveTrailers: request.hasTrailers,
      parts: requestParts,
      head: (endOfStream) => requestHead(x, endOfStream),
      limitBytes: bufferLimitBytes,
    },
    processor,
  )
  // By now the processor has seen them; it could not change them before.
  for (const name of resultHeaders) request.headers.delete(name)
  try {
    await processing
    x.probe?.record(applied('ext_proc', 'processed the request'))
    x.probe?.snapshot(tracedAs)
    return undefined
  } catch (why) {
    return failureVerdict(x, processor, processor.request, why, failsOpen)
  }
}
