/** Seconds since the epoch of a `createTime`; undefined if absent or invalid. */
export const createdAtOf = (createTime: unknown): number | undefined => {
  const ms = typeof createTime === 'string' ? Date.parse(createTime) : Number.NaN
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000)
}

/** The `createTime` of seconds since the epoch; undefined if out of range. */
export const createTimeOf = (createdAtS: number | undefined): string | undefined => {
  const time = new Date((createdAtS ?? Number.NaN) * 1000)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}
