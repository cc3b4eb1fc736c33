import { isFieldValue } from '../../http/field-syntax.ts'
import type { JsonObject } from '../../json-rpc/message.ts'
import type { ParameterPlan } from '../open-api-tool.ts'
import { own } from '../own-property.ts'
import { InvalidArgument } from './invalid-argument.ts'
import { listValue, pairsOf } from './value.ts'

/** The header fields for these values, names and values alternating. */
export const serializedHeaders = (plans: readonly ParameterPlan[], values: JsonObject): string[] =>
  plans.flatMap((plan) => {
    const value = own(values, plan.argument)
    if (value === undefined || value === null) return []
    const text = listValue(plan, value, (one) => one)
    if (!isFieldValue(text))
      throw new InvalidArgument(`header.${plan.argument} contains what may not stand in a header field`)
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
