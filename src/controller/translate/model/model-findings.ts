import type { PolicyHolder } from '../policy/object-form-context.ts'

/** What the translation of a model finds beside its notation. */
export interface ModelFindings {
  readonly holder: PolicyHolder
  readonly targets: Set<string>
  readonly problems: string[]
  readonly warnings: string[]
  readonly failures: unknown[]
}
