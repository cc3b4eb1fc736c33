/** How much of a body is held in memory where nothing else is set: `maxBufferSize` of the configuration, 2 MiB. */
export const DEFAULT_BUFFER_BYTES = 2 * 1024 * 1024
