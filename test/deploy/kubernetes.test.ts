import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { kinds, watchedKinds } from '../../src/controller/kinds/kinds.ts'
import { readSettings } from '../../src/controller/settings/read-settings.ts'
import { parseManifest } from '../kubernetes/lab/apply-manifest.ts'
import { permissionsOf, type RoleRule } from '../kubernetes/lab/permissions.ts'

const objects = parseManifest(readFileSync('deploy/kubernetes/agentgateway.yaml', 'utf8'))

const deployment = objects.find(({ kind }) => kind === 'Deployment') as unknown as {
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> }
      readonly spec: {
        readonly enableServiceLinks: boolean
        readonly containers: readonly {
          readonly image: string
          readonly env: readonly { readonly name: string; readonly value?: string }[]
        }[]
      }
    }
  }
}

const granted = (kind: string) =>
  permissionsOf(
    objects
      .filter((object) => object.kind === kind)
      .flatMap((role) => (role as { readonly rules?: readonly RoleRule[] }).rules ?? []),
  )

/** What the control plane does beside watching. */
const other = [
  'get gatewayclasses.gateway.networking.k8s.io',
  'create gatewayclasses.gateway.networking.k8s.io',
  'patch gatewayclasses.gateway.networking.k8s.io',
  'patch gatewayclasses/status.gateway.networking.k8s.io',
  'patch gateways/status.gateway.networking.k8s.io',
  'patch listenersets/status.gateway.networking.k8s.io',
  'get httproutes.gateway.networking.k8s.io',
  'patch httproutes/status.gateway.networking.k8s.io',
  'get grpcroutes.gateway.networking.k8s.io',
  'patch grpcroutes/status.gateway.networking.k8s.io',
  'get tlsroutes.gateway.networking.k8s.io',
  'patch tlsroutes/status.gateway.networking.k8s.io',
  'get tcproutes.gateway.networking.k8s.io',
  'patch tcproutes/status.gateway.networking.k8s.io',
  'get udproutes.gateway.networking.k8s.io',
  'patch udproutes/status.gateway.networking.k8s.io',
  'get backendtlspolicies.gateway.networking.k8s.io',
  'patch backendtlspolicies/status.gateway.networking.k8s.io',
  'get proxypolicies.agentgateway.dev',
  'patch proxypolicies/status.agentgateway.dev',
  'get proxybackends.agentgateway.dev',
  'patch proxybackends/status.agentgateway.dev',
  'get serviceaccounts',
  'create serviceaccounts',
  'patch serviceaccounts',
  'get services',
  'create services',
  'patch services',
  'get configmaps',
  'create configmaps',
  'patch configmaps',
  'get deployments.apps',
  'create deployments.apps',
  'patch deployments.apps',
  'delete deployments.apps',
  'get daemonsets.apps',
  'create daemonsets.apps',
  'patch daemonsets.apps',
  'delete daemonsets.apps',
  'get poddisruptionbudgets.policy',
  'create poddisruptionbudgets.policy',
  'patch poddisruptionbudgets.policy',
  'delete poddisruptionbudgets.policy',
  'get horizontalpodautoscalers.autoscaling',
  'create horizontalpodautoscalers.autoscaling',
  'patch horizontalpodautoscalers.autoscaling',
  'delete horizontalpodautoscalers.autoscaling',
  'get secrets',
  'create secrets',
  'update gateways/finalizers.gateway.networking.k8s.io',
  'create tokenreviews.authentication.k8s.io',
  'create events',
  'patch events',
]

test('the manifest of the control plane', async (t) => {
  await t.test('grants to list and watch what is watched, to do what else is done, and nothing more', () => {
    const watched = watchedKinds().flatMap((kind) => {
      const { group, plural } = kinds[kind]
      return ['list', 'watch'].map((verb) => `${verb} ${plural}${group && `.${group}`}`)
    })
    assert.deepEqual([...granted('ClusterRole')].sort(), [...watched, ...other].sort())
  })

  await t.test(
    'grants the election of a leader, the rotation of its authority and the keys of tokens in its own namespace only',
    () => {
      const leases = ['get', 'create', 'update'].map((verb) => `${verb} leases.coordination.k8s.io`)
      const keySets = ['get', 'create', 'patch', 'delete'].map((verb) => `${verb} configmaps`)
      const authority = ['create secrets', 'patch secrets']
      assert.deepEqual([...granted('Role')].sort(), [...leases, ...keySets, ...authority].sort())
    },
  )

  await t.test('runs the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
    const [container] = deployment.spec.template.spec.containers
    assert.equal(container?.image, `cr.agentgateway.dev/controller:v${version}`)
  })

  await t.test('labels the pods as agctl looks for them', () => {
    assert.equal(deployment.spec.template.metadata.labels.agentgateway, 'agentgateway')
  })

  await t.test('sets no variable that the control plane refuses', () => {
    const [container] = deployment.spec.template.spec.containers
    const env = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]))
    const { xds, proxy } = readSettings(env, '9.9.9')
    assert.deepEqual(
      [xds.mode, xds.serviceName, proxy.image],
      ['tls', 'agentgateway', { registry: 'cr.agentgateway.dev', repository: 'agentgateway', tag: 'v9.9.9' }],
    )
  })

  await t.test('keeps the variables of Services away, of which some may begin with AGW_', () => {
    assert.equal(deployment.spec.template.spec.enableServiceLinks, false)
  })

  await t.test('is the base for Kustomize', () => {
    const base = parse(readFileSync('deploy/kubernetes/kustomization.yaml', 'utf8')) as {
      readonly resources: readonly string[]
    }
    assert.deepEqual(base.resources, ['agentgateway-crds.yaml', 'agentgateway.yaml'])
    for (const file of base.resources) assert.ok(existsSync(`deploy/kubernetes/${file}`))
  })
})
