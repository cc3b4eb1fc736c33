import type { TlsUpstream } from './policies.ts'

/** Default TLS of an upstream: its certificate must be publicly trusted. */
export const publicTls: TlsUpstream = { insecure: false, insecureHost: false, subjectAltNames: [] }
