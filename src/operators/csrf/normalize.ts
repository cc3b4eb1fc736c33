import type * as File from '../../config/schema/file-types.gen.ts'
import type { Csrf } from './schema.ts'

/** `csrf`, with an empty list as default. */
export function normalizeCsrf({ additionalOrigins }: File.Csrf): Csrf {
  return { additionalOrigins: additionalOrigins ?? [] }
}
