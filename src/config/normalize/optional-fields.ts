import { defined as definedMembers } from '../../protocols/json/omit-undefined.ts'

/** Optional fields may be undefined here; the others must be present. */
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
  return definedMembers(fields) as T // `T` has no undefined fields; they were removed
}

/** Applies a conversion unless the value is undefined. */
export function given<A, B>(value: A | undefined, convert: (value: A) => B): B | undefined {
  return value === undefined ? undefined : convert(value)
}
