import type { LlmRoute, LlmRouteType } from '../../model/llm/llm-backend.ts'
import { modelInPath } from './models/model-in-path.ts'

/** The default types of requests by path. */
export const defaultRoutes: readonly LlmRoute[] = [
  { suffix: '/v1/chat/completions', type: 'completions' },
  { suffix: '/v1/messages', type: 'messages' },
  { suffix: '/v1/messages/count_tokens', type: 'anthropicTokenCount' },
  { suffix: ':rawPredict', type: 'messages' },
  { suffix: ':streamRawPredict', type: 'messages' },
  // The body names the model; `count-tokens` in the path is the name of a service.
  { suffix: '/models/count-tokens:rawPredict', type: 'anthropicTokenCount' },
  { suffix: ':generateContent', type: 'generateContent' },
  { suffix: ':streamGenerateContent', type: 'generateContent' },
  { suffix: ':countTokens', type: 'geminiCountTokens' },
  { suffix: '/v1/responses', type: 'responses' },
  { suffix: '/v1/responses/compact', type: 'detect' },
  { suffix: '/v1/images/generations', type: 'detect' },
  { suffix: '/v1/images/edits', type: 'detect' },
  { suffix: '/v1/images/variations', type: 'detect' },
  { suffix: '/v1/embeddings', type: 'embeddings' },
  { suffix: '/v1/rerank', type: 'rerank' },
  { suffix: '/v2/rerank', type: 'rerank' },
  { suffix: '/converse', type: 'converse' },
  { suffix: '/converse-stream', type: 'converse' },
  { suffix: '/invoke', type: 'invoke' },
  { suffix: '/invoke-with-response-stream', type: 'invoke' },
  { suffix: '/v1/realtime', type: 'realtime' },
  { suffix: '/v1/models', type: 'models' },
  { suffix: '/models', type: 'models' },
  { suffix: '*', type: 'passthrough' },
]

/**
 * Compiles a function that returns the type of a request by its path. The longest matching suffix decides, `*` if none
 * matches. Model lists match last before `*`, and include the paths below, `/v1/models/some-model`, except calls of a
 * model: `/v1/models/some-model:batchEmbedContents`.
 */
export const routeTypes = (routes: readonly LlmRoute[]): ((path: string) => LlmRouteType | undefined) => {
  const named = routes.filter(({ suffix }) => suffix !== '*')
  const byLength = named
    .filter(({ type }) => type !== 'models')
    .sort((a, b) => b.suffix.length - a.suffix.length)
  const lists = named.filter(({ type }) => type === 'models').map(({ suffix }) => new ModelListPath(suffix))
  const other = routes.find(({ suffix }) => suffix === '*')?.type
  const typeOf = (path: string): LlmRouteType | undefined => {
    for (const { suffix, type } of byLength) if (path.endsWith(suffix)) return type
    for (const list of lists) if (list.fits(path)) return 'models'
    return other
  }
  // Most requests have the same path as the one before.
  let last: { readonly path: string; readonly type: LlmRouteType | undefined } = {
    path: '',
    type: typeOf(''),
  }
  return (path) => {
    if (path !== last.path) last = { path, type: typeOf(path) }
    return last.type
  }
}

/** Matches paths that end with the suffix of a model list, or are below it. */
class ModelListPath {
  readonly #suffix: string
  readonly #folder: string

  constructor(suffix: string) {
    this.#suffix = suffix
    this.#folder = `${suffix}/`
  }

  fits(path: string): boolean {
    if (path.endsWith(this.#suffix) || path.endsWith(this.#folder)) return true
    return path.startsWith(this.#folder) && modelInPath(path) === undefined
  }
}
