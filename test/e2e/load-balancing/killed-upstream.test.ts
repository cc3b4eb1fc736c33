import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { Clients } from './clients.ts'
import { type Replica, startReplica } from './replica.ts'

const CLIENTS = 12

/** However long turns of the event loop take on a busy machine, that is no overload here. */
const configuration = (hosts: readonly string[], policies: string): string => `${anyPorts}
frontendPolicies: { admission: { lag: 10m } }
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - policies:
      health: { eviction: { consecutiveFailures: 1, duration: 300ms } }
      ${policies}
    backends:
${hosts.map((host) => `      - host: ${host}`).join('\n')}
`

suite('three upstreams, one of which is killed under load and restarted', () => {
  let replicas: readonly Replica[]
  before(async () => {
    replicas = await Promise.all(['a', 'b', 'c'].map(startReplica))
  })
  after(() => Promise.all(replicas.map((one) => one[Symbol.asyncDispose]())))

  /** Kills one of them three times and restarts it each time. Returns when it was down. */
  const ordeal = async (
    daemon: Daemon,
  ): Promise<{ readonly clients: Clients; readonly goneAt: number[] }> => {
    const [victim] = replicas
    assert.ok(victim)
    const clients = new Clients(`${daemon.url('default')}/`, CLIENTS)
    const goneAt: number[] = []
    try {
      for (let round = 0; round < 3; round++) {
        await clients.until(200)
        await victim.kill()
        goneAt.push(performance.now())
        await clients.until(400)
        await victim.start()
        // It is used again when its eviction is over.
        await clients.until(50, ({ body }) => body === victim.name)
      }
    } finally {
      await clients.stop()
    }
    return { clients, goneAt }
  }

  test('fail no request with a retry', async () => {
    const hosts = replicas.map(({ host }) => host)
    await using daemon = await startDaemon(configuration(hosts, 'retry: { attempts: 2, codes: [502, 503] }'))
    const { clients } = await ordeal(daemon)
    assert.deepEqual(
      clients.failed.map(({ outcome }) => outcome),
      [],
    )
    assert.ok(clients.requests.length > 1_950)
  })

  test('fail only the requests in flight without a retry', async () => {
    const hosts = replicas.map(({ host }) => host)
    await using daemon = await startDaemon(configuration(hosts, ''))
    const { clients, goneAt } = await ordeal(daemon)
    const later = clients.failed.filter(
      ({ startedAt }) => !goneAt.some((gone) => startedAt < gone && startedAt > gone - 10_000),
    )
    assert.deepEqual(
      later.map(({ outcome }) => outcome),
      [],
    )
    assert.ok(clients.failed.length <= goneAt.length * CLIENTS, `${clients.failed.length} failed`)
  })
})
