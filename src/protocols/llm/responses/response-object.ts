import type { JsonObject } from '../../json/json-object.ts'
import type { LlmError } from '../errors/error.ts'

/** The attributes of a response that are known when it is encoded. */
export interface ResponseObjectAttributes {
  readonly id: string
  readonly model: string
  readonly createdAtS: number
  readonly serviceTier: string | undefined
}

/** The state of a response. */
export interface ResponseState {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  readonly output: readonly JsonObject[]
  readonly incomplete?: string | undefined
  readonly usage?: JsonObject | undefined
  readonly error?: LlmError | undefined
}

/**
 * A whole response object (`Response` of the SDK) with all required fields. Those that repeat the request, which is not
 * known here, have the values for a request without them.
 */
export const responseObject = (attributes: ResponseObjectAttributes, state: ResponseState): JsonObject => ({
  id: attributes.id,
  object: 'response',
  created_at: attributes.createdAtS,
  status: state.status,
  background: false,
  error: state.error ? { code: errorCode(state.error), message: state.error.message } : null,
  incomplete_details: state.incomplete === undefined ? null : { reason: state.incomplete },
  access_programs: null,
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  model: attributes.model,
  output: state.output,
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  service_tier: attributes.serviceTier ?? null,
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: null,
  truncation: 'disabled',
  ...(state.usage ? { usage: state.usage } : {}),
})

/** The id of a response: the provider's own, with the prefix of this format, or a new one if it has none. */
export const responseId = (id: string): string => {
  if (id.startsWith('resp_')) return id
  return `resp_${id === '' ? crypto.randomUUID().replaceAll('-', '') : id}`
}

/** The id of an item. Unique across responses, since clients put items of many into one conversation. */
export const itemId = (
  prefix: 'msg' | 'rs' | 'fc',
  attributes: ResponseObjectAttributes,
  index: number,
): string => `${prefix}_${attributes.id.slice('resp_'.length)}_${index}`

/** The current time, for providers that send no creation time. */
export const nowS = (): number => Math.floor(Date.now() / 1000)

/**
 * `ResponseError.code` of the SDK, or the provider's own code: clients support more than the SDK lists, but not those of
 * other vendors, such as `ThrottlingException`.
 */
const errorCode = ({ status, code }: LlmError): string => {
  if (code !== undefined && ownWord.test(code)) return code
  if (status === 429) return 'rate_limit_exceeded'
  return status === 400 ? 'invalid_prompt' : 'server_error'
}

const ownWord = /^[a-z][a-z0-9_]*$/
