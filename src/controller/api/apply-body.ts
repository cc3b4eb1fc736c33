/**
 * The body of a server-side apply, which the API server parses as YAML: JSON, except for some characters that YAML does
 * not take as they are, or folds into spaces, and for halves of characters, which it refuses.
 */
export const applyBody = (value: unknown): string =>
  JSON.stringify(value)
    // Escaped by JSON: halves of characters. A backslash that is itself escaped begins nothing.
    .replaceAll(/\\\\|\\ud[89a-f][\da-f]{2}/g, (escaped) => (escaped === '\\\\' ? escaped : '\\ufffd'))
    .replaceAll(
      /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
