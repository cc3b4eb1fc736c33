import type { SecretText } from '../../model/policies/secret-text.ts'
import type * as File from '../schema/file-types.gen.ts'
import { type Context, fileText } from './context.ts'

/** A secret, wherever it is written. Editors leave a line break at the end of files, which is not part of it. */
export function secretText(source: File.SecretText, context: Pick<Context, 'files'>): SecretText {
  return { secret: typeof source === 'string' ? source : fileText(context, source.file).trim() }
}
