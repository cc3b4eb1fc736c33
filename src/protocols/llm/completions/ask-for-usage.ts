import { jsonObjectOr } from '../../json/json-object.ts'
import type { Members } from '../members.ts'

/**
 * Has a stream tell at its end what was used (`stream_options.include_usage`).
 *
 * @returns Whether nobody had asked for it, so that the client is not to see it.
 */
export const askForUsage = (request: Members): boolean => {
  const options = jsonObjectOr(request.get('stream_options'))
  if (options.include_usage === true) return false
  request.set('stream_options', { ...options, include_usage: true })
  return true
}
