import type { GuardRejection, TextScope } from '../schema/normal-form.ts'
import { type JsonObject, jsonObjectIn, jsonObjectOr } from '../../../../protocols/json/json-object.ts'
import { withService, type GuardService } from './callout.ts'
import { type Guard, GuardFailure, type Reject } from '../guard.ts'
import { isBlank, splitText } from './text-chunks.ts'

/** How OpenAI's moderation is called. */
export interface OpenAiModerationOptions {
  readonly service: GuardService
  readonly model: string
  readonly rejection: GuardRejection
  readonly scopes: ReadonlySet<TextScope>
}

/**
 * Checks all texts with one callout to OpenAI's moderation, and rejects if any is flagged. Every text must have its
 * own verdict.
 */
export const openAiModeration = ({ service, model, rejection, scopes }: OpenAiModerationOptions): Guard => ({
  name: 'openAIModeration',
  scopes,
  opensOnFailure: false,
  check: async (x, texts, { signal }) => {
    const input = texts.flatMap(({ text }) => (isBlank(text) ? [] : splitText(text, SIZE)))
    if (input.length === 0) return undefined
    const response = await withService(service, { x, signal }, (call) =>
      call('/v1/moderations', { input, model }),
    )
    return verdict(response, input.length, rejection)
  },
})

/** The models read at least 32,768 tokens, and a character is at most three tokens. */
const SIZE = { limit: 10_000, overlap: 200 }

const verdict = (response: JsonObject, expected: number, rejection: GuardRejection): Reject | undefined => {
  const results = Array.isArray(response.results) ? response.results.map(jsonObjectIn) : []
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
