import { defaults } from '../defaults.ts'
import { exactlyOne, formatted, listOf, notYet, ours, record, ref, text, whole } from './kinds.ts'
import type { Properties, Schema } from './kinds.ts'
import { simpleReference } from './references.ts'

const weight = whole('Its share of the requests, in proportion to the others.', 0, 1_000_000, defaults.weight)

const dynamic = record('Connects to the host that the request names, as far as `allow` allows.', {
  target: formatted('celText', 'An expression that gives `host[:port]`. Default: the host of the request.'),
  allow: ours(
    record('What may be reached. Without it nothing may.', {
      hosts: listOf(formatted('hostnamePattern', 'A host.'), 'Host names, or `*.suffix`, or `*`.'),
      ports: listOf(whole('A port.', 1, 65535), 'Ports. Default: every port.'),
      privateRanges: listOf(
        formatted('cidr', 'A range.'),
        'Private, loopback and link-local address ranges that may be reached all the same.',
      ),
    }),
  ),
})

const later = (description: string): Schema => notYet({ description })

const kinds: Properties = {
  ...simpleReference,
  dynamic: ref('DynamicBackend'),
  internal: later('The admin interface of this process.'),
  mcp: ref('McpBackend'),
  ai: ref('AiBackend'),
  aws: later('A service of AWS.'),
}

const routeKinds: Properties = {
  ...kinds,
  routeGroup: text('A group in the section `routeGroups`, by name, whose routes decide further.', {
    minLength: 1,
  }),
  invalid: { description: 'A reference known to be broken: answers 500.', type: 'null' },
}

const routeBackend = record(
  'One destination of a route.',
  { weight, policies: ref('BackendPolicies'), ...routeKinds },
  exactlyOne(...Object.keys(routeKinds)),
)

const tcpKinds: Properties = { ...simpleReference, dynamic: later('Connects to where an expression says.') }

const tcpPolicies = record('Policies of TCP routes and their backends.', {
  backendTLS: ref('UpstreamTls'),
  backendTunnel: ref('BackendTunnel'),
})

const tcpRouteBackend = record(
  'One destination of a TCP route.',
  { weight, policies: ref('TcpPolicies'), ...tcpKinds },
  exactlyOne(...Object.keys(tcpKinds)),
)

const { host, dynamic: dynamicKind, internal, mcp, ai, aws } = kinds as Record<string, Schema>
const namedKinds = { host, dynamic: dynamicKind, internal, mcp, ai, aws } as Properties

const namedBackend = record(
  'A backend that routes refer to by name.',
  {
    name: text('Its name.', { minLength: 1, maxLength: 253 }),
    policies: ref('BackendPolicies'),
    ...namedKinds,
  },
  { required: ['name'], ...exactlyOne(...Object.keys(namedKinds)) },
)

/** Definitions about backends. */
export const backendDefinitions: Properties = {
  DynamicBackend: dynamic,
  RouteBackend: routeBackend,
  TcpPolicies: tcpPolicies,
  TcpRouteBackend: tcpRouteBackend,
  NamedBackend: namedBackend,
}
