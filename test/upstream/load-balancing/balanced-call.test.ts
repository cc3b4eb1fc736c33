import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyBody } from '../../../src/model/exchange/body.ts'
import { exchange } from '../../../src/testing/exchange.ts'
import { TraceRecorder } from '../../../src/testing/trace-recorder.ts'
import { BalancedCall, type BalancedOptions } from '../../../src/upstream/load-balancing/balanced-call.ts'
import { BetterOfTwo, ByKey } from '../../../src/upstream/load-balancing/balancer.ts'
import type { Endpoint } from '../../../src/upstream/load-balancing/endpoint.ts'
import { UpstreamRecorder } from '../../support/upstream-recorder.ts'
import { endpointAt } from '../../support/endpoints.ts'
import { httpServer, rawServer } from '../../support/upstream-servers.ts'

const options: BalancedOptions = {
  authority: undefined,
  eviction: { durationMs: 60_000 },
  unhealthy: undefined,
  balancer: new BetterOfTwo(() => 0),
}

const withEndpoints = async (ports: readonly number[], act: (endpoints: Endpoint[]) => Promise<void>) => {
  const endpoints = ports.map((port) => endpointAt(port))
  try {
    await act(endpoints)
  } finally {
    for (const endpoint of endpoints) await endpoint.destroy()
  }
}

/** A call with events from the test. */
const judged = (endpoint: Endpoint, parts: Partial<BalancedOptions> = {}) =>
  new BalancedCall(exchange(), [endpoint], { ...options, ...parts }, new UpstreamRecorder()).start()

test('a balanced call', async (t) => {
  await using server = await httpServer((_, res) => res.end('x'))
  await using silent = await rawServer(() => undefined)

  await t.test('counts as active until it ends, fails or is cancelled', () =>
    withEndpoints([server.port, silent.port], async ([open, quiet]) => {
      const answer = new UpstreamRecorder((body) => body.drop())
      new BalancedCall(exchange(), [open!], options, answer).start()
      assert.equal(open!.health.pending, 1)
      await answer.done
      assert.equal(open!.health.pending, 0)
      const waiting = new BalancedCall(exchange(), [quiet!], options, new UpstreamRecorder()).start()
      assert.equal(quiet!.health.pending, 1)
      waiting.abort()
      waiting.abort()
      assert.equal(quiet!.health.pending, 0)
    }),
  )

  const grpc = ['content-type', 'application/grpc']
  const verdicts: readonly (readonly [
    string,
    status: number,
    head: string[],
    trailers: string[],
    boolean,
  ])[] = [
    ['200', 200, [], [], false],
    ['429', 429, [], [], false],
    ['500', 500, [], [], true],
    ['a gRPC status of 0', 200, grpc, ['grpc-status', '0'], false],
    ['a gRPC status of 13', 200, grpc, ['grpc-status', '13'], true],
    ['a gRPC status of 13 that comes with the head', 200, [...grpc, 'grpc-status', '13'], [], true],
  ]
  for (const [what, status, head, trailers, failed] of verdicts)
    await t.test(`counts ${what} as a ${failed ? 'failure' : 'success'}`, () =>
      withEndpoints([silent.port], ([endpoint]) => {
        const call = judged(endpoint!)
        call.head(status, head, emptyBody)
        call.end(trailers)
        assert.equal(endpoint!.health.isEvicted(performance.now()), failed)
        return Promise.resolve()
      }),
    )

  await t.test('evaluates an expression about failures with the response', () =>
    withEndpoints([silent.port], ([endpoint]) => {
      const x = exchange()
      const seen: unknown[] = []
      const unhealthy = (asked: typeof x) => {
        seen.push(asked.reply?.status, asked.reply?.headers.get('x-a'))
        return { value: true }
      }
      const call = new BalancedCall(x, [endpoint!], { ...options, unhealthy }, new UpstreamRecorder()).start()
      call.head(200, ['x-a', '1'], emptyBody)
      assert.deepEqual([seen, x.reply], [[200, '1'], undefined])
      assert.equal(endpoint!.health.isEvicted(performance.now()), true)
      call.abort()
      return Promise.resolve()
    }),
  )

  await t.test('avoids an endpoint for its Retry-After', () =>
    withEndpoints([silent.port], ([endpoint]) => {
      const call = judged(endpoint!, { eviction: {} })
      call.head(503, ['retry-after', '20'], emptyBody)
      const now = performance.now()
      assert.deepEqual(
        [endpoint!.health.isEvicted(now + 19_000), endpoint!.health.isEvicted(now + 21_000)],
        [true, false],
      )
      call.abort()
      return Promise.resolve()
    }),
  )

  await t.test('is bound to an endpoint by a key that is text, and free without one', async () => {
    await using other = await rawServer(() => undefined)
    await withEndpoints([server.port, silent.port, other.port], (endpoints) => {
      const chosenBy = (value: unknown): string | undefined => {
        const x = exchange()
        const balancer = new ByKey(() => ({ value }), options.balancer)
        new BalancedCall(x, endpoints, { ...options, balancer }, new UpstreamRecorder()).start().abort()
        return x.upstream.endpoint
      }
      const chosen = Array.from({ length: 40 }, (_, i) => chosenBy(`k-${i}`))
      assert.equal(new Set(chosen).size, 3)
      assert.deepEqual(
        chosen,
        chosen.map((_, i) => chosenBy(`k-${i}`)),
      )
      assert.equal(chosenBy(null), chosenBy(undefined))
      return Promise.resolve()
    })
  })

  await t.test('uses another endpoint when the exchange is retried', () =>
    withEndpoints([server.port, silent.port, server.port], async ([a, b]) => {
      for (let i = 0; i < 5; i++) {
        const x = exchange()
        x.upstream.tried = [b!]
        const answer = new UpstreamRecorder((body) => body.drop())
        new BalancedCall(x, [a!, b!], { ...options, balancer: new BetterOfTwo(Math.random) }, answer).start()
        await answer.done
        assert.equal(x.upstream.endpoint, a!.name)
      }
    }),
  )

  await t.test('reports its endpoint to the trace, every time', async () => {
    const dead = await httpServer(() => undefined)
    await dead[Symbol.asyncDispose]()
    await withEndpoints([dead.port, server.port], async ([gone, open]) => {
      const trace = new TraceRecorder()
      const x = exchange({ trace })
      const answer = new UpstreamRecorder((body) => body.drop())
      new BalancedCall(x, [gone!, open!], options, answer).start()
      await answer.done
      const targets = trace.entries.map((note) => note.type === 'backendCallStart' && note.target)
      assert.equal(targets.at(-1), open!.name)
      assert.ok(trace.snapshots.every((stage) => stage === 'final request'))
    })
  })
})
