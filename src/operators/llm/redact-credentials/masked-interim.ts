import type { Exchange, Interim } from '../../../model/exchange/exchange.ts'
import { maskCredentialText } from './credential-mask.ts'
import type { CredentialPattern } from './credential-pattern.ts'

/** Passes informational responses (1xx) to the client without the credentials that their fields repeat. */
export class MaskedInterim implements Interim {
  readonly #x: Exchange
  readonly #to: Interim
  readonly #patternOf: (x: Exchange) => CredentialPattern | undefined

  /** @param patternOf Called for each response, which are rare: the credentials may change until the call. */
  constructor(x: Exchange, to: Interim, patternOf: (x: Exchange) => CredentialPattern | undefined) {
    this.#x = x
    // An earlier call, to this or another provider, has ended.
    this.#to = to instanceof MaskedInterim ? to.#to : to
    this.#patternOf = patternOf
  }

  inform(status: number, headers: readonly string[], resume: () => void): boolean {
    const pattern = this.#patternOf(this.#x)
    const shown = pattern ? headers.map((text) => maskCredentialText(text, pattern)) : headers
    return this.#to.inform(status, shown, resume)
  }
}
