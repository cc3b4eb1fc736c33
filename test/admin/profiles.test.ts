import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { type TestContext, test } from 'node:test'
import { profileEndpoints } from '../../src/admin/handlers/profiles.ts'
import { indexPage } from '../../src/admin/handlers/index-page.ts'
import { startHeapSampling } from '../../src/admin/profiling/heap-sampling.ts'
import { serveEndpoints } from '../../src/admin/server/endpoint-server.ts'
import { call } from '../support/admin-call.ts'
import { decodeProfile } from '../support/decode-profile.ts'

const serve = async (t: TestContext, platform: string) => {
  const shutdown = new AbortController()
  const heapSampling = startHeapSampling(platform)
  const profiles = profileEndpoints({ heapSampling, shutdown: shutdown.signal, platform })
  const endpoints = [indexPage('1', profiles), ...profiles]
  const server = await serveEndpoints({ address: { host: '127.0.0.1', port: 0 }, endpoints })
  t.after(async () => {
    shutdown.abort()
    heapSampling?.stop()
    await server.close(0)
  })
  const [address = ''] = server.addresses
  return {
    shutdown,
    address,
    send: (path: string, method = 'GET') => call(address, path, { method }),
    profile: async (path: string) => {
      const response = await fetch(`http://${address}${path}`)
      const bytes = new Uint8Array(await response.arrayBuffer())
      assert.equal(response.status, 200, Buffer.from(bytes).toString())
      return decodeProfile(bytes)
    },
  }
}

/** Keeps this thread busy, in short turns, until the returned function is called. */
const keepBusy = (): (() => void) => {
  let isOver = false
  const turn = (): void => {
    burnForProfile(performance.now() + 4)
    if (!isOver) setImmediate(turn)
  }
  turn()
  return () => (isOver = true)
}

function burnForProfile(untilMs: number): number {
  let count = 0
  while (performance.now() < untilMs) count++
  return count
}

const sum = (stacks: readonly { values: readonly number[] }[], i: number): number =>
  stacks.reduce((total, { values }) => total + values[i]!, 0)

test('/debug/pprof/profile', { skip: process.platform !== 'linux' && 'needs Linux' }, async (t) => {
  const { send, profile, address, shutdown } = await serve(t, 'linux')
  const path = '/debug/pprof/profile'

  for (const [query, refusal] of [
    ['seconds=0', 'seconds must be a whole number from 1 to 300'],
    ['seconds=301', 'seconds must be a whole number from 1 to 300'],
    ['seconds=', 'seconds must be a whole number from 1 to 300'],
    ['seconds=1.5', 'seconds must be a whole number from 1 to 300'],
    ['seconds=-1', 'seconds must be a whole number from 1 to 300'],
    ['seconds=1e2', 'seconds must be a whole number from 1 to 300'],
    ['seconds=abc', 'seconds must be a whole number from 1 to 300'],
    ['seconds=%EF%BC%91', 'seconds must be a whole number from 1 to 300'],
    ['frequency=0', 'frequency must be a whole number from 1 to 1000'],
    ['frequency=1001', 'frequency must be a whole number from 1 to 1000'],
    ['frequency=0x10', 'frequency must be a whole number from 1 to 1000'],
    ['seconds=1&seconds=2', 'parameter given twice: seconds'],
    ['second=1', 'unknown parameter: second; known are seconds, frequency'],
    ['__proto__=1', 'unknown parameter: __proto__; known are seconds, frequency'],
  ] as const)
    await t.test(`refuses ${query}, with GET and with HEAD`, async () => {
      const { status, text } = await send(`${path}?${query}`)
      assert.deepEqual([status, text], [400, `${refusal}\n`])
      assert.equal((await send(`${path}?${query}`, 'HEAD')).status, 400)
    })

  await t.test('answers HEAD without taking a profile, and refuses other methods', async () => {
    const { status, headers, text } = await send(`${path}?seconds=300`, 'HEAD')
    assert.deepEqual([status, text], [200, ''])
    assert.equal(headers['content-type'], 'application/octet-stream')
    assert.equal(headers['content-disposition'], 'attachment; filename="agentgateway-cpu.pb.gz"')
    assert.equal((await send(path, 'POST')).status, 405)
  })

  await t.test('samples at the requested frequency, with the CPU time that was used', async () => {
    const stop = keepBusy()
    // A thread that gets no processor for most of the second is sampled less often.
    const sampled = async (frequency: number, least: number) => {
      let taken = await profile(`${path}?seconds=1&frequency=${frequency}`)
      while (sum(taken.stacks, 0) < least) taken = await profile(`${path}?seconds=1&frequency=${frequency}`)
      return taken
    }
    const fast = await sampled(200, 13)
    const slow = await sampled(5, 1)
    stop()
    assert.deepEqual(fast.valueTypes, ['samples/count', 'cpu/nanoseconds'])
    assert.deepEqual([fast.period, slow.period], ['cpu/nanoseconds 5000000', 'cpu/nanoseconds 200000000'])
    const [often, seldom] = [sum(fast.stacks, 0), sum(slow.stacks, 0)]
    assert.ok(often <= 201 && seldom <= 6, `${often}, ${seldom} samples`)
    // The sum is the CPU time of the thread, whatever the number of samples.
    for (const { stacks, durationMs } of [fast, slow]) {
      const usedMs = sum(stacks, 1) / 1e6
      assert.ok(usedMs > 1 && usedMs <= durationMs * 1.05, `${usedMs} of ${durationMs} ms`)
    }
    const name = /^burnForProfile \/.*\/test\/admin\/profiles\.test\.ts:\d+$/
    const line = fast.stacks.flatMap(({ frames }) => frames).find((frame) => name.test(frame))
    assert.ok(line, 'the busy function is in the profile')
  })

  await t.test(
    'refuses a second profile meanwhile, ends with its client, and can then be called again',
    async () => {
      const stop = keepBusy()
      const [host, port] = address.split(':')
      const client = request({ host, port, path: `${path}?seconds=300`, agent: false }).end()
      client.on('error', () => undefined)
      await once(client, 'socket')
      let response = await send(`${path}?seconds=1`)
      while (response.status === 200) response = await send(`${path}?seconds=1`)
      assert.deepEqual(
        [response.status, response.text],
        [409, 'a CPU profile is being taken: try again when it has ended\n'],
      )
      client.destroy()
      while (response.status === 409) response = await send(`${path}?seconds=1`)
      stop()
      assert.equal(response.status, 200)
    },
  )

  await t.test('ends with the gateway', async () => {
    const pending = send(`${path}?seconds=300`)
    while ((await send(`${path}?seconds=1`)).status !== 409);
    shutdown.abort()
    const { status, text } = await pending
    assert.deepEqual([status, text], [503, 'the gateway shuts down\n'])
  })
})

test('/debug/pprof/heap', { skip: process.platform !== 'linux' && 'needs Linux' }, async (t) => {
  const { send, profile } = await serve(t, 'linux')
  const path = '/debug/pprof/heap'
  const kept = Array.from({ length: 200_000 }, (_, i) => ({ i, text: `text ${i}` }))

  await t.test('has samples of allocations that are in use, with function and line', async () => {
    const { valueTypes, period, stacks } = await profile(path)
    assert.deepEqual(valueTypes, ['inuse_objects/count', 'inuse_space/bytes'])
    assert.equal(period, 'space/bytes 524288')
    assert.ok(sum(stacks, 1) > 2 ** 20, `${sum(stacks, 1)} bytes with ${kept.length} objects`)
    const ours = stacks.flatMap(({ frames }) => frames)
    assert.ok(ours.some((frame) => /\/test\/admin\/profiles\.test\.ts:\d+$/.test(frame)))
  })

  await t.test('shares one profile among callers of the same moment', async () => {
    const all = await Promise.all(Array.from({ length: 200 }, () => send(path)))
    assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([200]))
  })

  await t.test('answers HEAD, and refuses parameters', async () => {
    const { status, headers, text } = await send(path, 'HEAD')
    assert.deepEqual([status, text], [200, ''])
    assert.equal(headers['content-disposition'], 'attachment; filename="agentgateway-heap.pb.gz"')
    const refused = await send(`${path}?seconds=1`)
    assert.deepEqual([refused.status, refused.text], [400, 'unknown parameter: seconds; there are none\n'])
  })
})

test('on another platform than Linux', async (t) => {
  const { send, profile } = await serve(t, 'darwin')

  await t.test('there is no CPU profile', async () => {
    assert.equal((await send('/debug/pprof/profile')).status, 404)
    assert.doesNotMatch((await send('/')).text, /pprof\/profile/)
  })

  await t.test('the heap profile has no samples', async () => {
    const { valueTypes, stacks, comments } = await profile('/debug/pprof/heap')
    assert.deepEqual(valueTypes, ['inuse_objects/count', 'inuse_space/bytes'])
    assert.deepEqual(stacks, [])
    assert.deepEqual(comments, ['this process does not sample allocations'])
  })
})
