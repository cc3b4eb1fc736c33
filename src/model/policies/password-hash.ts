/** How a stored password was hashed. */
export type HashScheme = 'bcrypt' | 'apr1' | 'sha1' | 'crypt'

/** The hash scheme of an htpasswd line; undefined for what no version of `htpasswd` writes, plain text included. */
export const hashScheme = (hash: string): HashScheme | undefined => {
  if (/^\$2[aby]\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/.test(hash)) return 'bcrypt'
  if (/^\$apr1\$[^$:]{0,8}\$[./A-Za-z0-9]{22}$/.test(hash)) return 'apr1'
  if (/^\{SHA\}[A-Za-z0-9+/]{27}=$/.test(hash)) return 'sha1'
  if (/^[./A-Za-z0-9]{13}$/.test(hash)) return 'crypt'
  return undefined
}
