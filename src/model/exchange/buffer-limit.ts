/** Default limit of a buffered body: `maxBufferSize` of the configuration, 2 MiB. */
export const DEFAULT_BUFFER_BYTES = 2 * 1024 * 1024
