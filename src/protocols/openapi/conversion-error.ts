/** Why an operation cannot become a tool. It ends the conversion of that operation only. */
export class ConversionError extends Error {}

/** A text of the document in a message, with a limited length. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)
