/** The versions of HTTP, as logs, traces and expressions name them. */
export const httpVersions = { '1.0': 'HTTP/1.0', '1.1': 'HTTP/1.1', '2': 'HTTP/2.0' } as const
