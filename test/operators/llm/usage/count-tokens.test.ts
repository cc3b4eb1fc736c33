import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadO200k, tokenCounter } from '../../../../src/operators/llm/usage/count-tokens.ts'
import { cpuTimeMs } from '../../../support/cpu-time.ts'

const { signal } = new AbortController()

test('counting tokens', async (t) => {
  const count = tokenCounter(loadO200k)
  const of = (...texts: string[]) => count({ texts, moreTokens: 0 }, signal)

  await t.test("matches the tokenizer of OpenAI's models", async () => {
    // From OpenAI's cookbook, "How to count tokens with tiktoken", for o200k_base.
    assert.equal(await of('antidisestablishmentarianism'), 6)
    assert.equal(await of('2 + 2 = 4'), 7)
    assert.equal(await of('お誕生日おめでとう'), 8)
  })

  await t.test('adds up texts and other content', async () => {
    assert.equal(await count({ texts: ['2 + 2 = 4', '2 + 2 = 4'], moreTokens: 5 }, signal), 19)
    assert.equal(await count({ texts: [], moreTokens: 0 }, signal), 0)
  })

  await t.test('is the same for a long text that is cut into slices', async () => {
    assert.equal(await of('The quick brown fox jumps over the lazy dog. '.repeat(1500)), 15_001)
  })

  await t.test('treats special tokens as text', async () => {
    assert.ok((await of('<|endoftext|>')) > 3)
  })

  await t.test('yields to other work, and is fast even for difficult texts', async () => {
    await of('warm')
    const hard = ['好'.repeat(100_000), 'a'.repeat(200_000), ' '.repeat(200_000), '!'.repeat(200_000)]
    let longestMs = 0
    let last = cpuTimeMs()
    let isOver = false
    const watch = (): void => {
      const now = cpuTimeMs()
      longestMs = Math.max(longestMs, now - last)
      last = now
      if (!isOver) setImmediate(watch)
    }
    watch()
    await of(...hard)
    isOver = true
    assert.ok(longestMs < 250, `${String(longestMs)} ms`)
  })

  await t.test('stops when its exchange has ended', async () => {
    const leaving = new AbortController()
    const counting = count({ texts: ['word '.repeat(1_000_000)], moreTokens: 0 }, leaving.signal)
    leaving.abort()
    await assert.rejects(counting, { name: 'AbortError' })
  })

  await t.test('loads the encoder only for a count, and once', async () => {
    let loads = 0
    const own = tokenCounter(() => {
      loads++
      return loadO200k()
    })
    assert.equal(loads, 0)
    await own({ texts: ['a'], moreTokens: 0 }, signal)
    assert.equal(loads, 1)
    assert.equal(loadO200k(), loadO200k())
  })
})
