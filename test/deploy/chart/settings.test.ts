import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { proxySettings } from '../../../src/controller/settings/proxy-settings.ts'
import { readSettings } from '../../../src/controller/settings/read-settings.ts'
import { proxyImage } from '../../../src/controller/translate/deployment/proxy-image.ts'
import { parseManifest } from '../../kubernetes/lab/apply-manifest.ts'
import { goldenCases } from './golden-cases.ts'

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly env: readonly { readonly name: string; readonly value?: string }[]
          readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
        }[]
      }
    }
  }
}

/** The settings of the control plane that a case installs, and its ports in the pod. */
const settingsOf = (name: string) => {
  const output = goldenCases.find((each) => each.name === name)?.output ?? ''
  const objects = parseManifest(readFileSync(output, 'utf8'))
  const deployment = objects.find(({ kind }) => kind === 'Deployment') as unknown as Deployment
  const [container] = deployment.spec.template.spec.containers
  const env = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]))
  const ports = (container?.ports ?? []).map(({ containerPort }) => containerPort)
  return { settings: readSettings(env, '9.9.9'), ports }
}

test('the control plane that the chart installs', async (t) => {
  for (const { name } of goldenCases)
    await t.test(`takes the settings of ${name}, and listens where its ports are`, () => {
      const { settings, ports } = settingsOf(name)
      assert.deepEqual(ports, [settings.xds.port, settings.ports.health, settings.ports.metrics])
    })

  await t.test('has the settings that the values give', () => {
    assert.equal(settingsOf('log-level').settings.logLevel, 'debug')
    assert.deepEqual(settingsOf('inference-pools').settings.translation.features, ['inferenceExtension'])
    assert.deepEqual(settingsOf('models').settings.translation.features, ['models'])
    assert.deepEqual(settingsOf('log-level').settings.translation.features, [])
    assert.equal(settingsOf('xds-either').settings.xds.mode, 'either')
    assert.equal(settingsOf('variables').settings.noListenersPort, 0)
    assert.equal(settingsOf('fullname-override').settings.xds.serviceName, 'edge-control')
    assert.deepEqual(settingsOf('ports').ports, [15_010, 8080, 9100])
    const { controllerName, gatewayClassName } = settingsOf('classes-of-its-own').settings.translation
    assert.deepEqual([controllerName, gatewayClassName], ['example.com/gateways', 'internal'])
    assert.deepEqual(settingsOf('namespaces').settings.discoveryNamespaces, [
      {
        matchLabels: { team: 'shop' },
        matchExpressions: [{ key: 'stage', operator: 'In', values: ['test', '1<2'] }],
      },
      { matchExpressions: [{ key: 'gateways', operator: 'Exists' }] },
    ])
  })

  await t.test('deploys proxies of the image that the values give', () => {
    const imageOf = (name: string) => proxyImage(proxySettings(settingsOf(name).settings), {})
    assert.equal(imageOf('defaults'), 'cr.agentgateway.dev/agentgateway:v9.9.9')
    assert.equal(imageOf('images-of-a-mirror'), 'mirror.example.com/agentgateway/agentgateway:v1.2.3')
    assert.equal(imageOf('images-one-by-one'), 'second.example.com:5000/team/proxy:latest')
  })
})
