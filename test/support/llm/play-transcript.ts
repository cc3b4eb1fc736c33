import type { ServerResponse } from 'node:http'
import type { ProviderCall } from './recording-provider.ts'
import { anthropic } from './transcripts/anthropic.ts'
import { bedrock } from './transcripts/bedrock.ts'
import { gemini } from './transcripts/gemini.ts'
import { openaiChat } from './transcripts/openai-chat.ts'
import { openaiResponses } from './transcripts/openai-responses.ts'
import type { Transcript } from './transcripts/transcript.ts'

/** The formats that there is a transcript of. */
export const transcribed = ['completions', 'messages', 'responses', 'generateContent', 'converse'] as const

export type Transcribed = (typeof transcribed)[number]

/**
 * Plays the provider that is asked, by the path: a transcript, or whatever is the shortest answer of its kind. Streams
 * come in pieces that end anywhere, and say the arguments of calls letter by letter.
 */
export const playTranscript = ({ path, bytes }: ProviderCall, res: ServerResponse): void => {
  const transcript = transcripts.find(([pattern]) => pattern.test(path))?.[1]
  if (!transcript) {
    const [, short] = shortAnswers.find(([pattern]) => pattern.test(path)) ?? []
    res.writeHead(short ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(short))
    return
  }
  const { stream } = JSON.parse(bytes.toString()) as { stream?: boolean }
  if (stream !== true && !/stream/i.test(path)) {
    res.writeHead(200, { 'content-type': 'application/json' }).end(transcript.whole)
    return
  }
  res.writeHead(200, { 'content-type': transcript.streamType })
  const { stream: said } = transcript
  const all = typeof said === 'string' ? Buffer.from(shredded(said)) : said
  const next = (from: number): void => {
    if (from >= all.length) res.end()
    else if (!res.destroyed)
      res.write(all.subarray(from, from + STEP_BYTES), () => setImmediate(next, from + STEP_BYTES))
  }
  next(0)
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

const STEP_BYTES = 61

const transcripts: readonly (readonly [RegExp, Transcript])[] = [
  [/\/chat\/completions$/, openaiChat],
  [/\/responses$/, openaiResponses],
  [/\/messages$/, anthropic],
  [/:(generateContent|streamGenerateContent\?alt=sse)$/, gemini],
  [/\/converse(-stream)?$/, bedrock],
]

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
