import type { Authority } from '../../support/certificates.ts'

/** The namespace of everything. */
export const NAMESPACE = 'shop'

/** The name in the certificates of the Gateway. */
export const HOST = 'shop.example.com'

/** The name in the certificate of the TLS service. */
const TLS_HOST = 'services.shop.svc.cluster.local'

const gatewayApi = 'gateway.networking.k8s.io/v1'

const namespaced = (apiVersion: string, kind: string, name: string, fields: object) => ({
  apiVersion,
  kind,
  metadata: { namespace: NAMESPACE, name },
  ...fields,
})

/** A Secret of texts. */
export const secret = (name: string, stringData: Readonly<Record<string, string>>) =>
  namespaced('v1', 'Secret', name, { stringData })

/** A route of the paths under its name. */
export const route = (name: string, backend: object = { name: 'services', port: 8080 }, listener = 'http') =>
  namespaced(gatewayApi, 'HTTPRoute', name, {
    spec: {
      parentRefs: [{ name: 'web', sectionName: listener }],
      rules: [{ matches: [{ path: { type: 'PathPrefix', value: `/${name}` } }], backendRefs: [backend] }],
    },
  })

/** What a policy is attached to. */
export const target = (kind: string, name: string, section: object = {}) => ({
  group: kind === 'Service' ? '' : kind === 'ProxyBackend' ? 'agentgateway.dev' : 'gateway.networking.k8s.io',
  kind,
  name,
  ...section,
})

/** A policy of one target. */
export const policy = (name: string, targetRef: object, spec: object) =>
  namespaced('agentgateway.dev/v1alpha1', 'ProxyPolicy', name, { spec: { targetRefs: [targetRef], ...spec } })

/** A backend that is no Service. */
export const backend = (name: string, spec: object) =>
  namespaced('agentgateway.dev/v1alpha1', 'ProxyBackend', name, { spec })

const ports = [8080, 8081, 8082, 8083, 4318, 8443]
const grpcPorts = [9000, 9001]

/** The services, and the Gateway with its certificate. */
export const objects = (authority: Authority, keys: string): readonly object[] => {
  const { cert, key } = authority.issue(HOST)
  const server = authority.issue(TLS_HOST)
  const client = authority.issue('proxies')
  return [
    secret('web-tls', { 'tls.crt': cert, 'tls.key': key }),
    secret('services-tls', { 'tls.crt': server.cert, 'tls.key': server.key, 'ca.crt': authority.cert }),
    secret('client-tls', { 'tls.crt': client.cert, 'tls.key': client.key }),
    namespaced('v1', 'ConfigMap', 'authority', { data: { 'ca.crt': authority.cert } }),
    namespaced('v1', 'Pod', 'services', {
      metadata: { namespace: NAMESPACE, name: 'services', labels: { app: 'services' } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'services',
            image: 'lab/script',
            args: ['--conditions=agentgateway-source', 'test/kubernetes/policies/services.ts'],
            env: [{ name: 'KEYS', value: keys }],
            readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 1 },
            volumeMounts: [{ name: 'tls', mountPath: '/tls' }],
          },
        ],
        volumes: [{ name: 'tls', secret: { secretName: 'services-tls' } }],
      },
    }),
    namespaced('v1', 'Service', 'services', {
      spec: {
        selector: { app: 'services' },
        ports: [
          ...ports.map((port) => ({ name: `port-${port}`, port })),
          ...grpcPorts.map((port) => ({
            name: `port-${port}`,
            port,
            appProtocol: 'kubernetes.io/h2c',
          })),
        ],
      },
    }),
    namespaced('v1', 'Service', 'secure', {
      spec: { selector: { app: 'services' }, ports: [{ port: 443, targetPort: 8443 }] },
    }),
    namespaced(gatewayApi, 'Gateway', 'web', {
      spec: {
        gatewayClassName: 'agentgateway',
        listeners: [
          { name: 'http', port: 80, protocol: 'HTTP' },
          { name: 'other', port: 81, protocol: 'HTTP' },
          { name: 'closed', port: 82, protocol: 'HTTP' },
          { name: 'https', port: 443, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'web-tls' }] } },
        ],
      },
    }),
  ]
}
