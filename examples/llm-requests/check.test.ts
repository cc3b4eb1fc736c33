import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'

interface Said {
  readonly model: string
  readonly choices: readonly {
    readonly message: { readonly content: string }
    readonly finish_reason: string
  }[]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

test('examples/llm-requests', async (t) => {
  await using daemon = await startExample('llm-requests')
  const chat = async (path: string, body: object) => {
    const { status, text } = await sendRequest(daemon.url('default'), `${path}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    assert.equal(status, 200, text)
    return JSON.parse(text) as Said
  }
  const saying = (content: string) => ({ messages: [{ role: 'user', content }] })

  await t.test('caps the tokens of a request', async () => {
    const { choices, usage } = await chat('', {
      ...{ model: 'bounded', max_tokens: 1000 },
      ...saying('mock:words 50'),
    })
    assert.equal(choices[0]!.finish_reason, 'length')
    assert.equal(usage.completion_tokens, 5)
  })

  await t.test('fills in defaults, which clients can override', async () => {
    const contentOf = ({ choices }: Said) => choices[0]!.message.content
    const message = saying('mock:say One. Two.')
    assert.equal(contentOf(await chat('', { model: 'bounded', ...message })), 'One')
    assert.equal(contentOf(await chat('', { model: 'bounded', stop: ['!'], ...message })), 'One. Two.')
  })

  await t.test('adds prompts, and resolves model aliases', async () => {
    const { model, choices, usage } = await chat('/support', { model: 'fast', ...saying('hi') })
    assert.equal(model, 'parrot-mini')
    assert.match(choices[0]!.message.content, /Answer in one sentence\./)
    assert.ok(usage.prompt_tokens >= 10)
    assert.equal((await chat('/support', { model: 'other', ...saying('hi') })).model, 'parrot')
  })
})
