/** A revision of the protocol, named by its date: later ones compare greater. */
export type Revision = (typeof revisions)[number]

/** Every revision there is, oldest first. */
export const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const

/** The last with handshake and sessions. */
export const newestLegacy: Revision = '2025-11-25'

/** The last without. */
export const newestModern: Revision = '2026-07-28'

/** @returns Whether the text names a revision that is known. */
export const isRevision = (text: string): text is Revision => (revisions as readonly string[]).includes(text)

/** Whether each request speaks for itself: true for revisions to come as well, which are refused in the modern way. */
export const isModern = (revision: string): boolean => revision > newestLegacy

/** @returns The oldest; undefined of none. */
export const lowest = (some: readonly Revision[]): Revision | undefined =>
  some.length === 0 ? undefined : some.reduce((a, b) => (a < b ? a : b))

/** Whether several messages may come in one array: one revision had that. */
export const allowsBatches = (revision: string): boolean => revision === '2025-03-26'

/** With which revision `initialize` is answered: the client's own where it is known and has a handshake. */
export const legacyRevisionFor = (requested: string): Revision =>
  isRevision(requested) && !isModern(requested) ? requested : newestLegacy
