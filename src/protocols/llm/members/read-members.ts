import { isJsonObject, type JsonObject } from '../../json/json-object.ts'
import { CaseInsensitiveNames } from '../../json/case-insensitive-names.ts'
import { nameProblemIn, type NamesRead } from '../../json/name-problem.ts'
import { searchedNames } from '../texts/field-modes.ts'

/**
 * Describes a member whose name differs only in case from one that routing, rules and limits use: many servers parse
 * `Model` as `model`. Of nested objects, only those that control the response are checked: 0.14 µs.
 */
export const requestNameProblem = (body: JsonObject): string | undefined => {
  const problem = known.problemIn(body)
  if (problem !== undefined) return problem
  for (const name of steering) {
    const inner = body[name]
    const wrong = isJsonObject(inner) ? known.problemIn(inner) : undefined
    if (wrong !== undefined) return wrong
  }
  return undefined
}

/** The same check for a request, a response or an event, at every depth that guards and token counts read. */
export const textNameProblem = (body: JsonObject): string | undefined => nameProblemIn(body, texts)

const steering = ['generationConfig', 'generation_config', 'inferenceConfig', 'stream_options', 'reasoning']

const known = new CaseInsensitiveNames([
  ...searchedNames(),
  ...[
    'model',
    'modelId',
    'models',
    'stream',
    'stream_options',
    'include_usage',
    'input',
    'instances',
    'session',
  ],
  ...[
    'max_tokens',
    'max_completion_tokens',
    'max_output_tokens',
    'maxOutputTokens',
    'maxTokens',
    'n',
    'stop',
  ],
  ...['temperature', 'top_p', 'topP', 'top_k', 'topK', 'seed', 'user', 'store', 'thinking', 'thinkingConfig'],
  ...['frequency_penalty', 'frequencyPenalty', 'presence_penalty', 'presencePenalty', 'inferenceConfig'],
  ...['tool_choice', 'toolChoice', 'function_call', 'reasoning_effort', 'dimensions', 'encoding_format'],
  ...[
    'previous_response_id',
    'conversation',
    'cachedContent',
    'cached_content',
    'mcp_servers',
    'guardrailConfig',
  ],
  // Roles, and the types of parts.
  ...[
    'role',
    'type',
    'name',
    'id',
    'index',
    'format',
    'media_type',
    'mime_type',
    'mimeType',
    'file_data',
    'data',
  ],
  ...[
    'choices',
    'delta',
    'finish_reason',
    'tool_calls',
    'function',
    'content_block',
    'candidates',
    'item',
    'part',
  ],
  ...[
    'functionCall',
    'function_call',
    'functionResponse',
    'function_response',
    'toolUse',
    'toolResult',
    'tool_use',
  ],
  ...['contentBlockIndex', 'item_id', 'output_index', 'content_index', 'start', 'annotations', 'citations'],
  ...[
    'reasoningContent',
    'guardContent',
    'inlineData',
    'inline_data',
    'response',
    'audio',
    'custom',
    'event_id',
  ],
])

const texts: NamesRead = {
  known,
  isFree: (name, value, under) => {
    if (free.has(name)) return true
    if (name === 'response') return under !== undefined && toolResultFields.has(under)
    // The arguments of a tool call; elsewhere it is the prompt.
    if (name === 'input') return isJsonObject(value) && under !== undefined && under !== 'response'
    // The result of a function.
    return name === 'output' && isJsonObject(value) && (under === 'input' || under === 'item')
  },
}

/** Arguments, schemas and other members whose names are user-defined. */
const free: ReadonlySet<string> = new Set([
  ...[
    'arguments',
    'args',
    'json',
    'attributes',
    'env',
    'documents',
    'input_examples',
    'headers',
    'variables',
  ],
  ...[
    'parameters',
    'parametersJsonSchema',
    'parameters_json_schema',
    'input_schema',
    'inputSchema',
    'schema',
  ],
  ...[
    'responseSchema',
    'response_schema',
    'responseJsonSchema',
    'response_json_schema',
    '_responseJsonSchema',
  ],
  ...['output_schema', 'outputSchema', 'properties', 'metadata', 'requestMetadata', 'labels', 'logit_bias'],
  ...['logprobs', 'top_logprobs', 'logprobsResult', 'promptVariables', 'extra_body', 'chat_template_kwargs'],
  ...['additionalModelRequestFields', 'additional_model_request_fields'],
  ...['additionalModelResponseFields', 'additional_model_response_fields'],
])

const toolResultFields: ReadonlySet<string> = new Set([
  ...['functionResponse', 'function_response', 'functionDeclarations', 'function_declarations'],
])
