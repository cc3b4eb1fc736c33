import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { setInterval, setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { sendRequest } from '../../support/send-request.ts'
import { sendTlsRequest } from '../../support/send-tls-request.ts'
import { freePort } from '../../support/free-port.ts'
import { ownAddress } from '../../support/own-address.ts'
import { clusterProblem } from '../lab/cluster.ts'
import { eventually } from '../lab/eventually.ts'
import { type ControllerLogLine, startControllerProcess } from './support/controller-process.ts'
import { gateway, GRANTED_HOST, grantedObjects, HOST, poisonedRoute } from './support/fault-objects.ts'
import { assertRecovers, changeRoute, recovered, startFaultyCluster } from './support/faulty-cluster.ts'

/** How long faults last that last for a while; the acceptance of a release takes 60. */
const FAULT_SECONDS = Number(process.env.FAULT_SECONDS ?? 3)

/** After a fault. */
const RECOVERY_MS = 10_000

const address = ownAddress()
const problem = clusterProblem() || (address === undefined && 'there is no address but loopback')

test('a control plane with faults', { skip: problem, timeout: 600_000 }, async (t) => {
  await using faulty = await startFaultyCluster(address ?? '')
  const { cluster, objects, apiRelay, xdsRelay, kubeconfig, ports } = faulty
  let controller = await startControllerProcess(kubeconfig, { ports })
  await using stack = new AsyncDisposableStack()
  stack.defer(() => controller.end('SIGKILL'))
  const flows = await faulty.startProxies()
  await recovered(objects, flows, await changeRoute(objects))
  for (const flow of flows) assert.deepEqual(flow.failures, [])
  /** Runs with requests the whole time, none of which may fail. */
  const during = (name: string, act: () => Promise<void>) =>
    t.test(name, async (fault) => {
      const before = flows.map(({ count, failures }) => ({ count, failures: failures.length }))
      await act()
      flows.forEach((flow, index) => {
        fault.diagnostic(`${flow.count - (before[index]?.count ?? 0)} requests`)
        assert.deepEqual(flow.failures.slice(before[index]?.failures), [])
      })
    })
  const logged = (accept: (line: ControllerLogLine) => boolean) => {
    const { lines } = controller
    const seen = lines.length
    return controller.logged((line) => lines.indexOf(line) >= seen && accept(line))
  }

  await during('whose watches are cut', async () => {
    for (let cuts = 0; cuts < 3; cuts++) {
      const restarted = logged(isRestart)
      apiRelay.cut()
      await restarted
      // It watches again: there is something to cut.
      await assertRecovers(faulty, flows)
    }
  })

  await during('whose API server is away', async () => {
    const failed = logged(isRestart)
    await cluster.stopServer()
    await failed
    await pause(FAULT_SECONDS * 1_000)
    await cluster.startServer()
    await assertRecovers(faulty, flows)
  })

  await during('that missed more than the API server remembers', async () => {
    apiRelay.close()
    const version = await changeRoute(objects)
    // Its memory of changes begins when it starts.
    await cluster.stopServer()
    await cluster.startServer()
    const listed = logged((line) => isRestart(line) && line.status === 410)
    apiRelay.open()
    await Promise.all([listed, recovered(objects, flows, version)])
  })

  await during('whose proxies lose their streams again and again', async () => {
    let left = FAULT_SECONDS
    for await (const _ of setInterval(1_000)) {
      xdsRelay.cut()
      await changeRoute(objects)
      if (--left <= 0) break
    }
    await assertRecovers(faulty, flows)
  })

  await during('that is killed and starts again', async () => {
    await controller.end('SIGKILL')
    const version = await changeRoute(objects)
    controller = await startControllerProcess(kubeconfig, { ports })
    await controller.logged(isLeading)
    const ledAt = performance.now()
    await recovered(objects, flows, version)
    assert.ok(performance.now() - ledAt < RECOVERY_MS)
  })

  await during('whose leader changes', async () => {
    const second = stack.use(await startControllerProcess(kubeconfig))
    await eventually('the second one is ready', () => isReady(second.ports.health))
    const killedAt = performance.now()
    await controller.end('SIGKILL')
    xdsRelay.leadTo(second.ports.xds)
    await second.logged(isLeading)
    assert.ok(performance.now() - killedAt < 20_000)
    await assertRecovers(faulty, flows)

    controller = await startControllerProcess(kubeconfig, { ports })
    await eventually('the first one is ready', () => isReady(ports.health))
    const endedAt = performance.now()
    const leading = controller.logged(isLeading)
    xdsRelay.leadTo(ports.xds)
    await second.end('SIGTERM')
    await leading
    assert.ok(performance.now() - endedAt < 5_000)
    await assertRecovers(faulty, flows)
  })

  await during('with a route that matches nothing', async () => {
    await objects.create(poisonedRoute)
    await assertRecovers(faulty, flows)
    await objects.delete(poisonedRoute)
  })

  await during('with a port that a proxy cannot open', async () => {
    const occupied = await freePort()
    const other = createServer().listen(occupied)
    await once(other, 'listening')
    stack.defer(() => {
      other.close()
    })
    const one = await objects.read(gateway('one', 0))
    const { listeners } = one.spec as { readonly listeners: readonly object[] }
    await objects.patch(one, {
      spec: { listeners: [...listeners, { name: 'occupied', protocol: 'HTTP', port: occupied }] },
    })
    // The rest of what the proxy is sent is in force nevertheless.
    await assertRecovers(faulty, flows)
    await objects.patch(one, { spec: { listeners } })
    await assertRecovers(faulty, flows)
  })

  await during('whose Deployment is deleted and changed by others', async () => {
    const namespace = 'default'
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace, name: 'one' } }
    const before = (await objects.read(deployment)).spec
    await objects.delete(deployment)
    await eventually(
      'there is a Deployment again',
      () => objects.read(deployment).catch(() => undefined),
      RECOVERY_MS,
    )
    await objects.patch(deployment, { spec: { template: { spec: { serviceAccountName: 'other' } } } })
    await eventually(
      'the Deployment is as it was',
      async () => (isDeepStrictEqual((await objects.read(deployment)).spec, before) ? true : undefined),
      RECOVERY_MS,
    )
  })

  await during('whose Secret is deleted, made unusable and restored', async () => {
    const { secret, httpsPort } = faulty
    const ask = () =>
      sendTlsRequest(httpsPort, { serverName: HOST }).then(
        ({ status }) => status,
        () => 0,
      )
    const replies = (status: number) =>
      eventually(
        `HTTPS replies with ${status}`,
        async () => ((await ask()) === status ? true : undefined),
        RECOVERY_MS,
      )
    await replies(200)
    await objects.delete(secret)
    await replies(0)
    await objects.create(secret)
    await replies(200)
    await objects.patch(secret, { stringData: { 'tls.crt': 'none', 'tls.key': 'none' } })
    await replies(0)
    await objects.patch(secret, secret)
    await replies(200)
    await assertRecovers(faulty, flows)
  })

  await during('with a grant that is taken away and given again', async () => {
    const { shared, granted, grant } = grantedObjects(address ?? '', faulty.upstreamPort)
    for (const object of [...shared, grant, granted]) await objects.create(object)
    const answers = (status: number) =>
      eventually(
        `requests for the other Service get ${status}`,
        async () => {
          const reply = await sendRequest(`http://127.0.0.1:${faulty.httpPort}`, '/', {
            headers: { host: GRANTED_HOST },
          })
          return reply.status === status ? true : undefined
        },
        RECOVERY_MS,
      )
    await answers(200)
    for (let round = 0; round < 3; round++) {
      await objects.delete(grant)
      await answers(500)
      await objects.create(grant)
      await answers(200)
    }
    await assertRecovers(faulty, flows)
  })
})

const isRestart = ({ message }: ControllerLogLine): boolean =>
  message === 'a kind is listed or watched again' || message === 'a kind cannot be listed or watched'

const isLeading = ({ message }: ControllerLogLine): boolean => message === 'this replica leads'

const isReady = async (port: number): Promise<true | undefined> => {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
  return response?.ok === true ? true : undefined
}
