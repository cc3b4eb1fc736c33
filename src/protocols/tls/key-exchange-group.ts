/** The name that OpenSSL has for a group: the hybrid one is without the underscore that configurations have. */
export const opensslGroup = (name: string): string => name.replaceAll('_', '')
