import { DEFAULT_BUFFER_BYTES } from '../../model/exchange/buffer-limit.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { keepOpen } from '../../pipeline/keep-open.ts'
import { onReply, onRequest, type Verdict } from '../../pipeline/stage.ts'
import type { GrpcService } from '../../upstream/grpc/grpc-client.ts'
import { bodiesReadBy, combinedBufferNeed, withBufferedBodies } from '../body/buffer-body.ts'
import type { Phases } from '../phases.ts'
import { skipped } from '../trace-policy.ts'
import {
  attributesByNamespace,
  type AttributeNamespaces,
  type AttributeValues,
  evaluateAttributes,
  initialMetadata,
} from './attributes.ts'
import { processReply } from './process-reply.ts'
import { processRequest } from './process-request.ts'
import { replacementReply } from './processing-failure.ts'
import type { ExchangeModes } from './processing-mode.ts'
import { ProcessorStream } from './processor-stream.ts'

/** The processor, and what is sent to it. */
export interface ExtProcOptions {
  readonly service: GrpcService
  /** How long the processor may take for a response; undefined sets no limit. */
  readonly messageTimeoutMs: number | undefined
  /** Continues without an unreachable processor, unless it has received a body already. */
  readonly failsOpen: boolean
  readonly modes: ExchangeModes
  readonly allowsOverride: boolean
  readonly metadataContext: AttributeNamespaces
  readonly requestAttributes: AttributeValues
  readonly responseAttributes: AttributeValues
  /** Fields that the processor sets: the client's own are removed. Lower-case. */
  readonly resultHeaders: readonly string[]
  /** Longest body that is sent in one message, or read by expressions, in bytes. 2 MiB by default. */
  readonly bufferLimitBytes?: number | undefined
  /**
   * The time limit of an exchange, counted from its admission; the timeout around the backend does not cover this
   * stage.
   */
  readonly limitMs: number | undefined
  /** Name of the stage in trace events. */
  readonly tracedAs: 'gateway ext proc' | 'ext proc'
}

/**
 * Has a service process requests and upstream responses, and change both: heads, bodies, trailers. It may also reply
 * itself, at any time until the head of another reply is sent.
 *
 * One stream serves an exchange from its request to the last byte of its reply, and no longer. Local replies are not
 * sent to the service. If the service fails, the reply is 500 `ext_proc failed: …`, or the connection is cut if a reply
 * is partly sent; `failsOpen` continues without an unreachable service, as long as it has not been given a body.
 *
 * Belongs after everything that decides which requests pass, and before everything that reads what the service may
 * change.
 */
export const extProc = (options: ExtProcOptions): Phases => {
  const { metadataContext, bufferLimitBytes = DEFAULT_BUFFER_BYTES, limitMs } = options
  const processors = new WeakMap<Exchange, ProcessorStream>()
  const processing = { ...options, bufferLimitBytes }

  const beginRequest = (x: Exchange): Verdict | Promise<Verdict> => {
    const processor = new ProcessorStream(x, {
      ...options,
      messageTimeoutMs: options.messageTimeoutMs,
      initial: initialMetadata(x, metadataContext),
      context: attributesByNamespace(x, metadataContext),
      replacesFields: false,
      onMetadata: (metadata) => {
        x.policy.extProc = { ...x.policy.extProc, ...metadata }
      },
    })
    processors.set(x, processor)
    processor.attributes = attributesOf(x, options.requestAttributes)
    return processRequest(x, processor, processing)
  }

  const beginReply = (x: Exchange): Verdict | Promise<Verdict> => {
    const processor = processors.get(x)
    const { reply } = x
    if (!processor || !reply) return undefined
    const replacement = replacementReply(x, processor, reply)
    if (replacement) {
      reply.body.drop()
      return replacement
    }
    if (reply.reason !== 'Upstream' || processor.isClosed) {
      x.probe?.record(skipped('ext_proc', 'the response is not shown'))
      processor.reply.finish()
      return undefined
    }
    processor.context = attributesByNamespace(x, metadataContext)
    processor.attributes = attributesOf(x, options.responseAttributes)
    if (limitMs !== undefined) processor.limit(limitMs - (performance.now() - x.request.startedAt))
    return processReply(x, reply, processor, processing)
  }

  const bodies = bufferNeeds(options)
  const reply = onReply('ext-proc-reply', withBufferedBodies(bodies.reply, bufferLimitBytes, beginReply))
  return {
    request: onRequest('ext-proc', withBufferedBodies(bodies.request, bufferLimitBytes, beginRequest)),
    reply: keepOpen(reply, (x) => processors.get(x)),
  }
}

/** The bodies that attributes read, by direction. */
const bufferNeeds = ({ metadataContext, requestAttributes, responseAttributes }: ExtProcOptions) => {
  const context = metadataContext.flatMap(([, values]) => values)
  const onRequestPath = bodiesReadBy(expressionsOf([...context, ...requestAttributes]))
  const onReplyPath = bodiesReadBy(expressionsOf([...context, ...responseAttributes]))
  return {
    // Request bodies that are read for the reply have to be buffered before the request is sent.
    request: {
      request: combinedBufferNeed(onRequestPath.request, onReplyPath.request),
      reply: false as const,
    },
    reply: { request: false as const, reply: onReplyPath.reply },
  }
}

const attributesOf = (x: Exchange, values: AttributeValues) =>
  values.length ? evaluateAttributes(x, values) : undefined

const expressionsOf = (values: AttributeValues) => values.map(([, value]) => value)
