import { CredentialFault } from './credential-fault.ts'

/** How long a cloud may take to give a credential. */
export const CLOUD_TIMEOUT_MS = 5_000

/**
 * Waits for a credential of a cloud, for some time. What the cloud's own library says goes to the log only: it may quote
 * what it was given.
 *
 * Rejects with a `CredentialFault`.
 */
export const within = async <T>(
  what: string,
  pending: Promise<T>,
  limitMs: number = CLOUD_TIMEOUT_MS,
): Promise<T> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(new CredentialFault(`${what} gave no credentials within ${limitMs / 1000} s`))
  }, limitMs)
  try {
    return await Promise.race([pending, late.promise])
  } catch (cause) {
    throw cause instanceof CredentialFault
      ? cause
      : new CredentialFault(`${what} gave no credentials`, { cause })
  } finally {
    clearTimeout(timer)
  }
}
