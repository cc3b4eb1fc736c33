import type { GuardRejection, TextScope } from '../../model/llm-guards.ts'
import { type JsonObject, jsonObjectIn } from '../../protocols/json/json-object.ts'
import { consult, type ConsultedService } from './consult.ts'
import { type Guard, GuardFailure, type GuardVerdict } from './guard.ts'
import { namedValues } from './named-values.ts'
import { isBlank } from './portions.ts'

/** How texts are shown to a guardrail of Amazon Bedrock. */
export interface BedrockGuardrailsOptions {
  readonly service: ConsultedService
  readonly guardrailIdentifier: string
  readonly guardrailVersion: string
  readonly rejection: GuardRejection
  readonly scopes: ReadonlySet<TextScope>
}

/**
 * Asks a guardrail of Amazon Bedrock. What it blocks is rejected; texts that it only made anonymous take the place of
 * those that it was shown. If it says that it intervened, and not how, the texts are rejected.
 *
 * Texts are shown as they are, however long: what stands where in the answer says which text it is about.
 */
export const bedrockGuardrails = (options: BedrockGuardrailsOptions): Guard => {
  const { service, guardrailIdentifier, guardrailVersion, rejection, scopes } = options
  const version = encodeURIComponent(guardrailVersion)
  const target = `/guardrail/${encodeURIComponent(guardrailIdentifier)}/version/${version}/apply`
  return {
    name: 'bedrockGuardrails',
    scopes,
    opensOnFailure: false,
    check: async (x, texts, { phase, signal }) => {
      const shown = texts.map(({ text }) => text)
      const content = shown.flatMap((text) => (isBlank(text) ? [] : [{ text: { text } }]))
      if (content.length === 0) return undefined
      const source = phase === 'request' ? 'INPUT' : 'OUTPUT'
      const said = await consult(service, { x, signal }, (ask) => ask(target, { source, content }))
      return verdict(said, shown, rejection)
    },
  }
}

const verdict = (said: JsonObject, shown: readonly string[], rejection: GuardRejection): GuardVerdict => {
  const actions = namedValues(said.assessments, 'action')
  if (actions.includes('BLOCKED')) return { action: 'reject', rejection, reason: 'blocked' }
  if (said.action === 'NONE') return undefined
  if (said.action !== 'GUARDRAIL_INTERVENED')
    throw new GuardFailure('bedrockGuardrails did not say what it does')
  // Filters that only detect say NONE.
  const isMask =
    actions.includes('ANONYMIZED') && actions.every((one) => one === 'ANONYMIZED' || one === 'NONE')
  if (!isMask) return { action: 'reject', rejection, reason: 'intervened' }
  return { action: 'mask', texts: masked(said.outputs, shown), reason: 'anonymized' }
}

/** Blank texts were not shown, and stay. */
const masked = (outputs: unknown, shown: readonly string[]): string[] => {
  const texts = Array.isArray(outputs) ? outputs.map((output) => jsonObjectIn(output)?.text) : []
  const isWhole = texts.length === shown.filter((text) => !isBlank(text)).length
  if (!isWhole) throw new GuardFailure('bedrockGuardrails did not give as many texts as it was shown')
  const rest = texts.values()
  return shown.map((text) => {
    if (isBlank(text)) return text
    const { value } = rest.next()
    if (typeof value !== 'string') throw new GuardFailure('bedrockGuardrails gave something else than texts')
    return value
  })
}
