import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Subject } from 'rxjs'
import { answerWith } from '../../../../../src/operators/backend/mcp/answer/answer.ts'
import type { FromServer } from '../../../../../src/operators/backend/mcp/servers/peer.ts'
import { exchange } from '../../../../../src/testing/exchange.ts'

/** An answer as a client reads it, who may stop reading. */
const answered = () => {
  const messages = new Subject<FromServer>()
  let text = ''
  let isReading = true
  let isPiped = false
  let drained: () => void = () => undefined
  let isOver = false
  const run = answerWith(exchange(), 5, messages).subscribe({
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

suite('an answer that takes long', () => {
  test('begins with a comment after 15 seconds of silence, and has one for every 15 more', ({ mock }) => {
    mock.timers.enable({ apis: ['setInterval'] })
    const answer = answered()
    mock.timers.tick(14_999)
    assert.equal(answer.text(), '')
    mock.timers.tick(1)
    assert.equal(answer.text(), ': \n\n')
    mock.timers.tick(30_000)
    assert.equal(answer.text(), ': \n\n'.repeat(3))
    answer.messages.next(progress)
    assert.match(answer.text(), /^(: \n\n){3}event: message\ndata: .*progress/)
    answer.leave()
  })

  test('has no more of them once it is whole, or nobody wants it', ({ mock }) => {
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

  test('piles up none for a client that does not read what there is', ({ mock }) => {
    mock.timers.enable({ apis: ['setInterval'] })
    const answer = answered()
    answer.stopReading()
    answer.messages.next(progress)
    const said = answer.text()
    mock.timers.tick(150_000)
    assert.equal(answer.text(), said)
    answer.goOnReading()
    assert.equal(answer.text(), `${said}: \n\n`)
    answer.leave()
  })
})
