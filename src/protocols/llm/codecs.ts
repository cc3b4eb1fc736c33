import type { ChatCodec } from './chat/codec.ts'
import { completions } from './completions/codec.ts'
import { converse } from './converse/codec.ts'
import type { ChatFormat } from './format.ts'
import { generateContent } from './generate-content/codec.ts'
import { messages } from './messages/codec.ts'
import { responses } from './responses/codec.ts'

/**
 * The codec of each format.
 *
 * @example
 * const encoder = codecs.messages.encodeStream({ model: 'm', includeUsage: true })
 * const decoder = codecs.completions.decodeStream()
 * let text = ''
 * decoder.push(undefined, '[DONE]', (event) => void (text += encoder.encode(event)))
 * text.startsWith('event: error\ndata: ') // true
 */
export const codecs: Readonly<Record<ChatFormat, ChatCodec>> = {
  completions,
  messages,
  responses,
  generateContent,
  converse,
}
