import type { Exchange } from '../../../model/exchange.ts'
import type { Headers } from '../../../model/headers.ts'
import type { Pattern } from '../../../protocols/pattern/pattern.ts'
import { isEditable } from '../../editable-field.ts'
import { fieldText } from '../../field-text.ts'

/** A header that a webhook is shown, with all its values, if one of them fits. */
export interface ShownHeader {
  /** Lower-case. */
  readonly name: string
  readonly fits: Pattern
}

/** Adds to the head of a question what of another message's head a webhook may see. */
export const addForwarded = (to: Headers, from: Headers, shown: readonly ShownHeader[]): void => {
  const added = new Set<string>()
  for (const { name, fits } of shown) {
    if (added.has(name) || !mayBeShown(name)) continue
    const values = from.all(name)
    if (!values.some((value) => fits(fieldText(value)))) continue
    added.add(name)
    for (const value of values) to.append(name, value)
  }
}

/** Which trace the client's request belongs to. The answer of a provider does not say. */
export const traceParents = (x: Exchange): readonly string[] => x.request.headers.all('traceparent')

/** The question has a body of its own, which is not compressed, and a connection of its own. */
const mayBeShown = (name: string): boolean => isEditable(name) && name !== 'content-encoding'
