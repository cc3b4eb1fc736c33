import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { Queue } from '../../controller/support/queue.ts'
import { clusterProblem, startCluster } from '../lab/cluster.ts'

const startReplica = (kubeconfig: string) => {
  const args = ['--conditions=agentgateway-source', join(import.meta.dirname, 'replica.ts')]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const states = new Queue<string>()
  createInterface(child.stdout).on('line', (line) => states.push(line))
  return { child, states, exited: once(child, 'exit') }
}

test('a replica takes over', { skip: clusterProblem() }, async (t) => {
  await using cluster = await startCluster({ channel: 'none' })
  const first = startReplica(cluster.kubeconfig)
  assert.deepEqual(await first.states.take(2), ['follower', 'leader'])
  const second = startReplica(cluster.kubeconfig)
  assert.equal(await second.states.next(), 'follower')

  await t.test('once the lease of a leader that was killed has expired', async () => {
    const killedAt = performance.now()
    first.child.kill('SIGKILL')
    assert.equal(await second.states.next(), 'leader')
    const tookMs = performance.now() - killedAt
    t.diagnostic(`took ${Math.round(tookMs)} ms`)
    // The lease is of twelve seconds.
    assert.ok(tookMs < 60_000)
  })

  await t.test('at once when the leader ended in good order', async () => {
    const third = startReplica(cluster.kubeconfig)
    assert.equal(await third.states.next(), 'follower')
    second.child.kill('SIGTERM')
    const stoppedAt = performance.now()
    assert.equal(await third.states.next(), 'leader')
    const tookMs = performance.now() - stoppedAt
    t.diagnostic(`took ${Math.round(tookMs)} ms`)
    // Before the lease expires.
    assert.ok(tookMs < 11_000)
    assert.equal(await second.states.next(), 'follower')
    assert.deepEqual(await second.exited, [0, null])
    third.child.kill('SIGTERM')
    await third.exited
  })
})
