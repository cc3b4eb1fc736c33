import type { ServerResponse } from 'node:http'
import type { ProviderCall } from './recording-provider.ts'
import { sendTranscript } from './send-transcript.ts'

/** The formats with a transcript. */
export const transcribed = ['completions', 'messages', 'responses', 'generateContent', 'converse'] as const

export type Transcribed = (typeof transcribed)[number]

/**
 * Plays the provider for the path: a transcript, or the shortest response of its kind. Streams are sent in pieces that
 * end anywhere, with arguments of calls letter by letter.
 */
export const playTranscript = (call: ProviderCall, res: ServerResponse): void => {
  if (sendTranscript(call, res, shredded)) return
  const [, short] = shortAnswers.find(([pattern]) => pattern.test(call.path)) ?? []
  res.writeHead(short ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(short))
}

/** Server-sent events, with one for each letter of the arguments of calls. */
const shredded = (stream: string): string => {
  let number = 0
  return stream
    .split(/(?<=\n\n)/)
    .flatMap((event) => {
      const [, delta] = ARGUMENTS.find(([pattern]) => pattern.test(event)) ?? []
      if (!delta) return [event]
      return letters(delta.exec(event)?.[1] ?? '').map((letter) =>
        event.replace(delta, (all, text: string) => all.slice(0, -text.length - 1) + letter + '"'),
      )
    })
    .map((event) => event.replace(/"sequence_number":\d+/, () => `"sequence_number":${String(number++)}`))
    .join('')
}

/** Of a text of JSON, as they are written. */
const letters = (written: string): readonly string[] => written.match(/\\.|[^\\]/g) ?? ['']

const ARGUMENTS = [
  [/"function":\{"arguments":/, /"arguments":"((?:\\.|[^"\\])*)"/],
  [/"partial_json"/, /"partial_json":"((?:\\.|[^"\\])*)"/],
  [/arguments\.delta/, /"delta":"((?:\\.|[^"\\])*)"/],
] as const

const shortAnswers: readonly (readonly [RegExp, object])[] = [
  [
    /\/embeddings$/,
    {
      object: 'list',
      model: 'served',
      data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
      usage: { prompt_tokens: 1, total_tokens: 1 },
    },
  ],
  [/\/rerank$/, { results: [{ index: 0, relevance_score: 0.5 }] }],
  [/\/count_tokens$/, { input_tokens: 5 }],
  [/:countTokens$/, { totalTokens: 5 }],
]
