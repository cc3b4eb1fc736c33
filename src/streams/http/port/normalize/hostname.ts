/** Lower-case, without the final dot. `*` alone is the empty text: every host. */
export function hostname(written: string | undefined): string {
  if (written === undefined || written === '*') return ''
  return written.toLowerCase().replace(/\.$/, '')
}

/** The hosts of a route; none at all means every host. */
export function hostnames(written: readonly string[] | undefined): readonly string[] {
  const names = (written ?? []).map(hostname)
  return names.includes('') ? [] : [...new Set(names)]
}
