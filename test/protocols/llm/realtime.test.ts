import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addUsage, realtimeUsage } from '../../../src/protocols/llm/realtime.ts'

// By `RealtimeResponseUsage` of openai@7.57.0.
const done = JSON.stringify({
  type: 'response.done',
  event_id: 'event_1',
  response: {
    id: 'resp_1',
    object: 'realtime.response',
    status: 'completed',
    usage: {
      total_tokens: 253,
      input_tokens: 132,
      output_tokens: 121,
      input_token_details: { text_tokens: 119, audio_tokens: 13, cached_tokens: 64 },
      output_token_details: { text_tokens: 30, audio_tokens: 91 },
    },
  },
})

describe('a realtime session', () => {
  it('reports the usage at the end of each response', () => {
    const usage = realtimeUsage(done) ?? {}
    assert.equal(usage.inputTokens, 132)
    assert.equal(usage.outputTokens, 121)
    assert.equal(usage.totalTokens, 253)
    assert.equal(usage.cachedInputTokens, 64)
    assert.equal(usage.inputAudioTokens, 13)
    assert.equal(usage.outputAudioTokens, 91)
    assert.equal(usage.outputTextTokens, 30)
  })

  it('reports none in other events, and in similar texts', () => {
    assert.equal(realtimeUsage('{"type":"response.created"}'), undefined)
    assert.equal(realtimeUsage('{"type":"error","message":"no \\"response.done\\""}'), undefined)
    assert.equal(realtimeUsage('"response.done"'), undefined)
    assert.equal(realtimeUsage('{"type":"response.done"'), undefined)
  })

  it('adds the usage of its responses', () => {
    const usage = realtimeUsage(done) ?? {}
    const both = addUsage(addUsage(undefined, usage), usage)
    assert.equal(both.inputTokens, 264)
    assert.equal(both.outputAudioTokens, 182)
    assert.equal(both.inputImageTokens, undefined)
  })
})
