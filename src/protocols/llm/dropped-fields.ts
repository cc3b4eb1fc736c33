/**
 * What a translation had to leave out. Nothing is dropped without being named here.
 *
 * @example
 * const losses = new Losses()
 * losses.drop('tools.cache_control')
 * losses.fields // ['tools.cache_control']
 */
export class Losses {
  readonly #fields = new Set<string>()

  /**
   * @param field The field of the client's format that found no place, in dots: `logit_bias`, `tools.cache_control`.
   * Without positions and without anything a client may have made up, for it becomes a metric label.
   */
  drop(field: string): void {
    this.#fields.add(field)
  }

  /** Each once, in order of being dropped. */
  get fields(): readonly string[] {
    return [...this.#fields]
  }

  get any(): boolean {
    return this.#fields.size > 0
  }
}
