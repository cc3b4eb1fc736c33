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
  mapOf(whole('The port of the endpoint.', 1, 65535), description, {
    propertyNames: { pattern: '^[1-9][0-9]{0,4}$' },
  })

const later = (description: string): SchemaNode => notYet({ description })

/** Fields that have no effect outside of a mesh. */
const ignored = (...names: readonly string[]): Properties =>
  Object.fromEntries(names.map((name) => [name, noEffect({ description: 'Known to meshes only.' })]))

const service = record(
  'A name with endpoints behind it, in the manner of a Kubernetes Service. The endpoints are in `workloads`.',
  {
    name: text('Its name.', { minLength: 1 }),
    namespace: { ...text('Its namespace.', { minLength: 1 }), default: 'default' },
    hostname: formatted('host', 'Its host name, by which workloads refer to it.'),
    ports: ports('Ports of the service, each with the port of its endpoints.'),
    waypoint: later('A proxy that requests must pass first.'),
    vips: listOf(text('An address, or `network/address`.', { minLength: 1 }), 'Its own addresses.'),
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
  'One place where services run.',
  {
    uid: text('Its identity.', { minLength: 1 }),
    name: text('Its name.', { minLength: 1 }),
    namespace: { ...text('Its namespace.', { minLength: 1 }), default: 'default' },
    workloadIps: listOf(formatted('ip', 'An address.'), 'Its addresses.', { minItems: 1 }),
    hostname: later('Its host name, where it has no addresses.'),
    status: words('Whether it takes requests.', ['Healthy', 'Unhealthy', 'healthy', 'unhealthy'], 'Healthy'),
    protocol: {
      ...words('How it is reached.', ['TCP', 'HTTP', 'HBONE'], 'TCP'),
      'x-notSupportedYet': ['HBONE'],
    },
    waypoint: later('A proxy that requests must pass first.'),
    networkGateway: later('A gateway to its network.'),
    nativeTunnel: later('Whether it takes tunnels itself.'),
    authorizationPolicies: later('Rules about who may reach it.'),
    services: mapOf(
      ports('Ports of the service, each with the port here.'),
      'What it serves: services as `namespace/hostname`.',
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

/** Definitions about services and workloads. */
export const serviceDefinitions: Properties = { Service: service, Workload: workload }
