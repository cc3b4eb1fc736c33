import type { Certificate } from '../../../support/certificates.ts'
import type { AnyObject } from './cluster-objects.ts'

const apiVersion = 'gateway.networking.k8s.io/v1'
const namespace = 'default'

/** The host name of the requests. */
export const HOST = 'web.example.com'

/** A Gateway with a listener for HTTP, and others. */
export const gateway = (name: string, port: number, others: readonly object[] = []): AnyObject => ({
  apiVersion,
  kind: 'Gateway',
  metadata: { namespace, name },
  spec: {
    gatewayClassName: 'agentgateway',
    listeners: [{ name: 'http', protocol: 'HTTP', port }, ...others],
  },
})

/** A listener for HTTPS with the certificate of a Secret. */
export const httpsListener = (port: number): object => ({
  name: 'https',
  protocol: 'HTTPS',
  port,
  tls: { certificateRefs: [{ name: 'web-tls' }] },
})

/** The Secret of that listener. */
export const tlsSecret = ({ cert, key }: Certificate): AnyObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'kubernetes.io/tls',
  metadata: { namespace, name: 'web-tls' },
  stringData: { 'tls.crt': cert, 'tls.key': key },
})

/** A Service and its only endpoint. */
export const service = (address: string, port: number, namespace = 'default'): readonly AnyObject[] => [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace, name: 'upstream' },
    spec: { ports: [{ name: 'http', port: 80 }] },
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace, name: 'upstream-1', labels: { 'kubernetes.io/service-name': 'upstream' } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port, protocol: 'TCP' }],
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
  },
]

/** The route of both Gateways; replies say which version of it they are from. */
export const route = (version: string): AnyObject => ({
  apiVersion,
  kind: 'HTTPRoute',
  metadata: { namespace, name: 'web' },
  spec: {
    parentRefs: [{ name: 'one' }, { name: 'two' }],
    hostnames: [HOST],
    rules: [
      {
        filters: [
          {
            type: 'ResponseHeaderModifier',
            responseHeaderModifier: { set: [{ name: 'x-version', value: version }] },
          },
        ],
        backendRefs: [{ name: 'upstream', port: 80 }],
      },
    ],
  },
})

/** A route that the API server takes, and that no proxy can match with. */
export const poisonedRoute: AnyObject = {
  apiVersion,
  kind: 'HTTPRoute',
  metadata: { namespace, name: 'poisoned' },
  spec: {
    parentRefs: [{ name: 'one' }, { name: 'two' }],
    hostnames: [HOST],
    rules: [
      {
        matches: [{ path: { type: 'RegularExpression', value: '/(' } }],
        backendRefs: [{ name: 'upstream', port: 80 }],
      },
    ],
  },
}

/** The host name of a route to a Service of another namespace. */
export const GRANTED_HOST = 'granted.example.com'

/** A Service of another namespace, a route that leads there, and the grant that it needs. */
export const grantedObjects = (address: string, port: number) => {
  const other = 'other'
  const shared: readonly AnyObject[] = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } },
    ...service(address, port, other),
  ]
  const granted: AnyObject = {
    apiVersion,
    kind: 'HTTPRoute',
    metadata: { namespace, name: 'granted' },
    spec: {
      parentRefs: [{ name: 'one' }],
      hostnames: [GRANTED_HOST],
      rules: [{ backendRefs: [{ namespace: other, name: 'upstream', port: 80 }] }],
    },
  }
  const grant: AnyObject = {
    apiVersion: 'gateway.networking.k8s.io/v1beta1',
    kind: 'ReferenceGrant',
    metadata: { namespace: other, name: 'routes' },
    spec: {
      from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace }],
      to: [{ group: '', kind: 'Service' }],
    },
  }
  return { shared, granted, grant }
}
