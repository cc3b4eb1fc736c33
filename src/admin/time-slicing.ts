import { nextTurn } from './next-turn.ts'

/** Time after which work for an admin caller yields to traffic. */
const sliceMs = 2

/**
 * Joins the output of `parts` into pieces, yielding to the event loop every two milliseconds. Each piece is made in a
 * turn of its own, also among several callers.
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
