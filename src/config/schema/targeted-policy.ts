import { exactlyOne, notYet, type Properties, record, ref, text, whole, words } from './builders.ts'

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

const routeTarget = record(
  'A route or one of its rules.',
  {
    name: text('Route name.', some),
    namespace: { ...text('Namespace.', some), default: 'default' },
    ruleName: text('Rule name. Default: all rules.', some),
    kind: text('Kind of route. Ignored: the target is always an HTTP route.'),
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
        section: notYet(text('Section of the backend.')),
      },
      { required: ['name'] },
    ),
    service: record(
      'Service of the section `services`.',
      {
        hostname: text('Host name.', some),
        namespace: { ...text('Namespace.', some), default: 'default' },
        port: notYet(whole('Service port.', 1, 65535)),
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
    listenerSet: notYet({ description: 'Listener set.' }),
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
    phase: words(
      'When the policy applies. `gateway`: before a route is selected.',
      ['route', 'gateway'],
      'route',
    ),
    policy: ref('RoutePolicies', 'The policy; set exactly one field.'),
  },
  { required: ['name', 'target', 'policy'] },
)

/** Definitions of targeted policies. */
export const targetedPolicyDefinitions: Properties = {
  GatewayTarget: gatewayTarget,
  RouteTarget: routeTarget,
  BackendTarget: backendTarget,
  PolicyTarget: target,
  TargetedPolicy: targetedPolicy,
}
