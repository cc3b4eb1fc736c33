/** What a fleet of proxies serves: 100 Gateways, 2,000 HTTPRoutes, 200 Services, and one Service that all of them use. */
import type { AnyObject } from '../../test/kubernetes/controller/support/cluster-objects.ts'

/** Gateways; each has as many proxies. */
export const GATEWAYS = 100
const ROUTES = 2_000
const SERVICES = 200
const ENDPOINTS_PER_SERVICE = 10
const namespace = 'default'
const gatewayApiVersion = 'gateway.networking.k8s.io/v1'

/** All objects, in their first state. */
export const fleetObjects = (): readonly AnyObject[] => [
  ...Array.from({ length: GATEWAYS }, (_, index) => gateway(index)),
  ...Array.from({ length: SERVICES }, (_, index) => [
    service(`service-${index}`),
    slice(`service-${index}`, index),
  ]).flat(),
  service('shared'),
  sharedEndpoints(0),
  ...Array.from({ length: GATEWAYS }, (_, index) => route(`shared-${index}`, index, 'shared', '/shared')),
  ...Array.from({ length: ROUTES }, (_, index) =>
    route(`route-${index}`, index % GATEWAYS, `service-${index % SERVICES}`, `/path-${index}`),
  ),
]

/** A route of one Gateway, with a path of its own in each version. */
export const changedRoute = (version: number): AnyObject =>
  route(`route-${version % ROUTES}`, version % GATEWAYS, `service-${version % SERVICES}`, `/v${version}-path`)

/** The endpoints of the shared Service, with another address in each version. */
export const sharedEndpoints = (version: number): AnyObject => ({
  ...slice('shared', 250),
  endpoints: [{ addresses: [sharedAddress(version)], conditions: { ready: true } }],
})

/** The address that a version has, and no other. */
export const sharedAddress = (version: number): string =>
  `10.250.${1 + (version >> 7)}.${101 + (version & 127)}`

const gateway = (index: number): AnyObject => ({
  apiVersion: gatewayApiVersion,
  kind: 'Gateway',
  metadata: { namespace, name: `gateway-${index}` },
  spec: { gatewayClassName: 'agentgateway', listeners: [{ name: 'http', protocol: 'HTTP', port: 8_080 }] },
})

const service = (name: string): AnyObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace, name },
  spec: { ports: [{ name: 'http', port: 80, targetPort: 8_080 }] },
})

const slice = (name: string, subnet: number): AnyObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { namespace, name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8_080, protocol: 'TCP' }],
  endpoints: Array.from({ length: ENDPOINTS_PER_SERVICE }, (_, at) => ({
    addresses: [`10.${100 + at}.${subnet}.1`],
    conditions: { ready: true },
  })),
})

const route = (name: string, at: number, backend: string, path: string): AnyObject => ({
  apiVersion: gatewayApiVersion,
  kind: 'HTTPRoute',
  metadata: { namespace, name },
  spec: {
    parentRefs: [{ name: `gateway-${at}` }],
    hostnames: [`host-${at}.example.com`],
    rules: [
      {
        matches: [{ path: { type: 'PathPrefix', value: path } }],
        backendRefs: [{ name: backend, port: 80 }],
      },
    ],
  },
})
