import { isFieldValue } from '../http/field-syntax.ts'
import type { JsonObject } from '../json-rpc/message.ts'
import type { ParameterPlan } from './open-api-tool.ts'
import { own } from './plain-value.ts'
import { Unsendable } from './unsendable.ts'
import { listOf, pairsOf } from './written-value.ts'

/** Name, value … of the header fields for these values. */
export const fieldsOf = (plans: readonly ParameterPlan[], values: JsonObject): string[] =>
  plans.flatMap((plan) => {
    const value = own(values, plan.argument)
    if (value === undefined || value === null) return []
    const text = listOf(plan, value, (one) => one)
    if (!isFieldValue(text))
      throw new Unsendable(`header.${plan.argument} contains what may not stand in a header field`)
    return [plan.name, text]
  })

/** The value of the Cookie field; empty if there is none. */
export const cookieOf = (plans: readonly ParameterPlan[], values: JsonObject): string =>
  plans
    .flatMap((plan) =>
      pairsOf(plan, own(values, plan.argument)).map(([name, texts]) => {
        const text = [texts].flat().map(encodeURIComponent).join(',')
        return `${encodeURIComponent(name)}=${text}`
      }),
    )
    .join('; ')
