import type { GatewayTarget } from './gateway-target.ts'
import { CommandFailure } from '../command-failure.ts'

/**
 * Calls a function for each gateway, one after the other, even if some fail: of several pods, one may be starting or gone.
 *
 * @throws What failed, after all were called.
 */
export const forEachTarget = async (
  targets: readonly GatewayTarget[],
  use: (target: GatewayTarget) => Promise<void>,
): Promise<void> => {
  const failures: unknown[] = []
  for (const target of targets) {
    try {
      await use(target)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length === 0) return
  const messages = failures.map((error) => (error instanceof Error ? error.message : String(error)))
  const [first] = failures
  if (failures.length === 1 && first instanceof CommandFailure) throw first
  throw new CommandFailure(messages.join('\n'), { cause: first })
}
