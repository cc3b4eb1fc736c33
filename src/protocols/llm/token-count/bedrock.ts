import type { JsonObject } from '../../json/json-object.ts'
import { BadReply } from '../chat/codec.ts'
import { Fields } from '../members/fields.ts'
import type { TranslateCall } from '../translated-call.ts'

/**
 * Counts the tokens of Anthropic's Messages on Bedrock: `CountTokens` of a request to `InvokeModel`, which must be
 * complete, so a limit is added although no response is generated.
 */
export const bedrockTokenCount: TranslateCall = (body) => {
  const { model: _model, stream: _stream, ...rest } = body
  const request: JsonObject = { max_tokens: 1, ...rest, anthropic_version: 'bedrock-2023-05-31' }
  const bytes = Buffer.from(JSON.stringify(request))
  return {
    body: { input: { invokeModel: { body: bytes.toString('base64') } } },
    reply: (response) => {
      const fields = new Fields(response, '', { refusal: BadReply })
      return { input_tokens: fields.number('inputTokens') ?? fields.refuse('inputTokens', 'is missing') }
    },
  }
}
