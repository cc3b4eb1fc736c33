/**
 * The location of a value in a configuration, as a JSON Pointer (RFC 6901). The root is the empty string.
 *
 * @example
 * child(child('', 'routes'), 2) // '/routes/2'
 */
export function child(pointer: string, key: string | number): string {
  return typeof key === 'number' ? `${pointer}/${String(key)}` : `${pointer}/${escape(key)}`
}

/** The pointer of the parent value; the root is its own parent. */
export function parent(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')))
}

/** The unescaped parts of a pointer. */
export function segments(pointer: string): readonly string[] {
  return pointer === '' ? [] : pointer.slice(1).split('/').map(unescape)
}

/**
 * A pointer in the notation of messages. The document determines which parts are list positions.
 *
 * @example
 * display('/routes/2/matches', () => true) // 'routes[2].matches'
 */
export function display(pointer: string, isList: (pointer: string) => boolean): string {
  let printed = ''
  let at = ''
  for (const segment of segments(pointer)) {
    if (isList(at)) printed += `[${segment}]`
    else if (!PLAIN.test(segment)) printed += `[${JSON.stringify(segment)}]`
    else printed += printed === '' ? segment : `.${segment}`
    at = child(at, segment)
  }
  return printed
}

const PLAIN = /^[A-Za-z0-9_:-]+$/

function escape(key: string): string {
  return key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key
}

function unescape(segment: string): string {
  return segment.includes('~') ? segment.replaceAll('~1', '/').replaceAll('~0', '~') : segment
}
