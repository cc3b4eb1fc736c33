import type { GuardRejection, TextScope } from '../schema/normal-form.ts'
import { type JsonObject, jsonObjectIn } from '../../../../protocols/json/json-object.ts'
import { withService, type GuardService } from './callout.ts'
import { firstFinding } from './first-rejection.ts'
import { type Guard, GuardFailure, type Reject } from '../guard.ts'
import { namedValues } from './named-values.ts'
import { packTexts } from './text-chunks.ts'

/** How Google's Model Armor is called. */
export interface ModelArmorOptions {
  readonly service: GuardService
  readonly projectId: string
  readonly location: string
  readonly templateId: string
  readonly rejection: GuardRejection
  readonly scopes: ReadonlySet<TextScope>
}

/**
 * Checks texts with a template of Google's Model Armor, and rejects what any of its filters matches. A skipped filter
 * is a failure, even if the others matched nothing.
 */
export const modelArmor = (options: ModelArmorOptions): Guard => {
  const { service, rejection, scopes } = options
  const [project, location, template] = [options.projectId, options.location, options.templateId].map(
    encodeURIComponent,
  )
  const path = `/v1/projects/${project}/locations/${location}/templates/${template}`
  const apis = {
    request: { target: `${path}:sanitizeUserPrompt`, member: 'user_prompt_data' },
    response: { target: `${path}:sanitizeModelResponse`, member: 'model_response_data' },
  }
  return {
    name: 'googleModelArmor',
    scopes,
    opensOnFailure: false,
    check: (x, texts, { phase, signal }) => {
      const shown = packTexts(
        texts.map(({ text }) => text),
        SIZE,
      )
      if (shown.length === 0) return undefined
      const { target, member } = apis[phase]
      return withService(service, { x, signal }, (call) =>
        firstFinding(shown, async (text) => verdict(await call(target, { [member]: { text } }), rejection)),
      )
    },
  }
}

/** Filters skip texts of more than 10,000 tokens. */
const SIZE = { limit: 10_000, overlap: 200 }

const verdict = (response: JsonObject, rejection: GuardRejection): Reject | undefined => {
  const result = jsonObjectIn(response.sanitizationResult)
  const filters = jsonObjectIn(result?.filterResults)
  // At any depth: the filter for personal data reports one level below the others, in one of two members.
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
