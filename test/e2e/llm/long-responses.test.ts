import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { suite, test } from 'node:test'
import { chunk } from '../../support/llm/completions-stream.ts'
import { besideNeighbour } from '../../support/llm/beside-neighbour.ts'
import { userMessage } from '../../support/llm/model-request.ts'
import { events, never } from '../../support/llm/scripted-providers.ts'
import { withProviders } from '../../support/llm/with-providers.ts'

const MB = 1024 * 1024
const beginning = '{"object":"list","model":"served","data":[{"object":"embedding","index":0,"embedding":['
const end = '0]}],"usage":{"prompt_tokens":77,"total_tokens":77}}'
const part = Buffer.from('0.123456,'.repeat(MB / 8))
/** So many that buffering them would show beside uncollected garbage. */
const PARTS = 360
const TOTAL = beginning.length + PARTS * part.length + end.length

/** The peak memory of a process. */
const peakMb = (pid: number | undefined): number =>
  Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]) / 1024

const post = (origin: string, path: string, body: string) =>
  new Promise<{ status: number; bytes: number }>((resolve, reject) => {
    const req = request(new URL(path, origin), { method: 'POST', agent: false }, (res) => {
      let bytes = 0
      res.on('data', (data: Buffer) => {
        bytes += data.length
      })
      res.on('end', () => resolve({ status: res.statusCode ?? 0, bytes }))
      res.on('error', reject)
    })
    req.on('error', reject)
    req.end(body)
  })

suite('long responses', () => {
  test(`of ${String(Math.round(TOTAL / MB))} MB are forwarded without buffering`, async () => {
    await using all = await withProviders(
      {
        embeds: (response) => {
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': TOTAL })
          Readable.from([beginning, ...Array<Buffer>(PARTS).fill(part), end]).pipe(response)
        },
      },
      { format: 'embeddings' },
    )
    const ask = () => post(all.origin, '/v1/embeddings', JSON.stringify({ model: 'embeds', input: 'hi' }))
    // A short request first as warm-up, so that buffering of the long one shows.
    await besideNeighbour(all.origin, () => Promise.resolve())
    const before = peakMb(all.daemon.child.pid)
    const answer = await besideNeighbour(all.origin, ask)
    assert.deepEqual(answer, { status: 200, bytes: TOTAL })
    // The usage at the end was parsed without buffering the response.
    await all.daemon.printed(/gen_ai\.request\.model=embeds.*gen_ai\.usage\.input_tokens=77/)
    const grown = peakMb(all.daemon.child.pid) - before
    assert.ok(grown < TOTAL / MB / 2, `it grew by ${grown.toFixed(1)} MB`)
  })

  test('in an endless stream last until the client leaves, which cancels the provider request', async () => {
    const { promise: letGo, resolve: isLetGo } = Promise.withResolvers<boolean>()
    await using all = await withProviders({
      endless: (response, asked, body) => {
        response.once('close', () => isLetGo(!response.writableFinished))
        events(chunk('One'), never)(response, asked, body)
      },
    })
    const { path, request: asked } = userMessage('completions', 'endless', 'hi', true)
    await besideNeighbour(
      all.origin,
      () =>
        new Promise<void>((resolve, reject) => {
          const req = request(new URL(path, all.origin), { method: 'POST', agent: false }, (res) => {
            res.once('data', () => {
              req.destroy()
              resolve()
            })
          })
          req.once('error', reject)
          req.end(asked.body)
        }),
    )
    await all.daemon.printed(/gen_ai\.request\.model=endless.*error="client left"/)
    assert.equal(await letGo, true)
  })
})
