import { defined as definedMembers } from '../../protocols/json/omit-undefined.ts'

/** Fields that may be left out may be given as undefined; the others must be there. */
export type MaybeUndefined<T> = {
  readonly [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K]
}

/**
 * The object without its undefined fields, so that an absent setting has no field at all.
 *
 * @example
 * defined<Timeout>({ requestTimeoutMs: undefined, backendRequestTimeoutMs: 5 }) // { backendRequestTimeoutMs: 5 }
 */
export function definedFields<T extends object>(fields: MaybeUndefined<T>): T {
  return definedMembers(fields) as T // the undefined ones, which `T` does not have, are gone
}

/** Applies a conversion where there is something to convert. */
export function given<A, B>(value: A | undefined, convert: (value: A) => B): B | undefined {
  return value === undefined ? undefined : convert(value)
}
