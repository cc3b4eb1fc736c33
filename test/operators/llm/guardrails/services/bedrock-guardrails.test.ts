import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BedrockGuardrails } from '../../../../../src/operators/llm/guardrails/schema/normal-form.ts'
import { check, plainly, rejection, startCloudService } from '../../../../support/cloud-service.ts'
import { failureOf } from '../../../../support/guard-failure.ts'
import { checkSignature } from '../../../../support/sigv4.ts'

const kind = {
  type: 'bedrockGuardrails',
  guardrailIdentifier: 'gr1',
  guardrailVersion: '2',
  region: 'eu-west-1',
} as const
const policies = {
  backendAuth: {
    aws: {
      accessKeyId: { secret: 'AKIDEXAMPLE' },
      secretAccessKey: { secret: 'wJalrXUtnFEMI' },
    },
    credentials: [],
  },
} as const

const usage = { topicPolicyUnits: 1, contentPolicyUnits: 1, wordPolicyUnits: 0 }
const passed = { usage, action: 'NONE', outputs: [], assessments: [{}] }
const pii = (action: string) => ({
  sensitiveInformationPolicy: {
    piiEntities: [{ match: 'a@b.example', type: 'EMAIL', action, detected: true }],
    regexes: [],
  },
})
const intervened = (assessments: readonly object[], ...texts: readonly string[]) => ({
  usage,
  action: 'GUARDRAIL_INTERVENED',
  actionReason: 'Guardrail blocked.',
  outputs: texts.map((text) => ({ text })),
  assessments,
})

const judged = async (answer: object, texts: readonly string[] = ['one', 'two']) => {
  await using service = await startCloudService(() => answer)
  return await check(service.guard<BedrockGuardrails>(kind), texts)
}

test('a guardrail of Bedrock', async (t) => {
  await t.test('is called in both phases, with one block for each text', async () => {
    await using service = await startCloudService(() => passed)
    const guard = service.guard<BedrockGuardrails>(kind)
    assert.equal(await check(guard, ['one', '', 'two']), undefined)
    assert.equal(await check(guard, ['answer'], { phase: 'response' }), undefined)
    assert.equal(await check(guard, ['', '  ']), undefined)
    assert.deepEqual(
      service.requests.map(({ method, target, json }) => [method, target, json]),
      [
        [
          'POST',
          '/guardrail/gr1/version/2/apply',
          { source: 'INPUT', content: [{ text: { text: 'one' } }, { text: { text: 'two' } }] },
        ],
        [
          'POST',
          '/guardrail/gr1/version/2/apply',
          { source: 'OUTPUT', content: [{ text: { text: 'answer' } }] },
        ],
      ],
    )
    assert.deepEqual([guard.name, guard.opensOnFailure], ['bedrockGuardrails', false])
  })

  await t.test('is called with a signature for Bedrock and its own region', async () => {
    await using service = await startCloudService(() => passed)
    const arn = 'arn:aws:bedrock:eu-west-1:123456789012:guardrail/gr1'
    const guard = service.guard<BedrockGuardrails>({ ...kind, guardrailIdentifier: arn }, policies)
    assert.equal(await check(guard, ['größe']), undefined)
    const [asked] = service.requests as [(typeof service.requests)[0]]
    assert.equal(asked.target, `/guardrail/${encodeURIComponent(arn)}/version/2/apply`)
    const { isRight, isOfBody, scope, accessKeyId } = checkSignature(asked, 'wJalrXUtnFEMI')
    assert.deepEqual(
      [isRight, isOfBody, scope, accessKeyId],
      [true, true, 'eu-west-1/bedrock/aws4_request', 'AKIDEXAMPLE'],
    )
  })

  await t.test('rejects what it blocks, wherever it reports that', async () => {
    const blocked = { action: 'reject', rejection, reason: 'blocked' }
    const policy = { name: 'x', type: 'DENY', action: 'BLOCKED', detected: true }
    for (const assessment of [
      { topicPolicy: { topics: [policy] } },
      { contentPolicy: { filters: [{ type: 'VIOLENCE', confidence: 'HIGH', action: 'BLOCKED' }] } },
      { wordPolicy: { customWords: [{ match: 'one', action: 'BLOCKED' }], managedWordLists: [] } },
      { wordPolicy: { customWords: [], managedWordLists: [{ match: 'one', action: 'BLOCKED' }] } },
      { contextualGroundingPolicy: { filters: [{ type: 'GROUNDING', action: 'BLOCKED' }] } },
      pii('BLOCKED'),
    ])
      assert.deepEqual(await judged(intervened([pii('ANONYMIZED'), assessment], 'Sorry', 'Sorry')), blocked)
  })

  await t.test('masks what it only made anonymous', async () => {
    const detected = { contentPolicy: { filters: [{ type: 'INSULTS', action: 'NONE', detected: true }] } }
    assert.deepEqual(await judged(intervened([pii('ANONYMIZED'), detected], '{EMAIL}', 'two')), {
      action: 'mask',
      texts: ['{EMAIL}', 'two'],
      reason: 'anonymized',
    })
  })

  await t.test('keeps blank texts at their positions', async () => {
    const verdict = await judged(intervened([pii('ANONYMIZED')], '{EMAIL}', ''), [' ', 'one', '', 'two'])
    assert.deepEqual(verdict, { action: 'mask', texts: [' ', '{EMAIL}', '', ''], reason: 'anonymized' })
  })

  await t.test('rejects if it intervened and does not report how', async () => {
    const unclear = { action: 'reject', rejection, reason: 'intervened' }
    assert.deepEqual(await judged(intervened([])), unclear)
    assert.deepEqual(await judged(intervened([pii('NONE')], 'one', 'two')), unclear)
    assert.deepEqual(await judged(intervened([pii('ANONYMIZED'), pii('REWRITTEN')], 'one', 'two')), unclear)
    assert.deepEqual(await judged({ action: 'GUARDRAIL_INTERVENED' }), unclear)
  })

  await t.test('must return as many texts as it got', async () => {
    const count = 'bedrockGuardrails did not give as many texts as it was shown'
    for (const [answer, message] of [
      [intervened([pii('ANONYMIZED')], 'a {EMAIL}'), count],
      [intervened([pii('ANONYMIZED')], 'a', 'b', 'c'), count],
      [{ ...intervened([pii('ANONYMIZED')]), outputs: { text: 'a' } }, count],
      [
        { ...intervened([pii('ANONYMIZED')]), outputs: [{ text: 'a' }, { text: 1 }] },
        'bedrockGuardrails gave something else than texts',
      ],
    ] as const)
      assert.equal((await failureOf(judged(answer))).message, message)
  })

  await t.test('fails without a verdict, and repeats nothing of texts and responses', async () => {
    const throttled = plainly(429, '{"message":"two"}', {
      'x-amzn-errortype': 'ThrottlingException:http://internal.amazon.com/',
    })
    for (const [answer, message] of [
      [throttled, 'bedrockGuardrails answered 429 ThrottlingException'],
      [plainly(403, 'x', { 'x-amzn-errortype': 'two of them' }), 'bedrockGuardrails answered 403'],
      [plainly(200, '<html>two</html>'), 'bedrockGuardrails answered no JSON object'],
      [{}, 'bedrockGuardrails did not say what it does'],
      [{ action: 'ALLOWED', assessments: [] }, 'bedrockGuardrails did not say what it does'],
    ] as const)
      assert.equal((await failureOf(judged(answer))).message, message)
  })

  await t.test('fails if its callouts cannot be signed', async () => {
    await using service = await startCloudService(() => passed)
    // Not a valid session name.
    const assumeRole = { roleArn: 'arn:aws:iam::123456789012:role/guard', sessionName: 'a b', tags: [] }
    const aws = { ...policies.backendAuth.aws, assumeRole }
    const guard = service.guard<BedrockGuardrails>(kind, { backendAuth: { aws, credentials: [] } })
    const failure = await failureOf(check(guard, ['one']))
    assert.equal(failure.message, 'bedrockGuardrails could not be asked: backend_auth_failed')
    assert.equal(service.requests.length, 0)
  })
})
