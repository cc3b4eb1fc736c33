import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  manualGuard,
  blocked,
  blockedIn,
  buffer,
  eventOf,
  guardedStream,
  piece,
  rejection,
  settle,
  wordGuard,
} from './toy-stream.ts'

const streaming = buffer

test('a stream that is buffered until its end', async (t) => {
  await t.test('is checked as a whole, and replayed', async () => {
    const guard = manualGuard()
    const { source, client, actions } = guardedStream({ guards: [guard], streaming })
    const events = [
      'event: start\n\n',
      piece('se'),
      eventOf({ pieces: { b: 'other' } }),
      piece('cret'),
      eventOf({ closes: ['a'], wholes: ['secret'] }),
      piece('x'.repeat(5000)),
      'data: [DONE]\n\n',
    ]
    for (const event of events) source.send(event)
    assert.deepEqual([guard.checks.length, source.paused], [0, false])
    assert.equal(client.text, '')
    source.end()
    assert.deepEqual(guard.at(0).texts, [`secret${'x'.repeat(5000)}`, 'other', 'secret'])
    guard.at(0).resolve()
    await settle()
    assert.deepEqual([client.text, client.ended], [events.join(''), true])
    assert.deepEqual(actions(), ['asked Allow'])
  })

  await t.test('is masked by one guard after the other, in the pieces that they touch', async () => {
    const guard = manualGuard()
    const { source, client, actions } = guardedStream({
      guards: [wordGuard('secret', 'mask'), guard],
      streaming,
    })
    source
      .send(piece('a ') + piece('se') + piece('cret') + piece(' b') + eventOf({ wholes: ['secret'] }))
      .end()
    assert.deepEqual(guard.at(0).texts, ['a [secret] b', '[secret]'])
    guard.at(0).resolve({ action: 'mask', texts: ['a [secret] c', '-'] })
    await settle()
    assert.equal(
      client.text,
      piece('a ') + piece('[secret]') + piece('') + piece(' c') + eventOf({ wholes: ['-'] }),
    )
    assert.deepEqual(actions(), ['secret Mask', 'asked Mask'])
  })

  await t.test('is dropped if it is rejected, with the end of its source', async () => {
    const guard = manualGuard()
    const { source, client } = guardedStream({ guards: [guard], streaming })
    source.send(piece('a')).send('event: error\ndata: {"error":"overloaded"}\n\n').end()
    guard.at(0).resolve({ action: 'reject', rejection })
    await settle()
    assert.deepEqual(blockedIn(client.text), { before: '', error: blocked })
    assert.ok(client.ended)
  })

  await t.test('is sent with the error that ended it, if it is not rejected', async () => {
    const guard = manualGuard()
    const { source, client } = guardedStream({ guards: [guard], streaming })
    source.send(piece('a')).send('event: error\ndata: {"error":"overloaded"}\n\n').end()
    guard.at(0).resolve()
    await settle()
    assert.equal(client.text, `${piece('a')}event: error\ndata: {"error":"overloaded"}\n\n`)
    const cut = guardedStream({ guards: [wordGuard('b', 'mask')], streaming })
    cut.source.send(piece('b')).fail('gone')
    assert.deepEqual([cut.client.text, cut.client.fault], [piece('[b]'), 'gone'])
  })

  await t.test('is blocked beyond its limit, with an error', () => {
    const { source, client, told } = guardedStream({ guards: [manualGuard()], streaming, limitBytes: 2000 })
    for (let i = 0; i < 10 && !source.dropped; i++) source.send(piece('x'.repeat(300)))
    const { before, error } = blockedIn(client.text)
    assert.equal(before, '')
    assert.match(JSON.stringify(error), /"status":502.*the limit of 2000 bytes/)
    assert.deepEqual([client.ended, source.dropped, source.taken, told.over], [true, true, 6, 1])
  })

  await t.test('ends with its client', () => {
    const guard = manualGuard()
    const { source, x, client } = guardedStream({ guards: [guard], streaming })
    source.send(piece('a')).end()
    x.cancel()
    assert.deepEqual([guard.at(0).signal.aborted, client.text, client.ended], [true, '', false])
  })

  await t.test('without texts needs no check', () => {
    const guard = manualGuard()
    const { source, client } = guardedStream({ guards: [guard], streaming })
    source.send(piece('') + 'data: [DONE]\n\n').end()
    assert.deepEqual([guard.checks.length, client.ended], [0, true])
    assert.equal(client.text, `${piece('')}data: [DONE]\n\n`)
  })
})
