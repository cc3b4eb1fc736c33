import { isHarmless } from './harmless-members.ts'

/** How a member of an error is searched, by its name. All members may be texts, except codes and identifiers. */
export const modeOfError = (name: string): Mode | undefined => (forPrograms.has(name) ? undefined : 'error')

const forPrograms: ReadonlySet<string> = new Set([
  ...['type', '@type', '__type', 'code', 'status', 'param', 'object', 'domain', 'locale', 'provider_name'],
  ...['id', 'request_id', 'requestId', 'event_id', 'url'],
])

/** How a value is searched for texts. */
export type Mode =
  /** A string is a text. Objects are parts. */
  | 'text'
  /** Strings are no texts. Objects are parts: the names of their members decide. */
  | 'parts'
  /** Like `text`, for unknown members: base64 data is no text. */
  | 'other'
  /** A string is a text unless it is a single word. */
  | 'name'
  /** All strings at any depth are texts. */
  | 'all'
  /** Like `parts`, but descriptions of values are schemas. A string in a list is a text. */
  | 'tools'
  /** Strings are no texts. An object is a JSON schema: its keywords decide. */
  | 'schema'
  /** All members of an object are schemas, whatever their names. */
  | 'schemas'
  /** A string is a text. An object is an error: the names of its members decide. */
  | 'error'
  /** A string is a text in base64. */
  | 'encoded'
  /** Like `parts`, but `bytes` is a text in base64. */
  | 'document'
  /** All members of an object are texts, whatever their names. */
  | 'values'

/**
 * How a member of a part is searched, by its name; undefined if it is not. Unknown members and parts are searched too: a
 * guard may see too many texts, but not too few.
 */
export const modeOf = (name: string, value: unknown): Mode | undefined => {
  const known = modes.get(name) ?? inAnyCase.get(unCased(name))
  // A setting in the form of a string is an enumeration value.
  if (known === 'tools' && typeof value === 'string') return 'name'
  if (known !== undefined) return known === 'none' ? undefined : known
  return ofUnknown(name, value, 'parts')
}

/** The same for definitions of tools and of output formats. */
export const modeOfTool = (name: string, value: unknown): Mode | undefined => {
  const known = toolModes.get(name) ?? toolModesInAnyCase.get(unCased(name))
  if (known !== undefined) return known === 'none' ? undefined : known
  return ofUnknown(name, value, 'tools')
}

const ofUnknown = (name: string, value: unknown, inside: 'parts' | 'tools'): Mode | undefined => {
  if (isHarmless(name)) return Array.isArray(value) ? 'parts' : typeof value === 'object' ? inside : undefined
  if (unCased(name) === 'name') return 'name'
  if (typeof value !== 'object') return 'other'
  return Array.isArray(value) && inside === 'parts' ? 'other' : inside
}

const texts = [
  ...['text', 'content', 'contents', 'parts', 'messages', 'message', 'prompt', 'query', 'queries'],
  ...['output', 'outputs', 'results', 'result', 'refusal', 'thinking', 'reasoning', 'reasoning_content'],
  ...['reasoningText', 'summary', 'title', 'context', 'cited_text', 'document_title', 'snippet', 'abstract'],
  ...['transcript', 'code', 'command', 'commands', 'stdout', 'stderr', 'logs', 'diff', 'path', 'pattern'],
  ...['instructions', 'instruction', 'system', 'systemInstruction', 'system_instruction', 'preamble'],
  ...[
    'explanation',
    'reason',
    'error',
    'filename',
    'displayName',
    'display_name',
    'revised_prompt',
    'source',
  ],
  ...['partial_json', 'stringValue', 'string_value', 'finishMessage', 'finish_message', 'lines'],
  ...['renderedContent', 'webSearchQueries', 'retrievalQueries', 'modelOutput', 'match'],
  ...[
    'inputText',
    'input_text',
    'outputText',
    'texts',
    'chat_history',
    'generation',
    'completion',
    'output_text',
  ],
]

/** The content of these is defined by a tool or an application. */
const wholly = [
  ...['input', 'arguments', 'args', 'json', 'attributes', 'env', 'documents', 'input_examples'],
  ...['additionalModelResponseFields', 'additional_model_response_fields'],
]

/** Bytes, signatures, repetitions and settings. */
const nothing = [
  ...['encrypted_content', 'signature', 'reasoning_signature', 'thoughtSignature', 'thought_signature'],
  ...['redactedContent', 'bytes'],
  ...['logprobs', 'top_logprobs', 'logprobsResult', 'usage', 'usageMetadata', 'cache_control', 'cachePoint'],
  ...['metadata', 'requestMetadata', 'labels'],
  // Credentials, which guards must not receive.
  ...['authorization', 'authorization_token', 'headers', 'api_key', 'password', 'secret', 'client_secret'],
]

const descriptions = [
  ...['tools', 'functions', 'toolConfig', 'functionDeclarations', 'function_declarations'],
  // Output formats.
  ...['response_format', 'output_config', 'output_format', 'outputConfig'],
  ...['generationConfig', 'generation_config'],
]

/** Names of members with a mode of their own. */
export const searchedNames = (): string[] => [...modes.keys(), ...toolModes.keys()]

const modes: ReadonlyMap<string, Mode | 'none'> = new Map<string, Mode | 'none'>([
  ...texts.map((name) => [name, 'text'] as const),
  ...wholly.map((name) => [name, 'all'] as const),
  ...descriptions.map((name) => [name, 'tools'] as const),
  ...nothing.map((name) => [name, 'none'] as const),
  // Of a prompt that is stored at the provider.
  ['variables', 'values'],
])

const schemata = [
  ...[
    'parameters',
    'parametersJsonSchema',
    'parameters_json_schema',
    'input_schema',
    'inputSchema',
    'schema',
  ],
  ...['response', 'responseJsonSchema', 'response_json_schema', 'responseSchema', 'response_schema'],
  ...['output_schema', 'outputSchema', '_responseJsonSchema'],
]

const toolModes: ReadonlyMap<string, Mode | 'none'> = new Map<string, Mode | 'none'>([
  // A definition is a grammar of a tool's input.
  ...['description', 'server_description', 'instructions', 'title', 'definition'].map(
    (name) => [name, 'text'] as const,
  ),
  ['input_examples', 'all'],
  ...schemata.map((name) => [name, 'schema'] as const),
  ...['headers', 'authorization', 'authorization_token', 'cache_control', 'metadata'].map(
    (name) => [name, 'none'] as const,
  ),
])

const unCased = (name: string): string => (LOWER.test(name) ? name : name.toUpperCase().toLowerCase())

const LOWER = /^[a-z0-9_]*$/

const withoutCase = (known: ReadonlyMap<string, Mode | 'none'>): ReadonlyMap<string, Mode> =>
  new Map([...known].flatMap(([name, mode]) => (mode === 'none' ? [] : [[unCased(name), mode] as const])))

/** Some servers accept `Content` for `content`, and `ſystem` for `system`. */
const inAnyCase = withoutCase(modes)
const toolModesInAnyCase = withoutCase(toolModes)
