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
  words,
} from '../../../config/schema/builders.ts'

const name = (description: string): SchemaNode => text(description, { minLength: 1, maxLength: 253 })

const common: Properties = {
  name: name(
    'Name in logs, metrics and traces. Default: `route` or `tcproute` and its position in the list.',
  ),
  namespace: { ...name('Namespace.'), default: 'default' },
  ruleName: name('Rule name, for entries that share a route name.'),
}

const gateways = oneOrMany(
  name('`gateway` or `gateway/listener`.'),
  'Gateways, as `gateway` or `gateway/listener`, that serve this route. Default: the gateway named `default`.',
)

const fields: Properties = {
  ...common,
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

const routeGroup = record(
  'A group of routes that other routes delegate to.',
  { name: name('Name.'), routes: listOf(ref('Route'), 'Routes of the group.') },
  { required: ['name', 'routes'] },
)

/** Definitions of routes. */
export const routeDefinitions: Properties = {
  Route: record('An HTTP route.', fields),
  AttachedRoute: record('An HTTP route of one or more gateways.', { ...fields, gateways }),
  TcpRoute: record('A TCP route.', tcpFields),
  AttachedTcpRoute: record('A TCP route of one or more gateways.', { ...tcpFields, gateways }),
  RouteGroup: routeGroup,
}
