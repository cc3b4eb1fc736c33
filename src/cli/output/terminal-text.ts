/**
 * Text that a terminal shows and does not obey: control and format characters other than line breaks and tabs become
 * spaces. Texts of servers and files may contain them, and so may the header fields of a stranger's request.
 *
 * @example
 * terminalText('GET /\u001b[2J') // 'GET / [2J'
 */
export const terminalText = (text: string): string => text.replaceAll(unsafe, ' ')

/**
 * The same for JSON, which already escapes the first 32 control characters: the others become escapes, so that it stands
 * for the same value.
 */
export const terminalJson = (json: string): string =>
  json.replaceAll(unsafe, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )

const unsafe = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
