import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenAiModeration } from '../../../../../src/operators/llm/guardrails/schema/normal-form.ts'
import {
  check,
  type CloudServiceResponse,
  plainly,
  rejection,
  scopes,
  startCloudService,
} from '../../../../support/cloud-service.ts'
import { failureOf } from '../../../../support/guard-failure.ts'

const kind = { type: 'openAIModeration', model: 'omni-moderation-latest' } as const
const key = {
  backendAuth: {
    key: {
      value: { secret: 'sk-very-secret' },
      location: { kind: 'header', name: 'authorization', prefix: 'Bearer ' },
    },
    credentials: [],
  },
} as const

/** A response of the service: the requested model, and every category. */
const results = (...flags: readonly boolean[]) => ({
  id: 'modr-1',
  model: 'omni-moderation-latest',
  results: flags.map((flagged) => ({
    flagged,
    categories: { hate: false, violence: flagged, 'violence/graphic': false },
    category_scores: { hate: 0.01, violence: 0.9, 'violence/graphic': 0.02 },
    category_applied_input_types: { hate: ['text'], violence: ['text'], 'violence/graphic': ['text'] },
  })),
})

const with1 = async (answer: CloudServiceResponse, texts: readonly string[] = ['one', 'two']) => {
  await using service = await startCloudService(() => answer)
  return await check(service.guard<OpenAiModeration>(kind), texts)
}

test('the moderation of OpenAI', async (t) => {
  await t.test('gets all texts at once, with the key of the policies', async () => {
    await using service = await startCloudService(() => results(false, false))
    const guard = service.guard<OpenAiModeration>(kind, key)
    assert.equal(await check(guard, ['one', 'two "2" – zwei']), undefined)
    assert.equal(guard.name, 'openAIModeration')
    assert.equal(guard.opensOnFailure, false)
    assert.equal(guard.scopes, scopes)
    const [{ method, target, headers, json }] = service.requests as [(typeof service.requests)[0]]
    assert.deepEqual([method, target], ['POST', '/v1/moderations'])
    assert.equal(headers.authorization, 'Bearer sk-very-secret')
    assert.equal(headers['content-type'], 'application/json')
    assert.deepEqual(json, { input: ['one', 'two "2" – zwei'], model: 'omni-moderation-latest' })
    assert.deepEqual(
      service.called.map(([policy]) => policy),
      ['Guardrail'],
    )
  })

  await t.test('rejects if any text is flagged, and reports for what', async () => {
    assert.deepEqual(await with1(results(false, true)), {
      action: 'reject',
      rejection,
      reason: 'flagged: violence',
    })
    // Whatever else is wrong with the response.
    assert.deepEqual(await with1({ results: [{ flagged: true }] }), {
      action: 'reject',
      rejection,
      reason: 'flagged',
    })
  })

  await t.test('does not get blank texts, and gets long texts in overlapping parts', async () => {
    await using service = await startCloudService(({ json }) =>
      results(...(json.input as string[]).map(() => false)),
    )
    const guard = service.guard<OpenAiModeration>(kind)
    assert.equal(await check(guard, ['', ' \n']), undefined)
    assert.equal(service.requests.length, 0)
    assert.equal(await check(guard, ['ä'.repeat(10_001), ' ', 'b']), undefined)
    assert.deepEqual(service.requests[0]?.json.input, ['ä'.repeat(10_000), 'ä'.repeat(201), 'b'])
  })

  await t.test('must have a verdict on each text', async () => {
    for (const answer of [
      results(false),
      results(false, false, false),
      { results: [{ flagged: false }, {}] },
      { results: [{ flagged: false }, { flagged: 'false' }] },
      { results: [{ flagged: false }, null] },
      { results: { flagged: false } },
      {},
    ])
      assert.equal((await failureOf(with1(answer))).message, 'openAIModeration did not judge every text')
  })

  await t.test('fails without a verdict, and repeats nothing of texts, keys and responses', async () => {
    const error = { error: { message: 'two: quota of sk-very-secret', type: 'insufficient_quota' } }
    for (const [answer, message] of [
      [plainly(429, JSON.stringify(error), { 'retry-after': '1' }), 'openAIModeration answered 429'],
      [plainly(401, JSON.stringify(error)), 'openAIModeration answered 401'],
      [plainly(500, 'two'), 'openAIModeration answered 500'],
      [plainly(307, '', { location: '/elsewhere' }), 'openAIModeration answered 307'],
      [plainly(200, 'two'), 'openAIModeration answered no JSON object'],
      [plainly(200, ''), 'openAIModeration answered no JSON object'],
      [plainly(200, '[]'), 'openAIModeration answered no JSON object'],
      [plainly(200, '{"results":[{"flagged":false}'), 'openAIModeration answered no JSON object'],
    ] as const) {
      await using service = await startCloudService(() => answer)
      const failure = await failureOf(check(service.guard<OpenAiModeration>(kind, key), ['one', 'two']))
      assert.equal(failure.message, message)
      assert.equal(failure.cause, undefined)
      assert.equal(service.requests.length, 1)
    }
  })
})
