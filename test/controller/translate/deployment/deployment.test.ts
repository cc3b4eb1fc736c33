import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { Graph } from '../../../../src/controller/graph/graph.ts'
import type {
  ClassParametersReference,
  InputKind,
  MeshSettings,
} from '../../../../src/controller/kinds/inputs.ts'
import { type KubernetesObject, objectKey } from '../../../../src/controller/kinds/object.ts'
import { gatewayDeploymentPlan } from '../../../../src/controller/translate/deployment/deployment-plan-query.ts'
import { proxyEnvironment } from '../../../../src/controller/translate/deployment/proxy-environment.ts'
import type { DeploymentSettings } from '../../../../src/controller/translate/deployment/deployment-settings.ts'
import { mergeParameters } from '../../../../src/controller/translate/parameters/merge-parameters.ts'
import { gatewayObject } from '../../support/objects.ts'

const settings = {
  controllerName: 'agentgateway.dev/agentgateway',
  gatewayClassName: 'agentgateway',
  clusterDomain: 'cluster.local',
}

const plaintext: DeploymentSettings = {
  image: { registry: 'cr.agentgateway.dev', repository: 'agentgateway', tag: 'v1.2.3' },
  xds: { host: 'agentgateway.agentgateway-system.svc.cluster.local', port: 9978 },
  noListenersPort: 443,
  version: '1.2.3',
}

const encrypted: DeploymentSettings = {
  ...plaintext,
  imagePullPolicy: 'Always',
  xds: { ...plaintext.xds, certificateSecret: 'agentgateway-system/agentgateway-xds-cert' },
}

const folder = new URL('golden/', import.meta.url)

/** Settings of a case, in `settings.yaml`. */
interface OwnSettings {
  readonly mesh?: MeshSettings
  readonly classParameters?: Readonly<Record<string, ClassParametersReference>>
}

const settingsOf = ({ mesh, classParameters = {} }: OwnSettings) => ({
  ...(mesh && { mesh }),
  classParameters: new Map(Object.entries(classParameters)),
})

/** What is applied for the Gateways of `in.yaml`, as YAML. */
const planOf = (name: string): string => {
  const own = new URL(`${name}/settings.yaml`, folder)
  const graph = new Graph({
    ...settings,
    ...(existsSync(own) ? settingsOf(parse(readFileSync(own, 'utf8')) as OwnSettings) : {}),
  })
  const objects = parseAllDocuments(readFileSync(new URL(`${name}/in.yaml`, folder), 'utf8')).map(
    (document) => document.toJS() as KubernetesObject,
  )
  for (const object of objects) graph.set(object.kind as InputKind, objectKey(object), object)
  const query = gatewayDeploymentPlan(name.startsWith('tls') ? encrypted : plaintext)
  const plans = graph.objects('Gateway').map((gateway) => graph.read(query, objectKey(gateway)))
  return plans
    .map((plan) => stringify(plan ?? {}, { lineWidth: 0, aliasDuplicateObjects: false }))
    .join('---\n')
}

/** The formatter may change the notation. */
const documentsOf = (yaml: string): readonly unknown[] =>
  parseAllDocuments(yaml).map((document) => document.toJS() as unknown)

test('golden deployments', async (t) => {
  const cases = readdirSync(folder)
  assert.ok(cases.length >= 10)
  for (const name of cases)
    await t.test(name, () => {
      const file = new URL(`${name}/out.yaml`, folder)
      const plan = planOf(name)
      if (process.env.UPDATE_GOLDEN === '1' || !existsSync(file)) writeFileSync(file, plan)
      assert.deepEqual(documentsOf(plan), documentsOf(readFileSync(file, 'utf8')))
    })
})

test('the address of xDS may be of IPv6', () => {
  const environment = proxyEnvironment({
    gateway: gatewayObject('shop/web', '1'),
    settings: { ...plaintext, xds: { host: 'fd00::1', port: 9978 } },
    parameters: mergeParameters([]),
    mesh: undefined,
  })
  assert.deepEqual(
    environment.find(({ name }) => name === 'XDS_ADDRESS'),
    { name: 'XDS_ADDRESS', value: 'http://[fd00::1]:9978' },
  )
})
