import { type Properties, record, ref, whole, words } from '../../config/schema/builders.ts'

/** Bodies that are read whole before they are passed on. */
export interface BufferPolicy {
  readonly request?: BufferSide
  readonly response?: BufferSide
}

/** What becomes of a body larger than `maxBytes`: refused, or passed on unbuffered. */
export interface BufferSide {
  readonly maxBytes: number
  readonly failureMode: 'failClosed' | 'failOpen'
}

const bufferSide = record('How one body is held back until it is complete.', {
  maxBytes: whole('Longest body. Default: `frontendPolicies.http.maxBufferSize`.', 0),
  failureMode: words(
    'What happens to longer ones: an error (413, or 502 for answers), or they pass unheld.',
    ['failClosed', 'failOpen'],
    'failClosed',
  ),
})

const buffer = record('Holds bodies back until they are complete.', {
  request: ref('BufferSide'),
  response: ref('BufferSide'),
})

/** Definitions about `buffer`. */
export const bufferDefinitions: Properties = { BufferSide: bufferSide, Buffer: buffer }
