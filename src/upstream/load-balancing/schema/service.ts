import {
  formatted,
  listOf,
  mapOf,
  noEffect,
  notYet,
  type Properties,
  record,
  type SchemaNode,
  text,
  whole,
  words,
} from '../../../config/schema/builders.ts'

const ports = (description: string): SchemaNode =>
  mapOf(whole('Target port.', 1, 65535), description, {
    propertyNames: { pattern: '^[1-9][0-9]{0,4}$' },
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
    ports: ports('Service ports, each with the target port.'),
    waypoint: later('Waypoint proxy.'),
    vips: listOf(
      text('Address, optionally as `network/address`.', { minLength: 1 }),
      'Virtual IP addresses.',
    ),
    ...ignored(
      'subjectAltNames',
      'loadBalancer',
      'ipFamilies',
      'appProtocols',
      'endpoints',
      'scope',
      'canonical',
    ),
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
      'node',
      'clusterId',
      'locality',
      'capacity',
    ),
  },
  { required: ['uid'] },
)

/** Definitions of services and workloads. */
export const serviceDefinitions: Properties = { Service: service, Workload: workload }
