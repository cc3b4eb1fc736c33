import { defineQuery, type Query } from '../../graph/query.ts'
import { namingModels } from '../model/model-indexes.ts'
import { routeId, routeObject } from '../route/route-id.ts'
import { routeRules } from '../rule/route-rules.ts'
import type { PolicyTargetReference } from './found-targets.ts'
import { policyTargets } from './policy-targets.ts'
import { translatedPolicy } from './translated-policy.ts'

/** The kinds of ProxyBackends that have policies of their own, by their field of `spec` and of `backend`. */
const backendKinds = { ai: 'language models', mcp: 'MCP servers' } as const

type BackendKind = keyof typeof backendKinds

/**
 * Warnings of fields of a ProxyPolicy for language models or MCP servers, such as guards, whose targets lead to none: they
 * would do nothing there, without a word. Key: that of the policy.
 */
export const unusedFields: Query<readonly string[]> = defineQuery('unusedFields', (reads, key) => {
  const { backend } = reads.object('ProxyPolicy', key)?.spec ?? {}
  const [namespace = ''] = key.split('/')
  const inForce = new Set(
    (reads.query(translatedPolicy, key)?.forms ?? []).flatMap(({ section, name, isBroken }) =>
      section === 'backend' && !isBroken ? [name] : [],
    ),
  )
  const kinds = (Object.keys(backendKinds) as readonly BackendKind[]).filter(
    // Authentication of MCP clients is in force whatever they call.
    (kind) =>
      inForce.has(kind) && Object.keys(backend?.[kind] ?? {}).some((name) => name !== 'authentication'),
  )
  if (kinds.length === 0) return []
  const targets = reads.query(policyTargets, key).references
  return kinds.flatMap((kind) => {
    const unused = targets.filter(
      (target) => reads.query(reachedKinds, reachKey(namespace, target))?.has(kind) === false,
    )
    if (unused.length === 0) return []
    const shown = unused.slice(0, TARGETS_SHOWN).map((target) => `${target.kind} ${namespace}/${target.name}`)
    const others = unused.length > shown.length ? ` and ${unused.length - shown.length} others` : ''
    return [
      `backend.${kind}: it has an effect on ${backendKinds[kind]} only, and there are none behind ${shown.join(', ')}${others}`,
    ]
  })
})

/** A policy may select very many objects. */
const TARGETS_SHOWN = 16

const reachKey = (namespace: string, { kind, name, sectionName = '' }: PolicyTargetReference): string =>
  `${kind} ${namespace}/${name} ${sectionName}`

/**
 * The kinds of what requests to a target of a policy reach. Undefined if that is not known here, or nothing: other routes
 * and models may be there, and Gateways have policies for whatever is behind them. Key: that of `reachKey`.
 */
const reachedKinds: Query<ReadonlySet<BackendKind> | undefined> = defineQuery(
  'reachedKinds',
  (reads, target) => {
    const [kind = '', key = '', section = ''] = target.split(' ')
    const kindsOf = (backend: string): readonly BackendKind[] | undefined => {
      const spec = reads.object('ProxyBackend', backend)?.spec
      return (
        spec && (Object.keys(backendKinds) as readonly BackendKind[]).filter((one) => spec[one] !== undefined)
      )
    }
    if (kind === 'ProxyBackend') {
      const kinds = kindsOf(key)
      return kinds && new Set(kinds)
    }
    if (kind !== 'HTTPRoute' && kind !== 'GRPCRoute') return undefined
    const id = routeId(kind, key)
    if (reads.query(namingModels, id).length > 0) return undefined
    const named: readonly { readonly name?: string }[] = routeObject(reads, id)?.spec.rules ?? []
    const rules = reads
      .query(routeRules, id)
      .filter(({ index }) => section === '' || named[index]?.name === section)
    if (rules.some(({ groups }) => groups.length > 0)) return undefined
    if (!rules.some(({ services, pools, backends }) => services.length + pools.length + backends.length > 0))
      return undefined
    const kinds = rules.flatMap(({ backends }) => backends.map(kindsOf))
    return kinds.includes(undefined) ? undefined : new Set(kinds.flatMap((one) => one ?? []))
  },
)
