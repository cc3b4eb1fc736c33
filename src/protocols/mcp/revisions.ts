/** A revision of the protocol, named by its date: later ones compare greater. */
export type Revision = (typeof revisions)[number]

/** All revisions, oldest first. */
export const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const

/** The latest with handshake and sessions. */
export const newestLegacy: Revision = '2025-11-25'

/** The latest without. */
export const newestModern: Revision = '2026-07-28'

/** @returns Whether the text names a revision that is known. */
export const isRevision = (text: string): text is Revision => (revisions as readonly string[]).includes(text)

/** Whether each request is self-contained: also true for future revisions, which are refused in the modern way. */
export const isModern = (revision: string): boolean => revision > newestLegacy

/** @returns The oldest; undefined for an empty list. */
export const lowest = (some: readonly Revision[]): Revision | undefined =>
  some.length === 0 ? undefined : some.reduce((a, b) => (a < b ? a : b))

/** Whether batches are allowed: one revision has them. */
export const allowsBatches = (revision: string): boolean => revision === '2025-03-26'

/** The revision in the result of `initialize`: the client's if it is known and has a handshake. */
export const legacyRevisionFor = (requested: string): Revision =>
  isRevision(requested) && !isModern(requested) ? requested : newestLegacy

/**
 * The offered revision in the result of `initialize`: the requested one, else the newest below it, else the oldest. A
 * request for one without a handshake gets the newest.
 *
 * @returns Undefined if none with a handshake is offered.
 */
export const offeredFor = (requested: string, offered: readonly Revision[]): Revision | undefined => {
  const legacy = offered.filter((one) => !isModern(one))
  const limit = legacyRevisionFor(requested)
  return legacy.findLast((one) => one <= limit) ?? legacy[0]
}

/**
 * The revision in the result of `initialize`, given the servers' results: the oldest of theirs, and never above the
 * client's. Values other than known revisions are ignored.
 *
 * @param requested As `legacyRevisionFor` returns it.
 */
export const agreedOn = (requested: Revision, responses: readonly unknown[]): Revision => {
  const known = responses.filter((one) => typeof one === 'string' && isRevision(one))
  return lowest([requested, ...known]) ?? requested
}

/** Whether a response may begin with an event that only has an id: older clients take it for a malformed message. */
export const allowsPriming = (revision: string): boolean => revision >= '2025-11-25'
