import type { FormatCheck } from './format-check.ts'

/** A point in time as RFC 3339 has it, such as `2026-01-31T08:00:00Z`. */
export const timestampFormat: FormatCheck = (text) =>
  RFC_3339.test(text) && Number.isFinite(Date.parse(text))
    ? undefined
    : { expectation: 'must be a time as in RFC 3339, such as 2026-01-31T08:00:00Z' }

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/
