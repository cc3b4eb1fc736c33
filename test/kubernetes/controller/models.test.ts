import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { applyObjects, parseManifest } from '../lab/apply-manifest.ts'
import { readAuditLog } from '../lab/audit.ts'
import { clusterProblem, startCluster } from '../lab/cluster.ts'
import { eventually } from '../lab/eventually.ts'
import { installCrds } from '../lab/gateway-api.ts'
import { roleUse, type RoleRule } from '../lab/permissions.ts'
import { type AnyObject, openClusterObjects } from './support/cluster-objects.ts'
import { startControllerProcess } from './support/controller-process.ts'
import { installAccount, SYSTEM_NAMESPACE } from './support/role-account.ts'

const manifestOf = (path: string) => parseManifest(readFileSync(path, 'utf8'))

/** What the manifest refers to. */
const neighbours = parseManifest(`
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: v1
kind: Secret
metadata: { name: openai, namespace: shop }
stringData: { Authorization: Bearer key }
---
apiVersion: v1
kind: Secret
metadata: { name: anthropic, namespace: shop }
stringData: { Authorization: Bearer key }
---
apiVersion: v1
kind: Service
metadata: { name: llama, namespace: shop }
spec: { ports: [{ port: 8000 }] }
`)

/** What the chart grants with models, and the variable that it sets then. */
const chart = manifestOf('test/deploy/chart/golden/models/out.yaml')
const roles = chart.filter(({ kind = '' }) => /^(Cluster)?Role/.test(kind))
const env = { POD_NAMESPACE: SYSTEM_NAMESPACE, AGW_ENABLE_AGENTGATEWAY_MODELS: 'true' }

test('models of an API server, under the role of the chart', { skip: clusterProblem() }, async (t) => {
  await using stack = new AsyncDisposableStack()
  const logs = stack.adopt(mkdtempSync(join(tmpdir(), 'audit-')), (path) => rmSync(path, { recursive: true }))
  const cluster = stack.use(await startCluster({ logs }))
  await installCrds(cluster.kubeconfig, manifestOf('deploy/kubernetes/agentgateway-crds.yaml'))
  const account = await installAccount(cluster)
  await applyObjects(cluster.kubeconfig, roles)
  const objects = stack.use(await openClusterObjects(cluster.kubeconfig))
  const manifest = manifestOf('examples/kubernetes/proxy-models.yaml')
  await applyObjects(cluster.kubeconfig, [...neighbours, ...manifest])
  stack.use(await startControllerProcess(account, { env }))

  const model = (name: string): AnyObject => ({
    apiVersion: 'agentgateway.dev/v1alpha1',
    kind: 'ProxyModel',
    metadata: { namespace: 'shop', name },
  })
  const conditionsOf = async (name: string): Promise<readonly string[]> => {
    const { status } = (await objects.read(model(name))) as {
      readonly status?: {
        readonly parents?: readonly {
          readonly conditions: readonly { readonly type: string; readonly reason: string }[]
        }[]
      }
    }
    return (status?.parents ?? []).map(({ conditions }) =>
      conditions.map(({ type, reason }) => `${type} ${reason}`).join(', '),
    )
  }
  const becomes = (name: string, ...conditions: readonly string[]) =>
    eventually(
      `${name} has ${conditions.join('; ')}`,
      async () => (await conditionsOf(name)).join('; ') === conditions.join('; ') || undefined,
    )

  await t.test('get statuses for each parent', async () => {
    for (const name of ['gpt', 'llama', 'chat', 'claude'])
      await becomes(name, 'Accepted Accepted, ResolvedRefs ResolvedRefs')
  })

  await t.test('follow what they refer to', async () => {
    await objects.delete(model('llama'))
    await becomes('chat', 'Accepted Accepted, ResolvedRefs Invalid')
    await objects.patch(model('gpt'), {
      spec: { parentRefs: [{ name: 'models', sectionName: 'none' }, { name: 'elsewhere' }] },
    })
    await becomes('gpt', 'Accepted NoMatchingParent, ResolvedRefs ResolvedRefs')
    await objects.patch(model('gpt'), { spec: { parentRefs: [{ name: 'elsewhere' }] } })
    await becomes('gpt')
  })

  await t.test('need the permissions that the chart grants for them, and no other', () => {
    const rules = roles.flatMap((role) => (role as { readonly rules?: readonly RoleRule[] }).rules ?? [])
    const { refused, unused } = roleUse(rules, readAuditLog(logs))
    assert.deepEqual(refused, [])
    // Only a status that another controller wrote meanwhile is read again.
    const rereads = 'get proxymodels.agentgateway.dev'
    assert.deepEqual(
      unused.filter((permission) => permission.includes('proxymodels') && permission !== rereads),
      [],
    )
  })
})
