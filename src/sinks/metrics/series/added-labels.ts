import { toText } from '../../../cel/values/values.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { RawSession } from '../../../model/exchange/raw-session.ts'
import { hideSecrets, type Redaction } from '../../../model/trace/redact.ts'
import { labelName, labelText } from '../exposition/label-text.ts'
import type { LabelValues } from './label-values.ts'

/** A configured label; a value that cannot be evaluated is `unknown`. */
export interface CustomLabel {
  readonly name: string
  readonly value: (x: Exchange) => unknown
  /** The value for a raw connection; none if absent. */
  readonly rawValue?: (session: RawSession) => unknown
}

/** Maximum length of the value of a configured label. */
const maxValueLength = 128

/** The configured labels of some series, as text with a leading comma; empty without labels. */
export class AddedLabels {
  readonly names: readonly string[]
  readonly #labels: readonly CustomLabel[]
  readonly #values: readonly LabelValues[]
  readonly #redaction: Redaction

  /** @param valuesOf The bounded values of a label. */
  constructor(labels: readonly CustomLabel[], valuesOf: (name: string) => LabelValues, redaction: Redaction) {
    this.names = labels.map(({ name }) => labelName(name))
    this.#labels = labels
    this.#values = this.names.map(valuesOf)
    this.#redaction = redaction
  }

  /** Redacted: an expression may read a credential, on purpose or not. */
  of(x: Exchange): string {
    if (this.names.length === 0) return ''
    return this.#text(
      this.#labels.map(({ value }) => value(x)),
      [...this.#redaction.secrets(x.request.headers.raw), ...(x.policy.secrets ?? [])],
    )
  }

  ofRaw(session: RawSession): string {
    if (this.names.length === 0) return ''
    return this.#text(
      this.#labels.map(({ rawValue }) => rawValue?.(session)),
      this.#redaction.secrets(session.connection.connectHeaders ?? []),
    )
  }

  #text(values: readonly unknown[], secrets: readonly string[]): string {
    const texts = values.map((value, i) => {
      const text = toText(value)
      if (text === undefined) return undefined
      const shown = hideSecrets(text, secrets).slice(0, maxValueLength).toWellFormed()
      return this.#values[i]?.admit(shown)
    })
    return `,${labelText(this.names, texts)}`
  }
}
