/** Seconds since the epoch for a `createTime`; undefined if it is not there, or no time. */
export const createdAtOf = (createTime: unknown): number | undefined => {
  const ms = typeof createTime === 'string' ? Date.parse(createTime) : Number.NaN
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000)
}

/** The `createTime` for seconds since the epoch; undefined if they are none that a calendar has. */
export const createTimeOf = (createdAtS: number | undefined): string | undefined => {
  const time = new Date((createdAtS ?? Number.NaN) * 1000)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}
