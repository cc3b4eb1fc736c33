import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContentSafety } from '../../../../../src/operators/llm/guardrails/schema/normal-form.ts'
import {
  check,
  type CloudServiceResponse,
  type CloudServiceRequest,
  plainly,
  rejection,
  startCloudService,
} from '../../../../support/cloud-service.ts'
import { failureOf } from '../../../../support/guard-failure.ts'

const analyzeText = {
  severityThreshold: 2,
  apiVersion: '2024-09-01',
  blocklistNames: [],
  haltOnBlocklistHit: false,
} as const
const detectJailbreak = { apiVersion: '2024-02-15-preview' } as const
const analyzing = { type: 'azureContentSafety', analyzeText } as const
const detecting = { type: 'azureContentSafety', detectJailbreak } as const

const severities = (hate: number, violence = 0) => ({
  blocklistsMatch: [],
  categoriesAnalysis: [
    { category: 'Hate', severity: hate },
    { category: 'SelfHarm', severity: 0 },
    { category: 'Sexual', severity: 0 },
    { category: 'Violence', severity: violence },
  ],
})
const jailbreak = (detected: boolean) => ({ jailbreakAnalysis: { detected } })
/** Both APIs, without findings. */
const calm = ({ target }: CloudServiceRequest) =>
  target.includes('Jailbreak') ? jailbreak(false) : severities(0)

const judged = async (
  kind: Omit<ContentSafety, 'service' | 'timeoutMs'>,
  answer: CloudServiceResponse,
  texts: readonly string[] = ['one', 'two'],
) => {
  await using service = await startCloudService(() => answer)
  return await check(service.guard<ContentSafety>(kind), texts)
}
const severe = { action: 'reject', rejection, reason: 'severe: Hate' }

test('Content Safety', async (t) => {
  await t.test('runs both analyses in the request phase, and only one in the response phase', async () => {
    await using service = await startCloudService(calm)
    const guard = service.guard<ContentSafety>({ ...analyzing, detectJailbreak })
    assert.equal(await check(guard, ['one', '', 'two']), undefined)
    const calls = () =>
      service.requests
        .map(({ method, target, json }) => [method, target, json] as const)
        .sort(([, a], [, b]) => (a < b ? -1 : 1))
    const analyzed = '/contentsafety/text:analyze?api-version=2024-09-01'
    const detected = '/contentsafety/text:detectJailbreak?api-version=2024-02-15-preview'
    assert.deepEqual(calls(), [
      ['POST', analyzed, { text: 'one\ntwo' }],
      ['POST', detected, { text: 'one\ntwo' }],
    ])
    service.requests.length = 0
    assert.equal(await check(guard, ['answer'], { phase: 'response' }), undefined)
    assert.deepEqual(calls(), [['POST', analyzed, { text: 'answer' }]])
    service.requests.length = 0
    assert.equal(await check(guard, [' ']), undefined)
    assert.equal(service.requests.length, 0)
    assert.deepEqual([guard.name, guard.opensOnFailure], ['azureContentSafety', false])
  })

  await t.test('is called with the key at the configured location', async () => {
    await using service = await startCloudService(calm)
    const location = { kind: 'header', name: 'ocp-apim-subscription-key' } as const
    const backendAuth = { key: { value: { secret: 'azure-key' }, location }, credentials: [] }
    await check(service.guard<ContentSafety>(analyzing, { backendAuth }), ['one'])
    assert.equal(service.requests[0]?.headers['ocp-apim-subscription-key'], 'azure-key')
  })

  await t.test('rejects what is as severe as the threshold', async () => {
    assert.deepEqual(await judged(analyzing, severities(2)), severe)
    assert.equal(await judged(analyzing, severities(1)), undefined)
    const strict = { ...analyzing, analyzeText: { ...analyzeText, severityThreshold: 6 } }
    assert.equal(await judged(strict, severities(4)), undefined)
    assert.deepEqual(await judged(strict, severities(4, 6)), { ...severe, reason: 'severe: Violence' })
  })

  await t.test('requests all levels if the threshold is an odd one', async () => {
    await using service = await startCloudService(calm)
    const odd = { ...analyzing, analyzeText: { ...analyzeText, severityThreshold: 3 } }
    await check(service.guard<ContentSafety>(odd), ['one'])
    assert.deepEqual(service.requests[0]?.json, { text: 'one', outputType: 'EightSeverityLevels' })
  })

  await t.test('rejects what is on a blocklist, also if nothing else was analyzed', async () => {
    const match = { blocklistName: 'words', blocklistItemId: '1', blocklistItemText: 'two' }
    const listed = { ...analyzeText, blocklistNames: ['words'], haltOnBlocklistHit: true }
    await using service = await startCloudService(() => ({ blocklistsMatch: [match] }))
    const guard = service.guard<ContentSafety>({ ...analyzing, analyzeText: listed })
    assert.deepEqual(await check(guard, ['two']), { action: 'reject', rejection, reason: 'on a blocklist' })
    assert.deepEqual(service.requests[0]?.json, {
      text: 'two',
      blocklistNames: ['words'],
      haltOnBlocklistHit: true,
    })
  })

  await t.test('rejects attacks, in the members of either version', async () => {
    const attack = { action: 'reject', rejection, reason: 'jailbreak' }
    assert.deepEqual(await judged(detecting, jailbreak(true)), attack)
    assert.deepEqual(await judged(detecting, { userPromptAnalysis: { attackDetected: true } }), attack)
    assert.equal(
      await judged(detecting, { userPromptAnalysis: { attackDetected: false }, documentsAnalysis: [] }),
      undefined,
    )
  })

  await t.test('gets long texts in overlapping parts, of the length that each analysis accepts', async () => {
    await using service = await startCloudService(calm)
    const guard = service.guard<ContentSafety>({ ...analyzing, detectJailbreak })
    const text = Array.from({ length: 10_500 }, (_, i) => String.fromCodePoint(0x1f600 + (i % 50))).join('')
    assert.equal(await check(guard, [text, 'end']), undefined)
    const points = Array.from(text)
    const part = (from: number, to: number) => points.slice(from, to).join('')
    const shown = (way: string) =>
      service.requests.flatMap(({ target, json }) => (target.includes(way) ? [String(json.text)] : [])).sort()
    assert.deepEqual(shown('analyze'), [part(0, 10_000), `${part(9_800, 10_500)}\nend`].sort())
    const parts = Array.from({ length: 12 }, (_, i) => part(i * 900, i * 900 + 1000))
    assert.deepEqual(shown('Jailbreak'), [...parts.slice(0, 11), `${parts[11]}\nend`].sort())
  })

  await t.test('rejects if one of many parts is harmful, and cancels the others', async () => {
    await using service = await startCloudService((_, count) =>
      // Callouts that are active before it never get a response.
      count < 4 ? () => undefined : severities(6),
    )
    const guard = service.guard<ContentSafety>(analyzing)
    assert.deepEqual(await check(guard, ['x'.repeat(100_000)]), severe)
    await service.abandoned(3)
    assert.equal(service.requests.length, 4)
  })

  await t.test('fails if it does not report a result', async () => {
    const message = 'azureContentSafety gave no verdict that can be read'
    for (const [kind, answer] of [
      [analyzing, {}],
      [analyzing, { blocklistsMatch: [] }],
      [analyzing, { ...severities(0), blocklistsMatch: 'none' }],
      [analyzing, { categoriesAnalysis: { category: 'Hate', severity: 0 } }],
      [analyzing, { categoriesAnalysis: [{ category: 'Hate' }] }],
      [analyzing, { categoriesAnalysis: [{ category: 'Hate', severity: 'low' }] }],
      [analyzing, { categoriesAnalysis: [null] }],
      [detecting, {}],
      [detecting, { jailbreakAnalysis: {} }],
      [detecting, { jailbreakAnalysis: { detected: 'false' } }],
      [detecting, severities(0)],
    ] as const)
      assert.equal((await failureOf(judged(kind, answer))).message, message)
  })

  await t.test('fails without a verdict, and repeats nothing of texts and responses', async () => {
    const error = JSON.stringify({ error: { code: 'InvalidRequestBody', message: 'one two' } })
    for (const [answer, message] of [
      [
        plainly(429, error, { 'x-ms-error-code': 'TooManyRequests', 'retry-after': '7' }),
        'azureContentSafety answered 429 TooManyRequests',
      ],
      [plainly(400, error), 'azureContentSafety answered 400'],
      [plainly(200, 'one two'), 'azureContentSafety answered no JSON object'],
    ] as const)
      assert.equal((await failureOf(judged(analyzing, answer))).message, message)
  })

  await t.test('fails if no analysis applies', async () => {
    await using service = await startCloudService(calm)
    const failure = await failureOf(
      check(service.guard<ContentSafety>(detecting), ['answer'], { phase: 'response' }),
    )
    assert.equal(failure.message, 'azureContentSafety has nothing to be asked of a response')
  })
})
