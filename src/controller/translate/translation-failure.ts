import type { Kind } from '../kinds/kinds.ts'

/** Something that could not be computed: a mistake of the translation, and none of users. */
export interface TranslationFailure {
  readonly kind: Kind
  readonly key: string
  /** The same object as long as nothing that was read has changed. */
  readonly error: unknown
}
