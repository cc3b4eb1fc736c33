import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ObjectMembers } from '../../../../src/protocols/llm/members/object-members.ts'
import { sendBetas } from '../../../../src/protocols/llm/providers/bedrock-betas.ts'

const CLAUDE = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0'

const sent = (asked: string, { model = CLAUDE, body = {} }: { model?: string; body?: object } = {}) => {
  const members = new ObjectMembers({ ...body })
  const isAll = sendBetas(members, model, asked, ['a-1', 'b-2'])
  return [isAll, members.object]
}

test('Anthropic betas for Bedrock', async (t) => {
  await t.test('are sent in the fields of the model, each once and in order', () => {
    assert.deepEqual(sent('b-2, a-1,b-2 ,'), [
      true,
      { additionalModelRequestFields: { anthropic_beta: ['b-2', 'a-1'] } },
    ])
  })

  await t.test('are added to other fields of the model', () => {
    const additionalModelRequestFields = { thinking: { type: 'adaptive' } }
    assert.deepEqual(sent('a-1', { body: { messages: [], additionalModelRequestFields } }), [
      true,
      {
        messages: [],
        additionalModelRequestFields: { thinking: { type: 'adaptive' }, anthropic_beta: ['a-1'] },
      },
    ])
  })

  await t.test('are dropped if they are not allowed, and reported', () => {
    assert.deepEqual(sent('c-3,a-1'), [false, { additionalModelRequestFields: { anthropic_beta: ['a-1'] } }])
    assert.deepEqual(sent('c-3'), [false, {}])
  })

  await t.test('are dropped for models of others', () => {
    assert.deepEqual(sent('a-1', { model: 'amazon.nova-pro-v1:0' }), [false, {}])
  })

  await t.test('are absent if the header is empty', () => {
    assert.deepEqual(sent(' , '), [true, {}])
  })
})
