/**
 * A message of a condition as the API server takes it: of a limited length, and of whole characters, since messages quote
 * what users and other programs wrote. What the API server refuses would be tried again for ever.
 */
export const conditionMessage = (text: string): string =>
  text.length <= LONGEST ? text.toWellFormed() : `${text.slice(0, LONGEST - 1).toWellFormed()}…`

const LONGEST = 32_768
