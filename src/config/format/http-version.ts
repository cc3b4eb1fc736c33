/** The spellings of HTTP versions: YAML reads `1.1` and `2` as numbers. */
export const httpVersionNames: readonly (string | number)[] = [
  '1.1',
  '2',
  1.1,
  2,
  '2.0',
  'HTTP/1.1',
  'HTTP/2',
  'HTTP/2.0',
]

/** The version that a spelling stands for. */
export function httpVersion(written: string | number): '1.1' | '2' {
  return String(written).endsWith('1.1') ? '1.1' : '2'
}
