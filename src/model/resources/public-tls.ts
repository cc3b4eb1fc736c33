import type { TlsUpstream } from './policies.ts'

/** TLS of an upstream of which nothing else is said: it has to show a certificate that is publicly trusted. */
export const publicTls: TlsUpstream = { insecure: false, insecureHost: false, subjectAltNames: [] }
