import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelArmor } from '../../../../../src/operators/llm/guardrails/schema/normal-form.ts'
import {
  check,
  type CloudServiceResponse,
  plainly,
  rejection,
  startCloudService,
} from '../../../../support/cloud-service.ts'
import { failureOf } from '../../../../support/guard-failure.ts'

const kind = {
  type: 'googleModelArmor',
  projectId: 'shop',
  location: 'europe-west4',
  templateId: 'strict',
} as const

const done = (matchState: string, more: object = {}) => ({
  executionState: 'EXECUTION_SUCCESS',
  matchState,
  ...more,
})
const NO = 'NO_MATCH_FOUND'
const YES = 'MATCH_FOUND'

/** All filters without a match, overridden by the given ones. */
const filters = (more: object = {}) => ({
  csam: { csamFilterFilterResult: done(NO) },
  malicious_uris: { maliciousUriFilterResult: done(NO) },
  rai: { raiFilterResult: done(NO, { raiFilterTypeResults: { dangerous: { matchState: NO } } }) },
  pi_and_jailbreak: { piAndJailbreakFilterResult: done(NO) },
  sdp: { sdpFilterResult: { inspectResult: done(NO) } },
  virus_scan: { virusScanFilterResult: done(NO, { scannedContentType: 'PLAINTEXT' }) },
  ...more,
})
const result = (filterResults: object, more: object = {}) => ({
  sanitizationResult: {
    filterMatchState: NO,
    filterResults,
    sanitizationMetadata: {},
    invocationResult: 'SUCCESS',
    ...more,
  },
})

const judged = async (answer: CloudServiceResponse, texts: readonly string[] = ['one', 'two']) => {
  await using service = await startCloudService(() => answer)
  return await check(service.guard<ModelArmor>(kind), texts)
}

test('Model Armor', async (t) => {
  await t.test('gets the texts together, in both phases', async () => {
    await using service = await startCloudService(() => result(filters()))
    const guard = service.guard<ModelArmor>(kind)
    assert.equal(await check(guard, ['one', '', 'two']), undefined)
    assert.equal(await check(guard, ['answer'], { phase: 'response' }), undefined)
    assert.equal(await check(guard, [' ']), undefined)
    const path = '/v1/projects/shop/locations/europe-west4/templates/strict'
    assert.deepEqual(
      service.requests.map(({ method, target, json }) => [method, target, json]),
      [
        ['POST', `${path}:sanitizeUserPrompt`, { user_prompt_data: { text: 'one\ntwo' } }],
        ['POST', `${path}:sanitizeModelResponse`, { model_response_data: { text: 'answer' } }],
      ],
    )
    assert.deepEqual([guard.name, guard.opensOnFailure], ['googleModelArmor', false])
  })

  await t.test('rejects whatever a filter matches', async () => {
    for (const [name, filter] of Object.entries({
      csam: { csamFilterFilterResult: done(YES) },
      malicious_uris: { maliciousUriFilterResult: done(YES, { maliciousUriMatchedItems: [] }) },
      rai: {
        raiFilterResult: done(YES, { raiFilterTypeResults: { dangerous: { matchState: YES } } }),
      },
      pi_and_jailbreak: { piAndJailbreakFilterResult: done(YES, { confidenceLevel: 'HIGH' }) },
      sdp: { sdpFilterResult: { inspectResult: done(YES, { findings: [{ infoType: 'EMAIL' }] }) } },
      virus_scan: { virusScanFilterResult: done(YES) },
    }))
      assert.deepEqual(await judged(result(filters({ [name]: filter }))), {
        action: 'reject',
        rejection,
        reason: `matched: ${name}`,
      })
    const changed = { sdpFilterResult: { deidentifyResult: done(YES, { data: { text: '[EMAIL]' } }) } }
    const verdict = await judged(result(filters({ sdp: changed })))
    assert.deepEqual(verdict, { action: 'reject', rejection, reason: 'matched: sdp' })
  })

  await t.test(
    'rejects a match also if other filters failed, or the filter of the match is not reported',
    async () => {
      const rai = { raiFilterResult: done(YES) }
      const partial = result({ rai }, { invocationResult: 'PARTIAL' })
      assert.deepEqual(await judged(partial), { action: 'reject', rejection, reason: 'matched: rai' })
      const overall = result({}, { filterMatchState: YES })
      assert.deepEqual(await judged(overall), { action: 'reject', rejection, reason: 'matched' })
    },
  )

  await t.test('gets long texts in overlapping parts, and rejects if any of them matches', async () => {
    const yes = result(filters({ rai: { raiFilterResult: done(YES) } }))
    const lengths: number[] = []
    await using service = await startCloudService(({ json }) => {
      const { text } = json.user_prompt_data as { text: string }
      lengths.push(text.length)
      return text.endsWith('bad') ? yes : result(filters())
    })
    const guard = service.guard<ModelArmor>(kind)
    const text = 'x'.repeat(25_000)
    assert.equal(await check(guard, [text]), undefined)
    assert.deepEqual(lengths.sort(), [10_000, 10_000, 5_400])
    assert.equal((await check(guard, [`${text}bad`]))?.action, 'reject')
  })

  await t.test('fails if a filter was skipped, or does not report a result', async () => {
    const skipped = { piAndJailbreakFilterResult: { ...done(NO), executionState: 'EXECUTION_SKIPPED' } }
    const vague = { raiFilterResult: done('FILTER_MATCH_STATE_UNSPECIFIED') }
    for (const [answer, message] of [
      [result(filters(), { invocationResult: 'PARTIAL' }), 'did not apply all filters'],
      [result(filters(), { invocationResult: 'FAILURE' }), 'did not apply all filters'],
      [result(filters(), { invocationResult: undefined }), 'did not apply all filters'],
      [result(filters({ pi_and_jailbreak: skipped })), 'left a filter out'],
      [result(filters({ rai: vague })), 'did not say whether a filter matches'],
      [result(filters(), { filterMatchState: 'MAYBE' }), 'did not say whether a filter matches'],
      [{ sanitizationResult: { invocationResult: 'SUCCESS' } }, 'gave no result'],
      [{ sanitizationResult: [] }, 'gave no result'],
      [{}, 'gave no result'],
    ] as const)
      assert.equal((await failureOf(judged(answer))).message, `googleModelArmor ${message}`)
  })

  await t.test('fails without a verdict, and repeats nothing of texts and responses', async () => {
    const error = { error: { code: 429, message: 'one two', status: 'RESOURCE_EXHAUSTED' } }
    for (const [answer, message] of [
      [plainly(429, JSON.stringify(error)), 'googleModelArmor answered 429'],
      [plainly(404, JSON.stringify(error)), 'googleModelArmor answered 404'],
      [plainly(200, 'one two'), 'googleModelArmor answered no JSON object'],
    ] as const)
      assert.equal((await failureOf(judged(answer))).message, message)
  })

  await t.test('is read however deep its response is', async () => {
    const depth = 100_000
    const deep = `{"sanitizationResult":{"filterResults":{"rai":${'['.repeat(depth)}{"matchState":"MATCH_FOUND"}${']'.repeat(depth)}}}}`
    assert.equal((await judged(plainly(200, deep)))?.action, 'reject')
  })
})
