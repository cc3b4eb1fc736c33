import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ModelCatalog, ModelRates } from '../../../src/model/resources/model-catalog.ts'
import { hasPrice, llmPrice } from '../../../src/protocols/llm/cost.ts'
import type { Usage } from '../../../src/protocols/llm/usage.ts'

const catalogOf = (rates: ModelRates, more: object = {}): ModelCatalog => ({
  providers: { openai: { models: { big: { rates, tiers: [], tags: [], ...more } } } },
})

const big = { provider: 'openai', responseModel: 'big', requestModel: undefined }
const used: Usage = { inputTokens: 1000, outputTokens: 100, totalTokens: 1100 }

const cost = (rates: ModelRates, usage: Usage) => llmPrice(catalogOf(rates), big, usage).cost

test('the cost of a call', async (t) => {
  await t.test('is the tokens times their rates', () => {
    assert.deepEqual(llmPrice(catalogOf({ input: 2, output: 10 }), big, used), {
      status: 'exact',
      rates: { input: 2, output: 10 },
      cost: { input: 0.002, output: 0.001, total: 0.003 },
    })
  })

  await t.test('charges every token once, at the rate of its kind', () => {
    const rates = {
      input: 1,
      output: 10,
      cacheRead: 0.1,
      cacheWrite: 1.25,
      reasoning: 20,
      inputAudio: 4,
      outputAudio: 40,
    }
    const usage = {
      inputTokens: 1_000_000,
      cachedInputTokens: 500_000,
      cacheCreationInputTokens: 100_000,
      inputAudioTokens: 100_000,
      outputTokens: 1_000_000,
      reasoningTokens: 300_000,
      outputAudioTokens: 200_000,
    }
    assert.deepEqual(cost(rates, usage), {
      input: 0.3,
      output: 5,
      cacheRead: 0.05,
      cacheWrite: 0.125,
      reasoning: 6,
      inputAudio: 0.4,
      outputAudio: 8,
      total: 19.875,
    })
  })

  await t.test('uses the general rate for reasoning, audio and caches without their own', () => {
    const usage = {
      inputTokens: 1_000_000,
      cachedInputTokens: 200_000,
      inputAudioTokens: 100_000,
      outputTokens: 1_000_000,
      reasoningTokens: 500_000,
      outputAudioTokens: 100_000,
    }
    assert.equal(cost({ input: 1, output: 10 }, usage)?.total, 11)
  })

  await t.test('does not charge a token twice that is both cached and audio', () => {
    const usage = { inputTokens: 100, cachedInputTokens: 90, inputAudioTokens: 50, outputTokens: 0 }
    const rates = { input: 1, output: 1, cacheRead: 1, inputAudio: 1 }
    assert.equal(cost(rates, usage)?.total, 0.0001)
  })

  await t.test('uses the model of the response, then that of the request', () => {
    const catalog = catalogOf({ input: 1, output: 1 })
    const statusOf = (
      responseModel: string | undefined,
      requestModel: string | undefined,
      provider = 'openai',
    ) => llmPrice(catalog, { provider, responseModel, requestModel }, used).status
    assert.equal(statusOf('big', 'unheard-of'), 'exact')
    assert.equal(statusOf('big-2026-01-01', 'big'), 'exact')
    assert.equal(statusOf(undefined, 'big'), 'exact')
    assert.equal(statusOf('other', 'another'), 'missing')
    assert.equal(statusOf('big', 'big', 'anthropic'), 'missing')
    for (const name of ['constructor', '__proto__', 'toString']) {
      assert.equal(statusOf(name, name), 'missing')
      assert.equal(statusOf('big', 'big', name), 'missing')
    }
    assert.deepEqual(llmPrice(undefined, big, used), { status: 'noCatalog' })
    assert.equal(llmPrice(catalog, { ...big, provider: undefined }, used).status, 'missing')
  })

  await t.test('uses the highest tier that the prompt exceeds', () => {
    const tiers = [
      { contextOver: 100, rates: { input: 2 } },
      { contextOver: 200, rates: { input: 3, output: 30 } },
    ]
    const catalog = catalogOf({ input: 1, output: 10 }, { tiers })
    const ratesAt = (inputTokens: number) => llmPrice(catalog, big, { inputTokens, outputTokens: 0 }).rates
    assert.deepEqual(ratesAt(100), { input: 1, output: 10 })
    assert.deepEqual(ratesAt(101), { input: 2, output: 10 })
    assert.deepEqual(ratesAt(200), { input: 2, output: 10 })
    assert.deepEqual(ratesAt(201), { input: 3, output: 30 })
  })

  await t.test('is unknown, not zero, if a required rate is missing', () => {
    assert.deepEqual(llmPrice(catalogOf({ input: 2 }), big, used), {
      status: 'unpriced',
      rates: { input: 2 },
      cost: { input: 0.002 },
    })
    assert.deepEqual(llmPrice(catalogOf({}), big, used), { status: 'unpriced', rates: {} })
    assert.equal(llmPrice(catalogOf({ input: 2 }), big, { ...used, outputTokens: 0 }).status, 'exact')
  })

  await t.test('is unknown without reported usage', () => {
    assert.deepEqual(cost({ input: 1, output: 1 }, { inputTokens: 10 }), { input: 0.00001 })
    assert.deepEqual(cost({ input: 1, output: 1 }, {}), undefined)
    assert.deepEqual(cost({ input: 0, output: 0 }, {}), { input: 0, output: 0, total: 0 })
  })

  await t.test('has no output if the total equals the input, as for embeddings', () => {
    const usage = { inputTokens: 1000, totalTokens: 1000 }
    assert.deepEqual(llmPrice(catalogOf({ input: 2 }), big, usage), {
      status: 'exact',
      rates: { input: 2 },
      cost: { input: 0.002, output: 0, total: 0.002 },
    })
  })

  await t.test('is never negative or not a number, and is the sum of its parts', () => {
    const tokens = fc.option(fc.nat(10_000_000), { nil: undefined })
    const rate = fc.option(fc.double({ min: 0, max: 1000, noNaN: true }), { nil: undefined })
    const usages = fc.record({
      inputTokens: tokens,
      outputTokens: tokens,
      totalTokens: tokens,
      cachedInputTokens: tokens,
      cacheCreationInputTokens: tokens,
      reasoningTokens: tokens,
      inputAudioTokens: tokens,
      outputAudioTokens: tokens,
    })
    const rates = fc.record(
      {
        input: rate,
        output: rate,
        cacheRead: rate,
        cacheWrite: rate,
        reasoning: rate,
        inputAudio: rate,
        outputAudio: rate,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(usages, rates, (usage, given) => {
        const found = cost(given as ModelRates, usage) ?? {}
        const { total, ...parts } = found
        for (const value of Object.values(found)) assert.ok(Number.isFinite(value) && value >= 0)
        if (total === undefined) return
        const sum = Object.values(parts).reduce<number>((all, part = NaN) => all + part, 0)
        assert.ok(Math.abs(sum - total) <= 1e-9 * (1 + total))
      }),
    )
  })
})

test('whether a price is known in advance', async (t) => {
  const known = (rates: ModelRates, more: object = {}) =>
    [true, false].map((hasOutput) => hasPrice(catalogOf(rates, more), 'openai', 'big', hasOutput))

  await t.test('depends on the rates of prompts, and of outputs if any', () => {
    assert.deepEqual(known({ input: 1, output: 2 }), [true, true])
    assert.deepEqual(known({ input: 0, output: 0 }), [true, true])
    assert.deepEqual(known({ input: 1 }), [false, true])
    assert.deepEqual(known({ output: 1 }), [false, false])
    assert.deepEqual(known({ cacheRead: 1, reasoning: 1 }), [false, false])
    assert.deepEqual(known({}), [false, false])
  })

  await t.test('depends on the rates of prompts of every length', () => {
    const both = { input: 1, output: 2 }
    assert.deepEqual(known({}, { tiers: [{ contextOver: 0, rates: both }] }), [true, true])
    assert.deepEqual(known({}, { tiers: [{ contextOver: 10, rates: both }] }), [false, false])
    assert.deepEqual(known(both, { tiers: [{ contextOver: 10, rates: {} }] }), [true, true])
    const unlike = [
      { contextOver: 0, rates: both },
      { contextOver: 10, rates: { input: 3 } },
    ]
    assert.deepEqual(known({}, { tiers: unlike }), [false, true])
  })

  await t.test('requires a catalog, a provider and a model', () => {
    const catalog = catalogOf({ input: 1, output: 2 })
    assert.equal(hasPrice(catalog, 'openai', 'big', true), true)
    assert.equal(hasPrice(undefined, 'openai', 'big', true), false)
    for (const name of ['small', 'constructor', '__proto__', '', undefined])
      assert.equal(hasPrice(catalog, 'openai', name, false), false)
    for (const provider of ['anthropic', 'toString', '__proto__'])
      assert.equal(hasPrice(catalog, provider, 'big', false), false)
  })
})
