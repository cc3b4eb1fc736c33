import type { ServerResponse } from 'node:http'
import type { ProviderCall } from './recording-provider.ts'
import { anthropic } from './transcripts/anthropic.ts'
import { bedrock } from './transcripts/bedrock.ts'
import { gemini } from './transcripts/gemini.ts'
import { openaiChat } from './transcripts/openai-chat.ts'
import { openaiResponses } from './transcripts/openai-responses.ts'
import type { Transcript } from './transcripts/transcript.ts'

/**
 * Sends the recorded response of the provider of this path, complete or as a stream a few bytes at a time, split
 * anywhere.
 *
 * @param change Transforms a stream of text before.
 * @returns False if there is no transcript for it, and nothing was sent.
 */
export const sendTranscript = (
  { path, bytes }: ProviderCall,
  res: ServerResponse,
  change: (stream: string) => string = (same) => same,
): boolean => {
  const transcript = transcripts.find(([pattern]) => pattern.test(path))?.[1]
  if (!transcript) return false
  const { stream } = JSON.parse(bytes.toString()) as { stream?: boolean }
  if (stream !== true && !/stream/i.test(path)) {
    res.writeHead(200, { 'content-type': 'application/json' }).end(transcript.whole)
    return true
  }
  res.writeHead(200, { 'content-type': transcript.streamType })
  const { stream: said } = transcript
  const all = typeof said === 'string' ? Buffer.from(change(said)) : said
  const next = (from: number): void => {
    if (from >= all.length) res.end()
    else if (!res.destroyed)
      res.write(all.subarray(from, from + STEP_BYTES), () => setImmediate(next, from + STEP_BYTES))
  }
  next(0)
  return true
}

const STEP_BYTES = 61

const transcripts: readonly (readonly [RegExp, Transcript])[] = [
  [/\/chat\/completions$/, openaiChat],
  [/\/responses$/, openaiResponses],
  [/\/messages$/, anthropic],
  [/:(generateContent|streamGenerateContent\?alt=sse)$/, gemini],
  [/\/converse(-stream)?$/, bedrock],
]
