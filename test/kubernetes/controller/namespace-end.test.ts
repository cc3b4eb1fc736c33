import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clusterProblem, startCluster } from '../lab/cluster.ts'
import { eventually } from '../lab/eventually.ts'
import { type AnyObject, openClusterObjects } from './support/cluster-objects.ts'
import { startControllerProcess } from './support/controller-process.ts'

const namespace: AnyObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ending' } }
const gateway = (name: string, of: string): AnyObject => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { namespace: of, name },
  spec: {
    gatewayClassName: 'agentgateway',
    listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }],
  },
})

test('a Gateway in a namespace that is being deleted', { skip: clusterProblem() }, async () => {
  await using cluster = await startCluster()
  await using objects = await openClusterObjects(cluster.kubeconfig)
  await objects.create(namespace)
  await objects.create(gateway('web', 'ending'))
  // Without kube-controller-manager the namespace and what is in it stay until the test deletes them.
  await objects.delete(namespace)
  await using controller = await startControllerProcess(cluster.kubeconfig)
  const failed = await controller.logged(({ message }) => message === 'objects cannot be deployed')
  assert.equal(failed.status, 403)
  const condition = await eventually('the Gateway is not programmed', async () => {
    const { status } = await objects.read(gateway('web', 'ending'))
    const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] }
    return conditions.find(({ type, reason }) => type === 'Programmed' && reason === 'DeploymentFailed')
  })
  assert.match(condition.message, /being terminated/)
  await objects.delete(gateway('web', 'ending'))
  // It is known to be gone when a later one has its objects, and nothing is tried for it from then on.
  const lines = async (name: string) => {
    await objects.create(gateway(name, 'default'))
    await controller.logged(({ message, gateway: of }) => message === 'deployed' && of === `default/${name}`)
    return controller.lines.length
  }
  const before = await lines('later')
  await lines('last')
  assert.deepEqual(
    controller.lines
      .slice(before)
      .filter(({ gateway: of, object }) => of === 'ending/web' || object === 'ending/web'),
    [],
  )
})

interface Condition {
  readonly type: string
  readonly reason: string
  readonly message: string
}
