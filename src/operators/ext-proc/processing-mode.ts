import type { ConfiguredBodyMode, ProcessingOptions } from './schema.ts'
import {
  type ProcessingMode,
  type ProcessingMode_BodySendMode,
  ProcessingMode_BodySendMode as BodySendMode,
  type ProcessingMode_HeaderSendMode,
  ProcessingMode_HeaderSendMode as HeaderSendMode,
} from '../../protocols/grpc/processing-mode.gen.ts'

/** The two directions of an exchange. */
export type Direction = 'request' | 'reply'

/** How a body is sent; `streamed` can only be chosen by a processor. */
export type BodyMode = ConfiguredBodyMode | 'streamed'

/** What is sent to a processor, for one direction. */
export interface Modes {
  readonly headers: boolean
  readonly body: BodyMode
  readonly trailers: boolean
}

/** What is sent to a processor. */
export type ExchangeModes = Readonly<Record<Direction, Modes>>

/** The modes of the configuration. */
export const configuredModes = (options: ProcessingOptions): ExchangeModes => ({
  request: {
    headers: options.requestHeaderMode === 'send',
    body: options.requestBodyMode,
    trailers: options.requestTrailerMode === 'send',
  },
  reply: {
    headers: options.responseHeaderMode === 'send',
    body: options.responseBodyMode,
    trailers: options.responseTrailerMode === 'send',
  },
})

/**
 * The modes after an override by the processor. Unknown values change nothing; a body that flows already keeps its
 * mode, and so do its trailers.
 *
 * @param by The direction whose headers response has the override: the reply's modes can still be changed with the
 *   request's.
 */
export const overriddenModes = (
  modes: ExchangeModes,
  override: ProcessingMode,
  by: Direction,
  isFlowing: boolean,
): ExchangeModes => {
  const reply = {
    headers: by === 'reply' ? modes.reply.headers : sends(override.responseHeaderMode, modes.reply.headers),
    body: bodyMode(override.responseBodyMode, modes.reply.body),
    trailers: sends(override.responseTrailerMode, modes.reply.trailers),
  }
  if (by === 'reply') return isFlowing ? modes : { ...modes, reply }
  if (isFlowing) return { ...modes, reply }
  const request = {
    headers: modes.request.headers,
    body: bodyMode(override.requestBodyMode, modes.request.body),
    trailers: sends(override.requestTrailerMode, modes.request.trailers),
  }
  return { request, reply }
}

/** The body modes, as announced in the first message. */
export const protocolConfig = ({ request, reply }: ExchangeModes) => ({
  requestBodyMode: sendModes[request.body],
  responseBodyMode: sendModes[reply.body],
})

const sendModes: Readonly<Record<BodyMode, ProcessingMode_BodySendMode>> = {
  none: BodySendMode.NONE,
  streamed: BodySendMode.STREAMED,
  buffered: BodySendMode.BUFFERED,
  bufferedPartial: BodySendMode.BUFFERED_PARTIAL,
  fullDuplexStreamed: BodySendMode.FULL_DUPLEX_STREAMED,
}

const bodyModes = new Map(Object.entries(sendModes).map(([mode, number]) => [number, mode as BodyMode]))

const bodyMode = (mode: ProcessingMode_BodySendMode, before: BodyMode): BodyMode =>
  bodyModes.get(mode) ?? before

const sends = (mode: ProcessingMode_HeaderSendMode, before: boolean): boolean => {
  if (mode === HeaderSendMode.SEND) return true
  return mode === HeaderSendMode.SKIP ? false : before
}
