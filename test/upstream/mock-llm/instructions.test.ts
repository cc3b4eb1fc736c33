import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instructionsIn } from '../../../src/upstream/mock-llm/instructions.ts'
import { cpuTimeMs } from '../../support/cpu-time.ts'

const plain = { tools: [], delayMs: 0, chunkDelayMs: 0 }

test('instructions for the mock', async (t) => {
  const read = (text: string, model = 'fast') => instructionsIn(text, model)

  await t.test('are absent in an ordinary message, which is unchanged', () => {
    assert.deepEqual(read(' Hello, mock turtle! '), { ...plain, rest: 'Hello, mock turtle!' })
  })

  await t.test('are between other words, or on their own lines', () => {
    assert.deepEqual(read('mock:delay 200ms Hello mock:words 5 there\nmock:chunk-delay 2s'), {
      ...plain,
      delayMs: 200,
      words: 5,
      chunkDelayMs: 2000,
      rest: 'Hello  there',
    })
  })

  await t.test('set several lines, each up to its end or to the next instruction', () => {
    assert.deepEqual(read('mock:say one and two\nmock:say three mock:think so it is\nrest'), {
      ...plain,
      say: 'one and two\nthree',
      think: 'so it is',
      rest: 'rest',
    })
  })

  await t.test('set tools, in order, with or without JSON arguments', () => {
    const text = 'mock:tool weather {"city": "Oslo } mock:say",\n "days": [1]} mock:tool time and more'
    assert.deepEqual(read(text), {
      ...plain,
      tools: [{ name: 'weather', arguments: '{"city": "Oslo } mock:say",\n "days": [1]}' }, { name: 'time' }],
      rest: 'and more',
    })
  })

  await t.test('set a JSON reply, as it is written', () => {
    assert.deepEqual(read('mock:json {"a": 1e400, "a": 2} ok'), {
      ...plain,
      json: '{"a": 1e400, "a": 2}',
      rest: 'ok',
    })
  })

  await t.test('set errors, with their message and Retry-After', () => {
    assert.deepEqual(read('mock:error 429 slow down, please').error, {
      status: 429,
      message: 'slow down, please',
    })
    assert.deepEqual(read('mock:error 503 retry-after=7').error, { status: 503, retryAfterS: 7 })
    assert.deepEqual(read('mock:error 500').error, { status: 500 })
  })

  await t.test('abort streams in the middle', () => {
    assert.deepEqual(read('mock:error-mid 5 mock:cut 0'), { ...plain, errorAfter: 5, cutAfter: 0, rest: '' })
  })

  await t.test('set the stop reason, in the words of any format', () => {
    assert.equal(read('mock:finish length').finish, 'length')
    assert.equal(read('mock:finish max_tokens').finish, 'length')
    assert.equal(read('mock:finish pause_turn').finish, 'pause')
  })

  await t.test('set the usage', () => {
    assert.deepEqual(read('mock:usage 100 20 cached=50 reasoning=7').usage, {
      inputTokens: 100,
      outputTokens: 20,
      totalTokens: 120,
      cachedInputTokens: 50,
      cacheCreationInputTokens: undefined,
      reasoningTokens: 7,
      inputAudioTokens: undefined,
      outputAudioTokens: undefined,
    })
  })

  await t.test('are for one model only if they name one, also with a colon in its name', () => {
    const text = 'mock@a:error 500 mock@llama3:8b:say hello'
    assert.deepEqual(read(text, 'a').error, { status: 500 })
    assert.deepEqual(read(text, 'llama3:8b'), { ...plain, say: 'hello', rest: '' })
    assert.deepEqual(read(text, 'b'), { ...plain, rest: '' })
  })

  for (const text of [
    'mock:dance',
    'mock:words many',
    'mock:delay soon',
    'mock:error 200',
    'mock:error',
    'mock:finish well',
    'mock:usage 5',
    'mock:json {"a":',
    'mock:tool',
    'hammock:words 5',
    'mock:wordsmith 5',
  ])
    await t.test(`leave unknown instructions in the text: ${text}`, () => {
      assert.deepEqual(read(text), { ...plain, rest: text })
    })

  await t.test('limit delays to ten minutes, and texts to 100,000 words', () => {
    const { delayMs, words } = read('mock:delay 9999s mock:words 999999')
    assert.deepEqual([delayMs, words], [600_000, 100_000])
  })

  await t.test('are parsed in linear time', () => {
    const started = cpuTimeMs()
    for (const piece of ['mock:say ', 'mock:tool x {', 'mock@', 'mock:json [', 'mock:words 1 '])
      read(piece.repeat(20_000))
    assert.ok(cpuTimeMs() - started < 5_000)
  })
})
