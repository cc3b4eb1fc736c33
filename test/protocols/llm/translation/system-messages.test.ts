import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import { clientName } from '../../../../src/protocols/llm/members/client-field-names.ts'
import { codecs } from '../../../../src/protocols/llm/codecs.ts'
import type { ChatFormat } from '../../../../src/protocols/llm/format.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { pathForCompletions } from '../../../../src/protocols/llm/providers/completions-quirks.ts'

const translated = (client: ChatFormat, provider: ChatFormat, body: JsonObject) => {
  const losses = new Losses()
  const request = codecs[client].decodeRequest(body, {}, losses)
  const sent = JSON.parse(JSON.stringify(codecs[provider].encodeRequest(request, losses))) as JsonObject
  return { sent, losses: losses.fields.map((field) => clientName(client, field)) }
}

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })
const system = (content: string) => ({ role: 'system', content })
const developer = (content: string) => ({ role: 'developer', content })

test('a system message in the middle of a conversation', async (t) => {
  await t.test('keeps its position from Messages to Chat Completions and to Responses', () => {
    const body = {
      model: 'm',
      max_tokens: 9,
      system: 'Be brief.',
      messages: [
        user('Hi'),
        system('Now in French.'),
        assistant('Salut'),
        user('And?'),
        system('In German.'),
      ],
    }
    const completions = translated('messages', 'completions', body)
    assert.deepEqual(completions.sent.messages, [system('Be brief.'), ...body.messages])
    assert.deepEqual(completions.losses, [])
    const responses = translated('messages', 'responses', body)
    assert.equal(responses.sent.instructions, 'Be brief.')
    const said = (
      responses.sent.input as readonly { role: string; content: readonly { text: string }[] }[]
    ).map(({ role, content }) => [role, content[0]?.text])
    assert.deepEqual(
      said,
      body.messages.map(({ role, content }) => [role, content]),
    )
    assert.deepEqual(responses.losses, [])
  })

  await t.test('keeps its position from Responses to Chat Completions', () => {
    const input = [developer('Be brief.'), user('Hi'), developer('Now in French.'), user('And?')]
    const { sent, losses } = translated('responses', 'completions', { model: 'm', input })
    assert.deepEqual(sent.messages, [system('Be brief.'), user('Hi'), system('Now in French.'), user('And?')])
    assert.deepEqual(losses, [])
  })

  const middle = [
    system('Be brief.'),
    user('Hi'),
    developer('Now in French.'),
    assistant('Salut'),
    user('And?'),
  ]

  await t.test('is moved to the beginning, and reported, if the provider accepts it nowhere else', () => {
    const gemini = translated('completions', 'generateContent', { model: 'gemini-3-pro', messages: middle })
    assert.deepEqual(gemini.sent.systemInstruction, {
      parts: [{ text: 'Be brief.' }, { text: 'Now in French.' }],
    })
    assert.equal((gemini.sent.contents as unknown[]).length, 3)
    assert.deepEqual(gemini.losses, ['messages.system.position'])
    const bedrock = translated('completions', 'converse', { model: 'anthropic.claude-1', messages: middle })
    assert.deepEqual(bedrock.sent.system, [{ text: 'Be brief.' }, { text: 'Now in French.' }])
    assert.deepEqual(bedrock.losses, ['messages.system.position'])
    const input = [user('Hi'), system('Now in French.')]
    const { losses } = translated('responses', 'converse', { model: 'm', input })
    assert.deepEqual(losses, ['input.system.position'])
  })

  await t.test('keeps its position with Claude since Opus 4.8, behind a turn of the user', () => {
    for (const model of ['claude-opus-4-8', 'claude-opus-4.8', 'claude-opus-4-8-20260528', 'claude-sonnet-5'])
      assert.deepEqual(
        translated('completions', 'messages', { model, messages: middle }).sent.messages,
        [user('Hi'), system('Now in French.'), assistant('Salut'), user('And?')],
        model,
      )
    const last = translated('completions', 'messages', {
      model: 'claude-opus-4-8',
      messages: [user('Hi'), system('In French.'), system('And briefly.')],
    })
    assert.deepEqual(last.sent.messages, [
      user('Hi'),
      {
        role: 'system',
        content: [
          { type: 'text', text: 'In French.' },
          { type: 'text', text: 'And briefly.' },
        ],
      },
    ])
    assert.deepEqual(last.losses, [])
  })

  await t.test('is moved to the beginning with Claude elsewhere, and before', () => {
    for (const model of [
      'claude-opus-4-7',
      'claude-opus-4-20250514',
      'claude-3-5-sonnet-20241022',
      'glm-5',
    ]) {
      const { sent, losses } = translated('completions', 'messages', { model, messages: middle })
      assert.equal(sent.system, 'Be brief.\nNow in French.', model)
      assert.deepEqual(losses, ['messages.system.position'], model)
    }
    const between = [user('Hi'), assistant('Salut'), system('Now in German.'), user('And?')]
    const { sent, losses } = translated('completions', 'messages', {
      model: 'claude-opus-4-8',
      messages: between,
    })
    assert.equal(sent.system, 'Now in German.')
    assert.deepEqual(losses, ['messages.system.position'])
  })

  await t.test('is moved behind the results of tools, which stay with their calls', () => {
    const call = { type: 'tool_use', id: 'c', name: 'f', input: {} }
    const result = { type: 'tool_result', tool_use_id: 'c', content: 'ok' }
    const { sent } = translated('messages', 'completions', {
      model: 'm',
      max_tokens: 9,
      messages: [
        user('Hi'),
        { role: 'assistant', content: [call] },
        system('Be brief.'),
        { role: 'user', content: [result] },
      ],
    })
    assert.deepEqual(
      (sent.messages as readonly { readonly role: string }[]).map(({ role }) => role),
      ['user', 'assistant', 'tool', 'system'],
    )
  })

  await t.test('is moved to the beginning for Mistral, which refuses it elsewhere', () => {
    const request = codecs.messages.decodeRequest(
      { model: 'm', max_tokens: 9, messages: [user('Hi'), system('Be brief.')] },
      {},
      new Losses(),
    )
    const losses = new Losses()
    assert.deepEqual(pathForCompletions(request, 'mistral', losses).instructions, [
      { type: 'text', text: 'Be brief.' },
    ])
    assert.deepEqual(losses.fields, ['messages.system.position'])
    assert.equal(pathForCompletions(request, 'openai', new Losses()), request)
  })
})

test('many system messages, results and documents are translated in one pass', { timeout: 60_000 }, () => {
  const many = 20_000
  const messages: JsonObject[] = []
  for (let i = 0; i < many; i++) messages.push(user('a'), system('b'))
  for (let i = 0; i < many; i++) messages.push({ role: 'tool', tool_call_id: 'c', content: 'd' }, system('e'))
  const file = { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } }
  messages.push({ role: 'user', content: Array.from({ length: many }, () => file) })
  const body = { model: 'claude-opus-4-8', messages }
  const request = codecs.completions.decodeRequest(body, {}, new Losses())
  const converse = codecs.converse.encodeRequest(request, new Losses())
  assert.match(JSON.stringify(converse), new RegExp(`"a-pdf \\(${many}\\)"`))
  assert.equal((converse.system as unknown[]).length, many * 2)
  assert.equal(
    (codecs.completions.encodeRequest(request, new Losses()).messages as unknown[]).length,
    many * 4 + 1,
  )
})
