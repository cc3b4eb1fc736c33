import type { Quota } from './rate-limit-quota.ts'
import type { TokenQuota } from './token-limit.ts'

/** What policies record about an exchange, for later stages, expressions, logs and traces. */
export class PolicyState {
  /** Values set by transformations. */
  metadata: Record<string, unknown> | undefined = undefined
  /** Dynamic metadata of external authorization. */
  extAuthz: Record<string, unknown> | undefined = undefined
  /** Dynamic metadata of external processing. */
  extProc: Record<string, unknown> | undefined = undefined
  /** Dynamic metadata of the processors of MCP messages. */
  mcpGuardrails: Record<string, unknown> | undefined = undefined
  /** State of the rate limit with the least left. */
  quota: Quota | undefined = undefined
  /** The limits that tokens of a language model count against, if any. */
  tokenQuota: TokenQuota | undefined = undefined
  /** Credentials of the request, in each spelling: logs, metrics and traces redact them. */
  secrets: readonly string[] | undefined = undefined

  /** Redacts a text in logs, metrics and traces. Texts shorter than six characters are not secrets. */
  addSecret(secret: string): void {
    if (secret.length < 6) return
    const encoded = encodeURIComponent(secret)
    this.secrets = [...(this.secrets ?? []), secret, ...(encoded === secret ? [] : [encoded])]
  }
}
