import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GuardFailure } from '../../../../../src/operators/llm/guardrails/guard.ts'
import { manualGuard, guardWith, rejection, wordGuard } from '../stream/toy-stream.ts'
import { atRest, blocked, session, userItem } from './toy-conversation.ts'

describe('an event of the client in a guarded realtime session', () => {
  it('is forwarded unchanged if no guard objects', async () => {
    const { client, provider, actions } = session({ request: [wordGuard('secret', 'mask')] })
    client.send(
      '{ "type":"conversation.item.create",  "item":{"content":[{"text":"hello","type":"input_text"}]}}',
    )
    client.send({ type: 'input_audio_buffer.commit' })
    await atRest()
    assert.deepEqual(provider.got, [
      { type: 'conversation.item.create', item: { content: [{ text: 'hello', type: 'input_text' }] } },
      { type: 'input_audio_buffer.commit' },
    ])
    assert.deepEqual(actions(), ['request secret Allow'])
  })

  it('is forwarded masked, in items, in instructions, and in results of tools', async () => {
    const scopes = new Set(['systemPrompt', 'messages', 'toolOutput', 'toolInput'] as const)
    const { client, provider } = session({ request: [wordGuard('secret', 'mask', { scopes })] })
    client.send(userItem('a secret'))
    client.send({ type: 'session.update', session: { instructions: 'keep secret' } })
    client.send({ type: 'response.create', response: { instructions: 'tell secret' } })
    client.send({
      type: 'conversation.item.create',
      item: { type: 'function_call_output', call_id: 'c', output: 'its secret' },
    })
    await atRest()
    assert.deepEqual(provider.got, [
      userItem('a [secret]'),
      { type: 'session.update', session: { instructions: 'keep [secret]' } },
      { type: 'response.create', response: { instructions: 'tell [secret]' } },
      {
        type: 'conversation.item.create',
        item: { type: 'function_call_output', call_id: 'c', output: 'its [secret]' },
      },
    ])
  })

  it('is not forwarded if a guard rejects it, and the client gets the body of the rejection', async () => {
    const { client, provider, actions } = session({ request: [wordGuard('secret', 'reject')] })
    client.send(userItem('a secret'))
    client.send(userItem('no'))
    await atRest()
    assert.deepEqual(provider.got, [userItem('no')])
    assert.deepEqual(client.got, [blocked('not with me')])
    assert.deepEqual(actions(), ['request secret Reject', 'request secret Allow'])
  })

  it('is not forwarded if a guard has no verdict, unless it fails open', async () => {
    for (const opensOnFailure of [false, true]) {
      const guard = guardWith(
        () => {
          throw new GuardFailure('away')
        },
        { opensOnFailure },
      )
      const { client, provider, actions } = session({ request: [guard] })
      client.send(userItem('hello'))
      await atRest()
      assert.deepEqual(provider.got, opensOnFailure ? [userItem('hello')] : [])
      assert.deepEqual(client.got, opensOnFailure ? [] : [blocked('Content blocked by guardrail policy')])
      assert.deepEqual(actions(), [`request judge ${opensOnFailure ? 'FailOpen' : 'FailClosed'}`])
    }
  })

  const unreadable: readonly [string, string][] = [
    ['no JSON', 'hello'],
    ['no object', '["hello"]'],
    ['an object that says a thing twice', '{"type":"a","item":{"text":"x","\\u0074ext":"y"}}'],
    ['an object that says it in two letter cases', '{"type":"a","item":{"text":"x","Text":"a secret"}}'],
    ['an object that says it in another letter case', '{"type":"a","Item":{"text":"a secret"}}'],
  ]
  for (const [what, text] of unreadable)
    it(`is not forwarded if it is ${what}`, async () => {
      const { client, provider } = session({ request: [wordGuard('secret', 'mask')] })
      client.send(text)
      await atRest()
      assert.deepEqual(provider.got, [])
      assert.deepEqual(client.got, [
        blocked('Content blocked by guardrail policy: guards cannot read the event'),
      ])
    })

  it('keeps its order while a check is pending; pings are sent at once, and the end is not', async () => {
    const guard = manualGuard()
    const { client, provider } = session({ request: [guard] })
    client.send(userItem('one'))
    client.send({ type: 'response.create' })
    client.frame(9)
    client.frame(8, Buffer.from([3, 232]))
    await atRest()
    assert.deepEqual(provider.got, ['ping'])
    guard.at(0).resolve({ action: 'mask', texts: ['two'] })
    await atRest()
    assert.deepEqual(provider.got, ['ping', userItem('two'), { type: 'response.create' }, 'close 1000'])
  })

  it('pauses its client while too much is pending for a guard', async () => {
    const guard = manualGuard()
    const { client, provider, tunnel } = session({ request: [guard] })
    client.send(userItem('one'))
    for (let i = 0; i < 5; i++) client.send(userItem('x'.repeat(90_000)))
    await atRest()
    assert.ok(tunnel.writableLength > 90_000)
    for (let i = 0; i < 6; i++) {
      guard.at(i).resolve()
      await atRest()
    }
    assert.equal(tunnel.writableLength, 0)
    assert.equal(provider.got.length, 6)
  })

  it('may be split into any frames, and is one text for the guards', async () => {
    const { client, provider } = session({ request: [wordGuard('secret', 'reject')] })
    const bytes = Buffer.from(JSON.stringify(userItem('a secret')))
    const piece = (first: number, part: Buffer) =>
      Buffer.concat([Buffer.from([first, 0x80 | part.length, 0, 0, 0, 0]), part])
    const at = bytes.indexOf('secret') + 3
    client.end.write(Buffer.concat([piece(0x01, bytes.subarray(0, at)), piece(0x80, bytes.subarray(at))]))
    await atRest()
    assert.deepEqual([provider.got, client.got], [[], [blocked('not with me')]])
  })

  it('closes the session if it is binary', async () => {
    const { client, provider, tunnel } = session({ request: [wordGuard('secret', 'reject')] })
    client.frame(2, Buffer.from('secret'))
    client.send(userItem('late'))
    await atRest()
    assert.deepEqual(client.got, ['close 1003', 'end'])
    assert.deepEqual(provider.got, ['close 1001', 'end'])
    tunnel.destroy()
  })

  it('closes the session if it is too long', async () => {
    const { client, provider, tunnel } = session({ request: [wordGuard('secret', 'reject')] }, 1_000)
    client.send(userItem('x'.repeat(1_000)))
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

  it('closes the session if it cannot be encoded again, for being too deep', async () => {
    const { client, provider, tunnel } = session({ request: [wordGuard('secret', 'mask')] })
    client.send(`{"deep":${'['.repeat(30_000)}${']'.repeat(30_000)},"item":{"content":[{"text":"secret"}]}}`)
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

  it('closes the session if a guard throws', async () => {
    const guard = guardWith(() => {
      throw new Error('a bug')
    })
    const { client, provider, tunnel, x } = session({ request: [guard] })
    client.send(userItem('hello'))
    await atRest()
    assert.deepEqual(
      [client.got, provider.got],
      [
        ['close 1011', 'end'],
        ['close 1011', 'end'],
      ],
    )
    assert.equal(x.downstream.truncatedBy, 'a bug')
    tunnel.destroy()
  })

  it('is not checked any more once its client has disconnected', async () => {
    const guard = guardWith(() => undefined, {
      check: async (x) => {
        await new Promise<void>((resolve) => {
          x.signal.addEventListener('abort', () => {
            resolve()
          })
        })
        return { action: 'reject', rejection }
      },
    })
    const { client, settled, tunnel, provider } = session({ request: [guard] })
    client.send(userItem('hello'))
    await atRest()
    tunnel.destroy()
    await atRest()
    assert.deepEqual([settled, client.got, provider.got.at(-1)], [[], [], 'end'])
  })

  it('passes unread where only responses are guarded', async () => {
    const { client, provider } = session({ response: [wordGuard('secret', 'reject')] })
    client.send(userItem('secret'))
    client.frame(2, Buffer.from('sound'))
    await atRest()
    assert.deepEqual(provider.got, [userItem('secret'), Buffer.from('sound')])
  })
})
