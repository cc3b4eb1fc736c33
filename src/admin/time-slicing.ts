import { nextTurn } from './next-turn.ts'

/** Time after which work for an admin caller lets traffic pass. */
const sliceMs = 2

/**
 * Joins what `parts` yields and hands it on in pieces, letting go of the event loop every two milliseconds.
 * Each piece is made in a turn of the event loop of its own, whoever else has slices made.
 *
 * @example
 * for await (const text of inSlices(lines())) res.write(text)
 */
export async function* inSlices(parts: Iterable<string>): AsyncGenerator<string, void, undefined> {
  await nextTurn()
  let text = ''
  let began = performance.now()
  for (const part of parts) {
    text += part
    if (performance.now() - began < sliceMs) continue
    yield text
    text = ''
    await nextTurn()
    began = performance.now()
  }
  if (text !== '') yield text
}
