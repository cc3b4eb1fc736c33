import { awsFrame } from '../aws-frame.ts'
import type { Transcript } from './transcript.ts'

/** By the types `ConverseResponse` and `ConverseStreamOutput` of @aws-sdk/client-bedrock-runtime@3.1163.0. */
const usage = {
  inputTokens: 200,
  outputTokens: 60,
  totalTokens: 1260,
  cacheReadInputTokens: 1000,
  cacheWriteInputTokens: 0,
}

const whole = {
  output: {
    message: {
      role: 'assistant',
      content: [
        { reasoningContent: { reasoningText: { text: 'Two cities.', signature: 'EqQBCgIYAhIM' } } },
        { text: 'Let me look.' },
        { toolUse: { toolUseId: 'tooluse_Bern', name: 'weather', input: { city: 'Bern' } } },
        { toolUse: { toolUseId: 'tooluse_Rome', name: 'weather', input: { city: 'Rome' } } },
      ],
    },
  },
  stopReason: 'tool_use',
  usage,
  metrics: { latencyMs: 812 },
}

type Event = readonly [type: string, payload: object]

const delta = (index: number, said: object): Event => [
  'contentBlockDelta',
  { contentBlockIndex: index, delta: said, p: 'abcdefghij' },
]
const stop = (index: number): Event => ['contentBlockStop', { contentBlockIndex: index, p: 'abc' }]

const call = (index: number, city: string): Event[] => [
  [
    'contentBlockStart',
    { contentBlockIndex: index, start: { toolUse: { toolUseId: `tooluse_${city}`, name: 'weather' } } },
  ],
  delta(index, { toolUse: { input: '' } }),
  delta(index, { toolUse: { input: '{"city":' } }),
  delta(index, { toolUse: { input: `"${city}"}` } }),
  stop(index),
]

// Only calls have a start.
const events: readonly Event[] = [
  ['messageStart', { role: 'assistant', p: 'abcdef' }],
  delta(0, { reasoningContent: { text: 'Two ' } }),
  delta(0, { reasoningContent: { text: 'cities.' } }),
  delta(0, { reasoningContent: { signature: 'EqQBCgIYAhIM' } }),
  stop(0),
  delta(1, { text: 'Let me' }),
  delta(1, { text: ' look.' }),
  stop(1),
  ...call(2, 'Bern'),
  ...call(3, 'Rome'),
  ['messageStop', { stopReason: 'tool_use', p: 'ab' }],
  ['metadata', { usage, metrics: { latencyMs: 812 }, p: 'abcd' }],
]

/** Bedrock's Converse. */
export const bedrock: Transcript = {
  whole: JSON.stringify(whole),
  stream: Buffer.concat(events.map(([type, payload]) => awsFrame(type, payload))),
  streamType: 'application/vnd.amazon.eventstream',
}
