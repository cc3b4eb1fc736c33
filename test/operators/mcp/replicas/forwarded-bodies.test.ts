import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { pipe } from 'rxjs'
import type { BodySink } from '../../../../src/model/exchange/body.ts'
import { exchange } from '../../../../src/testing/exchange.ts'
import { watchRun } from '../../../../src/testing/observe-run.ts'
import { detectForwardedStage, toReplica } from '../../../support/mcp/forward-to-replica.ts'
import { streamBody, until } from '../../../support/stream-body.ts'

test('a client that disconnects from a forwarded request', async (t) => {
  await t.test('before the reply aborts the request to the other replica', async () => {
    const asked = Promise.withResolvers<ServerResponse>()
    await toReplica(
      (_, response) => {
        asked.resolve(response)
      },
      async ({ owner, pass }) => {
        const run = watchRun(pipe(detectForwardedStage, pass(owner)), exchange())
        const response = await asked.promise
        const closed = once(response, 'close')
        run.unsubscribe()
        await closed
        assert.deepEqual([run.events, response.writableFinished], [[], false])
      },
    )
  })

  await t.test('in the middle of a stream aborts the request to the other replica', async () => {
    const asked = Promise.withResolvers<ServerResponse>()
    await toReplica(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
        asked.resolve(response)
      },
      async ({ owner, pass }) => {
        const x = exchange()
        const run = watchRun(pipe(detectForwardedStage, pass(owner)), x)
        const response = await asked.promise
        await until(() => run.came.length === 1)
        const sink = new PausingSink()
        x.reply?.body.pipe(sink)
        await until(() => sink.bytes > 0)
        const closed = once(response, 'close')
        run.unsubscribe()
        await closed
        assert.deepEqual([response.writableFinished, sink.isWhole], [false, false])
      },
    )
  })
})

test('a forwarded body is paused', async (t) => {
  await t.test('while the client does not read', async () => {
    let written = 0
    let isWhole = false
    const answer: RequestListener = (_, response) => {
      const chunk = Buffer.alloc(65_536)
      const go = (): void => {
        while (written < MANY) {
          written += chunk.length
          if (!response.write(chunk)) return void response.once('drain', go)
        }
        response.end(() => (isWhole = true))
      }
      go()
    }
    await toReplica(answer, async ({ owner, pass }) => {
      const x = exchange()
      const run = watchRun(pipe(detectForwardedStage, pass(owner)), x)
      await until(() => run.came.length === 1)
      const sink = new PausingSink()
      sink.isOpen = false
      x.reply?.body.pipe(sink)
      await untilStill(() => written)
      assert.ok(written < MANY && !isWhole, `${written} bytes had gone out`)
      assert.ok(sink.bytes < 1_000_000 && sink.intrusions === 0, `${sink.bytes} bytes had come in`)
      sink.open()
      await until(() => sink.isWhole)
      assert.equal(sink.bytes, MANY)
    })
  })

  await t.test('while the replica does not read', async () => {
    const asked = Promise.withResolvers<[IncomingMessage, ServerResponse]>()
    await toReplica(
      (request, response) => {
        asked.resolve([request, response])
      },
      async ({ owner, pass }) => {
        const body = new PassThrough()
        const chunk = Buffer.alloc(65_536)
        let written = 0
        const go = (): void => {
          while (written < MANY) {
            written += chunk.length
            if (!body.write(chunk)) return void body.once('drain', go)
          }
          body.end()
        }
        const x = exchange({ method: 'POST', body: streamBody(body) })
        const run = watchRun(pipe(detectForwardedStage, pass(owner)), x)
        go()
        const [request, response] = await asked.promise
        await untilStill(() => written)
        assert.ok(written < MANY, `${written} bytes had gone out`)
        let bytes = 0
        for await (const part of request) bytes += (part as Buffer).length
        response.end()
        await until(() => run.came.length === 1)
        assert.equal(bytes, MANY)
        x.reply?.body.drop()
      },
    )
  })
})

/** More than socket buffers hold. */
const MANY = 64 * 1_048_576

/** Resolves when a number has been stable for a while. */
const untilStill = async (read: () => number): Promise<void> => {
  let last = -1
  let looks = 0
  await until(() => {
    looks = read() === last ? looks + 1 : 0
    last = read()
    return looks > 20
  })
}

/** A client that reads or does not. */
class PausingSink implements BodySink {
  isOpen = true
  isWhole = false
  bytes = 0
  /** Bytes written while the reader was paused. */
  intrusions = 0
  #resume: (() => void) | undefined = undefined

  write(chunk: Uint8Array): boolean {
    if (this.#resume) this.intrusions++
    this.bytes += chunk.length
    return this.isOpen
  }

  end(): void {
    this.isWhole = true
  }

  fail(): void {
    this.isWhole = false
  }

  onDrain(resume: () => void): void {
    this.#resume = resume
  }

  open(): void {
    this.isOpen = true
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
  }
}
