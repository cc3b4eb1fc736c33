/** A way to write a conversation. */
export type ChatFormat =
  'completions' | 'messages' | 'responses' | 'generateContent' /** Bedrock Converse. */ | 'converse'

/** A way to write any other request whose meaning is known. */
export type OtherFormat = 'embeddings' | 'rerank' | 'anthropicTokenCount' | 'geminiCountTokens'

/** A request whose meaning is known. */
export type Format = ChatFormat | OtherFormat

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
