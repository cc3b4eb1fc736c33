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

const weight = whole('Relative share of requests. `0` receives none.', 0, 1_000_000, defaults.weight)

const priority = ours(
  whole(
    'Priority; `0` is the highest. A backend is used only while no backend with a lower number is available.',
    0,
    1_000,
    0,
  ),
)

const allow: Properties = {
  allow: ours(
    record('Allowed destinations. By default none are.', {
      hosts: listOf(
        formatted('hostnamePattern', 'Host name or pattern.'),
        'Allowed host names, as `name`, `*.suffix` or `*`.',
      ),
      ports: listOf(whole('A port.', 1, 65535), 'Allowed ports. Default: all ports.'),
      privateRanges: listOf(
        formatted('cidr', 'CIDR range.'),
        'Private, loopback and link-local address ranges to allow. By default all are refused.',
      ),
    }),
  ),
}

const dynamic = record('Connects to the host named in the request, if `allow` permits it.', {
  target: formatted('celText', 'Expression that returns `host[:port]`. Default: the host of the request.'),
  ...allow,
})

const tcpDynamic = record('Connects to the address that an expression returns, if `allow` permits it.', {
  target: formatted(
    'celConnectionText',
    'Expression over `source` and `destination` that returns `host[:port]`. Default: the server name (SNI) of the TLS client. The default port is the port on which the connection arrived.',
  ),
  ...allow,
})

const kinds: Properties = {
  ...simpleReference,
  dynamic: ref('DynamicBackend'),
  internal: formatted(
    'internalTarget',
    'The [admin interface](admin.md#through-a-route) of this process, called without a network connection. `forward` uses path and query of the request; a fixed path, optionally with a query, is used for every request. Access control is up to the policies of the route.',
  ),
  mcp: ref('McpBackend'),
  ai: ref('AiBackend'),
  aws: ref('AwsBackend'),
}

const awsBackend = record(
  'An AWS service. By default its certificate must be publicly trusted and requests are signed with credentials found in the environment; `backendTLS` and `backendAuth` override this.',
  { agentCore: ref('AwsAgentCore') },
  { required: ['agentCore'] },
)

const awsAgentCore = record(
  'An Amazon Bedrock AgentCore runtime. Every request is sent to `/runtimes/{ARN}/invocations` in its region.',
  {
    agentRuntimeArn: formatted('agentRuntimeArn', 'ARN of the agent runtime.'),
    qualifier: formatted('cloudName', 'Version or endpoint of the runtime. Clients cannot select it.'),
  },
  { required: ['agentRuntimeArn'] },
)

const routeKinds: Properties = {
  ...kinds,
  routeGroup: text('Group of the section `routeGroups` to which the request is delegated.', {
    minLength: 1,
  }),
  invalid: { description: 'Marks a broken reference. Requests get 500.', type: 'null' },
}

const routeBackend = record(
  'A destination of an HTTP route; set exactly one kind.',
  { weight, priority, policies: ref('BackendPolicies'), ...routeKinds },
  exactlyOne(...Object.keys(routeKinds)),
)

const tcpKinds: Properties = {
  ...simpleReference,
  dynamic: ref('TcpDynamicBackend'),
  invalid: ours({ description: 'Marks a broken reference. Connections are reset.', type: 'null' }),
}

const tcpPolicies = record('Policies of TCP routes and their backends.', {
  backendTLS: ref('UpstreamTls'),
  backendTunnel: ref('BackendTunnel'),
})

const tcpRouteBackend = record(
  'A destination of a TCP route; set exactly one kind.',
  { weight, policies: ref('TcpPolicies'), ...tcpKinds },
  exactlyOne(...Object.keys(tcpKinds)),
)

const udpKinds: Properties = {
  service: {
    description: 'A port of a service in the section `services`, which offers it as `port/udp`.',
    ...ref('ServiceReference'),
  },
  host: formatted('serviceHost', '`host:port`.'),
  backend: text('Backend of the section `backends` with a host, as `name` or `/name`.', { minLength: 1 }),
  invalid: { description: 'Marks a broken reference. Its share of the datagrams is dropped.', type: 'null' },
}

const udpRouteBackend = record(
  'A destination of a UDP route; set exactly one kind.',
  {
    weight: whole('Relative share of sessions. `0` gets none.', 0, 1_000_000, defaults.weight),
    ...udpKinds,
  },
  exactlyOne(...Object.keys(udpKinds)),
)

const { host, dynamic: dynamicKind, internal, mcp, ai, aws } = kinds as Record<string, SchemaNode>
const namedKinds = { host, dynamic: dynamicKind, internal, mcp, ai, aws } as Properties

const namedBackend = record(
  'A backend that routes and policies refer to by name; set exactly one kind.',
  {
    name: text('Name.', { minLength: 1, maxLength: 253 }),
    policies: ref('BackendPolicies'),
    ...namedKinds,
  },
  { required: ['name'], ...exactlyOne(...Object.keys(namedKinds)) },
)

/** Definitions of backends. */
export const backendDefinitions: Properties = {
  DynamicBackend: dynamic,
  TcpDynamicBackend: tcpDynamic,
  AwsBackend: awsBackend,
  AwsAgentCore: awsAgentCore,
  RouteBackend: routeBackend,
  TcpPolicies: tcpPolicies,
  TcpRouteBackend: tcpRouteBackend,
  UdpRouteBackend: udpRouteBackend,
  NamedBackend: namedBackend,
}
