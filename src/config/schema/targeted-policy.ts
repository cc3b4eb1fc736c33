import { exactlyOne, ours, type Properties, record, ref, text, whole, words } from './builders.ts'
import { policyFields } from './policies.ts'

const some = { minLength: 1 }

const gatewayTarget = record(
  'A gateway or one of its listeners.',
  {
    gatewayName: text('Gateway name.', some),
    gatewayNamespace: { ...text('Namespace.', some), default: 'default' },
    listenerName: text('Listener name. Default: all listeners.', some),
    port: whole('Port. Default: all ports of the gateway.', 1, 65535),
  },
  { required: ['gatewayName'] },
)

const listenerSetTarget = record(
  'A set of listeners or one of its listeners.',
  {
    name: text('Name of the listener set.', some),
    namespace: { ...text('Namespace.', some), default: 'default' },
    listenerName: text('Listener name. Default: all listeners of the set.', some),
  },
  { required: ['name'] },
)

const routeTarget = record(
  'A route or one of its rules.',
  {
    name: text('Route name.', some),
    namespace: { ...text('Namespace.', some), default: 'default' },
    ruleName: text('Rule name. Default: all rules.', some),
    kind: words('Kind of route. Default: any.', [
      'HTTPRoute',
      'GRPCRoute',
      'TCPRoute',
      'TLSRoute',
      'UDPRoute',
    ]),
  },
  { required: ['name'] },
)

const backendTarget = record(
  'A backend or a service.',
  {
    backend: record(
      'Backend of the section `backends`.',
      {
        name: text('Name.', some),
        namespace: text('Namespace.'),
        section: text('A provider of language models, or an MCP server. Default: the whole backend.', some),
      },
      { required: ['name'] },
    ),
    service: record(
      'Service of the section `services`.',
      {
        hostname: text('Host name.', some),
        namespace: { ...text('Namespace.', some), default: 'default' },
        port: whole('Service port. Default: all ports.', 1, 65535),
      },
      { required: ['hostname'] },
    ),
  },
  exactlyOne('backend', 'service'),
)

const target = record(
  'Resource that the policy is attached to; set exactly one field.',
  {
    gateway: ref('GatewayTarget'),
    route: ref('RouteTarget'),
    backend: ref('BackendTarget'),
    listenerSet: ref('ListenerSetTarget'),
  },
  exactlyOne('gateway', 'route', 'backend', 'listenerSet'),
)

const targetedPolicy = record(
  'A policy attached to a resource by name.',
  {
    name: record(
      'Name.',
      {
        name: text('Name of the policy.', some),
        namespace: { ...text('Namespace.', some), default: 'default' },
      },
      { required: ['name'] },
    ),
    target: ref('PolicyTarget'),
    precedence: ours(ref('ResourcePrecedence')),
    inheritance: ours(
      words(
        'Whether inner levels, such as routes, may have the policy as well. `default`: theirs replaces it, or is added to it. `override`: theirs has no effect. For policies of gateways, listener sets and routes.',
        ['default', 'override'],
        'default',
      ),
    ),
    phase: words(
      'When the policy applies. `gateway`: before a route is selected.',
      ['route', 'gateway'],
      'route',
    ),
    policy: ref('AttachedPolicy', 'The policy; set exactly one field.'),
  },
  { required: ['name', 'target', 'policy'] },
)

const { http, tcp, inferenceRouting } = policyFields('backend')

/** Policies of routes are for all targets; those of connections to upstreams have no meaning but at backends. */
const attachedPolicy = record('A policy that is attached to a resource by name.', {
  ...policyFields('route'),
  http: ours({ ...http, description: 'Of backends and services only: HTTP towards them.' }),
  tcp: ours({ ...tcp, description: 'Of backends and services only: connections to them.' }),
  inferenceRouting: ours({
    ...inferenceRouting,
    description: 'Of backends and services only: a service chooses the endpoint of each request.',
  }),
  frontend: ours(ref('AttachedFrontend', 'Of gateways only: connections, HTTP, logs and traces.')),
})

/** Definitions of targeted policies. */
export const targetedPolicyDefinitions: Properties = {
  GatewayTarget: gatewayTarget,
  ListenerSetTarget: listenerSetTarget,
  RouteTarget: routeTarget,
  BackendTarget: backendTarget,
  PolicyTarget: target,
  AttachedPolicy: attachedPolicy,
  TargetedPolicy: targetedPolicy,
}
