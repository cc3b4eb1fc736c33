/** A format of conversations. */
export type ChatFormat =
  'completions' | 'messages' | 'responses' | 'generateContent' /** Bedrock Converse. */ | 'converse'

/** A format of other requests that the gateway can parse. */
export type OtherFormat = 'embeddings' | 'rerank' | 'anthropicTokenCount' | 'geminiCountTokens'

/** A format that the gateway can parse. */
export type Format = ChatFormat | OtherFormat

const chatFormats: ReadonlySet<string> = new Set<ChatFormat>([
  'completions',
  'messages',
  'responses',
  'generateContent',
  'converse',
])

/**
 * Whether a type is a format of conversations.
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

/** Whether a type is a format that the gateway can parse. */
export const isFormat = (type: string | undefined): type is Format =>
  type !== undefined && (chatFormats.has(type) || otherFormats.has(type))
