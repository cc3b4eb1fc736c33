import type { SecretText } from '../../model/policies/secret-text.ts'
import type * as File from '../schema/file-types.gen.ts'
import { type Context, fileText } from './context.ts'

/** A secret from the file or from a file of its own. The final line break that editors add is removed. */
export function secretText(source: File.SecretText, context: Pick<Context, 'files'>): SecretText {
  return { secret: typeof source === 'string' ? source : fileText(context, source.file).trim() }
}
