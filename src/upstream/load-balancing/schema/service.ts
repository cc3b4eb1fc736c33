import { defaults } from '../../../config/defaults.ts'
import {
  duration,
  flag,
  formatted,
  listOf,
  mapOf,
  noEffect,
  notYet,
  ours,
  type Properties,
  record,
  type SchemaNode,
  text,
  whole,
  words,
} from '../../../config/schema/builders.ts'

const ports = (description: string): SchemaNode =>
  mapOf(whole('Target port.', 1, 65535), description, {
    propertyNames: { pattern: '^[1-9][0-9]{0,4}(/udp)?$' },
  })

const later = (description: string): SchemaNode => notYet({ description })

/** Fields of mesh resources without meaning outside of a mesh. */
const ignored = (...names: readonly string[]): Properties =>
  Object.fromEntries(names.map((name) => [name, noEffect({ description: 'Ignored; used by meshes only.' })]))

const service = record(
  'A service, like a Kubernetes Service. Its endpoints are in `workloads`.',
  {
    name: text('Name.', { minLength: 1 }),
    namespace: { ...text('Namespace.', { minLength: 1 }), default: 'default' },
    hostname: formatted('host', 'Host name, to which workloads refer.'),
    ports: ports('Service ports, each with the target port. A port for UDP is `53/udp`.'),
    waypoint: later('Waypoint proxy.'),
    vips: listOf(
      text('Address, optionally as `network/address`.', { minLength: 1 }),
      'Virtual IP addresses.',
    ),
    appProtocols: mapOf(
      words('Protocol.', ['HTTP11', 'HTTP2', 'GRPC']),
      'Protocols of service ports. `HTTP2` and `GRPC` use HTTP/2, without TLS by prior knowledge; `HTTP11` uses HTTP/1.1. The policy `http.version` of the backend overrides it.',
      { propertyNames: { pattern: '^[1-9][0-9]{0,4}$' } },
    ),
    sessionAffinity: ours(
      record(
        'Sends requests, connections and datagrams of one client to one endpoint.',
        {
          clientIP: record('By the address of the client.', {
            timeout: duration(
              'Time after its last request, or the beginning of its last connection, after which a client may get another endpoint.',
              defaults.sessionAffinity.timeout,
            ),
          }),
        },
        { required: ['clientIP'] },
      ),
    ),
    trafficDistribution: ours(
      words(
        'Endpoints that are preferred while they are available: those in the zone of the gateway (environment variable `ZONE`), or on its node (`NODE_NAME`) and then in its zone. Default: none.',
        ['PreferSameZone', 'PreferSameNode'],
      ),
    ),
    ...ignored('subjectAltNames', 'loadBalancer', 'ipFamilies', 'endpoints', 'scope', 'canonical'),
  },
  { required: ['name', 'hostname', 'ports'] },
)

const workload = record(
  'A workload: one endpoint of services.',
  {
    uid: text('Unique ID.', { minLength: 1 }),
    name: text('Name.', { minLength: 1 }),
    namespace: { ...text('Namespace.', { minLength: 1 }), default: 'default' },
    workloadIps: listOf(formatted('ip', 'IP address.'), 'IP addresses.', { minItems: 1 }),
    hostname: later('Host name, for workloads without IP addresses.'),
    status: words('Health status.', ['Healthy', 'Unhealthy', 'healthy', 'unhealthy'], 'Healthy'),
    capacity: whole('Share of requests in proportion to the other endpoints.', 1, 1_000_000, 1),
    locality: record('Location.', {
      region: text('Region.'),
      zone: text('Zone.'),
      subzone: text('Part of the zone.'),
    }),
    node: text('Name of the node.'),
    terminating: ours(
      flag(
        'The workload is shutting down: it is used only while no other endpoint of the service is healthy.',
        false,
      ),
    ),
    protocol: {
      ...words('Protocol.', ['TCP', 'HTTP', 'HBONE'], 'TCP'),
      'x-notSupportedYet': ['HBONE'],
    },
    waypoint: later('Waypoint proxy.'),
    networkGateway: later('Network gateway.'),
    nativeTunnel: later('Whether the workload accepts tunnels itself.'),
    authorizationPolicies: later('Authorization policies.'),
    services: mapOf(
      ports('Service ports, each with the port of the workload.'),
      'Services of the workload, as `namespace/hostname`, with their ports.',
      { propertyNames: { format: 'serviceName' } },
    ),
    ...ignored(
      'hboneMtlsPort',
      'networkMode',
      'network',
      'trustDomain',
      'serviceAccount',
      'workloadName',
      'workloadType',
      'canonicalName',
      'canonicalRevision',
      'clusterId',
    ),
  },
  { required: ['uid'] },
)

/** Definitions of services and workloads. */
export const serviceDefinitions: Properties = { Service: service, Workload: workload }
