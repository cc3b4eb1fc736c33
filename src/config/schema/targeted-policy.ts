import { exactlyOne, notYet, type Properties, record, ref, text, whole, words } from './builders.ts'

const some = { minLength: 1 }

const gatewayTarget = record(
  'A gateway, or one listener of it.',
  {
    gatewayName: text('The gateway.', some),
    gatewayNamespace: { ...text('Its namespace.', some), default: 'default' },
    listenerName: text('One listener of it.', some),
    port: whole('Only where it listens on this port.', 1, 65535),
  },
  { required: ['gatewayName'] },
)

const routeTarget = record(
  'A route, or one rule of it.',
  {
    name: text('The route.', some),
    namespace: { ...text('Its namespace.', some), default: 'default' },
    ruleName: text('One rule of it.', some),
    kind: text('The kind of route. HTTP routes are meant in any case.'),
  },
  { required: ['name'] },
)

const backendTarget = record(
  'A backend or a service.',
  {
    backend: record(
      'A backend in the section `backends`.',
      {
        name: text('Its name.', some),
        namespace: text('Its namespace.'),
        section: notYet(text('One part of it.')),
      },
      { required: ['name'] },
    ),
    service: record(
      'A service in the section `services`.',
      {
        hostname: text('Its host name.', some),
        namespace: { ...text('Its namespace.', some), default: 'default' },
        port: notYet(whole('One port of it.', 1, 65535)),
      },
      { required: ['hostname'] },
    ),
  },
  exactlyOne('backend', 'service'),
)

const target = record(
  'What the policy is attached to.',
  {
    gateway: ref('GatewayTarget'),
    route: ref('RouteTarget'),
    backend: ref('BackendTarget'),
    listenerSet: notYet({ description: 'A set of listeners.' }),
  },
  exactlyOne('gateway', 'route', 'backend', 'listenerSet'),
)

const targetedPolicy = record(
  'A policy that is attached to something by name.',
  {
    name: record(
      'Its name.',
      { name: text('The name.', some), namespace: { ...text('Its namespace.', some), default: 'default' } },
      { required: ['name'] },
    ),
    target: ref('PolicyTarget'),
    phase: words('`gateway` acts before a route is known.', ['route', 'gateway'], 'route'),
    policy: ref('RoutePolicies', 'The one policy.'),
  },
  { required: ['name', 'target', 'policy'] },
)

/** Definitions about policies by target. */
export const targetedPolicyDefinitions: Properties = {
  GatewayTarget: gatewayTarget,
  RouteTarget: routeTarget,
  BackendTarget: backendTarget,
  PolicyTarget: target,
  TargetedPolicy: targetedPolicy,
}
