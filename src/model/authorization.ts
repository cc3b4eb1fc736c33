import type { Cel } from './policies.ts'

/** Rules about who may pass; see `model/rules.ts` for what they mean together. */
export interface Authorization {
  readonly rules: readonly AuthorizationRule[]
}

/** One rule: may pass if it holds, may not if it holds, or must hold. */
export type AuthorizationRule = { readonly allow: Cel } | { readonly deny: Cel } | { readonly require: Cel }
