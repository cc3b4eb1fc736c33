/**
 * Runs a part of a query whose failure should not be that of the whole: what an object of one tenant makes throw must not
 * take others along. What was read until then stays a dependency, so the part is tried again when that changes.
 */
export const attempt = <T>(
  compute: () => T,
): { readonly value: T } | { readonly value?: undefined; readonly failure: unknown } => {
  try {
    return { value: compute() }
  } catch (failure) {
    return { failure }
  }
}
