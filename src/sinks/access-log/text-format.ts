/**
 * A value in text format: bare where that is unambiguous, else quoted as in JSON. Control characters are always
 * escaped.
 */
export const textValue = (value: string): string =>
  value === '' || needsQuotes.test(value) ? jsonText(value) : value

/** A string as JSON, with control characters escaped that JSON permits and terminals interpret. */
export const jsonText = (value: string): string => escapeControls(JSON.stringify(value))

/** JSON with these control characters escaped. */
export const escapeControls = (json: string): string =>
  lateControls.test(json) ? json.replace(lateControlsEach, escaped) : json

const needsQuotes = /[\s"\\\u0000-\u001f\u007f-\u009f\u2028\u2029]/
const lateControls = /[\u007f-\u009f\u2028\u2029]/
const lateControlsEach = /[\u007f-\u009f\u2028\u2029]/g

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
