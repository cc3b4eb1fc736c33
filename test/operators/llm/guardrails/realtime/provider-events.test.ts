import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GuardFailure } from '../../../src/operators/guard/guard.ts'
import { askedGuard, rejection, wordGuard } from '../guard-response/toy-stream.ts'
import { atRest, blocked, conversation, delta, done, doneBlocked, userSays } from './toy-conversation.ts'

const cancel = { type: 'response.cancel' }
const created = (id = 'resp_1') => ({ type: 'response.created', response: { id, output: [] } })

describe('what a model says in a guarded realtime conversation', () => {
  it('reaches the client as it came if no guard objects, whatever surrounds it', async () => {
    const { client, provider, actions } = conversation({ response: [wordGuard('secret', 'mask')] })
    const events = [
      { type: 'session.created', session: { instructions: 'no secret is safe' } },
      { type: 'conversation.item.added', item: userSays('my secret').item },
      created(),
      delta('all '),
      delta('well'),
      done('all well'),
    ]
    for (const event of events) provider.say(event)
    await atRest()
    assert.deepEqual(client.got, events)
    assert.deepEqual(provider.got, [])
    assert.ok(actions().every((action) => action === 'response secret Allow'))
  })

  it('is masked across events, and where it is repeated', async () => {
    const { client, provider } = conversation({ response: [wordGuard('secret', 'mask')] })
    provider.say(delta('the sec'))
    await atRest()
    assert.deepEqual(client.got, [])
    provider.say(delta('ret is'))
    provider.say({ ...delta(''), type: 'response.output_text.done', delta: undefined, text: 'the secret is' })
    provider.say({
      type: 'conversation.item.done',
      item: {
        id: 'item_of_resp_1',
        type: 'message',
        role: 'assistant',
        content: [{ text: 'the secret is' }],
      },
    })
    provider.say(done('the secret is'))
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
    it(`is looked at in ${what}`, async () => {
      const guard = wordGuard('secret', 'reject', { scopes: new Set([scope]) })
      const { client, provider } = conversation({ response: [guard] })
      provider.say(delta('sec', 'resp_1', { type }))
      provider.say(delta('ret', 'resp_1', { type }))
      await atRest()
      assert.deepEqual([client.got, provider.got], [[blocked('not with me')], [cancel]])
    })

  it('ends where a guard rejects it: the client is told, the provider is to stop, and only the end of the answer follows', async () => {
    const { client, provider, actions } = conversation({ response: [wordGuard('secret', 'reject')] })
    provider.say(created())
    provider.say(delta('a '))
    provider.say(delta('secret'))
    await atRest()
    assert.deepEqual(client.got, [created(), delta('a '), blocked('not with me')])
    assert.deepEqual(provider.got, [cancel])
    provider.say(delta(' more'))
    provider.say({ type: 'rate_limits.updated', rate_limits: [] })
    provider.say({
      type: 'conversation.item.done',
      item: { id: 'item_of_resp_1', type: 'message', role: 'assistant', content: [{ text: 'a' }] },
    })
    provider.say(done('a secret more'))
    provider.say(delta('late'))
    await atRest()
    assert.deepEqual(client.got.slice(3), [{ type: 'rate_limits.updated', rate_limits: [] }, doneBlocked()])
    assert.deepEqual(actions(), ['response secret Reject'])
  })

  it('is blocked by what is said at its end alone, when there is nothing to be cancelled any more', async () => {
    const { client, provider } = conversation({ response: [wordGuard('secret', 'reject')] })
    provider.say(created())
    provider.say(done('secret'))
    await atRest()
    assert.deepEqual([client.got, provider.got], [[created(), blocked('not with me'), doneBlocked()], []])
  })

  it('goes on with the next answer after one that was blocked', async () => {
    const { client, provider } = conversation({ response: [wordGuard('secret', 'reject')] })
    for (const event of [delta('secret'), done('secret'), delta('fine', 'resp_2'), done('fine', 'resp_2')])
      provider.say(event)
    await atRest()
    client.say(userSays('and then?'))
    await atRest()
    assert.deepEqual(client.got, [
      blocked('not with me'),
      doneBlocked(),
      delta('fine', 'resp_2'),
      done('fine', 'resp_2'),
    ])
    assert.deepEqual(provider.got, [cancel, userSays('and then?')])
  })

  it('is blocked by itself if there are other answers at the same time', async () => {
    const { client, provider } = conversation({ response: [wordGuard('secret', 'reject')] })
    provider.say(created('resp_2'))
    provider.say(delta('secret'))
    provider.say(delta('fine', 'resp_2'))
    await atRest()
    assert.deepEqual(client.got, [created('resp_2'), blocked('not with me'), delta('fine', 'resp_2')])
    assert.deepEqual(provider.got, [{ type: 'response.cancel', response_id: 'resp_1' }])
  })

  it('is shown in windows to a guard that has to be asked, and waits for it in order', async () => {
    const guard = askedGuard()
    const { client, provider } = conversation({ response: [guard] })
    provider.say(created())
    provider.say(delta('hello '))
    provider.say(delta('you'))
    provider.say({ type: 'rate_limits.updated' })
    provider.frame(9)
    await atRest()
    assert.deepEqual(client.got, [created(), 'ping'])
    assert.equal(guard.questions.length, 0)
    provider.say(done('hello you'))
    await atRest()
    assert.deepEqual(guard.at(0).texts, ['hello you'])
    guard.at(0).answer({ action: 'mask', texts: ['hello me'] })
    await atRest()
    assert.deepEqual(client.got.slice(2), [
      delta('hello '),
      delta('me'),
      { type: 'rate_limits.updated' },
      done('hello me'),
    ])
  })

  it('is blocked if a guard has no verdict, and is not cancelled once it is over', async () => {
    const guard = askedGuard()
    const { client, provider, actions } = conversation({ response: [guard] })
    provider.say(delta('hello'))
    provider.say(done('hello'))
    await atRest()
    guard.at(0).fail(new GuardFailure('away'))
    await atRest()
    assert.deepEqual(client.got, [blocked('Content blocked by guardrail policy'), doneBlocked()])
    assert.deepEqual(provider.got, [])
    assert.deepEqual(actions(), ['response asked FailClosed'])
  })

  it('passes if a guard has no verdict and opens then', async () => {
    const guard = askedGuard({ opensOnFailure: true })
    const { client, provider } = conversation({ response: [guard] })
    provider.say(delta('hello'))
    provider.say(done('hello'))
    await atRest()
    guard.at(0).fail(new GuardFailure('away'))
    await atRest()
    assert.deepEqual(client.got, [delta('hello'), done('hello')])
  })

  it('is blocked in items that belong to no answer, each by itself', async () => {
    const { client, provider } = conversation({ response: [wordGuard('secret', 'reject')] })
    const retrieved = (text: string) => ({
      type: 'conversation.item.retrieved',
      item: { id: text, type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
    })
    provider.say(retrieved('secret'))
    provider.say(retrieved('fine'))
    await atRest()
    assert.deepEqual(client.got, [blocked('not with me'), retrieved('fine')])
    assert.deepEqual(provider.got, [])
  })

  it('is not heard, and the client is told so once', async () => {
    const { client, provider } = conversation({ response: [wordGuard('secret', 'reject')] })
    const sound = (type: string) => ({ type, response_id: 'resp_1', item_id: 'i', delta: 'AAAA' })
    provider.say(created())
    provider.say(sound('response.output_audio.delta'))
    provider.say(sound('response.audio.delta'))
    provider.say(delta('words', 'resp_1', { type: 'response.output_audio_transcript.delta' }))
    const item = (audio?: string) => ({
      type: 'conversation.item.retrieved',
      item: {
        id: 'j',
        role: 'assistant',
        content: [{ type: 'output_audio', transcript: 'hi', ...(audio && { audio }) }],
      },
    })
    provider.say(item('AAAA'))
    provider.say({ ...delta(''), type: 'response.output_audio_transcript.done', transcript: 'words' })
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
    const { client, provider } = conversation({ response: [wordGuard('secret', 'mask')] })
    provider.say('{"type":"response.output_text.delta","delta":"a","delta":"secret"}')
    provider.say('no JSON')
    await atRest()
    const why = 'Content blocked by guardrail policy: guards cannot read the event'
    assert.deepEqual(client.got, [blocked(why), blocked(why)])
  })

  it('closes the conversation if it cannot be written anew, for being too deep', async () => {
    for (const action of ['mask', 'reject'] as const) {
      const { client, provider, tunnel } = conversation({ response: [wordGuard('secret', action)] })
      const deep = '['.repeat(30_000) + ']'.repeat(30_000)
      provider.say(
        `{"type":"response.done","deep":${deep},"response":{"id":"r","output":[{"content":[{"text":"secret"}]}]}}`,
      )
      provider.say(delta('fine', 'resp_2'))
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

  it('closes the conversation if it is binary', async () => {
    const { client, provider, tunnel } = conversation({ response: [wordGuard('secret', 'mask')] })
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

  it('is blocked if more waits for a guard than may', async () => {
    const guard = askedGuard({ scopes: new Set(['messages']) })
    const { client, provider } = conversation({ response: [guard] }, 10_000)
    provider.say(delta('x'.repeat(2_000)))
    await atRest()
    for (let i = 0; i < 6; i++) provider.say({ ...delta(''), other: 'x'.repeat(2_000) })
    await atRest()
    assert.deepEqual(client.got, [blocked('Content blocked by guardrail policy')])
    assert.equal(guard.at(0).signal.aborted, true)
  })

  it('waits at its provider while a guard is behind', async () => {
    const guard = askedGuard()
    const { client, provider } = conversation({ response: [guard] })
    for (let i = 0; i < 200; i++) provider.say(delta(String(i).padStart(1_024, '.')))
    await atRest()
    assert.ok(provider.end.writableLength > 100_000)
    for (let i = 0; i < guard.questions.length; i++) {
      guard.at(i).answer()
      await atRest()
    }
    assert.equal(client.got.length, 200)
  })

  it('is let go of before the provider closes the conversation', async () => {
    const guard = askedGuard()
    const { client, provider } = conversation({ response: [guard] })
    provider.say(delta('hello'))
    provider.frame(8, Buffer.from([3, 232]))
    provider.end.end()
    await atRest()
    assert.deepEqual(client.got, [])
    guard.at(0).answer()
    await atRest()
    assert.deepEqual(client.got, [delta('hello'), 'close 1000', 'end'])
  })

  it('is asked about no more once the client has left', async () => {
    const guard = askedGuard()
    const { provider, tunnel, client } = conversation({ response: [guard] })
    provider.say(delta('hello'))
    provider.say(done('hello'))
    await atRest()
    tunnel.destroy()
    assert.equal(guard.at(0).signal.aborted, true)
    guard.at(0).answer({ action: 'reject', rejection })
    await atRest()
    assert.deepEqual(client.got, [])
  })

  it('passes unread where only questions are guarded, sound as well', async () => {
    const { client, provider } = conversation({ request: [wordGuard('secret', 'reject')] })
    provider.say(delta('secret'))
    provider.say('no JSON')
    provider.frame(2, Buffer.from('sound'))
    provider.frame(8, Buffer.from([3, 232]))
    provider.end.end()
    await atRest()
    assert.deepEqual(client.got, [delta('secret'), 'no JSON', Buffer.from('sound'), 'close 1000', 'end'])
  })
})
