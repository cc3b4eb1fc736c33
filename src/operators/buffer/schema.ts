import { type Properties, record, ref, whole, words } from '../../config/schema/builders.ts'

/** Bodies that are buffered whole before they are sent on. */
export interface BufferPolicy {
  readonly request?: ConfiguredSide
  readonly response?: ConfiguredSide
}

/** Without `maxBytes`: that of the frontend policies in force. */
type ConfiguredSide = Pick<BufferSide, 'failureMode'> & Partial<Pick<BufferSide, 'maxBytes'>>

/** What happens to a body larger than `maxBytes`: refused, or streamed unbuffered. */
export interface BufferSide {
  readonly maxBytes: number
  readonly failureMode: 'failClosed' | 'failOpen'
}

const bufferSide = record('Buffering of one body.', {
  maxBytes: whole('Maximum body size, in bytes. Default: `maxBufferSize` of the frontend policy `http`.', 0),
  failureMode: words(
    'What happens to larger bodies. `failClosed`: 413 for requests, 502 for responses. `failOpen`: they are streamed unbuffered.',
    ['failClosed', 'failOpen'],
    'failClosed',
  ),
})

const buffer = record('Buffers bodies until they are complete.', {
  request: ref('BufferSide'),
  response: ref('BufferSide'),
})

/** Definitions of `buffer`. */
export const bufferDefinitions: Properties = { BufferSide: bufferSide, Buffer: buffer }
