import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Subject } from 'rxjs'
import { respondWith } from '../../../../src/operators/mcp/response/respond.ts'
import type { FromServer } from '../../../../src/operators/mcp/servers/server-client.ts'
import { exchange } from '../../../../src/testing/exchange.ts'

/** A reply as a client reads it, which may stop reading. */
const answered = () => {
  const messages = new Subject<FromServer>()
  let text = ''
  let isReading = true
  let isPiped = false
  let drained: () => void = () => undefined
  let isOver = false
  const run = respondWith(exchange(), 5, messages).subscribe({
    next: ({ reply }) => {
      if (isPiped) return
      isPiped = true
      reply?.body.pipe({
        write: (chunk) => {
          text += Buffer.from(chunk).toString()
          return isReading
        },
        end: () => undefined,
        fail: () => undefined,
        onDrain: (resume) => (drained = resume),
      })
    },
    complete: () => (isOver = true),
  })
  return {
    messages,
    text: () => text,
    isOver: () => isOver,
    isObserved: () => messages.observed,
    stopReading: () => (isReading = false),
    goOnReading: () => {
      isReading = true
      drained()
    },
    leave: () => {
      run.unsubscribe()
    },
  }
}

const progress: FromServer = { jsonrpc: '2.0', method: 'notifications/progress', params: {} }

suite('a slow reply', () => {
  test('begins with a comment after 15 seconds of silence, and gets one every 15 seconds', ({ mock }) => {
    mock.timers.enable({ apis: ['setInterval'] })
    const response = answered()
    mock.timers.tick(14_999)
    assert.equal(response.text(), '')
    mock.timers.tick(1)
    assert.equal(response.text(), ': \n\n')
    mock.timers.tick(30_000)
    assert.equal(response.text(), ': \n\n'.repeat(3))
    response.messages.next(progress)
    assert.match(response.text(), /^(: \n\n){3}event: message\ndata: .*progress/)
    response.leave()
  })

  test('gets no comments after its end, or after the client has disconnected', ({ mock }) => {
    mock.timers.enable({ apis: ['setInterval'] })
    const whole = answered()
    const left = answered()
    for (const { messages } of [whole, left]) messages.next(progress)
    whole.messages.next({ result: {} })
    left.leave()
    const said = [whole.text(), left.text()]
    assert.deepEqual([whole.isOver(), left.isObserved()], [true, false])
    mock.timers.tick(60_000)
    assert.deepEqual([whole.text(), left.text()], said)
  })

  test('queues no comments for a client that does not read', ({ mock }) => {
    mock.timers.enable({ apis: ['setInterval'] })
    const response = answered()
    response.stopReading()
    response.messages.next(progress)
    const said = response.text()
    mock.timers.tick(150_000)
    assert.equal(response.text(), said)
    response.goOnReading()
    assert.equal(response.text(), `${said}: \n\n`)
    response.leave()
  })
})
