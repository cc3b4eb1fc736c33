import { decodedPart, pathPart } from '../path-segment.ts'

/** The model in a path, and what else the path determines. */
export interface ModelInPath {
  /** Decoded. */
  readonly model: string
  readonly streaming: boolean
  /** The same path for another model. */
  withModel(model: string): string
}

/**
 * Finds the model in paths of Gemini and Vertex (`…/models/M:method`) and of Bedrock (`/model/M/method`). Undefined if
 * the path has none: the model is then in the body, as for Vertex's token counting of Anthropic models.
 */
export const modelInPath = (path: string): ModelInPath | undefined => {
  // Most paths have no model, and each search costs as much as this one.
  const position = path.includes('/model') ? (googlePosition(path) ?? bedrockPosition(path)) : undefined
  if (!position) return undefined
  const { start, end, streaming } = position
  const model = decodedPart(path.slice(start, end))
  if (!model) return undefined
  return { model, streaming, withModel: (other) => path.slice(0, start) + pathPart(other) + path.slice(end) }
}

/**
 * The model in a path of the list of models: `/v1/models/NAME`, `/v1beta/models/NAME`. Names may contain slashes and
 * escapes. Undefined for other paths, such as those of calls and of operations; empty if the escapes are not UTF-8,
 * which matches no model.
 */
export const modelItemPath = (path: string): string | undefined => {
  const name = itemPath.exec(path)?.[1]
  if (name === undefined || name.includes('/operations/') || modelInPath(path)) return undefined
  return decodedPart(name) ?? ''
}

/** The position of the name in the path. */
interface NamePosition {
  readonly start: number
  readonly end: number
  readonly streaming: boolean
}

/** Names may contain slashes and colons: the name ends at the last colon. */
const googlePosition = (path: string): NamePosition | undefined => {
  const folder = path.indexOf('/models/')
  const end = path.lastIndexOf(':')
  const start = folder + '/models/'.length
  if (folder < 0 || end < start) return undefined
  const method = path.slice(end + 1)
  if (!googleMethod.test(method) || path.slice(start) === 'count-tokens:rawPredict') return undefined
  return { start, end, streaming: method.startsWith('stream') || method.startsWith('serverStreaming') }
}

/** Excludes tags after a colon, as in `llama3:8b`. */
const googleMethod = /^[A-Za-z]*(?:Content|Contents|[Pp]redict|Tokens|LongRunning)$/

const bedrockPosition = (path: string): NamePosition | undefined => {
  const folder = path.lastIndexOf('/model/')
  if (folder < 0) return undefined
  const end = path.lastIndexOf('/')
  const streaming = bedrockMethods.get(path.slice(end + 1))
  if (streaming === undefined) return undefined
  const start = folder + '/model/'.length
  return start < end && !path.slice(start, end).includes('/') ? { start, end, streaming } : undefined
}

const bedrockMethods: ReadonlyMap<string, boolean> = new Map([
  ['converse', false],
  ['converse-stream', true],
  ['invoke', false],
  ['invoke-with-response-stream', true],
  ['count-tokens', false],
])

const itemPath = /^(?:\/v1(?:(?:alpha|beta)\d*)?)?\/models\/(.+)$/
