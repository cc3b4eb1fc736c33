import type { JsonObject } from '../../json-rpc/message.ts'
import type { ParameterPlan } from '../open-api-tool.ts'
import { own } from '../own-property.ts'
import { pairsOf } from './value.ts'

/** The query for these values, with its question mark; empty if there is none. */
export const queryOf = (plans: readonly ParameterPlan[], values: JsonObject): string => {
  const pairs = plans.flatMap((plan) => writtenPairs(plan, own(values, plan.argument), encodeURIComponent))
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** `name=value` for each pair of a value. */
export const writtenPairs = (
  plan: ParameterPlan,
  value: unknown,
  escape: (text: string) => string,
): readonly string[] =>
  pairsOf(plan, value).map(([name, texts]) => {
    const write = plan.allowReserved ? (text: string) => unescapeReserved(escape(text)) : escape
    const written =
      typeof texts === 'string' ? write(texts) : texts.map(write).join(separators[plan.style] ?? ',')
    return `${escape(name)}=${written}`
  })

const separators: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' }

/** `&`, `;`, `+` and `#` stay escaped, since they would begin another parameter or end the query. */
const unescapeReserved = (text: string): string =>
  text.replace(/%(?:3A|2F|3F|40|24|2C|3D)/g, (escaped) => decodeURIComponent(escaped))
