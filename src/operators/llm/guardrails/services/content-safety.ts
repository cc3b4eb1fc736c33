import type { ContentSafety, GuardRejection, TextScope } from '../../model/llm-guards.ts'
import type { JsonObject } from '../../protocols/json/json-object.ts'
import { consult, type ConsultedService } from './consult.ts'
import { attack, harm } from './content-safety-findings.ts'
import { firstFinding } from './first-finding.ts'
import { type Guard, GuardFailure, type GuardPhase } from './guard.ts'
import { portions } from './portions.ts'

/** How texts are shown to Azure's Content Safety. */
export interface ContentSafetyOptions extends Pick<ContentSafety, 'analyzeText' | 'detectJailbreak'> {
  readonly service: ConsultedService
  readonly rejection: GuardRejection
  readonly scopes: ReadonlySet<TextScope>
}

/**
 * Asks Azure's Content Safety whether texts are harmful or on a blocklist, and of questions whether they attack the
 * model; rejects what is. Texts that are longer than it takes are shown in parts that overlap.
 */
export const contentSafety = (options: ContentSafetyOptions): Guard => {
  const { service, rejection, scopes } = options
  return {
    name: 'azureContentSafety',
    scopes,
    opensOnFailure: false,
    check: async (x, texts, { phase, signal }) => {
      const shown = texts.map(({ text }) => text)
      const inquiries = inquiriesOf(options, phase)
      if (inquiries.length === 0)
        throw new GuardFailure(`azureContentSafety has nothing to be asked of a ${phase}`)
      const questions = inquiries.flatMap((inquiry) =>
        portions(shown, inquiry.size).map((text) => ({ ...inquiry, text })),
      )
      const reason = await consult(service, { x, signal }, (ask) =>
        firstFinding(questions, async ({ target, more, text, finding }) =>
          finding(await ask(target, { text, ...more })),
        ),
      )
      return reason === undefined ? undefined : { action: 'reject', rejection, reason }
    },
  }
}

/** A thing to be asked of every text. */
interface Inquiry {
  readonly target: string
  /** How much it takes at a time. */
  readonly size: { readonly limit: number; readonly overlap: number }
  /** What the question says besides the text. */
  readonly more: JsonObject
  /** Why a text is rejected. */
  readonly finding: (said: JsonObject) => string | undefined
}

const inquiriesOf = (options: ContentSafetyOptions, phase: GuardPhase): Inquiry[] => {
  const { analyzeText, detectJailbreak } = options
  const made: Inquiry[] = []
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
      finding: (said) => harm(said, severityThreshold),
    })
  }
  if (detectJailbreak && phase === 'request')
    made.push({
      target: `/contentsafety/text:detectJailbreak?api-version=${encodeURIComponent(detectJailbreak.apiVersion)}`,
      size: { limit: 1_000, overlap: 100 },
      more: {},
      finding: attack,
    })
  return made
}
