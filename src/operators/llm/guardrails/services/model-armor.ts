import type { GuardRejection, TextScope } from '../../model/llm-guards.ts'
import { type JsonObject, jsonObjectIn } from '../../protocols/json/json-object.ts'
import { consult, type ConsultedService } from './consult.ts'
import { firstFinding } from './first-finding.ts'
import { type Guard, GuardFailure, type Reject } from './guard.ts'
import { namedValues } from './named-values.ts'
import { portions } from './portions.ts'

/** How texts are shown to Google's Model Armor. */
export interface ModelArmorOptions {
  readonly service: ConsultedService
  readonly projectId: string
  readonly location: string
  readonly templateId: string
  readonly rejection: GuardRejection
  readonly scopes: ReadonlySet<TextScope>
}

/**
 * Asks a template of Google's Model Armor, and rejects what any of its filters matches. A filter that was skipped is a
 * failure, also if the others matched nothing.
 */
export const modelArmor = (options: ModelArmorOptions): Guard => {
  const { service, rejection, scopes } = options
  const [project, location, template] = [options.projectId, options.location, options.templateId].map(
    encodeURIComponent,
  )
  const path = `/v1/projects/${project}/locations/${location}/templates/${template}`
  const ways = {
    request: { target: `${path}:sanitizeUserPrompt`, member: 'user_prompt_data' },
    response: { target: `${path}:sanitizeModelResponse`, member: 'model_response_data' },
  }
  return {
    name: 'googleModelArmor',
    scopes,
    opensOnFailure: false,
    check: (x, texts, { phase, signal }) => {
      const shown = portions(
        texts.map(({ text }) => text),
        SIZE,
      )
      if (shown.length === 0) return undefined
      const { target, member } = ways[phase]
      return consult(service, { x, signal }, (ask) =>
        firstFinding(shown, async (text) => verdict(await ask(target, { [member]: { text } }), rejection)),
      )
    },
  }
}

/** Filters skip what is longer than 10,000 tokens. */
const SIZE = { limit: 10_000, overlap: 200 }

const verdict = (said: JsonObject, rejection: GuardRejection): Reject | undefined => {
  const result = jsonObjectIn(said.sanitizationResult)
  const filters = jsonObjectIn(result?.filterResults)
  // However deep: what finds personal data says it one level below the others, in one of two places.
  const matching = Object.entries(filters ?? {}).filter(([, filter]) =>
    namedValues(filter, 'matchState').includes('MATCH_FOUND'),
  )
  if (matching.length > 0 || result?.filterMatchState === 'MATCH_FOUND')
    return { action: 'reject', rejection, reason: reasonOf(matching.map(([name]) => name)) }
  if (!result || !filters) throw new GuardFailure('googleModelArmor gave no result')
  if (result.invocationResult !== 'SUCCESS')
    throw new GuardFailure('googleModelArmor did not apply all filters')
  const states = namedValues(filters, 'executionState')
  if (states.some((state) => state !== 'EXECUTION_SUCCESS'))
    throw new GuardFailure('googleModelArmor left a filter out')
  const matches = [...namedValues(filters, 'matchState'), result.filterMatchState ?? 'NO_MATCH_FOUND']
  if (matches.some((state) => state !== 'NO_MATCH_FOUND'))
    throw new GuardFailure('googleModelArmor did not say whether a filter matches')
  return undefined
}

const reasonOf = (names: readonly string[]): string => {
  const known = names.filter((name) => /^\w{1,40}$/.test(name))
  return known.length === 0 ? 'matched' : `matched: ${known.join(', ')}`
}
