import { type Guard, GuardFailure, type GuardPhase } from '../guard.ts'
import type { ContentSafety, GuardRejection, TextScope } from '../schema/normal-form.ts'
import { withService, type GuardService } from './callout.ts'
import { firstFinding } from './first-rejection.ts'
import { packTexts } from './text-chunks.ts'
import { type JsonObject, jsonObjectIn } from '../../../../protocols/json/json-object.ts'

/** Why an analyzed text is rejected: it matches a blocklist, or the severity of a category reaches the threshold. */
export const harmIn = (
  { blocklistsMatch = [], categoriesAnalysis }: JsonObject,
  threshold: number,
): string | undefined => {
  if (blocklistsMatch !== null && !Array.isArray(blocklistsMatch)) throw unreadable()
  if (blocklistsMatch !== null && blocklistsMatch.length > 0) return 'on a blocklist'
  if (!Array.isArray(categoriesAnalysis)) throw unreadable()
  const categories = categoriesAnalysis.map(jsonObjectIn)
  const found = categories.find((one) => Number(one?.severity) >= threshold)
  if (found) return `severe: ${categoryName(found.category)}`
  if (categories.some((one) => typeof one?.severity !== 'number')) throw unreadable()
  return undefined
}

/** Why a text is rejected as an attack. Later versions of the API use other member names. */
export const attackIn = ({ jailbreakAnalysis, userPromptAnalysis }: JsonObject): string | undefined => {
  const isAttack =
    jsonObjectIn(jailbreakAnalysis)?.detected ?? jsonObjectIn(userPromptAnalysis)?.attackDetected
  if (typeof isAttack !== 'boolean') throw unreadable()
  return isAttack ? 'jailbreak' : undefined
}

const categoryName = (category: unknown): string =>
  typeof category === 'string' && /^\w{1,40}$/.test(category) ? category : 'unknown category'

const unreadable = (): GuardFailure => new GuardFailure('azureContentSafety gave no verdict that can be read')

/** How Azure's Content Safety is called. */
export interface ContentSafetyOptions extends Pick<ContentSafety, 'analyzeText' | 'detectJailbreak'> {
  readonly service: GuardService
  readonly rejection: GuardRejection
  readonly scopes: ReadonlySet<TextScope>
}

/**
 * Checks with Azure's Content Safety whether texts are harmful or on a blocklist, and whether requests attack the
 * model; rejects those. Texts above its limit are sent in overlapping parts.
 */
export const contentSafety = (options: ContentSafetyOptions): Guard => {
  const { service, rejection, scopes } = options
  return {
    name: 'azureContentSafety',
    scopes,
    opensOnFailure: false,
    check: async (x, texts, { phase, signal }) => {
      const shown = texts.map(({ text }) => text)
      const analyses = analysesFor(options, phase)
      if (analyses.length === 0)
        throw new GuardFailure(`azureContentSafety has nothing to be asked of a ${phase}`)
      const calls = analyses.flatMap((analysis) =>
        packTexts(shown, analysis.size).map((text) => ({ ...analysis, text })),
      )
      const reason = await withService(service, { x, signal }, (call) =>
        firstFinding(calls, async ({ target, more, text, findingIn }) =>
          findingIn(await call(target, { text, ...more })),
        ),
      )
      return reason === undefined ? undefined : { action: 'reject', rejection, reason }
    },
  }
}

/** A check of every text. */
interface Analysis {
  readonly target: string
  /** Limit of one callout. */
  readonly size: { readonly limit: number; readonly overlap: number }
  /** Members of the request besides the text. */
  readonly more: JsonObject
  /** Why a text is rejected. */
  readonly findingIn: (response: JsonObject) => string | undefined
}

const analysesFor = (options: ContentSafetyOptions, phase: GuardPhase): Analysis[] => {
  const { analyzeText, detectJailbreak } = options
  const made: Analysis[] = []
  if (analyzeText) {
    const { severityThreshold, blocklistNames, haltOnBlocklistHit, apiVersion } = analyzeText
    made.push({
      target: `/contentsafety/text:analyze?api-version=${encodeURIComponent(apiVersion)}`,
      size: { limit: 10_000, overlap: 200 },
      more: {
        ...(blocklistNames.length > 0 && { blocklistNames, haltOnBlocklistHit }),
        // Without it, severities are rounded down to even ones.
        ...(severityThreshold % 2 === 1 && { outputType: 'EightSeverityLevels' }),
      },
      findingIn: (response) => harmIn(response, severityThreshold),
    })
  }
  if (detectJailbreak && phase === 'request')
    made.push({
      target: `/contentsafety/text:detectJailbreak?api-version=${encodeURIComponent(detectJailbreak.apiVersion)}`,
      size: { limit: 1_000, overlap: 100 },
      more: {},
      findingIn: attackIn,
    })
  return made
}
