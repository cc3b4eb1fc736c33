import { deny, type Reply } from '../../../model/exchange/reply.ts'
import { chooseEndpoint } from '../../../upstream/load-balancing/choose-endpoint.ts'
import { BetterOfTwo } from '../../../upstream/load-balancing/balancer.ts'
import type { EndpointHealth } from '../../../upstream/load-balancing/outlier-detection.ts'
import type { Option, OptionGroups } from './provider-target.ts'

/**
 * The next target: from the first group that has an untried one in service; among equals the better of two drawn at
 * random. Each is tried once. If all that are left are out of service they are tried all the same: the response of one
 * that failed before is better than none.
 */
export const nextOption = (
  groups: OptionGroups,
  tried: readonly Option[],
  random: () => number,
): Option | undefined => {
  const left = tried.length
    ? groups.map((group) => group.filter((one) => !tried.includes(one))).filter((group) => group.length > 0)
    : groups
  const [only] = left
  if (!only || (left.length === 1 && only.length === 1)) return only?.[0]
  const now = performance.now()
  const group = left.find((some) => some.some(({ candidate }) => !candidate.health.isEvicted(now))) ?? only
  if (group.length < 2) return group[0]
  return chooseEndpoint(group.map(choice), { now, balancer: new BetterOfTwo(random) })?.option
}

/** The reply if there is no target to try. */
export const noTargetLeft = (): Reply =>
  deny(503, 'no_endpoint', { message: 'no healthy backends', reason: 'NoHealthyBackend' })

const choice = (option: Option): { option: Option; health: EndpointHealth; seed: number } => ({
  option,
  health: option.candidate.health,
  seed: option.candidate.seed,
})
