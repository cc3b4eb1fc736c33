/** A way to write a conversation. */
export type ChatFormat =
  'completions' | 'messages' | 'responses' | 'generateContent' /** Bedrock Converse. */ | 'converse'

/** A way to write any other request whose meaning is known. */
export type OtherFormat = 'embeddings' | 'rerank' | 'anthropicTokenCount' | 'geminiCountTokens'

/** A request whose meaning is known. */
export type Format = ChatFormat | OtherFormat

/**
 * What a path says of a request: its format; that it goes unchanged and is looked at (`detect`), or not even that
 * (`passthrough`); that it asks which models there are; or that it is a conversation over a WebSocket.
 */
export type RouteType = Format | 'detect' | 'passthrough' | 'models' | 'realtime'

const chatFormats: ReadonlySet<string> = new Set<ChatFormat>([
  'completions',
  'messages',
  'responses',
  'generateContent',
  'converse',
])

/**
 * Whether it is a format of conversations.
 *
 * @example
 * isChatFormat('messages') // true
 * isChatFormat('embeddings') // false
 */
export const isChatFormat = (type: string | undefined): type is ChatFormat =>
  type !== undefined && chatFormats.has(type)

const otherFormats: ReadonlySet<string> = new Set<OtherFormat>([
  'embeddings',
  'rerank',
  'anthropicTokenCount',
  'geminiCountTokens',
])

/** Whether it is a format at all. */
export const isFormat = (type: string | undefined): type is Format =>
  type !== undefined && (chatFormats.has(type) || otherFormats.has(type))
