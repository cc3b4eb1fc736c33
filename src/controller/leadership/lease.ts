import type { KubernetesObject } from '../kinds/object.ts'

/** `coordination.k8s.io/v1.Lease`, which one replica holds at a time. */
export interface Lease extends KubernetesObject {
  readonly spec?: {
    readonly holderIdentity?: string
    readonly leaseDurationSeconds?: number
    readonly acquireTime?: string
    readonly renewTime?: string
    readonly leaseTransitions?: number
  }
}

/** Whether the lease belongs to nobody: it was released. */
export const isReleased = ({ spec }: Lease): boolean => (spec?.holderIdentity ?? '') === ''

/** Who holds the lease, and how long it lasts without being renewed. */
export interface LeaseClaim {
  readonly identity: string
  readonly durationSeconds: number
  /** The time of day, in milliseconds. */
  readonly now: number
}

/** The lease as its next holder, or its holder again, writes it. */
export const claimedLease = (lease: Lease, { identity, durationSeconds, now }: LeaseClaim): Lease => {
  const { spec = {} } = lease
  const isSame = spec.holderIdentity === identity
  const time = microTime(now)
  return {
    ...lease,
    spec: {
      holderIdentity: identity,
      leaseDurationSeconds: durationSeconds,
      acquireTime: isSame ? (spec.acquireTime ?? time) : time,
      renewTime: time,
      leaseTransitions: (spec.leaseTransitions ?? 0) + Number(!isSame),
    },
  }
}

/** The lease as its holder leaves it to whoever comes. */
export const releasedLease = (lease: Lease, now: number): Lease => ({
  ...lease,
  spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime(now) },
})

/** Kubernetes expects six digits of a second. */
const microTime = (now: number): string => new Date(now).toISOString().replace('Z', '000Z')
