import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ownAddress } from '../../support/own-address.ts'
import { openRawClient } from '../../support/xds/raw-xds-client.ts'
import { applyObjects, parseManifest } from '../lab/apply-manifest.ts'
import { readAuditLog } from '../lab/audit.ts'
import { clusterProblem, startCluster } from '../lab/cluster.ts'
import { eventually } from '../lab/eventually.ts'
import { waitUntilEstablished } from '../lab/gateway-api.ts'
import { roleUse } from '../lab/permissions.ts'
import { type AnyObject, openClusterObjects } from './support/cluster-objects.ts'
import { startControllerProcess } from './support/controller-process.ts'
import { grantedRules, installAccount, SYSTEM_NAMESPACE } from './support/role-account.ts'

const namespace = 'default'
const gatewayApi = 'gateway.networking.k8s.io'
const keySet =
  '{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}'

const gateway: AnyObject = {
  apiVersion: `${gatewayApi}/v1`,
  kind: 'Gateway',
  metadata: { namespace, name: 'web' },
  spec: {
    gatewayClassName: 'agentgateway',
    listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }],
  },
}
const stores: AnyObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: SYSTEM_NAMESPACE, name: '' },
}

/** A policy of callers whose keys are at a URL. */
const policyOf = (name: string, url: string): AnyObject => ({
  apiVersion: 'agentgateway.dev/v1alpha1',
  kind: 'ProxyPolicy',
  metadata: { namespace, name },
  spec: {
    targetRefs: [{ group: gatewayApi, kind: 'Gateway', name: 'web' }],
    traffic: {
      jwtAuthentication: { providers: [{ issuer: 'https://id.example.com', jwks: { remote: { url } } }] },
    },
  },
})

const problem = clusterProblem() || (ownAddress() === undefined && 'there is no network')

test('key sets of policies', { skip: problem }, async (t) => {
  await using stack = new AsyncDisposableStack()
  const logs = stack.adopt(mkdtempSync(join(tmpdir(), 'audit-')), (path) => rmSync(path, { recursive: true }))
  const cluster = stack.use(await startCluster({ logs }))
  const definitions = parseManifest(readFileSync('deploy/kubernetes/agentgateway-crds.yaml', 'utf8'))
  await applyObjects(cluster.kubeconfig, definitions)
  await waitUntilEstablished(cluster.kubeconfig, definitions)
  const kubeconfig = await installAccount(cluster)
  const objects = stack.use(await openClusterObjects(cluster.kubeconfig))

  let fetches = 0
  const server = createServer((_, response) => {
    fetches += 1
    response.setHeader('content-type', 'application/jwk-set+json').end(keySet)
  })
  server.listen(0, ownAddress())
  await once(server, 'listening')
  stack.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  const { address, port } = server.address() as AddressInfo
  const policies = ['callers', 'others'].map((name) => policyOf(name, `http://${address}:${port}/keys`))

  const env = { POD_NAMESPACE: SYSTEM_NAMESPACE }
  const leader = stack.use(await startControllerProcess(kubeconfig, { env }))
  const storedKeySets = async (): Promise<readonly string[]> => {
    const { items } = (await objects.read(stores)) as unknown as {
      readonly items: readonly AnyObject[]
    }
    return items
      .filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === 'jwks-store')
      .map(({ data }) => (data as Readonly<Record<string, string>>)['jwks-store'] ?? '')
  }

  await t.test('are fetched once by the leader, into a ConfigMap that all policies share', async () => {
    await objects.create(gateway)
    for (const policy of policies) await objects.create(policy)
    const stored = await eventually('the key set is stored', async () => {
      const found = await storedKeySets()
      return found.length > 0 ? found : undefined
    })
    assert.deepEqual(
      stored.map((text) => (JSON.parse(text) as { readonly jwks: string }).jwks),
      [keySet],
    )
    assert.equal(fetches, 1)
  })

  await t.test('make the policies that need them valid', async () => {
    for (const policy of policies)
      await eventually('the policy is accepted', async () => {
        const { status } = (await objects.read(policy)) as unknown as { readonly status?: Status }
        const conditions = status?.ancestors?.flatMap((ancestor) => ancestor.conditions) ?? []
        return conditions.some(({ type, status: is }) => type === 'Accepted' && is === 'True') || undefined
      })
  })

  const replica = stack.use(await startControllerProcess(kubeconfig, { env }))
  await t.test('are served by another replica after the leader was killed', async () => {
    await leader.end('SIGKILL')
    await eventually('the replica serves the keys', async () => {
      using proxy = openRawClient(replica.ports.xds, { role: `${namespace}~web` })
      proxy.send()
      const { resources } = await Promise.race([
        proxy.next(),
        proxy.ended.then((reason) => ({ resources: [], reason })),
      ])
      const texts = resources.map(({ resource }) => Buffer.from(resource?.value ?? []).toString('utf8'))
      return texts.some((text) => text.includes('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo')) || undefined
    })
  })

  await t.test('stay while one policy refers to them, and are deleted with the last', async () => {
    const [first, last] = policies as [AnyObject, AnyObject]
    await objects.delete(first)
    const added = policyOf('marker', `http://${address}:${port}/other-keys`)
    await objects.create(added)
    // The replica leads by then, and has seen that a policy is gone.
    await eventually('the replica fetches another key set', async () => {
      const urls = (await storedKeySets()).map((text) => (JSON.parse(text) as { readonly url: string }).url)
      return urls.some((url) => url.endsWith('/other-keys')) || undefined
    })
    assert.equal((await storedKeySets()).length, 2)
    assert.equal(fetches, 2)
    await objects.delete(last)
    await objects.delete(added)
    await eventually(
      'the key sets are deleted',
      async () => (await storedKeySets()).length === 0 || undefined,
    )
  })

  await t.test('need nothing that the role does not grant', () => {
    const { refused, unused } = roleUse(grantedRules, readAuditLog(logs))
    assert.deepEqual(refused, [])
    assert.equal(unused.includes('delete configmaps'), false)
  })
})

interface Status {
  readonly ancestors?: readonly {
    readonly conditions: readonly { readonly type: string; readonly status: string }[]
  }[]
}
