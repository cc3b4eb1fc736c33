import type { HostileChoices } from './hostile-choices.ts'
import { layer4Route } from './hostile-layer-4-routes.ts'
import { grpcRoute, httpRoute } from './hostile-routes.ts'
import { hostname } from './hostile-values.ts'
import { objectMeta, optional, type PlainObject, spec } from './plain-object.ts'

/** A Gateway, and objects of tenants with values that nobody would expect. */
export const hostileObjects = (choices: HostileChoices): readonly PlainObject[] => {
  const names = ['a', 'b', 'c']
  return [
    { kind: 'GatewayClass', metadata: { name: 'agentgateway' }, ...spec(ownClass) },
    gateway(choices),
    ...names.map((name) => httpRoute(name, choices)),
    ...names.map((name) => grpcRoute(`grpc-${name}`, choices)),
    ...names.map((name) => layer4Route('TLSRoute', `tls-${name}`, choices)),
    ...names.map((name) => layer4Route('TCPRoute', `tcp-${name}`, choices)),
    ...names.map((name) => layer4Route('UDPRoute', `udp-${name}`, choices)),
    ...names.map((name) => service(name, choices)),
    ...names.flatMap((name) => [0, 1].map((index) => slice(name, index, choices))),
    ...names.map((name) => tlsPolicy(name, choices)),
    listenerSet(choices),
  ]
}

const ownClass = { controllerName: 'agentgateway.dev/agentgateway' }

const listener = (name: string, choices: HostileChoices): object => ({
  name: choices.pick(name, name, name, 'A', 'a.b', 'x'.repeat(253)),
  port: choices.pick(80, 81, 443, 65_535, 65_536, 15_021),
  protocol: choices.pick('HTTP', 'HTTP', 'HTTPS', 'TLS', 'TCP', 'UDP', 'example.com/foo'),
  ...optional(
    'hostname',
    choices.maybe(() => hostname(choices)),
  ),
})

const gateway = (choices: HostileChoices): PlainObject => ({
  kind: 'Gateway',
  metadata: objectMeta('gateway'),
  ...spec({
    gatewayClassName: 'agentgateway',
    allowedListeners: { namespaces: { from: 'All' } },
    listeners: [
      { name: 'http', port: 8080, protocol: 'HTTP' },
      ...choices.some(4, () => listener('l', choices)).map((one, index) => ({ ...one, name: `l${index}` })),
    ],
  }),
})

const listenerSet = (choices: HostileChoices): PlainObject => ({
  kind: 'ListenerSet',
  metadata: objectMeta('set'),
  ...spec({
    parentRef: { name: 'gateway' },
    listeners: [listener('one', choices), listener('two', choices)],
  }),
})

const service = (name: string, { pick, some, maybe }: HostileChoices): PlainObject => ({
  kind: 'Service',
  metadata: objectMeta(name),
  ...spec({
    type: pick('ClusterIP', 'ClusterIP', 'ExternalName'),
    clusterIPs: pick(['10.96.0.1'], ['None'], [''], ['fd00::1', '10.96.0.1'], ['x']),
    ports: [
      {
        name: 'http',
        port: 80,
        ...optional('targetPort', pick<unknown>(undefined, 3000, 'web', 0, 65_536, '')),
      },
      ...some(3, () => ({
        name: pick('x', ''),
        port: pick(8080, 80, 65_535),
        protocol: pick('TCP', 'UDP', 'SCTP'),
        appProtocol: pick('kubernetes.io/h2c', 'HTTP', '', 'grpc', 'x'),
      })),
    ],
    sessionAffinity: pick('None', 'ClientIP'),
    ...optional(
      'sessionAffinityConfig',
      maybe(() => ({ clientIP: { timeoutSeconds: pick(1, 0, 86_400, -1) } })),
    ),
    trafficDistribution: pick('PreferClose', 'Other', ''),
  }),
})

const slice = (of: string, index: number, { pick, some }: HostileChoices): PlainObject => ({
  kind: 'EndpointSlice',
  metadata: {
    ...objectMeta(`${of}-${index}`),
    labels: { 'kubernetes.io/service-name': of },
  } as PlainObject['metadata'],
  addressType: pick('IPv4', 'IPv6', 'FQDN'),
  ports: [
    { name: 'http', ...optional('port', pick(undefined, 3000, 0, 65_536)) },
    { name: '', port: 1 },
  ],
  endpoints: some(3, () => ({
    addresses: some(2, () =>
      pick(
        '10.0.0.1',
        '10.0.0.2',
        'fd00::1',
        'FD00::0001',
        'fe80::1%eth0',
        'a.example.com',
        '',
        '010.0.0.1',
        '1.2.3',
      ),
    ),
    conditions: pick({}, { ready: false }, { ready: false, serving: true, terminating: true }),
    zone: pick('z', '', 'Z z'),
    nodeName: pick('n', ''),
    targetRef: pick(undefined, { kind: 'Pod', name: 'p' }, {}),
  })),
})

const tlsPolicy = (name: string, choices: HostileChoices): PlainObject => ({
  kind: 'BackendTLSPolicy',
  metadata: objectMeta(name),
  ...spec({
    targetRefs: [
      {
        group: '',
        kind: 'Service',
        name,
        ...optional(
          'sectionName',
          choices.maybe(() => choices.pick('http', 'none', '')),
        ),
      },
    ],
    validation: {
      wellKnownCACertificates: choices.pick('System', 'System', 'Other'),
      hostname: hostname(choices),
      subjectAltNames: choices.some(3, () =>
        choices.pick<object>(
          { type: 'Hostname', hostname: hostname(choices) },
          { type: 'URI', uri: 'spiffe://a/b' },
          { type: 'URI', uri: 'no uri' },
          { type: 'URI', uri: '' },
          { type: 'Hostname', hostname: '' },
        ),
      ),
    },
  }),
})
