/** Ports of the proxy itself: admin, metrics and readiness. No listener can have them. */
export const reservedPorts: ReadonlySet<number> = new Set([15_000, 15_020, 15_021])
