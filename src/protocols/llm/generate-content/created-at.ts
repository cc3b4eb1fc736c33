/** Seconds since the epoch for a `createTime`; undefined if it is not there, or no time. */
export const createdAtOf = (createTime: unknown): number | undefined => {
  const ms = typeof createTime === 'string' ? Date.parse(createTime) : Number.NaN
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000)
}
