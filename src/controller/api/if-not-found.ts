import { catchError, of, type OperatorFunction, throwError } from 'rxjs'
import { asApiFailure } from './api-failure.ts'

/** Emits a value where a request fails because there is no such object. Other failures stay failures. */
export const ifNotFound = <T, V>(value: V): OperatorFunction<T, T | V> =>
  catchError((error: unknown) => (asApiFailure(error).isNotFound ? of(value) : throwError(() => error)))
