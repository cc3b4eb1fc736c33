import type { GuardRejection, TextScope } from '../../model/llm-guards.ts'
import { type JsonObject, jsonObjectIn, jsonObjectOr } from '../../protocols/json/json-object.ts'
import { consult, type ConsultedService } from './consult.ts'
import { type Guard, GuardFailure, type Reject } from './guard.ts'
import { isBlank, parts } from './portions.ts'

/** How texts are shown to the moderation of OpenAI. */
export interface OpenAiModerationOptions {
  readonly service: ConsultedService
  readonly model: string
  readonly rejection: GuardRejection
  readonly scopes: ReadonlySet<TextScope>
}

/**
 * Asks the moderation of OpenAI, of all texts at once, and rejects if it flags any of them. Every text has to have its
 * own verdict.
 */
export const openAiModeration = ({ service, model, rejection, scopes }: OpenAiModerationOptions): Guard => ({
  name: 'openAIModeration',
  scopes,
  opensOnFailure: false,
  check: async (x, texts, { signal }) => {
    const input = texts.flatMap(({ text }) => (isBlank(text) ? [] : parts(text, SIZE)))
    if (input.length === 0) return undefined
    const said = await consult(service, { x, signal }, (ask) => ask('/v1/moderations', { input, model }))
    return verdict(said, input.length, rejection)
  },
})

/** The models read 32,768 tokens at least, and a character is three tokens at most. */
const SIZE = { limit: 10_000, overlap: 200 }

const verdict = (said: JsonObject, expected: number, rejection: GuardRejection): Reject | undefined => {
  const results = Array.isArray(said.results) ? said.results.map(jsonObjectIn) : []
  const flagged = results.filter((result) => result?.flagged === true)
  if (flagged.length > 0) return { action: 'reject', rejection, reason: `flagged${categories(flagged)}` }
  if (results.length !== expected || results.some((result) => result?.flagged !== false))
    throw new GuardFailure('openAIModeration did not judge every text')
  return undefined
}

const categories = (flagged: readonly (JsonObject | undefined)[]): string => {
  const names = new Set(
    flagged.flatMap((result) =>
      Object.entries(jsonObjectOr(result?.categories)).flatMap(([name, is]) =>
        is === true && /^[\w/-]{1,40}$/.test(name) ? [name] : [],
      ),
    ),
  )
  return names.size === 0 ? '' : `: ${[...names].join(', ')}`
}
