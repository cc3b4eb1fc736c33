import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { exchange } from '../../../../../src/testing/exchange.ts'
import {
  blocked,
  blockedIn,
  eventOf,
  eventsOf,
  guardedStream,
  guardWith,
  piece,
  type EventData,
  textIn,
  undecided,
  wordGuard,
} from './toy-stream.ts'

const mask = wordGuard('abba', 'mask')

test('a stream that is checked incrementally', async (t) => {
  await t.test(
    'passes byte for byte where nothing is masked, but for what no guard checks, in any chunks',
    () => {
      const stream =
        ': hello\r\n\r\nevent: say\nid: 7\nretry: 5\ndata: {"pieces": {"a": "üa"} }\n\nevent: ping\n\n' +
        'data:{"pieces":{"a":"xx\u{1f600}"},\r\ndata: "n":1.0}\r\n\r\ndata: {"closes":"all"}\rid: 9\r\rdata: [DONE]\n\n'
      const bytes = Buffer.from(stream)
      const shown = stream.replace(': hello\r\n\r\n', ':\n\n').replace('id: 7\n', '').replace('id: 9\r', '')
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 1, max: 30 })), (sizes) => {
          const { source, client } = guardedStream({ guards: [mask] })
          let at = 0
          for (const size of sizes) source.send(bytes.subarray(at, (at += size)))
          source.send(bytes.subarray(at)).end()
          assert.equal(client.text, shown)
          assert.ok(client.ended)
        }),
      )
    },
  )

  await t.test('equals the masked whole, however texts are split into pieces and channels', () => {
    const part = fc.record({
      channel: fc.constantFrom('a', 'b'),
      text: fc.stringMatching(/^[abx]{0,5}$/),
      ends: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    })
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 200 })),
        (parts, cuts) => {
          const bytes = Buffer.from(
            parts.map(({ channel, text }) => eventOf({ pieces: { [channel]: text } })).join(''),
          )
          const { source, client } = guardedStream({ guards: [mask] })
          let at = 0
          for (const size of cuts) source.send(bytes.subarray(at, (at += size)))
          source.send(bytes.subarray(at)).end()
          assert.equal(eventsOf(client.text).length, parts.length)
          for (const channel of ['a', 'b'])
            assert.equal(
              textIn(client.text, channel),
              textIn(bytes.toString(), channel).replaceAll('abba', '[abba]'),
            )
        },
      ),
      { numRuns: 300 },
    )
  })

  await t.test('buffers a possible match, and what follows it, and no more', () => {
    const { source, client } = guardedStream({ guards: [mask] })
    source.send(piece('x ')).send(piece('ab'))
    assert.equal(client.text, piece('x '))
    source.send(eventOf({ pieces: { b: 'other' } }))
    assert.equal(client.text, piece('x '))
    source.send(piece('ba!'))
    const masked = [{ a: 'x ' }, { a: '[abba]' }, { b: 'other' }, { a: '!' }]
    assert.deepEqual(
      eventsOf(client.text).map(({ pieces }) => pieces),
      masked,
    )
  })

  await t.test('releases a text that is closed', () => {
    const { source, client, actions } = guardedStream({ guards: [mask] })
    source.send(piece('ab'))
    assert.equal(client.text, '')
    source.send(eventOf({ closes: ['a'] }))
    assert.equal(client.text, piece('ab') + eventOf({ closes: ['a'] }))
    assert.deepEqual(actions(), ['abba Allow'])
  })

  await t.test('sends the result of one chunk in one piece', () => {
    const { source, client, told } = guardedStream({ guards: [mask] })
    source.send(piece('x').repeat(50)).send(piece('abba') + piece('y'))
    assert.deepEqual(client.writes, [piece('x').repeat(50), piece('[abba]') + piece('y')])
    assert.equal(told.shown, client.text)
  })

  await t.test('keeps the name of an event that is masked, and drops what guards do not check', () => {
    const { source, client } = guardedStream({ guards: [mask] })
    source.send('\uFEFFid: 3\r\ndata: {"pieces":\r\n: note\r\ndata: {"a":"abba"}}\r\nevent: e\r\n\r\n').end()
    assert.equal(client.text, 'data: {"pieces":{"a":"[abba]"}}\r\nevent: e\r\n\r\n')
  })

  await t.test('checks complete texts, and reports each text once', () => {
    const said: EventData = { wholes: ['abba', 'x', '', 'reject'], pieces: { a: 'abba' } }
    const { source, client, actions } = guardedStream({ guards: [mask] })
    source.send(eventOf(said)).end()
    assert.deepEqual(eventsOf(client.text), [
      { wholes: ['[abba]', 'x', '', 'reject'], pieces: { a: '[abba]' } },
    ])
    assert.deepEqual(actions().sort(), ['abba Allow', 'abba Allow', 'abba Mask', 'abba Mask'])
  })

  await t.test('checks data that is not JSON, and an event without its end', () => {
    const { source, client } = guardedStream({ guards: [mask] })
    source.send('data: so abba it is\n\ndata: {"pieces":{"a":"abba"}}').end()
    assert.equal(client.text, 'data: so [abba] it is\n\ndata: {"pieces":{"a":"[abba]"}}')
  })

  await t.test('checks only texts in the scopes of a guard', () => {
    const ofTools = wordGuard('abba', 'mask', { scopes: new Set(['toolInput']) })
    const { source, client } = guardedStream({ guards: [ofTools] })
    source.send(piece('abba'))
    source.send(eventOf({ pieces: { b: 'abba' }, scope: 'toolInput' })).end()
    assert.equal(textIn(client.text, 'a') + textIn(client.text, 'b'), 'abba[abba]')
  })

  await t.test('passes one guard after the other', () => {
    const outer = wordGuard('[abba]', 'mask')
    const { source, client, actions } = guardedStream({ guards: [mask, outer] })
    source.send(piece('an ab')).send(piece('ba')).end()
    assert.equal(textIn(client.text), 'an [[abba]]')
    assert.deepEqual(actions(), ['abba Mask', '[abba] Mask'])
    const reversed = guardedStream({ guards: [outer, mask] })
    reversed.source.send(piece('an abba')).end()
    assert.equal(textIn(reversed.client.text), 'an [abba]')
  })

  await t.test('ends with an error of its format where a guard rejects, and cancels its source', () => {
    const guards = [mask, wordGuard('no', 'reject')]
    const { source, client, actions, told } = guardedStream({ guards })
    source
      .send(piece('well'))
      .send(piece('ab') + piece('!'))
      .send(piece('no') + piece('more'))
    const { before, error } = blockedIn(client.text)
    assert.equal(before, piece('well') + piece('ab') + piece('!'))
    assert.deepEqual(error, blocked)
    assert.deepEqual([client.ended, source.dropped, told.over], [true, true, 1])
    assert.deepEqual(actions(), ['no Reject'])
    assert.equal(told.shown, before)
  })

  await t.test('rejects at the end of a text, and in a complete text', () => {
    const whole = guardedStream({ guards: [wordGuard('no', 'reject')] })
    whole.source.send(eventOf({ wholes: ['a', 'no', 'no'] }))
    assert.deepEqual(blockedIn(whole.client.text), { before: '', error: blocked })
    assert.deepEqual(whole.actions(), ['no Allow', 'no Reject'])
    const word = guardedStream({ guards: [wordGuard('reject', 'reject')] })
    word.source.send(eventOf({ wholes: ['reject'] }))
    assert.deepEqual(blockedIn(word.client.text), { before: '', error: blocked })
  })

  await t.test('is blocked by a follower that throws, unless its guard fails open', () => {
    const breaking = (how: 'push' | 'end' | 'whole' | 'miscount', opensOnFailure: boolean) => {
      const fail = () => {
        throw new Error('broken')
      }
      const follow = () => {
        let held = 0
        return {
          rejection: blocked as never,
          push: () => (how === 'push' && held++ > 0 ? fail() : []),
          end: () => (how === 'end' ? fail() : []),
          whole: (text: string) => (how === 'whole' ? fail() : ([text] as const)),
        }
      }
      const guard = guardWith(() => undefined, { follow, opensOnFailure })
      const run = guardedStream({ guards: [guard] })
      run.source
        .send(piece('a'))
        .send(piece('b'))
        .send(eventOf({ wholes: ['c'] }))
        .end()
      return run
    }
    const all = piece('a') + piece('b') + eventOf({ wholes: ['c'] })
    for (const how of ['push', 'end', 'whole', 'miscount'] as const) {
      const shut = breaking(how, false)
      assert.deepEqual(blockedIn(shut.client.text), { before: '', error: undecided }, how)
      assert.equal(shut.settled.at(-1)?.action, 'FailClosed')
      assert.ok(shut.source.dropped || how !== 'push')
    }
    for (const how of ['push', 'end', 'miscount'] as const) {
      const open = breaking(how, true)
      assert.equal(open.client.text, all, how)
      assert.deepEqual(
        open.actions(),
        how === 'push' ? ['judge FailOpen', 'judge Allow'] : ['judge Allow', 'judge FailOpen'],
      )
    }
  })

  await t.test('is blocked when more is buffered than the limit', () => {
    const { source, client, x } = guardedStream({ guards: [mask], limitBytes: 1000 })
    source.send(piece('ab'))
    for (let i = 0; i < 30 && !source.dropped; i++) source.send(eventOf({ pieces: { b: 'other' } }))
    const { before, error } = blockedIn(client.text)
    assert.equal(before, '')
    assert.match(JSON.stringify(error), /the limit of 1000 bytes/)
    assert.match(x.downstream.truncatedBy ?? '', /1000 bytes/)
    const long = guardedStream({ guards: [mask], limitBytes: 1000 })
    long.source.send(piece('x')).send(piece('x'.repeat(1000)))
    assert.equal(blockedIn(long.client.text).before, piece('x'))
    const endless = guardedStream({ guards: [mask], limitBytes: 1000 })
    endless.source.send('data: '.padEnd(1001, 'x'))
    assert.match(JSON.stringify(blockedIn(endless.client.text).error), /1000 bytes/)
  })

  await t.test('is blocked, and nothing else, when what reads its texts breaks', () => {
    const texts = {
      read: () => {
        throw new Error('never seen the like')
      },
    }
    const { source, client, x } = guardedStream({ guards: [mask], texts })
    source.send(piece('a'))
    assert.deepEqual(blockedIn(client.text).error, undecided)
    assert.equal(x.downstream.truncatedBy, 'never seen the like')
  })

  await t.test('passes on the failure of its source, after the pending events', () => {
    const { source, client, told } = guardedStream({ guards: [mask] })
    source.send(piece('ab')).send('data: {"pieces":{"a":"half').fail('gone')
    assert.deepEqual([client.text, client.fault, told.over], [piece('ab'), 'gone', 1])
  })

  await t.test('is paused while its client does not read', () => {
    const { source, client } = guardedStream({ guards: [mask] })
    client.takes = false
    source.send(piece('1')).send(piece('2')).end()
    assert.deepEqual([client.text, source.paused], [piece('1'), true])
    client.drain()
    assert.deepEqual([client.text, client.ended], [piece('1') + piece('2'), true])
  })

  await t.test('ends with its client', () => {
    const { x, source, client, told } = guardedStream({ guards: [mask] })
    source.send(piece('ab'))
    x.cancel()
    assert.deepEqual([source.dropped, told.over, client.text, client.ended], [true, 1, '', false])
    const late = exchange()
    late.cancel()
    const never = guardedStream({ guards: [mask], x: late })
    assert.deepEqual([never.source.dropped, never.told.over], [true, 1])
  })

  await t.test('can be consumed once', () => {
    const { stream, client } = guardedStream()
    assert.throws(() => {
      stream.pipe(client)
    }, /consumed twice/)
  })
})
