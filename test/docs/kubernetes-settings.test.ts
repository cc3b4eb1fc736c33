import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { profileEndpoints } from '../../src/admin/handlers/profiles.ts'
import { Graph } from '../../src/controller/graph/graph.ts'
import { componentNames } from '../../src/controller/process/component-levels.ts'
import { ControllerMetrics } from '../../src/controller/process/controller-metrics.ts'
import { proxySettings } from '../../src/controller/settings/proxy-settings.ts'
import { readSettings } from '../../src/controller/settings/read-settings.ts'
import { newAuthorityData } from '../../src/controller/sinks/xds/certificates/xds-certificate.ts'
import { gatewayDeploymentPlan } from '../../src/controller/translate/deployment/deployment-plan-query.ts'
import { proxyImage } from '../../src/controller/translate/deployment/proxy-image.ts'
import { proxyEnvironment } from '../../src/controller/translate/deployment/proxy-environment.ts'
import { ownGatewayClass } from '../../src/controller/translate/gateway-class/own-gateway-class.ts'
import { mergeParameters } from '../../src/controller/translate/parameters/merge-parameters.ts'
import { gatewayObject } from '../controller/support/objects.ts'
import { tableRows } from '../support/table-rows.ts'

const page = readFileSync('docs/reference/kubernetes-settings.md', 'utf8')

/** What stands in code in the first cells of a section's table, sorted. */
const documented = (section: string): string[] =>
  tableRows(page, section)
    .flatMap(([cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    .sort()

test('the reference of the control plane', async (t) => {
  await t.test('lists the variables that are read', () => {
    const read = new Set<string>()
    const environment = new Proxy<Record<string, string>>(
      {},
      {
        get: (_, name) => {
          read.add(String(name))
          return undefined
        },
      },
    )
    readSettings(environment, '1.2.3')
    assert.ok(read.size > 15)
    assert.deepEqual(documented('Environment'), [...read, 'KUBECONFIG'].sort())
  })

  await t.test('states the defaults', () => {
    const settings = readSettings({}, '1.2.3')
    const texts = tableRows(page, 'Environment').map(
      ([variable = '', values = '']) => `${variable} ${values}`,
    )
    const stated = (variable: string, value: string | number) => {
      const row = texts.find((text) => text.startsWith(`\`${variable}\` `)) ?? ''
      assert.equal(row.split('; ').at(-1)?.replaceAll('`', ''), String(value), variable)
    }
    stated('AGW_LOG_LEVEL', 'info')
    stated('AGW_CONTROLLER_NAME', settings.translation.controllerName)
    stated('AGW_AGENTGATEWAY_CLASS_NAME', settings.translation.gatewayClassName)
    stated('CLUSTER_DOMAIN', settings.translation.clusterDomain)
    stated('AGW_XDS_MODE', settings.xds.mode)
    stated('AGW_XDS_AUTH', String(settings.xds.isAuthenticated))
    stated('AGW_AGENTGATEWAY_XDS_SERVICE_PORT', settings.xds.port)
    stated('AGW_XDS_SERVICE_NAME', settings.xds.serviceName)
    stated('AGW_NO_LISTENERS_DUMMY_PORT', settings.noListenersPort)
    stated('AGW_DISABLE_LEADER_ELECTION', String(!settings.isLeaderElected))
    stated('AGW_HEALTH_PORT', settings.ports.health)
    stated('AGW_METRICS_PORT', settings.ports.metrics)
    stated('AGW_ADMIN_PORT', settings.ports.admin)
    stated('POD_NAMESPACE', settings.pod.namespace)
    assert.equal(proxyImage(proxySettings(settings), {}), 'cr.agentgateway.dev/agentgateway:v1.2.3')
    assert.deepEqual(
      tableRows(page, 'Ports').map(([port]) => Number(port)),
      [settings.xds.port, settings.ports.health, settings.ports.metrics, settings.ports.admin],
    )
  })

  await t.test('lists the metrics with their types and labels', async () => {
    const { registry } = new ControllerMetrics({
      objects: () => [['Gateway', 1]],
      watches: () => [{ kind: 'Gateway', silenceSeconds: 1, lists: 1, failures: 0 }],
      streams: () => 0,
      isLeader: () => true,
    })
    const known = registry.getMetricsAsArray().map((metric) => {
      const { name, labelNames } = metric as unknown as { name: string; labelNames: readonly string[] }
      return [name, [...labelNames].sort()] as const
    })
    assert.ok(known.length > 8)
    const rows = tableRows(page, 'Metrics')
    assert.deepEqual(
      rows
        .map(([name = '', , labels = '']) => [plain(name), plain(labels).split(', ').filter(Boolean).sort()])
        .sort(),
      known.map(([name, labels]) => [name, labels]).sort(),
    )
    const types = await registry.metrics()
    for (const [name = '', type = ''] of rows)
      assert.ok(types.includes(`# TYPE ${plain(name)} ${type}\n`), `${name} is a ${type}`)
  })

  await t.test('lists the endpoints of the admin server', () => {
    const sources = globSync('src/controller/process/*.ts').map((path) => readFileSync(path, 'utf8'))
    const paths = sources.flatMap((source) =>
      [...source.matchAll(/path: '([^']+)'/g)].map(([, path]) => path),
    )
    const profiles = profileEndpoints({ heapSampling: undefined, shutdown: new AbortController().signal })
    const all = [...new Set([...paths, ...profiles.map(({ path }) => path)])]
    assert.ok(all.length > 5)
    for (const path of all) assert.ok(page.includes(`\`${path}\``), path)
    for (const path of documented('Admin server')) assert.ok(all.includes(path), path)
  })

  await t.test('lists the components of the log', () => {
    assert.deepEqual(documented('Log'), [...componentNames])
  })

  await t.test('lists the variables that proxies get', () => {
    const names = proxyEnvironment({
      gateway: gatewayObject('shop/web', '1'),
      settings: deployment,
      parameters: mergeParameters([]),
      mesh: undefined,
    }).map(({ name }) => name)
    assert.deepEqual(
      documented('What is deployed for a Gateway').filter((name) => /^[A-Z_]+$/.test(name)),
      names.sort(),
    )
  })

  await t.test('lists the objects of a Gateway, and their labels', () => {
    const graph = new Graph(readSettings({}, '1.2.3').translation)
    graph.set('GatewayClass', 'agentgateway', ownGatewayClass(readSettings({}, '1.2.3').translation))
    graph.set('Gateway', 'shop/web', gatewayObject('shop/web', '1'))
    const read = () => graph.read(gatewayDeploymentPlan(deployment), 'shop/web')
    const first = read()
    assert.ok(first && 'missingSessionKey' in first)
    const key = Buffer.from('ab'.repeat(32)).toString('base64')
    graph.set('Secret', 'shop/web-session-key', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: first.missingSessionKey.metadata,
      data: { key },
    })
    graph.set('Secret', deployment.xds.certificateSecret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'agentgateway-system', name: 'agentgateway-xds-cert' },
      data: { 'ca.crt': Buffer.from(newAuthorityData(new Date())['ca.crt']).toString('base64') },
    })
    const plan = read()
    assert.ok(plan && 'objects' in plan)
    const rows = tableRows(page, 'What is deployed for a Gateway').map(
      ([kind = '', name = '']) => `${kind} ${plain(name).replace('<gateway>', 'web')}`,
    )
    for (const { kind, metadata } of [first.missingSessionKey, ...plan.objects]) {
      assert.ok(rows.includes(`${kind} ${metadata.name}`), `${kind} ${metadata.name}`)
      for (const label of Object.keys(metadata.labels ?? {})) assert.ok(page.includes(`\`${label}`), label)
    }
    const objects = rows.filter((row) => row.includes(' web'))
    assert.equal(objects.length, plan.objects.length + 1)
  })
})

const deployment = {
  image: { registry: '', repository: 'agentgateway', tag: '1' },
  xds: { host: 'agentgateway', port: 9978, certificateSecret: 'agentgateway-system/agentgateway-xds-cert' },
  noListenersPort: 443,
  version: '1.2.3',
}

const plain = (cell: string): string => cell.replaceAll('`', '')
