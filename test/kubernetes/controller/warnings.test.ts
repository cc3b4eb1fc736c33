import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseManifest } from '../lab/apply-manifest.ts'
import { clusterProblem, startCluster } from '../lab/cluster.ts'
import { eventually } from '../lab/eventually.ts'
import { installCrds } from '../lab/gateway-api.ts'
import { type AnyObject, openClusterObjects } from './support/cluster-objects.ts'
import { startControllerProcess } from './support/controller-process.ts'
import { installAccount, SYSTEM_NAMESPACE } from './support/role-account.ts'

const namespace = 'default'
const keys =
  '{"keys":[{"kty":"EC","x":"hXbn5vukZX6LjxRdFXbkxiHVHEgjVvaeXxrMgDGwH44","y":"Zy8-8ym9cU9K_e_nvUakcZ-0C0KP60o40kt531V-Rps","crv":"P-256","kid":"a","alg":"ES256"}]}'
const gateway: AnyObject = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { namespace, name: 'web' },
  spec: {
    gatewayClassName: 'agentgateway',
    listeners: [{ name: 'http', protocol: 'HTTP', port: 80 }],
  },
}
/** MCP clients with tokens of the issuer, whatever for. */
const policy: AnyObject = {
  apiVersion: 'agentgateway.dev/v1alpha1',
  kind: 'ProxyPolicy',
  metadata: { namespace, name: 'tools' },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'web' }],
    traffic: {
      jwtAuthentication: {
        providers: [{ issuer: 'https://issuer.example.com', jwks: { inline: keys } }],
        mcp: { provider: 'Keycloak' },
      },
    },
  },
}
const message =
  'traffic.jwtAuthentication: without audiences and resourceMetadata.resource, tokens that the issuer made for other services are accepted'

interface PolicyObject {
  readonly metadata: { readonly generation?: number }
  readonly status?: {
    readonly ancestors?: readonly {
      readonly conditions: readonly {
        readonly type: string
        readonly status: string
        readonly message: string
        readonly observedGeneration: number
      }[]
    }[]
  }
}

test('a policy that a file would get a warning for', { skip: clusterProblem() }, async (t) => {
  await using cluster = await startCluster()
  await installCrds(
    cluster.kubeconfig,
    parseManifest(readFileSync('deploy/kubernetes/agentgateway-crds.yaml', 'utf8')),
  )
  const account = await installAccount(cluster)
  await using objects = await openClusterObjects(cluster.kubeconfig)
  await using _controller = await startControllerProcess(account, {
    env: { POD_NAMESPACE: SYSTEM_NAMESPACE },
  })
  /** The conditions of the generation that is there now. */
  const conditions = () =>
    eventually('the policy has its status', async () => {
      const { metadata, status } = (await objects.read(policy)) as PolicyObject
      const [ancestor] = status?.ancestors ?? []
      const current = ancestor?.conditions.filter(
        ({ observedGeneration }) => observedGeneration === metadata.generation,
      )
      return current?.some(({ type }) => type === 'Accepted') ? current : undefined
    })
  const events = async () => {
    const { items } = (await objects.read({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace, name: '' },
    })) as unknown as { readonly items: readonly RecordedEvent[] }
    return items
      .filter(({ involvedObject }) => involvedObject.kind === 'ProxyPolicy')
      .map((event) => `${event.type} ${event.reason} ${event.message}`)
  }

  await objects.create(gateway)
  await objects.create(policy)

  await t.test('is accepted, with the warning in its status and in an Event', async () => {
    const found = await conditions()
    assert.deepEqual(
      found.map(({ type, status }) => `${type} ${status}`),
      ['Accepted True', 'Attached True', 'agentgateway.dev/Warning True'],
    )
    assert.equal(found.at(-1)?.message, message)
    const recorded = await eventually('an event is recorded', async () => {
      const all = await events()
      return all.length > 0 ? all : undefined
    })
    assert.deepEqual(recorded, [`Warning ConfigurationWarning ${message}`])
  })

  await t.test('has no warning once it is mended', async () => {
    const provider = { issuer: 'https://issuer.example.com', audiences: ['tools'], jwks: { inline: keys } }
    await objects.patch(policy, { spec: { traffic: { jwtAuthentication: { providers: [provider] } } } })
    const found = await conditions()
    assert.deepEqual(
      found.map(({ type, status }) => `${type} ${status}`),
      ['Accepted True', 'Attached True'],
    )
    const { status } = (await objects.read(policy)) as PolicyObject
    assert.ok(!JSON.stringify(status).includes('Warning'))
  })
})

interface RecordedEvent {
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly involvedObject: { readonly kind: string }
}
