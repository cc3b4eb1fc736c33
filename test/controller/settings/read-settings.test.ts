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
  })
  assert.deepEqual(xds, {
    mode: 'plaintext',
    isAuthenticated: true,
    port: 9978,
    serviceName: 'agentgateway',
    host: undefined,
    additionalHosts: [],
  })
  assert.deepEqual(proxy, { image: 'cr.agentgateway.dev/agentgateway:v1.2.3', pullPolicy: undefined })
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
      AGW_ADDITIONAL_XDS_TLS_HOSTS: ' xds.example.com, 10.0.0.1 ,',
      AGW_PROXY_IMAGE_REGISTRY: 'registry.example.com',
      AGW_PROXY_IMAGE_REPOSITORY: 'proxy',
      AGW_PROXY_IMAGE_TAG: 'main',
      AGW_DISABLE_LEADER_ELECTION: '1',
      AGW_DISCOVERY_NAMESPACE_SELECTORS:
        '[{"matchLabels":{"a":"b"}},{"matchExpressions":[{"key":"k","operator":"Exists"}]}]',
    },
    '1.2.3',
  )
  assert.equal(settings.logLevel, 'debug')
  assert.equal(settings.xds.mode, 'tls')
  assert.equal(settings.xds.isAuthenticated, true)
  assert.deepEqual(settings.xds.additionalHosts, ['xds.example.com', '10.0.0.1'])
  assert.equal(settings.proxy.image, 'registry.example.com/proxy:main')
  assert.equal(settings.isLeaderElected, false)
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
          AGW_XDS_MODE: 'mtls',
          AGW_AGENTGATEWAY_XDS_SERVICE_PORT: '99999',
          AGW_XDS_AUHT: 'false',
          AGW_DISCOVERY_NAMESPACE_SELECTORS: '[{"matchLabel":{}}]',
          AGENTGATEWAY_PORT: 'tcp://10.96.0.7:9978',
        },
        '1.2.3',
      ),
    {
      name: 'SettingsError',
      message: `AGW_DISCOVERY_NAMESPACE_SELECTORS: "[{\\"matchLabel\\":{}}]" must be an array of objects with matchLabels and matchExpressions {key, operator, values}
AGW_XDS_MODE: "mtls" must be plaintext, tls or either
AGW_AGENTGATEWAY_XDS_SERVICE_PORT: "99999" must be a port
AGW_XDS_AUHT: no such variable`,
    },
  )
})
