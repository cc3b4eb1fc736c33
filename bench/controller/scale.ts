/** What a large cluster has: 20 Gateways, 2,000 HTTPRoutes, and 10,000 endpoints of 500 Services. */
import type { AnyObject } from '../../test/kubernetes/controller/support/cluster-objects.ts'

const namespace = 'default'
const gatewayApiVersion = 'gateway.networking.k8s.io/v1'
const GATEWAYS = 20
const ROUTES = 2_000
const SERVICES = 500
const ENDPOINTS_PER_SERVICE = 20

/** The name of a Gateway. */
export const gatewayName = (index: number): string => `gateway-${index}`

/** The Gateways; each has a port of its own, since their proxies share a machine here. */
export const scaleGateways = (ports: readonly number[]): readonly AnyObject[] =>
  ports.map((port, index) => ({
    apiVersion: gatewayApiVersion,
    kind: 'Gateway',
    metadata: { namespace, name: gatewayName(index) },
    spec: { gatewayClassName: 'agentgateway', listeners: [{ name: 'http', protocol: 'HTTP', port }] },
  }))

/** The Services, each with its endpoints. */
export const scaleServices = (): readonly AnyObject[] =>
  Array.from({ length: SERVICES }, (_, index) => [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace, name: serviceName(index) },
      spec: { ports: [{ name: 'http', port: 80, targetPort: 8_080 }] },
    },
    endpointSlice(index),
  ]).flat()

/** The endpoints of a Service; another generation has another last endpoint. */
export const endpointSlice = (index: number, generation = 0): AnyObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: {
    namespace,
    name: `${serviceName(index)}-1`,
    labels: { 'kubernetes.io/service-name': serviceName(index) },
  },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8_080, protocol: 'TCP' }],
  endpoints: Array.from({ length: ENDPOINTS_PER_SERVICE }, (_, at) => ({
    addresses: [`10.${at === 0 ? 200 + generation : at}.${Math.floor(index / 250)}.${1 + (index % 250)}`],
    conditions: { ready: true },
  })),
})

/** The routes, in turns of the Gateways. All of them are attached to the first Gateway as well. */
export const scaleRoutes = (): readonly AnyObject[] =>
  Array.from({ length: ROUTES }, (_, index) => ({
    apiVersion: gatewayApiVersion,
    kind: 'HTTPRoute',
    metadata: { namespace, name: `route-${index}` },
    spec: {
      parentRefs: [...new Set([0, index % GATEWAYS])].map((at) => ({ name: gatewayName(at) })),
      hostnames: [`host-${index % 200}.example.com`],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: `/service-${index}` } }],
          filters: [
            {
              type: 'RequestHeaderModifier',
              requestHeaderModifier: { set: [{ name: 'x-route', value: `${index}` }] },
            },
          ],
          backendRefs: [{ name: serviceName(index % SERVICES), port: 80 }],
        },
      ],
    },
  }))

/** A route of one Gateway that proxies answer themselves, with a redirect to a version. */
export const probeRoute = (gateway: number, version: number): AnyObject => ({
  apiVersion: gatewayApiVersion,
  kind: 'HTTPRoute',
  metadata: { namespace, name: `probe-${gateway}` },
  spec: {
    parentRefs: [{ name: gatewayName(gateway) }],
    hostnames: ['probe.example.com'],
    rules: [
      {
        filters: [
          {
            type: 'RequestRedirect',
            requestRedirect: { path: { type: 'ReplaceFullPath', replaceFullPath: `/${version}` } },
          },
        ],
      },
    ],
  },
})

const serviceName = (index: number): string => `service-${index}`
