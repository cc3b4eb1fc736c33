import { type Properties, record, ref } from '../../config/schema/builders.ts'
import type { AuthorityChange, PathChange } from '../request-redirect/schema.ts'

/** Changes host and path of a request before it is forwarded. */
export interface Rewrite {
  readonly authority?: AuthorityChange
  readonly path?: PathChange
}

const rewrite = record('Rewrites host and path of the request before it is forwarded.', {
  authority: ref('AuthorityChange'),
  path: ref('PathChange'),
})

/** Definitions of `urlRewrite`. */
export const urlRewriteDefinitions: Properties = { Rewrite: rewrite }
