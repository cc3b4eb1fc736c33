import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GuardFailure } from '../../../src/operators/guard/guard.ts'
import { askedGuard, judging, rejection, wordGuard } from '../guard-response/toy-stream.ts'
import { atRest, blocked, conversation, userSays } from './toy-conversation.ts'

describe('what a client says in a guarded realtime conversation', () => {
  it('goes on as it came if no guard objects', async () => {
    const { client, provider, actions } = conversation({ request: [wordGuard('secret', 'mask')] })
    client.say(
      '{ "type":"conversation.item.create",  "item":{"content":[{"text":"hello","type":"input_text"}]}}',
    )
    client.say({ type: 'input_audio_buffer.commit' })
    await atRest()
    assert.deepEqual(provider.got, [
      { type: 'conversation.item.create', item: { content: [{ text: 'hello', type: 'input_text' }] } },
      { type: 'input_audio_buffer.commit' },
    ])
    assert.deepEqual(actions(), ['request secret Allow'])
  })

  it('goes on masked, in items, in instructions, and in what tools have answered', async () => {
    const scopes = new Set(['systemPrompt', 'messages', 'toolOutput', 'toolInput'] as const)
    const { client, provider } = conversation({ request: [wordGuard('secret', 'mask', { scopes })] })
    client.say(userSays('a secret'))
    client.say({ type: 'session.update', session: { instructions: 'keep secret' } })
    client.say({ type: 'response.create', response: { instructions: 'tell secret' } })
    client.say({
      type: 'conversation.item.create',
      item: { type: 'function_call_output', call_id: 'c', output: 'its secret' },
    })
    await atRest()
    assert.deepEqual(provider.got, [
      userSays('a [secret]'),
      { type: 'session.update', session: { instructions: 'keep [secret]' } },
      { type: 'response.create', response: { instructions: 'tell [secret]' } },
      {
        type: 'conversation.item.create',
        item: { type: 'function_call_output', call_id: 'c', output: 'its [secret]' },
      },
    ])
  })

  it('does not go on if a guard rejects it, and the client is told in the words of the rejection', async () => {
    const { client, provider, actions } = conversation({ request: [wordGuard('secret', 'reject')] })
    client.say(userSays('a secret'))
    client.say(userSays('no'))
    await atRest()
    assert.deepEqual(provider.got, [userSays('no')])
    assert.deepEqual(client.got, [blocked('not with me')])
    assert.deepEqual(actions(), ['request secret Reject', 'request secret Allow'])
  })

  it('does not go on if a guard has no verdict, and goes on if it opens then', async () => {
    for (const opensOnFailure of [false, true]) {
      const guard = judging(
        () => {
          throw new GuardFailure('away')
        },
        { opensOnFailure },
      )
      const { client, provider, actions } = conversation({ request: [guard] })
      client.say(userSays('hello'))
      await atRest()
      assert.deepEqual(provider.got, opensOnFailure ? [userSays('hello')] : [])
      assert.deepEqual(client.got, opensOnFailure ? [] : [blocked('Content blocked by guardrail policy')])
      assert.deepEqual(actions(), [`request judge ${opensOnFailure ? 'FailOpen' : 'FailClosed'}`])
    }
  })

  const unreadable: readonly [string, string][] = [
    ['no JSON', 'hello'],
    ['no object', '["hello"]'],
    ['an object that says a thing twice', '{"type":"a","item":{"text":"x","\\u0074ext":"y"}}'],
  ]
  for (const [what, text] of unreadable)
    it(`does not go on if it is ${what}`, async () => {
      const { client, provider } = conversation({ request: [wordGuard('secret', 'mask')] })
      client.say(text)
      await atRest()
      assert.deepEqual(provider.got, [])
      assert.deepEqual(client.got, [
        blocked('Content blocked by guardrail policy: guards cannot read the event'),
      ])
    })

  it('keeps its order while a guard thinks; pings do not wait, and the end does', async () => {
    const guard = askedGuard()
    const { client, provider } = conversation({ request: [guard] })
    client.say(userSays('one'))
    client.say({ type: 'response.create' })
    client.frame(9)
    client.frame(8, Buffer.from([3, 232]))
    await atRest()
    assert.deepEqual(provider.got, ['ping'])
    guard.at(0).answer({ action: 'mask', texts: ['two'] })
    await atRest()
    assert.deepEqual(provider.got, ['ping', userSays('two'), { type: 'response.create' }, 'close 1000'])
  })

  it('waits at its client while too much waits for a guard', async () => {
    const guard = askedGuard()
    const { client, provider, tunnel } = conversation({ request: [guard] })
    client.say(userSays('one'))
    for (let i = 0; i < 5; i++) client.say(userSays('x'.repeat(90_000)))
    await atRest()
    assert.ok(tunnel.writableLength > 90_000)
    for (let i = 0; i < 6; i++) {
      guard.at(i).answer()
      await atRest()
    }
    assert.equal(tunnel.writableLength, 0)
    assert.equal(provider.got.length, 6)
  })

  it('may be cut into frames as it likes, and is one to the guards', async () => {
    const { client, provider } = conversation({ request: [wordGuard('secret', 'reject')] })
    const bytes = Buffer.from(JSON.stringify(userSays('a secret')))
    const piece = (first: number, part: Buffer) =>
      Buffer.concat([Buffer.from([first, 0x80 | part.length, 0, 0, 0, 0]), part])
    const at = bytes.indexOf('secret') + 3
    client.end.write(Buffer.concat([piece(0x01, bytes.subarray(0, at)), piece(0x80, bytes.subarray(at))]))
    await atRest()
    assert.deepEqual([provider.got, client.got], [[], [blocked('not with me')]])
  })

  it('closes the conversation if it is binary, which nobody can read', async () => {
    const { client, provider, tunnel } = conversation({ request: [wordGuard('secret', 'reject')] })
    client.frame(2, Buffer.from('secret'))
    client.say(userSays('late'))
    await atRest()
    assert.deepEqual(client.got, ['close 1003', 'end'])
    assert.deepEqual(provider.got, ['close 1001', 'end'])
    tunnel.destroy()
  })

  it('closes the conversation if it is too long', async () => {
    const { client, provider, tunnel } = conversation({ request: [wordGuard('secret', 'reject')] }, 1_000)
    client.say(userSays('x'.repeat(1_000)))
    await atRest()
    assert.deepEqual(
      [client.got, provider.got],
      [
        ['close 1009', 'end'],
        ['close 1001', 'end'],
      ],
    )
    tunnel.destroy()
  })

  it('closes the conversation if it cannot be written anew, for being too deep', async () => {
    const { client, provider, tunnel } = conversation({ request: [wordGuard('secret', 'mask')] })
    client.say(`{"deep":${'['.repeat(30_000)}${']'.repeat(30_000)},"item":{"content":[{"text":"secret"}]}}`)
    await atRest()
    assert.deepEqual(
      [client.got, provider.got],
      [
        ['close 1011', 'end'],
        ['close 1011', 'end'],
      ],
    )
    tunnel.destroy()
  })

  it('closes the conversation if a guard breaks', async () => {
    const guard = judging(() => {
      throw new Error('a bug')
    })
    const { client, provider, tunnel, x } = conversation({ request: [guard] })
    client.say(userSays('hello'))
    await atRest()
    assert.deepEqual(
      [client.got, provider.got],
      [
        ['close 1011', 'end'],
        ['close 1011', 'end'],
      ],
    )
    assert.equal(x.cutShort, 'a bug')
    tunnel.destroy()
  })

  it('is not asked about any more once its client has left', async () => {
    const guard = judging(() => undefined, {
      check: async (x) => {
        await new Promise<void>((resolve) => {
          x.signal.addEventListener('abort', () => {
            resolve()
          })
        })
        return { action: 'reject', rejection }
      },
    })
    const { client, settled, tunnel, provider } = conversation({ request: [guard] })
    client.say(userSays('hello'))
    await atRest()
    tunnel.destroy()
    await atRest()
    assert.deepEqual([settled, client.got, provider.got.at(-1)], [[], [], 'end'])
  })

  it('passes unread where only answers are guarded', async () => {
    const { client, provider } = conversation({ response: [wordGuard('secret', 'reject')] })
    client.say(userSays('secret'))
    client.frame(2, Buffer.from('sound'))
    await atRest()
    assert.deepEqual(provider.got, [userSays('secret'), Buffer.from('sound')])
  })
})
