import type { LlmProvider } from '../../../model/llm/llm-backend.ts'
import { modelInPath } from '../models/model-in-path.ts'
import { defaultRoutes, routeTypes } from '../route-type.ts'
import { translateCall } from '../translate-call.ts'
import type { Provider, ProviderCall, ProviderPath } from './provider.ts'

/** The inputs for the path of a request. */
export interface TargetRequest {
  readonly provider: Pick<LlmProvider, 'kind' | 'settings'>
  readonly service: Provider
  /** Undefined for unchanged requests, which keep their path. */
  readonly call: ProviderCall | undefined
  readonly clientPath: string
  /** Empty, or with its question mark. */
  readonly clientQuery: string
}

/** The path and query of a request to a provider. */
export interface ResolvedPath {
  readonly path: string
  /** Empty, or with its question mark. */
  readonly query: string
}

/**
 * Resolves the path of a request at its provider. A configured path overrides all others. With an overridden host, the
 * client's path is kept, unless there is a prefix or the path is for another body than the one sent. Otherwise it is
 * the provider's path, with the prefix in place of its base or prepended.
 *
 * The client's query is kept, except for parameters that the provider's path sets.
 */
export const resolvedPathOf = ({
  provider,
  service,
  call,
  clientPath,
  clientQuery,
}: TargetRequest): ResolvedPath => {
  const { settings, kind } = provider
  const { pathOverride, pathPrefix, hostOverridden } = settings
  if (pathOverride !== undefined) return split(pathOverride)
  if (!call) return { path: unchangedPath(service.base, pathPrefix, clientPath), query: clientQuery }
  const own = service.path(call, settings)
  if (
    hostOverridden &&
    pathPrefix === undefined &&
    kind !== 'custom' &&
    mayKeep(provider, call, own, clientPath)
  )
    return { path: withModel(clientPath, call.model), query: clientQuery }
  const { base, rest, query, isFixed } = own
  const path = isFixed ? rest : (pathPrefix ?? base) + rest
  return { path, query: joined(query, clientQuery) }
}

const split = (target: string): ResolvedPath => {
  const mark = target.indexOf('?')
  return mark < 0 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark) }
}

/** A prefix replaces the base if the client's path begins with it, and is prepended otherwise. */
const unchangedPath = (base: string, prefix: string | undefined, path: string): string => {
  if (prefix === undefined) return path
  return (
    prefix + (base !== '' && (path === base || path.startsWith(`${base}/`)) ? path.slice(base.length) : path)
  )
}

/** A path for another format, or for another location of the model, would not match the body. */
const mayKeep = (
  { kind, settings }: TargetRequest['provider'],
  { format, model }: ProviderCall,
  own: ProviderPath,
  path: string,
): boolean => {
  const type = usualType(path)
  if (type === 'passthrough' || type === 'detect') return true
  if (type !== format || namesModel(own.rest) !== namesModel(path)) return false
  return translateCall(kind, settings, format, model) === undefined
}

/** The path has the model, or a method of a service with models; otherwise the body must name the model. */
const namesModel = (path: string): boolean =>
  modelInPath(path) !== undefined || path.includes(':', path.lastIndexOf('/'))

const usualType = routeTypes(defaultRoutes)

const withModel = (path: string, model: string): string => {
  const named = modelInPath(path)
  return named && named.model !== model ? named.withModel(model) : path
}

/** The provider's query first. Google's clients request a stream with `alt`; the provider's path overrides it. */
const joined = (own: string | undefined, clients: string): string => {
  if (clients === '') return own === undefined ? '' : `?${own}`
  const given = new Set(['alt', ...(own ?? '').split('&').map(nameOf)])
  const pairs = clients
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !given.has(nameOf(pair)))
  const all = own === undefined ? pairs : [own, ...pairs]
  return all.length ? `?${all.join('&')}` : ''
}

const nameOf = (pair: string): string => {
  const end = pair.indexOf('=')
  return end < 0 ? pair : pair.slice(0, end)
}
