import { isHarmless } from './harmless-members.ts'

/** How a member of an error is searched, by its name: all of it may be words, but for those that programs read. */
export const modeOfError = (name: string): Mode | undefined => (forPrograms.has(name) ? undefined : 'error')

const forPrograms: ReadonlySet<string> = new Set([
  ...['type', '@type', '__type', 'code', 'status', 'param', 'object', 'domain', 'locale', 'provider_name'],
  ...['id', 'request_id', 'requestId', 'event_id', 'url'],
])

/** How a value is searched: what of it is text. */
export type Mode =
  /** A string is one. Objects are parts. */
  | 'text'
  /** Strings are none. Objects are parts: their members say what they are by their names. */
  | 'parts'
  /** As texts, though nobody knows what they are: bytes are none. */
  | 'other'
  /** A string is one unless it is a single word. */
  | 'name'
  /** All strings are, however deep. */
  | 'all'
  /** As parts, and what describes a value is a schema. A string in a list is a text. */
  | 'tools'
  /** Strings are none. An object is a JSON schema: its keywords say what they are. */
  | 'schema'
  /** Of an object: its members are schemata, whatever they are called. */
  | 'schemas'
  /** A string is one. An object is what went wrong: its members say what they are by their names. */
  | 'error'
  /** A string is one in base64. */
  | 'encoded'
  /** As parts, and bytes are a text in base64. */
  | 'document'
  /** Of an object: what its members are, whatever they are called. */
  | 'values'

/**
 * How a member of a part is searched, by its name; undefined where it is not. Members and parts that nobody has heard of
 * are read as well: better a text too many than one too few.
 */
export const modeOf = (name: string, value: unknown): Mode | undefined => {
  const known = modes.get(name) ?? inAnyCase.get(unCased(name))
  // Where a word is enough, it is one of a few.
  if (known === 'tools' && typeof value === 'string') return 'name'
  if (known !== undefined) return known === 'none' ? undefined : known
  return ofUnknown(name, value, 'parts')
}

/** The same of what describes tools, and what answers are to be like. */
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

/** Their insides are a tool's or an application's own. */
const wholly = [
  ...['input', 'arguments', 'args', 'json', 'attributes', 'env', 'documents', 'input_examples'],
  ...['additionalModelResponseFields', 'additional_model_response_fields'],
]

/** Bytes, secrets of providers, and what repeats or steers. */
const nothing = [
  ...['encrypted_content', 'signature', 'reasoning_signature', 'thoughtSignature', 'thought_signature'],
  ...['redactedContent', 'bytes'],
  ...['logprobs', 'top_logprobs', 'logprobsResult', 'usage', 'usageMetadata', 'cache_control', 'cachePoint'],
  ...['metadata', 'requestMetadata', 'labels'],
  // Nobody is to be shown them.
  ...['authorization', 'authorization_token', 'headers', 'api_key', 'password', 'secret', 'client_secret'],
]

const descriptions = [
  ...['tools', 'functions', 'toolConfig', 'functionDeclarations', 'function_declarations'],
  // What answers are to be like.
  ...['response_format', 'output_config', 'output_format', 'outputConfig'],
  ...['generationConfig', 'generation_config'],
]

/** Names of members that say how they are searched. */
export const searchedNames = (): string[] => [...modes.keys(), ...toolModes.keys()]

const modes: ReadonlyMap<string, Mode | 'none'> = new Map<string, Mode | 'none'>([
  ...texts.map((name) => [name, 'text'] as const),
  ...wholly.map((name) => [name, 'all'] as const),
  ...descriptions.map((name) => [name, 'tools'] as const),
  ...nothing.map((name) => [name, 'none'] as const),
  // Of a prompt that the provider keeps.
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
  // A definition is a grammar, which what a tool is asked has to follow.
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

/** There are servers that take `Content` for `content`, and `ſystem` for `system`. */
const inAnyCase = withoutCase(modes)
const toolModesInAnyCase = withoutCase(toolModes)
