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
    'Its name, in logs, metrics and traces. Default: `route` or `tcproute` and its place in the list.',
  ),
  namespace: { ...name('The namespace of the name.'), default: 'default' },
  ruleName: name('The name of one rule, where several entries share a name.'),
}

const gateways = oneOrMany(
  name('A gateway, or `gateway/listener`.'),
  'The gateways, or `gateway/listener`, that this route belongs to. Default: the gateway named `default`.',
)

const fields: Properties = {
  ...common,
  hostnames: listOf(
    formatted('hostnamePattern', 'A host.'),
    'Hosts it applies to, or `*.suffix`. Default: every host of the listener.',
  ),
  matches: listOf(ref('Match'), 'Requests it applies to: any of these. Default: every path.', {
    minItems: 1,
    default: [{ path: { pathPrefix: '/' } }],
  }),
  encodedSlashes: ours(
    words(
      'Whether this route takes paths with `%2F`, `%5C` or `\\`, or answers 400 (`reject` means the same as `refuse`). The route is chosen by the path as it came, escapes and all. Default: `frontendPolicies.http.path.encodedSlashes`, or that of the route that leads to the group.',
      ['refuse', 'keep', 'reject'],
    ),
  ),
  policies: ref('RoutePolicies'),
  backends: listOf(ref('RouteBackend'), 'Where requests go, in turns by weight.'),
}

const tcpFields: Properties = {
  ...common,
  hostnames: listOf(
    formatted('hostnamePattern', 'A host.'),
    'Hosts it applies to, by the server name that the TLS client asks for.',
  ),
  policies: ref('TcpPolicies'),
  backends: listOf(ref('TcpRouteBackend'), 'Where connections go, in turns by weight.'),
}

const routeGroup = record(
  'Routes that other routes hand requests on to.',
  { name: name('Its name.'), routes: listOf(ref('Route'), 'Its routes.') },
  { required: ['name', 'routes'] },
)

/** Definitions about routes. */
export const routeDefinitions: Properties = {
  Route: record('An HTTP route.', fields),
  AttachedRoute: record('An HTTP route of one or more gateways.', { ...fields, gateways }),
  TcpRoute: record('A TCP route.', tcpFields),
  AttachedTcpRoute: record('A TCP route of one or more gateways.', { ...tcpFields, gateways }),
  RouteGroup: routeGroup,
}
