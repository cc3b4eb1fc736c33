/** The text of a header field whose characters are bytes: UTF-8 where it is that, otherwise Latin-1. */
export const fieldText = (value: string): string => {
  if (!beyondAscii.test(value)) return value
  try {
    return utf8.decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}

const beyondAscii = /[^\x00-\x7f]/
const utf8 = new TextDecoder('utf-8', { fatal: true })
