import { parseStatusRange } from '../../protocols/http/status-range.ts'
import type { FormatCheck } from './format-check.ts'

/** Statuses of responses. */
export const statusRange: FormatCheck = (text) =>
  parseStatusRange(text) ? undefined : { expectation: 'must be statuses such as 200, 200-299 or 2xx' }
