/** `legacy` revisions begin with a handshake and have sessions; `modern` ones (2026-07-28 and later) have neither. */
export type Era = 'legacy' | 'modern'
