import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { HTTPRoute, ParentReference } from '../../kinds/http-route.ts'
import { namespacedKey, objectKey } from '../../kinds/object.ts'
import { attempt } from '../attempt.ts'
import { isReferenceGranted } from '../grants/reference-grants.ts'
import {
  httpRoutesOf,
  isHttpRouteReference,
  parseRouteGroupName,
  type RouteGroupReference,
} from './route-group.ts'

/**
 * The keys of the HTTPRoutes that a group consists of, sorted, by its name. Both sides have to agree: the route that
 * delegates selects the child, and the child names no parents, or that one. A child of another namespace that names no
 * parents agrees by a ReferenceGrant. A route that names Gateways only is no child.
 */
export const groupChildren: Query<readonly string[]> = defineQuery('groupChildren', (reads, name) => {
  const reference = parseRouteGroupName(name)
  return reads
    .indexed(possibleChildren, `${reference.namespace}/${reference.selector}`)
    .filter((route) => attempt(() => agrees(reads, route, reference)).value === true)
    .map(objectKey)
})

/** Whether a reference to routes of a group needs no ReferenceGrant, or has one. */
export const isDelegationGranted = (
  reads: GraphReads,
  { source, namespace }: RouteGroupReference,
  name: string,
): boolean => {
  if (reads.settings.backendGrants === 'none') return true
  const [sourceNamespace = ''] = source.split('/')
  return isReferenceGranted(reads, httpRoutesOf(sourceNamespace), { ...httpRoutesOf(namespace), name })
}

/** The keys of the HTTPRoutes that a route names as parents. */
export const namedRoutes = ({ metadata, spec }: HTTPRoute): readonly string[] =>
  parentsOf(spec)
    .filter(isHttpRouteReference)
    .map(({ namespace, name }) => namespacedKey(namespace ?? metadata.namespace, name))

const agrees = (reads: GraphReads, route: HTTPRoute, reference: RouteGroupReference): boolean =>
  parentsOf(route.spec).length === 0
    ? isDelegationGranted(reads, reference, route.metadata.name)
    : namedRoutes(route).includes(reference.source)

const parentsOf = ({ parentRefs }: HTTPRoute['spec']): readonly ParentReference[] => parentRefs ?? []

/** Routes that may be children, by everything that selects them, within their namespace. */
const possibleChildren = defineIndex('HTTPRoute', 'possible child', ({ metadata, spec }) => {
  const parents = parentsOf(spec)
  if (parents.length > 0 && !parents.some(isHttpRouteReference)) return []
  const labels = Object.entries(metadata.labels ?? {}).map(([label, value]) => `${label}=${value}`)
  return [metadata.name, '*', ...labels].map((selector) => namespacedKey(metadata.namespace, selector))
})
