import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../../src/controller/settings/read-settings.ts'

test('defaults', () => {
  const { translation, xds, proxy, ports, isLeaderElected, noListenersPort, logLevel, pod } = readSettings(
    { POD_NAME: 'controller-1' },
    '1.2.3',
  )
  assert.deepEqual(translation, {
    controllerName: 'agentgateway.dev/agentgateway',
    gatewayClassName: 'agentgateway',
    clusterDomain: 'cluster.local',
    backendGrants: 'route',
    systemNamespace: 'agentgateway-system',
    classParameters: new Map(),
    mesh: { isAutomatic: false, namespace: 'istio-system', revision: 'default' },
    features: [],
  })
  assert.deepEqual(xds, {
    mode: 'plaintext',
    isAuthenticated: true,
    port: 9978,
    serviceName: 'agentgateway',
    host: undefined,
    additionalHosts: [],
  })
  assert.deepEqual(proxy, {
    image: { registry: 'cr.agentgateway.dev', repository: 'agentgateway', tag: 'v1.2.3' },
    pullPolicy: undefined,
  })
  assert.deepEqual(ports, { health: 9093, metrics: 9092, admin: 9095 })
  assert.deepEqual(pod, { name: 'controller-1', namespace: 'agentgateway-system' })
  assert.equal(isLeaderElected, true)
  assert.equal(noListenersPort, 443)
  assert.equal(logLevel, 'info')
})

test('reads variables, and an empty one counts as not set', () => {
  const settings = readSettings(
    {
      AGW_LOG_LEVEL: 'DEBUG',
      AGW_XDS_MODE: 'true',
      AGW_XDS_AUTH: '',
      AGW_XDS_SERVICE_HOST: 'fd00::1',
      AGW_BACKEND_REF_GRANT_MODE: 'none',
      AGW_ENABLE_INFER_EXT: 'true',
      AGW_ENABLE_AGENTGATEWAY_MODELS: 'true',
      AGW_ENABLE_BUILTIN_DEFAULT_METRICS: 'true',
      AGW_PROXY_IMAGE_PULL_POLICY: 'Never',
      AGW_CONTROLLER_NAME: 'example.com/gateway/v2',
      AGW_ADDITIONAL_XDS_TLS_HOSTS: ' xds.example.com, 10.0.0.1 ,',
      AGW_PROXY_IMAGE_REGISTRY: 'registry.example.com',
      AGW_PROXY_IMAGE_REPOSITORY: 'proxy',
      AGW_PROXY_IMAGE_TAG: 'main',
      AGW_DISABLE_LEADER_ELECTION: '1',
      AGW_ISTIO_AUTO_ENABLED: 'true',
      AGW_ISTIO_CLUSTER_ID: 'north',
      AGW_GATEWAY_CLASS_PARAMETERS_REFS:
        '{"agentgateway":{"name":"proxies","namespace":"infra"},"other":{"group":"g","kind":"K","name":"a","namespace":"b"}}',
      AGW_DISCOVERY_NAMESPACE_SELECTORS:
        '[{"matchLabels":{"a":"b"}},{"matchExpressions":[{"key":"k","operator":"Exists"}]}]',
    },
    '1.2.3',
  )
  assert.equal(settings.logLevel, 'debug')
  assert.equal(settings.xds.mode, 'tls')
  assert.equal(settings.xds.isAuthenticated, true)
  assert.equal(settings.xds.host, 'fd00::1')
  assert.equal(settings.translation.backendGrants, 'none')
  assert.deepEqual(settings.translation.features, ['inferenceExtension', 'models'])
  assert.equal(settings.hasProcessMetrics, true)
  assert.equal(settings.proxy.pullPolicy, 'Never')
  assert.equal(settings.translation.controllerName, 'example.com/gateway/v2')
  assert.deepEqual(settings.xds.additionalHosts, ['xds.example.com', '10.0.0.1'])
  assert.deepEqual(settings.proxy.image, {
    registry: 'registry.example.com',
    repository: 'proxy',
    tag: 'main',
  })
  assert.equal(settings.isLeaderElected, false)
  assert.deepEqual(settings.translation.mesh, {
    isAutomatic: true,
    namespace: 'istio-system',
    revision: 'default',
    clusterId: 'north',
  })
  assert.deepEqual(Object.fromEntries(settings.translation.classParameters ?? []), {
    agentgateway: { group: 'agentgateway.dev', kind: 'ProxyParameters', name: 'proxies', namespace: 'infra' },
    other: { group: 'g', kind: 'K', name: 'a', namespace: 'b' },
  })
  assert.deepEqual(settings.discoveryNamespaces, [
    { matchLabels: { a: 'b' } },
    { matchExpressions: [{ key: 'k', operator: 'Exists' }] },
  ])
})

test('refuses wrong and unknown variables, all at once', () => {
  assert.throws(
    () =>
      readSettings(
        {
          AGW_CONTROLLER_NAME: 'gateway',
          AGW_AGENTGATEWAY_CLASS_NAME: 'My_Class',
          CLUSTER_DOMAIN: '.local',
          AGW_BACKEND_REF_GRANT_MODE: 'policy',
          AGW_XDS_SERVICE_HOST: 'https://xds.example.com',
          AGW_ADDITIONAL_XDS_TLS_HOSTS: 'xds.example.com;xds.example.org',
          AGW_PROXY_IMAGE_PULL_POLICY: 'always',
          AGW_XDS_MODE: 'mtls',
          AGW_AGENTGATEWAY_XDS_SERVICE_PORT: '99999',
          AGW_XDS_AUHT: 'false',
          AGW_GATEWAY_CLASS_PARAMETERS_REFS: '{"agentgateway":{"name":"proxies"}}',
          AGW_DISCOVERY_NAMESPACE_SELECTORS: '[{"matchLabel":{}}]',
          AGENTGATEWAY_PORT: 'tcp://10.96.0.7:9978',
        },
        '1.2.3',
      ),
    {
      name: 'SettingsError',
      message: `AGW_CONTROLLER_NAME: "gateway" must be a domain and a path, such as example.com/gateway
AGW_AGENTGATEWAY_CLASS_NAME: "My_Class" must be a name of lower-case letters, digits, "-" and "."
CLUSTER_DOMAIN: ".local" must be a name of lower-case letters, digits, "-" and "."
AGW_BACKEND_REF_GRANT_MODE: "policy" must be route, route-and-policy or none
AGW_GATEWAY_CLASS_PARAMETERS_REFS: "{\\"agentgateway\\":{\\"name\\":\\"proxies\\"}}" must be a JSON object from names of GatewayClasses to {name, namespace}, with group and kind if they are others
AGW_DISCOVERY_NAMESPACE_SELECTORS: "[{\\"matchLabel\\":{}}]" must be an array of objects with matchLabels and matchExpressions {key, operator, values}
AGW_XDS_MODE: "mtls" must be plaintext, tls or either
AGW_AGENTGATEWAY_XDS_SERVICE_PORT: "99999" must be a port
AGW_XDS_SERVICE_HOST: "https://xds.example.com" must be a host name or an IP address
AGW_ADDITIONAL_XDS_TLS_HOSTS: "xds.example.com;xds.example.org" must be host names or IP addresses, separated by commas
AGW_PROXY_IMAGE_PULL_POLICY: "always" must be Always, IfNotPresent or Never
AGW_XDS_AUHT: no such variable`,
    },
  )
})

test('finds the domain of the cluster in the search list of the pod, unless it is set', () => {
  const domain = (resolvConf: string, env = {}) =>
    readSettings(env, '1.2.3', resolvConf).translation.clusterDomain
  const pod = (name: string) =>
    `nameserver 10.96.0.10\nsearch web.svc.${name} svc.${name} ${name} lan\noptions ndots:5\n`
  assert.equal(domain(pod('corp.example')), 'corp.example')
  assert.equal(domain(pod('Corp.Example.')), 'corp.example')
  assert.equal(domain(pod('corp.example'), { CLUSTER_DOMAIN: 'set.example' }), 'set.example')
  assert.equal(domain('search lan\nnameserver 10.0.0.1\n'), 'cluster.local')
  assert.equal(domain('# search svc.comment.example\nsearch svc. svc.-\n'), 'cluster.local')
})
