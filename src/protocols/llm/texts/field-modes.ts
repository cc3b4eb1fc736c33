/** How a value is searched: what of it is text. */
export type Mode =
  /** A string is one. Objects are parts. */
  | 'text'
  /** Strings are none. Objects are parts: their members say what they are by their names. */
  | 'parts'
  /** All strings are, however deep. */
  | 'all'
  /** Only what describes tools is, and what their schemata say. */
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
 * How a member of a part is searched, by its name; undefined where it is not. Parts of types that nobody has heard of are
 * read in the same way: better a text too many than one too few.
 */
export const modeOf = (name: string, value: unknown): Mode | undefined => {
  const known = modes.get(name) ?? inAnyCase.get(unCased(name))
  if (known !== undefined) return known === 'none' ? undefined : known
  return typeof value === 'object' ? 'parts' : undefined
}

/** The same of what describes tools, and what answers are to be like. */
export const modeOfTool = (name: string, value: unknown): Mode | undefined => {
  const known = toolModes.get(name) ?? toolModesInAnyCase.get(unCased(name))
  if (known !== undefined) return known === 'none' ? undefined : known
  return typeof value === 'object' ? 'tools' : undefined
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
  ...['encrypted_content', 'signature', 'thoughtSignature', 'thought_signature', 'redactedContent', 'bytes'],
  ...['logprobs', 'top_logprobs', 'logprobsResult', 'usage', 'metadata', 'cache_control', 'cachePoint'],
]

const descriptions = [
  ...['tools', 'functions', 'toolConfig', 'functionDeclarations', 'function_declarations'],
  // What answers are to be like.
  ...['response_format', 'output_config', 'output_format', 'outputConfig'],
  ...['generationConfig', 'generation_config'],
]

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
  ['headers', 'none'],
])

const unCased = (name: string): string => (LOWER.test(name) ? name : name.toUpperCase().toLowerCase())

const LOWER = /^[a-z0-9_]*$/

const withoutCase = (known: ReadonlyMap<string, Mode | 'none'>): ReadonlyMap<string, Mode> =>
  new Map([...known].flatMap(([name, mode]) => (mode === 'none' ? [] : [[unCased(name), mode] as const])))

/** There are servers that take `Content` for `content`, and `ſystem` for `system`. */
const inAnyCase = withoutCase(modes)
const toolModesInAnyCase = withoutCase(toolModes)
