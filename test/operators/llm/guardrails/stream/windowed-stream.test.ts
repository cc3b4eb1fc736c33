import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { GuardFailure, type GuardVerdict } from '../../../../../src/operators/llm/guardrails/guard.ts'
import {
  manualGuard,
  blocked,
  blockedIn,
  eventOf,
  guardedStream,
  guardWith,
  piece,
  type PendingCheck,
  rejection,
  textIn,
  settle,
  undecided,
  wordGuard,
} from './toy-stream.ts'

const reject: GuardVerdict = { action: 'reject', rejection }
const mask = (...texts: string[]): GuardVerdict => ({ action: 'mask', texts })
const kb = (letter: string) => letter.repeat(1024)

test('a stream that is checked in windows', async (t) => {
  await t.test('is checked 1024 bytes at a time after 256 of those before', async () => {
    const guard = manualGuard()
    const { source, client, actions } = guardedStream({ guards: [guard] })
    source.send(piece('a'.repeat(1023)))
    assert.equal(guard.checks.length, 0)
    source.send(piece('ü'))
    assert.deepEqual(guard.at(0).texts, [`${'a'.repeat(1023)}ü`])
    assert.equal(client.text, '')
    source.send(piece(kb('b'))).send(piece('c'))
    assert.equal(guard.checks.length, 1)
    guard.at(0).resolve()
    await settle()
    assert.equal(client.text, piece('a'.repeat(1023)) + piece('ü'))
    // Text received during a check is checked together; the ü counts twice.
    assert.deepEqual(guard.at(1).texts, [`${'a'.repeat(254)}ü${kb('b')}c`])
    guard.at(1).resolve()
    await settle()
    source.end()
    await settle()
    assert.deepEqual([guard.checks.length, client.ended], [2, true])
    assert.deepEqual(actions(), ['asked Allow', 'asked Allow'])
  })

  await t.test('is checked to its end, and ends when that is cleared', async () => {
    const guard = manualGuard()
    const { source, client, told } = guardedStream({ guards: [guard] })
    source.send(piece('short')).end(['x-a', '1'])
    await settle()
    assert.deepEqual([client.text, client.ended, told.over], ['', false, 0])
    guard.at(0).resolve()
    await settle()
    assert.deepEqual([client.text, client.ended, told.over], [piece('short'), true, 1])
  })

  await t.test('is checked in less than a window once all pending channels have been closed', async () => {
    const guard = manualGuard()
    const { source, client } = guardedStream({ guards: [guard] })
    source.send(eventOf({ pieces: { a: 'one', b: 'two' } })).send(eventOf({ closes: ['a'] }))
    assert.equal(guard.checks.length, 0)
    source.send(eventOf({ closes: ['b'], wholes: ['one', 'one', 'two!'] }))
    // A repeated text is checked once.
    assert.deepEqual(guard.at(0).texts, ['one', 'two', 'two!'])
    guard.at(0).resolve(mask('1', '2', '3'))
    await settle()
    assert.equal(
      client.text,
      eventOf({ pieces: { a: '1', b: '2' } }) +
        eventOf({ closes: ['a'] }) +
        eventOf({ closes: ['b'], wholes: ['1', '1', '3'] }),
    )
    // A closed channel leaves no context.
    source.send(piece(kb('x')))
    assert.deepEqual(guard.at(1).texts, [kb('x')])
  })

  await t.test('sends events without texts at once if nothing is pending', () => {
    const guard = manualGuard()
    const { source, client } = guardedStream({ guards: [guard] })
    const start = eventOf({ pieces: { a: '' } }) + 'event: ping\n\n:\n\n' + eventOf({ closes: ['z'] })
    source.send(start)
    assert.equal(client.text, start)
    source.send(piece('x')).send('event: ping\n\n')
    assert.equal(client.text, start)
    assert.equal(guard.checks.length, 0)
  })

  await t.test('passes byte for byte, in any chunks and with any delay of the verdicts', async () => {
    const texts = fc.array(
      fc.record({ channel: fc.constantFrom('a', 'b', 'c'), text: fc.string({ unit: 'binary' }) }),
    )
    await fc.assert(
      fc.asyncProperty(texts, fc.array(fc.integer({ min: 1, max: 99 })), async (parts, cuts) => {
        const bytes = Buffer.from(
          parts.map(({ channel, text }) => eventOf({ pieces: { [channel]: text } })).join(''),
        )
        const [one, two] = [manualGuard(), manualGuard()]
        const sizes = { mode: 'Enabled', windowBytes: 16, overlapBytes: 5 } as const
        const { source, client, settled } = guardedStream({
          guards: [one, wordGuard('never', 'mask'), two],
          streaming: sizes,
        })
        let at = 0
        let answered = 0
        const answer = () => {
          const started = [...one.checks, ...two.checks].length
          assert.ok(started - answered <= 1, 'one check at a time')
          const pending = [one, two].flatMap(({ checks }) => checks)
          for (const check of pending) check.resolve()
          answered = started
          return settle()
        }
        for (const size of cuts) {
          source.send(bytes.subarray(at, (at += size)))
          if (size % 3 === 0) await answer()
        }
        source.send(bytes.subarray(at)).end()
        for (let i = 0; i < 500 && !client.ended; i++) await answer()
        assert.equal(client.text, bytes.toString())
        assert.ok(client.ended)
        for (const channel of ['a', 'b', 'c'])
          assert.ok(textIn(client.text, channel) === textIn(bytes.toString(), channel))
        assert.ok(settled.every(({ action }) => action === 'Allow'))
      }),
      { numRuns: 30 },
    )
  })

  await t.test('finds matches across the boundary of two windows', () => {
    const guard = guardWith((text) => (text.includes('secret') ? new Error('found') : undefined))
    const { source, client } = guardedStream({ guards: [guard] })
    source.send(piece(`${'x'.repeat(1021)}sec`))
    assert.equal(textIn(client.text).length, 1024)
    source.send(piece('ret')).end()
    assert.deepEqual(blockedIn(client.text).error, blocked)
    assert.equal(textIn(client.text).length, 1024)
  })

  await t.test('masks what is new, in the pieces that it touches', async () => {
    const guard = manualGuard()
    const { source, client, actions } = guardedStream({ guards: [guard] })
    source.send(piece(kb('a')))
    guard.at(0).resolve()
    await settle()
    source.send(piece('my ') + piece('num') + piece('ber is')).end()
    guard.at(1).resolve(mask(`${'a'.repeat(256)}my [x] is`))
    await settle()
    assert.equal(client.text, piece(kb('a')) + piece('my ') + piece('[x]') + piece(' is'))
    assert.deepEqual(actions(), ['asked Allow', 'asked Mask'])
  })

  await t.test('is blocked where a mask reaches into what has been sent', async () => {
    const guard = manualGuard()
    const { source, client, actions } = guardedStream({ guards: [guard] })
    source.send(piece(kb('a')))
    guard.at(0).resolve()
    await settle()
    source.send(piece('b')).end()
    guard.at(1).resolve(mask('[all]'))
    await settle()
    assert.deepEqual(blockedIn(client.text), { before: piece(kb('a')), error: undecided })
    assert.deepEqual(actions(), ['asked Allow', 'asked Reject'])
  })

  await t.test('passes the result of earlier guards to later ones, also as context', async () => {
    const one = manualGuard()
    const two = manualGuard()
    const sizes = { mode: 'Enabled', windowBytes: 4, overlapBytes: 2 } as const
    const { source, client } = guardedStream({ guards: [one, two], streaming: sizes })
    source.send(piece('abcd'))
    one.at(0).resolve(mask('ABCD'))
    await settle()
    assert.deepEqual(two.at(0).texts, ['ABCD'])
    source.send(piece('efgh'))
    assert.equal(one.checks.length, 1)
    two.at(0).resolve()
    await settle()
    assert.equal(client.text, piece('ABCD'))
    assert.deepEqual(one.at(1).texts, ['CDefgh'])
    one.at(1).resolve()
    await settle()
    assert.deepEqual(two.at(1).texts, ['CDefgh'])
    two.at(1).resolve()
    source.end()
    await settle()
    assert.equal(client.text, piece('ABCD') + piece('efgh'))
    assert.ok(client.ended)
  })

  await t.test('ends at whichever window is rejected', async () => {
    for (const last of [0, 1, 2]) {
      const guard = manualGuard()
      const { source, client, told, actions } = guardedStream({ guards: [guard] })
      let passed = ''
      for (let i = 0; i <= last; i++) {
        source.send(piece(kb(String(i))))
        if (i === last) source.end()
        guard.at(i).resolve(i === last ? reject : undefined)
        if (i < last) passed += piece(kb(String(i)))
        await settle()
      }
      assert.deepEqual(blockedIn(client.text), { before: passed, error: blocked })
      assert.deepEqual([client.ended, source.dropped, told.over], [true, true, 1])
      assert.equal(actions().at(-1), 'asked Reject')
      assert.ok(guard.checks.every(({ signal }) => signal.aborted))
    }
  })

  await t.test('is blocked by a guard that has no verdict, unless it fails open', async () => {
    const ways: ((check: PendingCheck) => void)[] = [
      (check) => {
        check.fail(new GuardFailure('away'))
      },
      (check) => {
        check.fail(new TypeError('a bug'))
      },
      (check) => {
        check.resolve(mask('one', 'too many'))
      },
    ]
    for (const fail of ways)
      for (const opensOnFailure of [false, true]) {
        const guard = manualGuard({ opensOnFailure })
        const { source, client, settled } = guardedStream({ guards: [guard] })
        source.send(piece('a')).end()
        fail(guard.at(0))
        await settle()
        if (opensOnFailure) assert.equal(client.text, piece('a'))
        else assert.deepEqual(blockedIn(client.text), { before: '', error: undecided })
        assert.ok(client.ended)
        assert.deepEqual(
          settled.map(({ action }) => action),
          [opensOnFailure ? 'FailOpen' : 'FailClosed'],
        )
        assert.ok(settled[0]?.reason)
      }
    const throwing = guardWith(() => {
      throw new GuardFailure('at once')
    })
    const { source, client } = guardedStream({ guards: [throwing] })
    source.send(piece('a')).end()
    assert.deepEqual(blockedIn(client.text).error, undecided)
  })

  await t.test(
    'is paused while more than four windows are pending, and resumes when they are checked',
    async () => {
      const guard = manualGuard()
      const { source, client } = guardedStream({ guards: [guard] })
      for (let i = 0; i < 8; i++) source.send(piece(kb(String(i))))
      assert.equal(source.paused, true)
      assert.equal(source.taken, 6)
      guard.at(0).resolve()
      await settle()
      assert.deepEqual([source.paused, source.taken, textIn(client.text).length], [false, 8, 1024])
      guard.at(1).resolve()
      await settle()
      guard.at(2).resolve()
      await settle()
      assert.equal(textIn(client.text).length, 8 * 1024)
    },
  )

  await t.test('is paused while its client does not read, whatever the verdicts are meanwhile', async () => {
    const guard = manualGuard()
    const { source, client } = guardedStream({ guards: [guard] })
    client.takes = false
    source.send(piece(kb('a'))).send(piece(kb('b')))
    guard.at(0).resolve()
    await settle()
    assert.equal(client.text, piece(kb('a')))
    source.send(piece(kb('c'))).send(piece(kb('d')))
    assert.deepEqual([source.paused, source.taken], [true, 3])
    guard.at(1).resolve()
    await settle()
    assert.equal(source.paused, true)
    client.drain()
    assert.deepEqual([source.paused, source.taken], [false, 4])
  })

  await t.test('leaves nothing behind when its client disconnects, at any time', async () => {
    for (let steps = 0; steps <= 6; steps++)
      for (const leave of ['cancel', 'drop', 'abandon'] as const) {
        const guard = manualGuard()
        const run = guardedStream({ guards: [guard, wordGuard('no', 'mask')] })
        const { source, client, stream, x, told } = run
        client.takes = false
        const moves = [
          () => source.send(piece('n')),
          () => source.send(piece(kb('a'))),
          () => source.send(piece(kb('b'))),
          () => guard.checks[0]?.resolve(),
          settle,
          () => source.end(),
        ]
        for (const move of moves.slice(0, steps)) await move()
        const written = client.text
        if (leave === 'cancel') x.cancel()
        else stream[leave]()
        assert.equal(told.over, 1)
        assert.equal(source.dropped, leave !== 'abandon')
        assert.ok(guard.checks.every(({ signal }) => signal.aborted))
        const settledBefore = run.settled.length
        for (const check of guard.checks) check.resolve(reject)
        client.drain()
        await settle()
        assert.deepEqual([client.text, client.ended, told.over], [written, false, 1])
        assert.equal(run.settled.length, settledBefore)
      }
  })

  await t.test('ends with the failure of its source when everything before is cleared', async () => {
    const guard = manualGuard()
    const { source, client } = guardedStream({ guards: [guard] })
    source.send(piece('a')).fail('gone')
    assert.deepEqual([client.text, client.fault], ['', undefined])
    guard.at(0).resolve()
    await settle()
    assert.deepEqual([client.text, client.fault], [piece('a'), 'gone'])
  })

  await t.test('is not checked where that is disabled', () => {
    const { source, client } = guardedStream({ guards: [manualGuard()], streaming: { mode: 'Disabled' } })
    source.send(piece('a')).end()
    assert.deepEqual([client.text, client.ended], [piece('a'), true])
  })
})
