import { type JsonObject, jsonObjectIn } from '../../../../protocols/json/json-object.ts'
import { listIn } from '../../../../protocols/json/typed-values.ts'

/** Whether an event is a chunk of the model's audio. */
export const isAudio = ({ type }: JsonObject): boolean =>
  typeof type === 'string' && type.endsWith('audio.delta')

/**
 * Removes the model's audio from an event that repeats it.
 *
 * @returns Whether there was any.
 */
export const dropAudio = ({ part, item, response }: JsonObject): boolean => {
  const items = [item, ...listIn(jsonObjectIn(response)?.output)].map(jsonObjectIn)
  const parts = items.flatMap((one) => listIn(one?.content))
  let found = false
  for (const one of [part, ...parts].map(jsonObjectIn))
    // The client's own audio stays.
    if (one && typeof one.audio === 'string' && one.type !== 'input_audio') {
      delete one.audio
      found = true
    }
  return found
}
