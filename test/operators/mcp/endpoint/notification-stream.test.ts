import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { NEVER } from 'rxjs'
import { notificationStream } from '../../../../src/operators/mcp/endpoint/notification-stream.ts'
import { exchange } from '../../../../src/testing/exchange.ts'
import { OpenStreams } from '../../../../src/upstream/mcp/open-streams.ts'

/** The statuses that a client has received so far, and the calls of a server without a stream. */
const opened = (servers: number | undefined) => {
  const statuses: (number | undefined)[] = []
  let hasNone = (): void => undefined
  const stream = notificationStream(exchange(), servers, new OpenStreams(), (notifications) => {
    hasNone = notifications
    return NEVER
  })
  const run = stream.subscribe(({ reply }) => statuses.push(reply?.status))
  return {
    statuses,
    hasNone: () => hasNone(),
    leave: () => {
      run.unsubscribe()
    },
  }
}

suite('a standalone notification stream', () => {
  test('begins at once if a server always has one', () => {
    const { statuses, leave } = opened(undefined)
    assert.deepEqual(statuses, [200])
    leave()
  })

  test('waits briefly for all servers to refuse, and is refused then', ({ mock }) => {
    mock.timers.enable({ apis: ['setInterval'] })
    const { statuses, hasNone } = opened(2)
    hasNone()
    mock.timers.tick(249)
    assert.deepEqual(statuses, [])
    hasNone()
    assert.deepEqual(statuses, [405])
  })

  test('stays open once it has begun', ({ mock }) => {
    mock.timers.enable({ apis: ['setInterval'] })
    const { statuses, hasNone, leave } = opened(1)
    mock.timers.tick(250)
    hasNone()
    assert.deepEqual(statuses, [200])
    leave()
  })
})
