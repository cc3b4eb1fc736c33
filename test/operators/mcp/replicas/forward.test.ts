import assert from 'node:assert/strict'
import type { IncomingMessage, RequestListener } from 'node:http'
import { test } from 'node:test'
import { pipe } from 'rxjs'
import type { Exchange } from '../../../../src/model/exchange/exchange.ts'
import { Fault } from '../../../../src/model/exchange/fault.ts'
import type { Owner } from '../../../../src/model/resources/replica.ts'
import { onRequest } from '../../../../src/pipeline/stage.ts'
import { openHop, sealHop } from '../../../../src/protocols/mcp/replica-hop-header.ts'
import { exchange, runAsync, TraceRecorder } from '../../../../src/testing/index.ts'
import {
  detectForwardedStage,
  OWN_ADDRESS,
  ring,
  toReplica,
  withPassing,
} from '../../../support/mcp/forward-to-replica.ts'
import { streamBody } from '../../../support/stream-body.ts'
import { rawServer } from '../../../support/upstream-servers.ts'

const FIELD = 'agentgateway-passed-on'

const textOf = async ({ reply }: Exchange): Promise<string> => String(await reply?.body.read(1_000_000))

test('a request for a session of another replica', async (t) => {
  await t.test('is forwarded there unchanged, whatever policies did here', async () => {
    let came: IncomingMessage | undefined
    let body = ''
    const answer: RequestListener = (request, response) => {
      came = request
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => response.writeHead(202, { 'x-replied': 'yes' }).end('taken'))
    }
    await toReplica(answer, async ({ owner, pass }) => {
      const changed = onRequest('change', ({ request }) => {
        request.headers.delete('authorization')
        request.headers.set('x-added', '1')
        request.headers.set('x-forwarded-for', '192.0.2.1')
        request.path = '/rewritten'
        request.query = ''
        request.authority = 'rewritten.test'
        return undefined
      })
      const x = await runAsync(
        pipe(detectForwardedStage, changed, pass(owner)),
        exchange({
          method: 'POST',
          path: '/mcp?a=1',
          scheme: 'https',
          headers: { host: 'gateway.test', authorization: 'Bearer ann', 'x-forwarded-for': 'forged' },
          body: streamBody(['{"a"', ':1}']),
        }),
      )
      assert.deepEqual(
        [x.reply?.status, x.reply?.headers.get('x-replied'), await textOf(x)],
        [202, 'yes', 'taken'],
      )
      const { host, authorization, [FIELD]: marker, ...fields } = came?.headers ?? {}
      assert.deepEqual([came?.method, came?.url, body], ['POST', '/mcp?a=1', '{"a":1}'])
      assert.deepEqual([host, authorization], ['gateway.test', 'Bearer ann'])
      assert.deepEqual([fields['x-added'], fields['x-forwarded-for']], [undefined, '192.0.2.1'])
      assert.deepEqual(openHop(String(marker), ring), { scheme: 'https' })
      assert.equal(x.upstream.endpoint, new URL(owner.address ?? '').host)
      assert.ok(x.upstream.respondedAt >= x.request.startedAt)
    })
  })

  await t.test('gets the reply of that replica, and no redirect is followed', async () => {
    let count = 0
    const answer: RequestListener = (_, response) => {
      count++
      response.writeHead(307, { location: '/elsewhere' }).end('not here')
    }
    await toReplica(answer, async ({ owner, pass }) => {
      const x = await runAsync(pipe(detectForwardedStage, pass(owner)), exchange())
      assert.deepEqual([x.reply?.status, x.reply?.headers.get('location')], [307, '/elsewhere'])
      assert.equal(await textOf(x), 'not here')
      assert.equal(count, 1)
    })
  })

  await t.test('is traced', async () => {
    await toReplica(
      (_, response) => response.end(),
      async ({ owner, pass }) => {
        const trace = new TraceRecorder()
        await textOf(await runAsync(pipe(detectForwardedStage, pass(owner)), exchange({ trace })))
        const steps = trace.entries.flatMap((note) =>
          note.type === 'policyEvent' && note.kind === 'mcp' ? [note.details] : [],
        )
        assert.deepEqual(steps, [{ step: 'passed on', ...owner }])
      },
    )
  })

  await t.test('is not forwarded to this replica, to an unknown one, or a second time', async () => {
    const answer: RequestListener = () => assert.fail('nobody was to be asked')
    await toReplica(answer, async ({ owner, pass }) => {
      const status = async (to: Owner, headers: Record<string, string> = {}) =>
        (await runAsync(pipe(detectForwardedStage, pass(to)), exchange({ headers }))).reply?.status
      assert.equal(await status({ replica: 'there' }), 204)
      assert.equal(await status({ replica: 'before', address: OWN_ADDRESS }), 204)
      assert.equal(await status(owner, { [FIELD]: sealHop({ scheme: 'http' }, ring) }), 204)
      // No listener stage has saved the original.
      assert.equal((await runAsync(pass(owner), exchange())).reply?.status, 204)
    })
  })
})

test('a replica that is unavailable', async (t) => {
  await t.test('is reported with the reason', async () => {
    await toReplica(
      (_, response) => response.end(),
      async ({ owner, pass, leave }) => {
        await leave()
        const x = await runAsync(pipe(detectForwardedStage, pass(owner)), exchange())
        assert.equal(x.reply?.status, 404)
        assert.match(await textOf(x), /^away: .*refused$/)
      },
    )
  })

  await t.test('is reported if its name cannot be resolved any more', async () => {
    await withPassing(async (pass) => {
      const x = await runAsync(
        pipe(detectForwardedStage, pass({ replica: 'there', address: 'http://replica.test:3000' })),
        exchange(),
      )
      assert.equal(await textOf(x), 'away: backends required DNS resolution which failed')
    })
  })

  await t.test('fails calls in progress: their outcome is unknown', async () => {
    await using server = await rawServer((socket) => socket.once('data', () => socket.destroy()))
    const owner = { replica: 'there', address: `http://127.0.0.1:${server.port}` }
    await withPassing(async (pass) => {
      const x = exchange({ method: 'POST', body: '{}' })
      await assert.rejects(runAsync(pipe(detectForwardedStage, pass(owner)), x), (fault) => {
        assert.ok(fault instanceof Fault)
        assert.deepEqual([fault.status, fault.code], [503, 'upstream_failed'])
        return true
      })
      assert.equal(x.reply, undefined)
      assert.equal(x.upstream.endpoint, new URL(owner.address).host)
    })
  })
})
