import type { GuardRejection, TextScope } from '../schema/normal-form.ts'
import { type JsonObject, jsonObjectIn } from '../../../../protocols/json/json-object.ts'
import { withService, type GuardService } from './callout.ts'
import { type Guard, GuardFailure, type GuardVerdict } from '../guard.ts'
import { namedValues } from './named-values.ts'
import { isBlank } from './text-chunks.ts'

/** How a guardrail of Amazon Bedrock is called. */
export interface BedrockGuardrailsOptions {
  readonly service: GuardService
  readonly guardrailIdentifier: string
  readonly guardrailVersion: string
  readonly rejection: GuardRejection
  readonly scopes: ReadonlySet<TextScope>
}

/**
 * Checks texts with a guardrail of Amazon Bedrock. What it blocks is rejected; texts that it only anonymized replace
 * the originals. If it intervened and does not report how, the texts are rejected.
 *
 * Texts are sent whole, however long: the order of the outputs tells which text each belongs to.
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
      const response = await withService(service, { x, signal }, (call) => call(target, { source, content }))
      return verdict(response, shown, rejection)
    },
  }
}

const verdict = (response: JsonObject, shown: readonly string[], rejection: GuardRejection): GuardVerdict => {
  const actions = namedValues(response.assessments, 'action')
  if (actions.includes('BLOCKED')) return { action: 'reject', rejection, reason: 'blocked' }
  if (response.action === 'NONE') return undefined
  if (response.action !== 'GUARDRAIL_INTERVENED')
    throw new GuardFailure('bedrockGuardrails did not say what it does')
  // Filters that only detect report NONE.
  const isMask =
    actions.includes('ANONYMIZED') && actions.every((one) => one === 'ANONYMIZED' || one === 'NONE')
  if (!isMask) return { action: 'reject', rejection, reason: 'intervened' }
  return { action: 'mask', texts: masked(response.outputs, shown), reason: 'anonymized' }
}

/** Blank texts were not sent, and stay. */
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
