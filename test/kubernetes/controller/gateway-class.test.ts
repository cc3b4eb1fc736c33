import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namesIn, openRawClient } from '../../support/xds/raw-xds-client.ts'
import { clusterProblem, startCluster } from '../lab/cluster.ts'
import { eventually } from '../lab/eventually.ts'
import { type AnyObject, openClusterObjects } from './support/cluster-objects.ts'
import { startControllerProcess } from './support/controller-process.ts'

const apiVersion = 'gateway.networking.k8s.io/v1'
const finalizer = 'gateway-exists-finalizer.gateway.networking.k8s.io'
const theirs = 'example.com/audited'
const gatewayClass: AnyObject = {
  apiVersion,
  kind: 'GatewayClass',
  metadata: { name: 'custom', finalizers: [theirs] },
  spec: { controllerName: 'agentgateway.dev/agentgateway' },
}
const gateway: AnyObject = {
  apiVersion,
  kind: 'Gateway',
  metadata: { namespace: 'default', name: 'web' },
  spec: { gatewayClassName: 'custom', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
}
const route: AnyObject = {
  apiVersion,
  kind: 'HTTPRoute',
  metadata: { namespace: 'default', name: 'late' },
  spec: { parentRefs: [{ name: 'web' }], hostnames: ['late.example.com'] },
}

test('a GatewayClass', { skip: clusterProblem() }, async (t) => {
  await using cluster = await startCluster()
  await using objects = await openClusterObjects(cluster.kubeconfig)
  const absent = (object: AnyObject) =>
    objects.read(object).then(
      () => undefined,
      () => true,
    )
  const finalizersOf = async (object: AnyObject) => (await objects.read(object)).metadata.finalizers ?? []
  const hasFinalizers = (...wanted: readonly string[]) =>
    eventually(`the finalizers are ${wanted.join()}`, async () => {
      const finalizers = await finalizersOf(gatewayClass)
      return finalizers.length === wanted.length && wanted.every((name) => finalizers.includes(name))
        ? true
        : undefined
    })
  await objects.create(gatewayClass)
  await objects.create(gateway)
  await using stack = new AsyncDisposableStack()
  const controller = stack.use(await startControllerProcess(cluster.kubeconfig))
  const proxy = { role: 'default~web' }

  await t.test('has the finalizer of the Gateway API while Gateways use it, next to others', async () => {
    await hasFinalizers(theirs, finalizer)
    await objects.delete(gateway)
    await hasFinalizers(theirs)
    await objects.create(gateway)
    await hasFinalizers(theirs, finalizer)
    await objects.patch(gatewayClass, { metadata: { finalizers: null } })
    await hasFinalizers(finalizer)
  })

  await t.test('is not gone when it is deleted, and nothing changes for its Gateways', async () => {
    await objects.delete(gatewayClass)
    assert.notEqual((await objects.read(gatewayClass)).metadata.deletionTimestamp, undefined)
  })

  await t.test(
    'that is removed by force leaves running proxies what they have, and what changes',
    async () => {
      using client = openRawClient(controller.ports.xds, proxy)
      client.send()
      const first = await client.next()
      assert.ok(namesIn(first).includes('listener/default/web/http'))
      client.accept(first)
      await objects.patch(gatewayClass, { metadata: { finalizers: null } })
      await eventually('the class is gone', () => absent(gatewayClass))
      await objects.create(route)
      const second = await client.next()
      assert.deepEqual(namesIn(second), ['route/HTTPRoute/default/late/00'])
    },
  )

  await t.test('that is gone makes a control plane that starts tell proxies nothing', async () => {
    const { ports } = controller
    await controller.end('SIGTERM')
    stack.use(await startControllerProcess(cluster.kubeconfig, { ports }))
    await eventually('the control plane is ready', async () => {
      const response = await fetch(`http://127.0.0.1:${ports.health}/readyz`).catch(() => undefined)
      return response?.ok === true ? true : undefined
    })
    using client = openRawClient(ports.xds, proxy)
    client.send()
    assert.match(await client.ended, /^14 the resources of this gateway are not known/)
    const { metadata, ...rest } = gatewayClass
    await objects.create({ ...rest, metadata: { name: metadata.name } })
    await hasFinalizers(finalizer)
    using again = openRawClient(ports.xds, proxy)
    again.send()
    assert.ok(namesIn(await again.next()).includes('listener/default/web/http'))
  })

  await t.test('can be deleted when its Gateways are gone', async () => {
    await objects.delete(gatewayClass)
    await objects.delete(gateway)
    await eventually('the class is gone', () => absent(gatewayClass))
  })
})
