import { isDeepStrictEqual } from 'node:util'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { translatedBackend } from '../backend/translated-backend.ts'
import { policiesByTarget } from '../policy/policy-targets.ts'
import { translatedPolicy } from '../policy/translated-policy.ts'
import { routeRules } from '../rule/route-rules.ts'

/** A rule whose requests proxies refuse: clients would need different tokens, depending on the backend that they get. */
export interface AuthenticationConflict {
  readonly rule: number
  /** Those of its backends that agree; those without authentication are last. */
  readonly groups: readonly {
    readonly backends: readonly string[]
    /** Whether they need tokens. */
    readonly hasAuthentication: boolean
  }[]
}

/** The rules of a route whose backends differ in `mcp.authentication`, by the id of the route. */
export const authenticationConflicts: Query<readonly AuthenticationConflict[]> = defineQuery(
  'authenticationConflicts',
  (reads, route) =>
    reads.query(routeRules, route).flatMap(({ index, resource }) => {
      const backends = (resource?.kind === 'route' ? resource.model.backends : undefined) ?? []
      const groups = backends.some(({ backend }) => backend !== undefined)
        ? groupedBackends(reads, backends)
        : []
      return groups.length > 1 ? [{ rule: index, groups }] : []
    }),
)

/** Those that lead nowhere have no say, as in proxies. */
const groupedBackends = (
  reads: GraphReads,
  backends: readonly File.RouteBackend[],
): AuthenticationConflict['groups'] => {
  const groups: { readonly authentication: unknown; readonly names: Set<string> }[] = []
  for (const backend of backends) {
    const name = nameOf(backend)
    if (name === undefined) continue
    const authentication = isNamed(backend) ? reads.query(backendAuthentication, backend.backend) : null
    const group = groups.find((one) => isDeepStrictEqual(one.authentication, authentication))
    if (group) group.names.add(name)
    else groups.push({ authentication, names: new Set([name]) })
  }
  return groups
    .map(({ authentication, names }) => ({
      backends: [...names],
      hasAuthentication: authentication !== null,
    }))
    .sort((a, b) => Number(b.hasAuthentication) - Number(a.hasAuthentication))
}

const isNamed = (backend: File.RouteBackend): backend is File.RouteBackend & { readonly backend: string } =>
  typeof backend.backend === 'string'

/**
 * The authentication that is in force at a ProxyBackend, by its key: its own, or that of the oldest ProxyPolicy; null
 * without any.
 */
const backendAuthentication: Query<File.McpAuthentication | null> = defineQuery(
  'backendAuthentication',
  (reads, key) => {
    const model = reads.tryQuery(translatedBackend, key)?.resource?.model
    const own = (model as File.NamedBackend | undefined)?.policies?.mcpAuthentication
    if (own) return own
    const attached = (reads.query(policiesByTarget, '').get(`ProxyBackend/${key}`) ?? [])
      .flatMap((policy) => {
        const authentication = reads
          .tryQuery(translatedPolicy, policy)
          ?.forms.find((form) => form.section === 'backend' && form.policy.mcpAuthentication !== undefined)
          ?.policy.mcpAuthentication
        const createdAt = reads.object('ProxyPolicy', policy)?.metadata.creationTimestamp ?? ''
        return authentication ? [{ age: `${createdAt} ${policy}`, authentication }] : []
      })
      .sort((a, b) => (a.age < b.age ? -1 : 1))
    return attached[0]?.authentication ?? null
  },
)

/** A backend as statuses name it; undefined if it leads nowhere. */
const nameOf = (backend: File.RouteBackend): string | undefined => {
  const { service, routeGroup } = backend
  if (isNamed(backend)) return `ProxyBackend ${backend.backend}`
  if (typeof service?.name === 'string') {
    const [name = '', namespace = '', type = ''] = service.name.replace(/^.*\//, '').split('.')
    return `${type === 'inference' ? 'InferencePool' : 'Service'} ${namespace}/${name}`
  }
  return routeGroup === undefined ? undefined : 'the routes that it delegates to'
}
