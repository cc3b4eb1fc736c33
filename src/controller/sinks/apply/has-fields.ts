import { isJsonObject } from '../../../protocols/json/json-object.ts'

/**
 * Whether a live value has everything that is wanted. Fields that only the live value has are defaults, or those of
 * another client. Lists must have the same length, and elements with the fields of each other in order.
 */
export const hasFields = (live: unknown, wanted: unknown): boolean => {
  if (Array.isArray(wanted))
    return (
      Array.isArray(live) &&
      live.length === wanted.length &&
      wanted.every((item, index) => hasFields(live[index], item))
    )
  if (isJsonObject(wanted))
    return (
      isJsonObject(live) &&
      Object.entries(wanted).every(
        ([name, value]) => value === undefined || (Object.hasOwn(live, name) && hasFields(live[name], value)),
      )
    )
  return live === wanted
}
