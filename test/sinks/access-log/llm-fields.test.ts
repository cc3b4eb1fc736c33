import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LlmCall } from '../../../src/model/llm/llm-call.ts'
import type { LlmRouteType } from '../../../src/model/llm/llm-backend.ts'
import { JsonLine, TextLogLine } from '../../../src/sinks/access-log/line.ts'
import { llmLogFields, writeLlm } from '../../../src/sinks/access-log/llm-fields.ts'

const call = (facts: Partial<LlmCall> = {}, type: LlmRouteType = 'completions'): LlmCall =>
  Object.assign(new LlmCall(type), facts)

const text = (one: LlmCall, secrets?: readonly string[]): string => {
  const line = new TextLogLine()
  writeLlm(line, one, secrets)
  return line.fields
}

const full = call({
  provider: 'openai',
  requestModel: 'fast',
  responseModel: 'fast-1',
  inputTokens: 17,
  cacheCreationInputTokens: 1,
  cachedInputTokens: 2,
  outputTokens: 23,
  reasoningTokens: 3,
  timeToFirstTokenMs: 24.3819,
  timePerOutputTokenMs: 1.5,
  cost: { total: 0.0000003 },
  outputImageTokens: 4,
  inputAudioTokens: 5,
  outputAudioTokens: 6,
  params: {
    temperature: 0.5,
    dimensions: 256,
    encoding_format: 'base64',
    top_p: 1,
    max_tokens: 100,
    frequency_penalty: -1,
    presence_penalty: 0,
    seed: 7,
  },
})

test('the fields of language models in the access log', async (t) => {
  await t.test('are in the documented order', () => {
    assert.equal(
      text(full),
      ' gen_ai.operation.name=chat gen_ai.provider.name=openai gen_ai.request.model=fast' +
        ' gen_ai.response.model=fast-1 gen_ai.usage.input_tokens=17' +
        ' gen_ai.usage.cache_creation.input_tokens=1 gen_ai.usage.cache_read.input_tokens=2' +
        ' gen_ai.usage.output_tokens=23 gen_ai.usage.reasoning_tokens=3' +
        ' agw.ai.time_to_first_token=0.024382 agw.ai.time_per_output_token=0.0015' +
        ' agw.ai.usage.cost.total=0.0000003 gen_ai.usage.output_image_tokens=4' +
        ' gen_ai.usage.input_audio_tokens=5 gen_ai.usage.output_audio_tokens=6' +
        ' gen_ai.request.temperature=0.5 gen_ai.embeddings.dimension.count=256' +
        ' gen_ai.request.encoding_formats=base64 gen_ai.request.top_p=1 gen_ai.request.max_tokens=100' +
        ' gen_ai.request.frequency_penalty=-1 gen_ai.request.presence_penalty=0 gen_ai.request.seed=7',
    )
  })

  await t.test('are all documented ones, and no others', () => {
    const line = new JsonLine()
    writeLlm(line, full)
    const written = JSON.parse(`{${line.fields.slice(1)}}`) as Record<string, unknown>
    assert.deepEqual(Object.keys(written), llmLogFields)
    assert.equal(written['agw.ai.usage.cost.total'], 0.0000003)
  })

  await t.test('are absent if unknown, and zero is a value', () => {
    assert.equal(text(call()), ' gen_ai.operation.name=chat')
    assert.equal(text(call({}, 'embeddings')), ' gen_ai.operation.name=embeddings')
    assert.equal(text(call({}, 'models')), '')
    assert.equal(text(call({ reasoningTokens: 0 }, 'passthrough')), ' gen_ai.usage.reasoning_tokens=0')
    assert.equal(text(call({ inputTokens: NaN }, 'passthrough')), '')
  })

  await t.test('contain no credentials, and no names of unlimited length', () => {
    const one = call({ requestModel: 'sk-secret-1/m', responseModel: 'm'.repeat(1000) }, 'passthrough')
    assert.equal(
      text(one, ['sk-secret-1']),
      ` gen_ai.request.model=<redacted>/m gen_ai.response.model=${'m'.repeat(256)}…`,
    )
  })
})
