import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GuardFailure } from '../../../../../src/operators/llm/guardrails/guard.ts'
import { manualGuard, rejection, wordGuard } from '../stream/toy-stream.ts'
import { atRest, blocked, session, delta, done, doneBlocked, userItem } from './toy-conversation.ts'

const cancel = { type: 'response.cancel' }
const created = (id = 'resp_1') => ({ type: 'response.created', response: { id, output: [] } })

describe('a response in a guarded realtime session', () => {
  it('reaches the client unchanged if no guard objects, whatever surrounds it', async () => {
    const { client, provider, actions } = session({ response: [wordGuard('secret', 'mask')] })
    const events = [
      { type: 'session.created', session: { instructions: 'no secret is safe' } },
      { type: 'conversation.item.added', item: userItem('my secret').item },
      created(),
      delta('all '),
      delta('well'),
      done('all well'),
    ]
    for (const event of events) provider.send(event)
    await atRest()
    assert.deepEqual(client.got, events)
    assert.deepEqual(provider.got, [])
    assert.ok(actions().every((action) => action === 'response secret Allow'))
  })

  it('is masked across events, and where it is repeated', async () => {
    const { client, provider } = session({ response: [wordGuard('secret', 'mask')] })
    provider.send(delta('the sec'))
    await atRest()
    assert.deepEqual(client.got, [])
    provider.send(delta('ret is'))
    provider.send({
      ...delta(''),
      type: 'response.output_text.done',
      delta: undefined,
      text: 'the secret is',
    })
    provider.send({
      type: 'conversation.item.done',
      item: {
        id: 'item_of_resp_1',
        type: 'message',
        role: 'assistant',
        content: [{ text: 'the secret is' }],
      },
    })
    provider.send(done('the secret is'))
    await atRest()
    const [first, second, ...wholes] = client.got as unknown as [
      { delta: string },
      { delta: string },
      ...object[],
    ]
    assert.equal(first.delta + second.delta, 'the [secret] is')
    assert.deepEqual(
      wholes.map((event) => JSON.stringify(event).match(/\[?secret\]?/g)),
      [['[secret]'], ['[secret]'], ['[secret]']],
    )
  })

  for (const [what, type, scope] of [
    ['transcripts of what is spoken', 'response.output_audio_transcript.delta', 'messages'],
    ['transcripts of earlier versions', 'response.audio_transcript.delta', 'messages'],
    ['texts of earlier versions', 'response.text.delta', 'messages'],
    ['arguments of functions', 'response.function_call_arguments.delta', 'toolInput'],
  ] as const)
    it(`is checked in ${what}`, async () => {
      const guard = wordGuard('secret', 'reject', { scopes: new Set([scope]) })
      const { client, provider } = session({ response: [guard] })
      provider.send(delta('sec', 'resp_1', { type }))
      provider.send(delta('ret', 'resp_1', { type }))
      await atRest()
      assert.deepEqual([client.got, provider.got], [[blocked('not with me')], [cancel]])
    })

  it('ends where a guard rejects it: the client gets an error, the provider is cancelled, and only the end of the response follows', async () => {
    const { client, provider, actions } = session({ response: [wordGuard('secret', 'reject')] })
    provider.send(created())
    provider.send(delta('a '))
    provider.send(delta('secret'))
    await atRest()
    assert.deepEqual(client.got, [created(), delta('a '), blocked('not with me')])
    assert.deepEqual(provider.got, [cancel])
    provider.send(delta(' more'))
    provider.send({ type: 'rate_limits.updated', rate_limits: [] })
    provider.send({
      type: 'conversation.item.done',
      item: { id: 'item_of_resp_1', type: 'message', role: 'assistant', content: [{ text: 'a' }] },
    })
    provider.send(done('a secret more'))
    provider.send(delta('late'))
    await atRest()
    assert.deepEqual(client.got.slice(3), [{ type: 'rate_limits.updated', rate_limits: [] }, doneBlocked()])
    assert.deepEqual(actions(), ['response secret Reject'])
  })

  it('is blocked by the text of its last event alone, when it can no longer be cancelled', async () => {
    const { client, provider } = session({ response: [wordGuard('secret', 'reject')] })
    provider.send(created())
    provider.send(done('secret'))
    await atRest()
    assert.deepEqual([client.got, provider.got], [[created(), blocked('not with me'), doneBlocked()], []])
  })

  it('continues with the next response after a blocked one', async () => {
    const { client, provider } = session({ response: [wordGuard('secret', 'reject')] })
    for (const event of [delta('secret'), done('secret'), delta('fine', 'resp_2'), done('fine', 'resp_2')])
      provider.send(event)
    await atRest()
    client.send(userItem('and then?'))
    await atRest()
    assert.deepEqual(client.got, [
      blocked('not with me'),
      doneBlocked(),
      delta('fine', 'resp_2'),
      done('fine', 'resp_2'),
    ])
    assert.deepEqual(provider.got, [cancel, userItem('and then?')])
  })

  it('is blocked by itself if there are other active responses', async () => {
    const { client, provider } = session({ response: [wordGuard('secret', 'reject')] })
    provider.send(created('resp_2'))
    provider.send(delta('secret'))
    provider.send(delta('fine', 'resp_2'))
    await atRest()
    assert.deepEqual(client.got, [created('resp_2'), blocked('not with me'), delta('fine', 'resp_2')])
    assert.deepEqual(provider.got, [{ type: 'response.cancel', response_id: 'resp_1' }])
  })

  it('is checked in windows by a guard with callouts, and is pending in order', async () => {
    const guard = manualGuard()
    const { client, provider } = session({ response: [guard] })
    provider.send(created())
    provider.send(delta('hello '))
    provider.send(delta('you'))
    provider.send({ type: 'rate_limits.updated' })
    provider.frame(9)
    await atRest()
    assert.deepEqual(client.got, [created(), 'ping'])
    assert.equal(guard.checks.length, 0)
    provider.send(done('hello you'))
    await atRest()
    assert.deepEqual(guard.at(0).texts, ['hello you'])
    guard.at(0).resolve({ action: 'mask', texts: ['hello me'] })
    await atRest()
    assert.deepEqual(client.got.slice(2), [
      delta('hello '),
      delta('me'),
      { type: 'rate_limits.updated' },
      done('hello me'),
    ])
  })

  it('is blocked if a guard has no verdict, and is not cancelled once it is over', async () => {
    const guard = manualGuard()
    const { client, provider, actions } = session({ response: [guard] })
    provider.send(delta('hello'))
    provider.send(done('hello'))
    await atRest()
    guard.at(0).fail(new GuardFailure('away'))
    await atRest()
    assert.deepEqual(client.got, [blocked('Content blocked by guardrail policy'), doneBlocked()])
    assert.deepEqual(provider.got, [])
    assert.deepEqual(actions(), ['response asked FailClosed'])
  })

  it('passes if a guard has no verdict and opens then', async () => {
    const guard = manualGuard({ opensOnFailure: true })
    const { client, provider } = session({ response: [guard] })
    provider.send(delta('hello'))
    provider.send(done('hello'))
    await atRest()
    guard.at(0).fail(new GuardFailure('away'))
    await atRest()
    assert.deepEqual(client.got, [delta('hello'), done('hello')])
  })

  it('is blocked in items that belong to no response, each by itself', async () => {
    const { client, provider } = session({ response: [wordGuard('secret', 'reject')] })
    const retrieved = (text: string) => ({
      type: 'conversation.item.retrieved',
      item: { id: text, type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
    })
    provider.send(retrieved('secret'))
    provider.send(retrieved('fine'))
    await atRest()
    assert.deepEqual(client.got, [blocked('not with me'), retrieved('fine')])
    assert.deepEqual(provider.got, [])
  })

  it('has no audio, and the client gets one error for it', async () => {
    const { client, provider } = session({ response: [wordGuard('secret', 'reject')] })
    const sound = (type: string) => ({ type, response_id: 'resp_1', item_id: 'i', delta: 'AAAA' })
    provider.send(created())
    provider.send(sound('response.output_audio.delta'))
    provider.send(sound('response.audio.delta'))
    provider.send(delta('words', 'resp_1', { type: 'response.output_audio_transcript.delta' }))
    const item = (audio?: string) => ({
      type: 'conversation.item.retrieved',
      item: {
        id: 'j',
        role: 'assistant',
        content: [{ type: 'output_audio', transcript: 'hi', ...(audio && { audio }) }],
      },
    })
    provider.send(item('AAAA'))
    provider.send({ ...delta(''), type: 'response.output_audio_transcript.done', transcript: 'words' })
    await atRest()
    assert.deepEqual(client.got, [
      created(),
      {
        type: 'error',
        error: {
          type: 'guardrail_blocked',
          code: 'guardrail_audio',
          message: 'sound is left out, since guards read answers and cannot hear them: ask for text',
        },
      },
      delta('words', 'resp_1', { type: 'response.output_audio_transcript.delta' }),
      item(),
      { ...delta(''), type: 'response.output_audio_transcript.done', transcript: 'words' },
    ])
  })

  it('is left out if it cannot be read', async () => {
    const { client, provider } = session({ response: [wordGuard('secret', 'mask')] })
    provider.send('{"type":"response.output_text.delta","delta":"a","delta":"secret"}')
    provider.send('no JSON')
    await atRest()
    const why = 'Content blocked by guardrail policy: guards cannot read the event'
    assert.deepEqual(client.got, [blocked(why), blocked(why)])
  })

  it('closes the session if it cannot be encoded again, for being too deep', async () => {
    for (const action of ['mask', 'reject'] as const) {
      const { client, provider, tunnel } = session({ response: [wordGuard('secret', action)] })
      const deep = '['.repeat(30_000) + ']'.repeat(30_000)
      provider.send(
        `{"type":"response.done","deep":${deep},"response":{"id":"r","output":[{"content":[{"text":"secret"}]}]}}`,
      )
      provider.send(delta('fine', 'resp_2'))
      await atRest()
      assert.deepEqual(
        [client.got, provider.got],
        [
          ['close 1011', 'end'],
          ['close 1011', 'end'],
        ],
        action,
      )
      tunnel.destroy()
    }
  })

  it('closes the session if it is binary', async () => {
    const { client, provider, tunnel } = session({ response: [wordGuard('secret', 'mask')] })
    provider.frame(2, Buffer.from('secret'))
    await atRest()
    assert.deepEqual(
      [client.got, provider.got],
      [
        ['close 1011', 'end'],
        ['close 1003', 'end'],
      ],
    )
    tunnel.destroy()
  })

  it('is blocked if more is pending for a guard than the limit', async () => {
    const guard = manualGuard({ scopes: new Set(['messages']) })
    const { client, provider } = session({ response: [guard] }, 10_000)
    provider.send(delta('x'.repeat(2_000)))
    await atRest()
    for (let i = 0; i < 6; i++) provider.send({ ...delta(''), other: 'x'.repeat(2_000) })
    await atRest()
    assert.deepEqual(client.got, [blocked('Content blocked by guardrail policy')])
    assert.equal(guard.at(0).signal.aborted, true)
  })

  it('pauses its provider while a guard is behind', async () => {
    const guard = manualGuard()
    const { client, provider } = session({ response: [guard] })
    for (let i = 0; i < 200; i++) provider.send(delta(String(i).padStart(1_024, '.')))
    await atRest()
    assert.ok(provider.end.writableLength > 100_000)
    for (let i = 0; i < guard.checks.length; i++) {
      guard.at(i).resolve()
      await atRest()
    }
    assert.equal(client.got.length, 200)
  })

  it('is sent before the provider closes the session', async () => {
    const guard = manualGuard()
    const { client, provider } = session({ response: [guard] })
    provider.send(delta('hello'))
    provider.frame(8, Buffer.from([3, 232]))
    provider.end.end()
    await atRest()
    assert.deepEqual(client.got, [])
    guard.at(0).resolve()
    await atRest()
    assert.deepEqual(client.got, [delta('hello'), 'close 1000', 'end'])
  })

  it('is not checked any more once the client has disconnected', async () => {
    const guard = manualGuard()
    const { provider, tunnel, client } = session({ response: [guard] })
    provider.send(delta('hello'))
    provider.send(done('hello'))
    await atRest()
    tunnel.destroy()
    assert.equal(guard.at(0).signal.aborted, true)
    guard.at(0).resolve({ action: 'reject', rejection })
    await atRest()
    assert.deepEqual(client.got, [])
  })

  it('passes unread where only requests are guarded, audio as well', async () => {
    const { client, provider } = session({ request: [wordGuard('secret', 'reject')] })
    provider.send(delta('secret'))
    provider.send('no JSON')
    provider.frame(2, Buffer.from('sound'))
    provider.frame(8, Buffer.from([3, 232]))
    provider.end.end()
    await atRest()
    assert.deepEqual(client.got, [delta('secret'), 'no JSON', Buffer.from('sound'), 'close 1000', 'end'])
  })
})
