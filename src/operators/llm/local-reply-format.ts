import { BufferBody } from '../../model/exchange/body.ts'
import type { LlmRouteType } from '../../model/llm/llm-backend.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import type { Request } from '../../model/exchange/request.ts'
import type { LocalReplyFormat } from '../../model/exchange/local-reply-format.ts'
import { codecs } from '../../protocols/llm/codecs.ts'
import type { ChatFormat } from '../../protocols/llm/format.ts'
import { clientFormat } from './request/client-format.ts'

/**
 * How local replies are formatted for clients of a format: like errors of the provider that the format belongs to.
 */
export const errorFormatOf = (type: LlmRouteType): LocalReplyFormat => formats[errorChatFormat(type)]

/** The same, with types for which only the request determines the format. */
export const errorFormatFor = (type: LlmRouteType, request: Request): LocalReplyFormat =>
  type === 'passthrough' || type === 'models' || type === 'detect'
    ? formats[clientFormat(request)]
    : errorFormatOf(type)

/** The chat format whose errors a client understands. The default is that of OpenAI, which is the most common. */
export const errorChatFormat = (type: LlmRouteType): ChatFormat => errorFormats[type] ?? 'completions'

const errorFormats: Partial<Record<LlmRouteType, ChatFormat>> = {
  messages: 'messages',
  anthropicTokenCount: 'messages',
  responses: 'responses',
  generateContent: 'generateContent',
  geminiCountTokens: 'generateContent',
  converse: 'converse',
  invoke: 'converse',
}

const localReplyFormat = (format: ChatFormat): LocalReplyFormat => ({
  format(reply: Reply) {
    const { status, error: message = '', code } = reply
    const type = code !== undefined && modelErrors.has(code) ? 'invalid_request_error' : undefined
    const error = codecs[format].encodeError({ status, message, code, type })
    reply.headers.set('content-type', 'application/json')
    reply.headers.delete('content-length')
    reply.body = new BufferBody(JSON.stringify(error))
    return reply
  },
})

/** For OpenAI's clients an unknown model is an invalid request, whatever the status. */
const modelErrors: ReadonlySet<string> = new Set([
  'model_not_found',
  'model_not_allowed',
  'model_authorization_denied',
  'unknown_price',
  'virtual_model_not_resolved',
  'virtual_model_target_not_found',
])

const formats: Readonly<Record<ChatFormat, LocalReplyFormat>> = {
  completions: localReplyFormat('completions'),
  messages: localReplyFormat('messages'),
  responses: localReplyFormat('responses'),
  generateContent: localReplyFormat('generateContent'),
  converse: localReplyFormat('converse'),
}
