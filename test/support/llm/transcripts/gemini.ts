import type { Transcript } from './transcript.ts'

/** By the types `GenerateContentResponse`, `Part` and `GenerateContentResponseUsageMetadata` of @google/genai@3.1.0. */
const usage = {
  promptTokenCount: 1200,
  cachedContentTokenCount: 1000,
  candidatesTokenCount: 50,
  thoughtsTokenCount: 10,
  totalTokenCount: 1260,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 1200 }],
}

const response = (parts: readonly object[], finish?: string) => ({
  candidates: [
    { content: { parts, role: 'model' }, ...(finish !== undefined && { finishReason: finish }), index: 0 },
  ],
  usageMetadata: usage,
  modelVersion: 'gemini-3-pro-preview',
  responseId: 'kH0gaYb3',
})

const thought = { text: 'Two cities.', thought: true }
const bern = { functionCall: { name: 'weather', args: { city: 'Bern' } }, thoughtSignature: 'EpwCCpkC' }
const rome = { functionCall: { name: 'weather', args: { city: 'Rome' } } }

const chunks = [
  response([thought]),
  response([{ text: 'Let me' }]),
  response([{ text: ' look.' }]),
  response([bern, rome]),
  response([{ text: '' }], 'STOP'),
]

/** Google's generateContent. */
export const gemini: Transcript = {
  whole: JSON.stringify(response([thought, { text: 'Let me look.' }, bern, rome], 'STOP'), null, 2),
  stream: chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join(''),
  streamType: 'text/event-stream',
}
