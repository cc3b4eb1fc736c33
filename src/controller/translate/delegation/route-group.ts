import type { ObjectReference } from '../../kinds/gateway-api.ts'
import type { ParentReference } from '../../kinds/http-route.ts'

/** The HTTPRoutes that a rule of another HTTPRoute delegates to. */
export interface RouteGroupReference {
  /** The key of the route that delegates. */
  readonly source: string
  /** The name of the rule, where a child names it: others of the group are not its siblings then. */
  readonly rule?: string | undefined
  /** The namespace of the children. */
  readonly namespace: string
  /** The name of a child, `label=value`, or `*` for all of the namespace. */
  readonly selector: string
}

const GROUP = 'gateway.networking.k8s.io'
const KIND = 'HTTPRoute'

/** HTTPRoutes of a namespace, as ReferenceGrants name them. */
export const httpRoutesOf = (namespace: string) => ({ group: GROUP, kind: KIND, namespace })

/** Whether a reference, to a backend or to a parent, is to HTTPRoutes. */
export const isHttpRouteReference = ({
  group,
  kind,
}: Pick<ObjectReference | ParentReference, 'group' | 'kind'>): boolean => group === GROUP && kind === KIND

/** A route that delegates, or one of its rules. */
export const delegationSource = ({ source, rule }: Pick<RouteGroupReference, 'source' | 'rule'>): string =>
  rule === undefined ? source : `${source}#${rule}`

/** The name of a route group: no part but the last has a slash in it. */
export const routeGroupName = ({ source, rule, namespace, selector }: RouteGroupReference): string =>
  `${delegationSource({ source, rule })}/${namespace}/${selector}`

/** What a route group was named after. */
export const parseRouteGroupName = (name: string): RouteGroupReference => {
  const [sourceNamespace = '', sourceName = '', namespace = '', ...selector] = name.split('/')
  const [route = '', rule] = sourceName.split('#')
  return {
    source: `${sourceNamespace}/${route}`,
    ...(rule !== undefined && { rule }),
    namespace,
    selector: selector.join('/'),
  }
}

/** What follows the key of a child's rule: a rule has a resource for each group that it is in. */
export const routeGroupSuffix = (name: string): string =>
  `.routegroup.${name.replaceAll('/', '.').replaceAll('*', 'wildcard')}`

/** Whether a selector names one route. */
export const isRouteName = (selector: string): boolean => ROUTE_NAME.test(selector)

/** Whether a selector can select anything. */
export const isSelector = (selector: string): boolean =>
  selector === '*' || isRouteName(selector) || LABEL.test(selector)

const ROUTE_NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/
const LABEL =
  /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-\w.]*[A-Za-z0-9])?=([A-Za-z0-9]([-\w.]*[A-Za-z0-9])?)?$/
