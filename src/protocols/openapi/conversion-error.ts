/** Why an operation cannot become a tool. It ends the conversion of that operation, and of nothing else. */
export class Inconvertible extends Error {}

/** Text of a document as part of a message: whoever wrote it chose its length. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)
