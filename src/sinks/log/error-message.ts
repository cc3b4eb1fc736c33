/** The message of an error with its code and causes, without a stack. Anything else that was thrown, as text. */
export const causeText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const code = errorCodeOf(error)
  const behind = error.cause === undefined ? '' : `; because: ${causeText(error.cause)}`
  return `${error.message.replace(quotedJson, 'text that')}${code === undefined ? '' : ` (${code})`}${behind}`
}

/** The code of an error, such as `ECONNREFUSED`. */
export const errorCodeOf = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string' ? error.code : undefined

/** V8 quotes invalid input, which may be a secret. */
const quotedJson = /(?:\.\.\.)?"[^]*"(?:\.\.\.)?(?= is not valid JSON$)/
