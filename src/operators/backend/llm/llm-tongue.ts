import { BufferBody } from '../../../model/body.ts'
import type { LlmRouteType } from '../../../model/llm.ts'
import type { Reply } from '../../../model/reply.ts'
import type { Request } from '../../../model/request.ts'
import type { Tongue } from '../../../model/tongue.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import type { ChatFormat } from '../../../protocols/llm/format.ts'
import { clientFormat } from './client-format.ts'

/** How the clients of a format are told of errors: as the provider that they were written for does it. */
export const tongueOf = (type: LlmRouteType): Tongue => tongues[dialectOf(type)]

/** The same where only the client tells which one that is. */
export const tongueFor = (type: LlmRouteType, request: Request): Tongue =>
  type === 'passthrough' || type === 'models' || type === 'detect'
    ? tongues[clientFormat(request)]
    : tongueOf(type)

/** The chat format whose errors a client understands; that of OpenAI is understood most widely. */
export const dialectOf = (type: LlmRouteType): ChatFormat => dialects[type] ?? 'completions'

const dialects: Partial<Record<LlmRouteType, ChatFormat>> = {
  messages: 'messages',
  anthropicTokenCount: 'messages',
  responses: 'responses',
  generateContent: 'generateContent',
  geminiCountTokens: 'generateContent',
  converse: 'converse',
  invoke: 'converse',
}

const speaking = (format: ChatFormat): Tongue => ({
  say(reply: Reply) {
    const { status, error: message = '', code } = reply
    const type = code !== undefined && aboutModels.has(code) ? 'invalid_request_error' : undefined
    const error = codecs[format].encodeError({ status, message, code, type })
    reply.headers.set('content-type', 'application/json')
    reply.headers.delete('content-length')
    reply.body = new BufferBody(JSON.stringify(error))
    return reply
  },
})

/** OpenAI's clients take a model that is not there for them for a mistake of their own, whatever the status. */
const aboutModels: ReadonlySet<string> = new Set([
  'model_not_found',
  'model_not_allowed',
  'model_authorization_denied',
  'unknown_price',
  'virtual_model_not_resolved',
  'virtual_model_target_not_found',
])

const tongues: Readonly<Record<ChatFormat, Tongue>> = {
  completions: speaking('completions'),
  messages: speaking('messages'),
  responses: speaking('responses'),
  generateContent: speaking('generateContent'),
  converse: speaking('converse'),
}
