import type { Exchange } from '../../../../model/exchange/exchange.ts'
import type { Headers } from '../../../../model/exchange/headers.ts'
import type { Pattern } from '../../../../protocols/pattern/pattern.ts'
import { isEditable } from '../../../headers/protected-headers.ts'
import { fieldText } from '../../../headers/header-value.ts'

/** A header that is forwarded to a webhook, with all its values, if one of them matches. */
export interface HeaderSelector {
  /** Lower-case. */
  readonly name: string
  readonly fits: Pattern
}

/** Adds the selected headers of a message to a callout. */
export const addForwarded = (to: Headers, from: Headers, shown: readonly HeaderSelector[]): void => {
  const added = new Set<string>()
  for (const { name, fits } of shown) {
    if (added.has(name) || !mayBeShown(name)) continue
    const values = from.all(name)
    if (!values.some((value) => fits(fieldText(value)))) continue
    added.add(name)
    for (const value of values) to.append(name, value)
  }
}

/** The trace context of the client's request. The response of a provider does not have it. */
export const traceParents = (x: Exchange): readonly string[] => x.request.headers.all('traceparent')

/** The callout has its own body, which is not compressed, and its own connection. */
const mayBeShown = (name: string): boolean => isEditable(name) && name !== 'content-encoding'
