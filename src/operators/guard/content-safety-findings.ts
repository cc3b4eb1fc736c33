import { type JsonObject, jsonObjectIn } from '../../protocols/json/json-object.ts'
import { GuardFailure } from './guard.ts'

/** Why a text that was analyzed is rejected: a blocklist has it, or a category is as severe as the threshold. */
export const harm = (
  { blocklistsMatch = [], categoriesAnalysis }: JsonObject,
  threshold: number,
): string | undefined => {
  if (blocklistsMatch !== null && !Array.isArray(blocklistsMatch)) throw senseless()
  if (blocklistsMatch !== null && blocklistsMatch.length > 0) return 'on a blocklist'
  if (!Array.isArray(categoriesAnalysis)) throw senseless()
  const judged = categoriesAnalysis.map(jsonObjectIn)
  const found = judged.find((one) => Number(one?.severity) >= threshold)
  if (found) return `severe: ${wordIn(found.category)}`
  if (judged.some((one) => typeof one?.severity !== 'number')) throw senseless()
  return undefined
}

/** Why a text that was looked at for attacks is rejected. Later versions of the interface have other words for it. */
export const attack = ({ jailbreakAnalysis, userPromptAnalysis }: JsonObject): string | undefined => {
  const isAttack =
    jsonObjectIn(jailbreakAnalysis)?.detected ?? jsonObjectIn(userPromptAnalysis)?.attackDetected
  if (typeof isAttack !== 'boolean') throw senseless()
  return isAttack ? 'jailbreak' : undefined
}

const wordIn = (category: unknown): string =>
  typeof category === 'string' && /^\w{1,40}$/.test(category) ? category : 'unknown category'

const senseless = (): GuardFailure => new GuardFailure('azureContentSafety gave no verdict that can be read')
