import { celFormat } from './expression.ts'
import type { FormatCheck } from './format-check.ts'

/** A share of requests as text: a number from 0 to 1, or an expression that gives one, or a boolean. */
export const samplingFormat: FormatCheck = (text) => {
  const share = Number(text)
  if (text.trim() !== '' && Number.isFinite(share))
    return share >= 0 && share <= 1 ? undefined : { expectation: 'must be a share from 0 to 1' }
  return celFormat(text)
}
