import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { HTTPRoute, ParentReference } from '../../kinds/http-route.ts'
import { namespacedKey, objectKey } from '../../kinds/object.ts'
import { type GrantedNames, grantedNames } from '../grants/reference-grants.ts'
import {
  delegationSource,
  httpRoutesOf,
  isHttpRouteReference,
  parseRouteGroupName,
  type RouteGroupReference,
} from './route-group.ts'

/**
 * The keys of the HTTPRoutes that a group consists of, sorted, by its name. Both sides have to agree: the route that
 * delegates selects the child, and the child names no parents, or that one, or that rule of it. A child of another
 * namespace that names no parents agrees by a ReferenceGrant. A route that names Gateways only is no child.
 */
export const groupChildren: Query<readonly string[]> = defineQuery('groupChildren', (reads, name) => {
  const { naming, open, isGranted } = candidates(reads, parseRouteGroupName(name))
  const free = isGranted ? open.filter(isGranted) : []
  return [...naming, ...free].map(objectKey).sort()
})

/** Whether a group has children, by its name. It looks for the first one only: each rule that delegates asks. */
export const hasChildren: Query<boolean> = defineQuery('hasChildren', (reads, name) => {
  const { naming, open, isGranted } = candidates(reads, parseRouteGroupName(name))
  return naming.length > 0 || (isGranted !== undefined && open.some(isGranted))
})

/** Whether a child that is selected names the rule of a group, by the name of the group with the rule. */
export const isRuleNamed: Query<boolean> = defineQuery(
  'isRuleNamed',
  (reads, name) => naming(reads, parseRouteGroupName(name)).length > 0,
)

/** The routes of a namespace that those of another one may delegate to without being named as parents. */
export const delegationGrant: Query<GrantedNames> = defineQuery('delegationGrant', (reads, namespaces) => {
  const [from = '', to = ''] = namespaces.split(' ')
  return from === to || reads.settings.backendGrants === 'none'
    ? 'all'
    : grantedNames(reads, httpRoutesOf(from), httpRoutesOf(to))
})

/** The key of `delegationGrant`. */
export const namespacesOf = ({ source, namespace }: RouteGroupReference): string =>
  `${source.slice(0, source.indexOf('/'))} ${namespace}`

interface Candidates {
  /** Those that name the route that delegates. */
  readonly naming: readonly HTTPRoute[]
  /** Those that name no parents. */
  readonly open: readonly HTTPRoute[]
  /** Undefined if none of them is. */
  readonly isGranted: ((route: HTTPRoute) => boolean) | undefined
}

const candidates = (reads: GraphReads, reference: RouteGroupReference): Candidates => {
  const granted = reads.query(delegationGrant, namespacesOf(reference))
  const ofRoute = naming(reads, { ...reference, rule: undefined })
  const ofRule = reference.rule === undefined ? [] : naming(reads, reference)
  const all = ofRule.length === 0 ? ofRoute : [...new Set([...ofRoute, ...ofRule])]
  if (granted !== 'all' && granted.size === 0) return { naming: all, open: [], isGranted: undefined }
  return {
    naming: all,
    open: reads.indexed(possibleChildren, selectedBy(reference)),
    isGranted: ({ metadata: { name } }) => granted === 'all' || granted.has(name),
  }
}

/** Those that a group selects and that name its route, or its rule if it has one. */
const naming = (reads: GraphReads, reference: RouteGroupReference): readonly HTTPRoute[] =>
  reads.indexed(possibleChildren, `${selectedBy(reference)} of ${delegationSource(reference)}`)

const selectedBy = ({ namespace, selector }: RouteGroupReference): string => `${namespace}/${selector}`

const parentsOf = ({ parentRefs }: HTTPRoute['spec']): readonly ParentReference[] => parentRefs ?? []

/** Routes that may be children, by everything that selects them, and by the routes that they name. */
const possibleChildren = defineIndex('HTTPRoute', 'possible child', ({ metadata, spec }) => {
  const parents = parentsOf(spec)
  const named = parents
    .filter((parent) => isHttpRouteReference(parent) && parent.port === undefined)
    .map(({ namespace, name, sectionName }) =>
      delegationSource({
        source: namespacedKey(namespace ?? metadata.namespace, name),
        rule: sectionName === '' ? undefined : sectionName,
      }),
    )
  if (parents.length > 0 && named.length === 0) return []
  const labels = Object.entries(metadata.labels ?? {}).map(([label, value]) => `${label}=${value}`)
  const selected = [metadata.name, '*', ...labels].map((one) => namespacedKey(metadata.namespace, one))
  return parents.length === 0
    ? selected
    : selected.flatMap((one) => named.map((parent) => `${one} of ${parent}`))
})
