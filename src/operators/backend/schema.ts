import { defaults } from '../../config/defaults.ts'
import {
  exactlyOne,
  formatted,
  listOf,
  ours,
  type Properties,
  record,
  ref,
  type SchemaNode,
  text,
  whole,
} from '../../config/schema/builders.ts'
import { simpleReference } from '../../config/schema/references.ts'

const weight = whole('Its share of the requests, in proportion to the others.', 0, 1_000_000, defaults.weight)

const priority = ours(
  whole(
    'Backends of a higher number are in reserve: used while no backend of a lower number can be.',
    0,
    1_000,
    0,
  ),
)

const allow: Properties = {
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
}

const dynamic = record('Connects to the host that the request names, as far as `allow` allows.', {
  target: formatted('celText', 'An expression that gives `host[:port]`. Default: the host of the request.'),
  ...allow,
})

const tcpDynamic = record('Connects to where an expression says, as far as `allow` allows.', {
  target: formatted(
    'celConnectionText',
    'An expression about `source` and `destination` that gives `host[:port]`. Default: the server name that the TLS client asks for. Without a port, it is the port that the client came to.',
  ),
  ...allow,
})

const kinds: Properties = {
  ...simpleReference,
  dynamic: ref('DynamicBackend'),
  internal: formatted(
    'internalTarget',
    'The [admin interface](admin.md#through-a-route) of this process, without a connection: `forward` for the path and query that the request has there, or one path, with a query if it needs one, for every request. Who may call it is for the policies of the route to say.',
  ),
  mcp: ref('McpBackend'),
  ai: ref('AiBackend'),
  aws: ref('AwsBackend'),
}

const awsBackend = record(
  'A service of AWS. Its certificate must be publicly trusted, and requests are signed with the credentials of the surroundings, unless `backendTLS` and `backendAuth` say otherwise.',
  { agentCore: ref('AwsAgentCore') },
  { required: ['agentCore'] },
)

const awsAgentCore = record(
  'An agent in the runtime of Amazon Bedrock AgentCore. Every request becomes one to `/runtimes/{ARN}/invocations` of its region.',
  {
    agentRuntimeArn: formatted('agentRuntimeArn', 'The ARN of its runtime.'),
    qualifier: formatted('cloudName', 'A version or an endpoint of it. Clients cannot choose one.'),
  },
  { required: ['agentRuntimeArn'] },
)

const routeKinds: Properties = {
  ...kinds,
  routeGroup: text('A group in the section `routeGroups`, by name, whose routes decide further.', {
    minLength: 1,
  }),
  invalid: { description: 'A reference known to be broken: answers 500.', type: 'null' },
}

const routeBackend = record(
  'One destination of a route.',
  { weight, priority, policies: ref('BackendPolicies'), ...routeKinds },
  exactlyOne(...Object.keys(routeKinds)),
)

const tcpKinds: Properties = { ...simpleReference, dynamic: ref('TcpDynamicBackend') }

const tcpPolicies = record('Policies of TCP routes and their backends.', {
  backendTLS: ref('UpstreamTls'),
  backendTunnel: ref('BackendTunnel'),
})

const tcpRouteBackend = record(
  'One destination of a TCP route.',
  { weight, policies: ref('TcpPolicies'), ...tcpKinds },
  exactlyOne(...Object.keys(tcpKinds)),
)

const { host, dynamic: dynamicKind, internal, mcp, ai, aws } = kinds as Record<string, SchemaNode>
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
  TcpDynamicBackend: tcpDynamic,
  AwsBackend: awsBackend,
  AwsAgentCore: awsAgentCore,
  RouteBackend: routeBackend,
  TcpPolicies: tcpPolicies,
  TcpRouteBackend: tcpRouteBackend,
  NamedBackend: namedBackend,
}
