import { Fault } from '../../../model/exchange/fault.ts'

/** Informational responses per request; a program that delays its response sends one every few seconds. */
const MOST = 100
/** Bytes of their fields together: the limit of a head. */
const MOST_BYTES = 65_536

/** Counts the informational responses (1xx) to one request. Without a limit an upstream could send them endlessly. */
export class InformationalLimit {
  #count = 0
  #sizeBytes = 0

  /** Counts one more. Returns the fault if it is one too many. */
  exceeded(fields: readonly string[]): Fault | undefined {
    this.#count++
    for (const part of fields) this.#sizeBytes += part.length
    if (this.#count > MOST) return tooManyInformational(`more than ${MOST} informational responses`)
    return this.#sizeBytes > MOST_BYTES
      ? tooManyInformational(`informational responses of more than ${MOST_BYTES} bytes`)
      : undefined
  }
}

/** The fault of an upstream that sends too many informational responses. */
export const tooManyInformational = (what: string): Fault =>
  new Fault('too_many_informational', `upstream call failed: ${what} before the answer`, {
    status: 502,
    reason: 'UpstreamFailure',
  })

/** The fault of an informational head without an end. */
export const informationalTooLarge = (): Fault =>
  tooManyInformational(`an informational response of more than ${MOST_BYTES} bytes`)

/** Whether an incomplete informational head is too large. */
export const isTooMuch = (sizeBytes: number): boolean => sizeBytes > MOST_BYTES
