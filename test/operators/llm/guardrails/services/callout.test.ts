import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withService } from '../../../../../src/operators/llm/guardrails/services/callout.ts'
import type { OpenAiModeration } from '../../../../../src/operators/llm/guardrails/schema/normal-form.ts'
import { exchange } from '../../../../../src/testing/index.ts'
import { check, plainly, startCloudService } from '../../../../support/cloud-service.ts'
import { failureOf } from '../../../../support/guard-failure.ts'

const kind = { type: 'openAIModeration', model: 'omni-moderation-latest' } as const
const silence = () => () => undefined

test('a callout to the service of a cloud', async (t) => {
  await t.test('takes no longer than its timeout, and cancels the callout', async () => {
    await using service = await startCloudService(silence)
    const failure = await failureOf(check(service.guard<OpenAiModeration>(kind, {}, 40), ['secret text']))
    assert.equal(failure.message, 'openAIModeration could not be asked: upstream_timeout')
    assert.doesNotMatch(String(failure.cause), /secret/)
  })

  await t.test('treats a response that does not end as a timeout', async () => {
    await using service = await startCloudService(() => (res) => {
      res.writeHead(200).write('{"results":[')
    })
    const failure = await failureOf(check(service.guard<OpenAiModeration>(kind, {}, 40), ['one']))
    assert.equal(failure.message, 'openAIModeration could not be asked: upstream_timeout')
  })

  await t.test('has a timeout also if the callout observes none', async () => {
    const service = { name: 'stuck', callout: () => new Promise<never>(() => undefined), timeoutMs: 1 }
    const consulting = withService(service, { x: exchange(), signal: new AbortController().signal }, (ask) =>
      ask('/', {}),
    )
    assert.equal((await failureOf(consulting)).message, 'stuck took too long')
  })

  await t.test('ends when the verdict is no longer needed', async () => {
    await using service = await startCloudService(silence)
    const leaving = new AbortController()
    const checking = failureOf(
      check(service.guard<OpenAiModeration>(kind), ['one'], { signal: leaving.signal }),
    )
    await service.nextRequest()
    leaving.abort()
    assert.equal((await checking).message, 'openAIModeration could not be asked: abandoned')
    const again = check(service.guard<OpenAiModeration>(kind), ['one'], { signal: leaving.signal })
    assert.equal((await failureOf(again)).message, 'openAIModeration could not be asked: abandoned')
    assert.equal(service.requests.length, 1)
  })

  await t.test('fails if the service is unavailable, breaks off, or responds with too much', async () => {
    const away = await startCloudService(silence)
    const unreachable = away.guard<OpenAiModeration>(kind)
    await away[Symbol.asyncDispose]()
    assert.match(
      (await failureOf(check(unreachable, ['one']))).message,
      /^openAIModeration could not be asked: upstream_/,
    )

    await using rude = await startCloudService(() => (res) => {
      res.writeHead(200, { 'content-length': '100' })
      res.write('{"results":', () => res.destroy())
    })
    const broken = await failureOf(check(rude.guard<OpenAiModeration>(kind), ['one']))
    assert.equal(broken.message, 'openAIModeration could not be asked: upstream_failed')

    await using talkative = await startCloudService(() => plainly(200, ' '.repeat(1_100_000)))
    const flooded = await failureOf(check(talkative.guard<OpenAiModeration>(kind), ['one']))
    assert.equal(flooded.message, 'openAIModeration could not be asked: body_too_large')
  })

  await t.test('allows a response as long as the texts that it repeats', async () => {
    const text = '\u0001'.repeat(400_000)
    await using service = await startCloudService(({ json }) => ({
      results: (json.input as string[]).map(() => ({ flagged: false })),
      input: json.input,
    }))
    assert.equal(await check(service.guard<OpenAiModeration>(kind), [text]), undefined)
  })

  await t.test('passes on what is no failure of the service', async () => {
    const bug = new TypeError('a bug')
    const service = { name: 'broken', callout: () => Promise.reject(bug), timeoutMs: 1000 }
    const consulting = withService(service, { x: exchange(), signal: new AbortController().signal }, (ask) =>
      ask('/', {}),
    )
    await assert.rejects(consulting, bug)
  })
})
