import type { ImportReport } from '../import-report.ts'
import type { Directive } from './directive.ts'

/** A block of nginx inside of its parents. It records which directives were used. */
export class NginxScope {
  readonly report: ImportReport
  readonly block: readonly Directive[]
  readonly #parent: NginxScope | undefined
  readonly #used: Set<Directive>

  constructor(block: readonly Directive[], report: ImportReport, parent?: NginxScope) {
    this.block = block
    this.report = report
    this.#parent = parent
    this.#used = parent ? parent.#used : new Set()
  }

  inside(block: readonly Directive[]): NginxScope {
    return new NginxScope(block, this.report, this)
  }

  /** The same block without some of its directives. */
  without(directives: readonly Directive[]): NginxScope {
    return new NginxScope(
      this.block.filter((one) => !directives.includes(one)),
      this.report,
      this.#parent,
    )
  }

  use(directive: Directive): void {
    this.#used.add(directive)
  }

  isUsed(directive: Directive): boolean {
    return this.#used.has(directive)
  }

  /** The directives of this block alone, in order. */
  own(...names: readonly string[]): readonly Directive[] {
    const found = this.block.filter(({ name }) => names.includes(name))
    for (const one of found) this.use(one)
    return found
  }

  /** The directives of the nearest block that has any: those of an inner block replace those of the outer ones. */
  inherited(...names: readonly string[]): readonly Directive[] {
    const found = this.own(...names)
    return found.length > 0 ? found : (this.#parent?.inherited(...names) ?? [])
  }

  /** The directives of this block and of the blocks around it: those that add up. */
  everywhere(...names: readonly string[]): readonly Directive[] {
    return [...(this.#parent?.everywhere(...names) ?? []), ...this.own(...names)]
  }

  /** The first argument of the directive that applies. */
  value(name: string): string | undefined {
    return this.inherited(name).at(-1)?.args[0]
  }
}
