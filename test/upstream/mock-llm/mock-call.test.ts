import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Body } from '../../../src/model/exchange/body.ts'
import type { UpstreamEvents } from '../../../src/upstream/call.ts'
import type { MockReply } from '../../../src/upstream/mock-llm/mock-reply.ts'
import { MockCall } from '../../../src/upstream/mock-llm/mock-call.ts'

/** Records the events of a call; those of the body come from a sink that accepts `room` chunks before it pauses. */
const listen = (room = Infinity, takes = true) => {
  const said: string[] = []
  const done = Promise.withResolvers<undefined>()
  const waiting = Promise.withResolvers<() => void>()
  const listener = { said, done: done.promise, waiting: waiting.promise, body: undefined as Body | undefined }
  const take = (body: Body) =>
    body.pipe({
      write: (chunk) => {
        said.push(Buffer.from(chunk).toString())
        return said.filter((one) => one.startsWith('chunk')).length < room
      },
      end: () => said.push('body ended'),
      fail: () => said.push('body broke'),
      onDrain: (resume) => {
        said.push('full')
        waiting.resolve(resume)
        room = Infinity
      },
    })
  const events: UpstreamEvents = {
    info: () => assert.fail(),
    tunnel: () => assert.fail(),
    head: (status, headers, body) => {
      said.push(`head ${status} ${headers.join(' ')}`)
      listener.body = body
      if (takes) take(body)
      said.push('head taken')
    },
    end: () => {
      said.push('end')
      done.resolve(undefined)
    },
    fail: (fault) => {
      said.push(`fail ${fault.code}`)
      done.resolve(undefined)
    },
  }
  return { ...listener, events, take: () => listener.body && take(listener.body) }
}

const whole = (content: string, more: Partial<MockReply> = {}): MockReply => ({
  status: 200,
  headers: [],
  content,
  ...more,
})

const stream = (count: number, more: Partial<MockReply> = {}) => {
  const state = { made: 0, ended: false }
  const content = {
    *[Symbol.iterator]() {
      for (; state.made < count; state.made++) yield `chunk ${state.made}`
      state.ended = true
    },
  }
  return { state, answer: { status: 200, headers: [], content, ...more } satisfies MockReply }
}

test('a call of the mock', async (t) => {
  await t.test('replies at once, and ends when its head has been read', () => {
    const { said, events } = listen()
    new MockCall(events).play(whole('chunk'))
    assert.deepEqual(said, ['head 200 content-length 5', 'head taken', 'chunk', 'body ended', 'end'])
  })

  await t.test('does not end within the call that consumes its body', async () => {
    const { said, events, take, done } = listen(Infinity, false)
    new MockCall(events).play(whole('chunk'))
    assert.deepEqual(said, ['head 200 content-length 5', 'head taken'])
    take()
    assert.deepEqual(said.slice(2), ['chunk', 'body ended'])
    await done
    assert.deepEqual(said.slice(4), ['end'])
  })

  await t.test('sends a stream chunk by chunk', async () => {
    const { said, events, done } = listen()
    new MockCall(events).play(stream(3).answer)
    await done
    assert.deepEqual(said, ['head 200 ', 'head taken', 'chunk 0', 'chunk 1', 'chunk 2', 'body ended', 'end'])
  })

  await t.test('creates no more of a stream than is read', async () => {
    const { said, events, done, waiting } = listen(2)
    const { state, answer } = stream(100)
    new MockCall(events).play(answer)
    const resume = await waiting
    assert.deepEqual([state.made, said.at(-1)], [1, 'full'])
    resume()
    await done
    assert.deepEqual([state.made, said.at(-1)], [100, 'end'])
  })

  await t.test('waits before the head and before each chunk', async () => {
    const { events, done } = listen()
    const started = performance.now()
    new MockCall(events).play(stream(3, { delayMs: 30, chunkDelayMs: 20 }).answer)
    await done
    // Four timers, each of which may be over a little early.
    assert.ok(performance.now() - started >= 80)
  })

  await t.test('aborts the connection after so many chunks', async () => {
    const { said, events, done } = listen()
    new MockCall(events).play(stream(9, { cutAfter: 2 }).answer)
    await done
    assert.deepEqual(said.slice(2), ['chunk 0', 'chunk 1', 'body broke', 'fail upstream_failed'])
  })

  await t.test('aborts the connection before the head, or half-way through a complete response', () => {
    const before = listen()
    new MockCall(before.events).play(whole('chunk', { cutAfter: 0 }))
    assert.deepEqual(before.said, ['fail upstream_failed'])
    const within = listen()
    new MockCall(within.events).play(whole('chunks', { cutAfter: 3 }))
    assert.deepEqual(within.said, [
      'head 200 content-length 6',
      'head taken',
      'chu',
      'body broke',
      'fail upstream_failed',
    ])
  })

  await t.test('emits nothing more once it is cancelled, and stops its timers', async () => {
    const { said, events } = listen()
    const { state, answer } = stream(5, { chunkDelayMs: 600_000 })
    const call = new MockCall(events)
    call.play(answer)
    call.abort()
    const late = new MockCall(events)
    late.play(whole('late', { delayMs: 600_000 }))
    late.abort()
    late.play(whole('later'))
    assert.deepEqual([said, state.made], [['head 200 ', 'head taken'], 0])
    // Pending timers would keep the process alive.
    await new Promise((resolve) => setImmediate(resolve))
  })

  await t.test('ends when the body is dropped', async () => {
    const { said, events, done } = listen(Infinity, false)
    const call = new MockCall({ ...events, head: (_, __, body) => body.drop() })
    call.play(stream(5).answer)
    await done
    assert.deepEqual(said, ['end'])
  })

  await t.test('fails if the response cannot be created', async () => {
    const { said, events, done } = listen()
    const content = {
      // eslint-disable-next-line require-yield
      *[Symbol.iterator](): Generator<string> {
        throw new TypeError('a bug')
      },
    }
    new MockCall(events).play({ status: 200, headers: [], content })
    await done
    assert.deepEqual(said.slice(2), ['body broke', 'fail mock_failed'])
  })
})
