/**
 * The fields that a translation dropped. None is dropped without being listed here.
 *
 * @example
 * const losses = new Losses()
 * losses.drop('tools.cache_control')
 * losses.fields // ['tools.cache_control']
 */
export class Losses {
  readonly #fields = new Set<string>()

  /**
   * @param field The field in the client's format, with dots: `logit_bias`, `tools.cache_control`. It contains no indices
   * and no text of the client, since it becomes a metric label.
   */
  drop(field: string): void {
    this.#fields.add(field)
  }

  /** Each field once, in the order of the drops. */
  get fields(): readonly string[] {
    return [...this.#fields]
  }

  get any(): boolean {
    return this.#fields.size > 0
  }
}
