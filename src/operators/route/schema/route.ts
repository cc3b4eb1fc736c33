import {
  formatted,
  listOf,
  oneOrMany,
  ours,
  type Properties,
  record,
  ref,
  type SchemaNode,
  text,
  whole,
  words,
} from '../../../config/schema/builders.ts'

const name = (description: string): SchemaNode => text(description, { minLength: 1, maxLength: 253 })

const common: Properties = {
  name: name(
    'Name in logs, metrics and traces. Default: `route`, `tcproute` or `udproute` and its position in the list.',
  ),
  namespace: { ...name('Namespace.'), default: 'default' },
  ruleName: name('Rule name, for entries that share a route name.'),
  precedence: ours(ref('ResourcePrecedence')),
}

const gateways = oneOrMany(
  name('`gateway` or `gateway/listener`.'),
  'Gateways, as `gateway` or `gateway/listener`, that serve this route. Default: the gateway named `default`.',
)

const fields: Properties = {
  ...common,
  kind: ours(
    words(
      'Kind of route, as policies name it in their target. A GRPCRoute is selected and served as an HTTPRoute.',
      ['HTTPRoute', 'GRPCRoute'],
      'HTTPRoute',
    ),
  ),
  hostnames: listOf(
    formatted('hostnamePattern', 'Host name or pattern.'),
    'Host names, as `name` or `*.suffix`. Default: all hosts of the listener.',
  ),
  matches: listOf(
    ref('Match'),
    'Requests that the route serves: those that match any entry. Default: all paths.',
    {
      minItems: 1,
      default: [{ path: { pathPrefix: '/' } }],
    },
  ),
  encodedSlashes: ours(
    words(
      'Handling of `%2F`, `%5C` and `\\` in paths: `refuse` replies 400 (`reject` is an alias), `keep` forwards them. The route itself is selected by the path as received. Default: `frontendPolicies.http.path.encodedSlashes`, or the value of the route that delegates to the group.',
      ['refuse', 'keep', 'reject'],
    ),
  ),
  policies: ref('RoutePolicies'),
  backends: listOf(ref('RouteBackend'), 'Destinations, selected by weight.'),
}

const tcpFields: Properties = {
  ...common,
  hostnames: listOf(
    formatted('hostnamePattern', 'Host name or pattern.'),
    'Host names, matched against the server name (SNI) of the TLS client.',
  ),
  policies: ref('TcpPolicies'),
  backends: listOf(ref('TcpRouteBackend'), 'Destinations, selected by weight.'),
}

const udpFields: Properties = {
  ...common,
  backends: listOf(ref('UdpRouteBackend'), 'Destinations, selected by weight for each session.'),
}

const routeGroup = record(
  'A group of routes that other routes delegate to.',
  { name: name('Name.'), routes: listOf(ref('Route'), 'Routes of the group.') },
  { required: ['name', 'routes'] },
)

const resourcePrecedence = record(
  'Age and name of the resource that an entry was made from. Among routes of equal specificity and policies of equal nearness, entries with a precedence are compared in the manner of the Gateway API, whatever their position in the list: the older resource precedes, then the first by namespace and name, then the lower number of rule and match. Entries without a precedence keep their order; routes without one come before those with one, and policies without one give way to them.',
  {
    createdAt: formatted('timestamp', 'Time when the resource was created, as in RFC 3339.'),
    namespace: name('Namespace of the resource.'),
    name: name('Name of the resource.'),
    rule: whole('Position of the rule in the resource.', 0, undefined, 0),
    match: whole('Position of the match in the rule.', 0, undefined, 0),
  },
  { required: ['createdAt', 'namespace', 'name'] },
)

/** Definitions of routes. */
export const routeDefinitions: Properties = {
  ResourcePrecedence: resourcePrecedence,
  Route: record('An HTTP route.', fields),
  AttachedRoute: record('An HTTP route of one or more gateways.', { ...fields, gateways }),
  TcpRoute: record('A TCP route.', tcpFields),
  AttachedTcpRoute: record('A TCP route of one or more gateways.', { ...tcpFields, gateways }),
  UdpRoute: record('A UDP route. The first one of a listener gets all of its datagrams.', udpFields),
  AttachedUdpRoute: record('A UDP route of one or more gateways.', { ...udpFields, gateways }),
  RouteGroup: routeGroup,
}
