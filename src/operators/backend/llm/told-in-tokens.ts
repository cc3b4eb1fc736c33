import type { JsonObject } from '../../../protocols/json/json-object.ts'

/** Whether a request for embeddings says, be it in part, by their numbers which tokens it means: words that nobody reads. */
export const isToldInTokens = ({ input }: JsonObject): boolean =>
  isNumber(input) ||
  (Array.isArray(input) && input.some((one) => isNumber(one) || (Array.isArray(one) && one.some(isNumber))))

const isNumber = (value: unknown): boolean => typeof value === 'number'
