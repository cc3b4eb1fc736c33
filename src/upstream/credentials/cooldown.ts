import { CredentialFault, TokenRefused } from './credential-fault.ts'

/** Leaves somebody alone who has just failed, longer each time, so that failures are not made worse by asking. */
export class Cooldown {
  #fault: Error | undefined = undefined
  #failures = 0
  #untilMs = 0

  /** What it failed with last, as long as it is to be left alone. */
  during(nowMs: number): Error | undefined {
    return nowMs < this.#untilMs ? this.#fault : undefined
  }

  failed(fault: unknown, nowMs: number): void {
    const isPermanent =
      (fault instanceof CredentialFault || fault instanceof TokenRefused) && fault.isPermanent
    const [first, longest] = isPermanent ? PERMANENT_MS : PASSING_MS
    this.#fault = fault instanceof Error ? fault : new CredentialFault('failed', { cause: fault })
    this.#untilMs = nowMs + Math.min(longest, first * 2 ** Math.min(this.#failures++, 10))
  }

  succeeded(): void {
    this.#fault = undefined
    this.#failures = 0
    this.#untilMs = 0
  }
}

/** The first pause, and the longest. */
const PASSING_MS = [1_000, 30_000] as const
const PERMANENT_MS = [30_000, 600_000] as const
