import { minifySync } from 'rolldown/utils'

/** A file of a bundle, and its source map if that is kept. */
export interface Compact {
  readonly code: string
  readonly map: unknown
}

/**
 * Writes a file in ASCII, without the name of its source map: V8 keeps one with a single character beyond Latin-1 in two bytes a character. All names stay,
 * since stacks and profiles show them.
 *
 * @param map Keeps lines, because V8 samples by lines. Without one, blanks are removed as well.
 */
export const compact = (fileName: string, code: string, map: object | null): Compact => {
  const result = minifySync(fileName, code.replace(MAP_NAME, '\n'), {
    compress: false,
    mangle: false,
    codegen: { removeWhitespace: !map, legalComments: 'inline', asciiOnly: !isTable(code) },
    ...(map && { sourcemap: true, inputMap: map as never }),
  })
  const [error] = result.errors
  if (error) throw new Error(`${fileName}: ${error.message}`)
  return { code: result.code, map: result.map }
}

const MAP_NAME = /\n\/\/# sourceMappingURL=\S+\s*$/

/** Whether it consists of words in all alphabets: these would become larger. */
const isTable = (code: string): boolean =>
  code.length > 100_000 && (code.match(/[^\0-\x7f]/g)?.length ?? 0) > code.length / 100
