import { type JsonObject, jsonObjectIn } from '../../protocols/json/json-object.ts'
import { listIn } from '../../protocols/json/typed-values.ts'

/** Whether an event is a piece of what a model says aloud. */
export const isSound = ({ type }: JsonObject): boolean =>
  typeof type === 'string' && type.endsWith('audio.delta')

/**
 * Takes what a model has said aloud out of an event that repeats it.
 *
 * @returns Whether there was any.
 */
export const dropSound = ({ part, item, response }: JsonObject): boolean => {
  const items = [item, ...listIn(jsonObjectIn(response)?.output)].map(jsonObjectIn)
  const parts = items.flatMap((one) => listIn(one?.content))
  let found = false
  for (const one of [part, ...parts].map(jsonObjectIn))
    // What the client has said aloud is its own.
    if (one && typeof one.audio === 'string' && one.type !== 'input_audio') {
      delete one.audio
      found = true
    }
  return found
}
