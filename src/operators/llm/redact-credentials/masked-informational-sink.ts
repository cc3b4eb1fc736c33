import type { InformationalSink } from '../../../model/exchange/downstream-state.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { maskCredentialText } from './credential-mask.ts'
import type { CredentialPattern } from './credential-pattern.ts'

/** Passes informational responses (1xx) to the client without the credentials that their fields repeat. */
export class MaskedInformationalSink implements InformationalSink {
  readonly #x: Exchange
  readonly #to: InformationalSink
  readonly #patternOf: (x: Exchange) => CredentialPattern | undefined

  /** @param patternOf Called for each response, which are rare: the credentials may change until the call. */
  constructor(x: Exchange, to: InformationalSink, patternOf: (x: Exchange) => CredentialPattern | undefined) {
    this.#x = x
    // An earlier call, to this or another provider, has ended.
    this.#to = to instanceof MaskedInformationalSink ? to.#to : to
    this.#patternOf = patternOf
  }

  sendInformational(status: number, headers: readonly string[], resume: () => void): boolean {
    const pattern = this.#patternOf(this.#x)
    const shown = pattern ? headers.map((text) => maskCredentialText(text, pattern)) : headers
    return this.#to.sendInformational(status, shown, resume)
  }
}
