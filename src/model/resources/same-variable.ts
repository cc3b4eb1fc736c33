/**
 * Whether servers that pass header fields as variables, as CGI, WSGI and PHP do, read two different names as one:
 * `x_user` and `x-user` are both `HTTP_X_USER` there.
 *
 * It stops at the first difference, and most names differ in length, so it is cheap enough to be called for every
 * field.
 *
 * @param one Lower-case, as is the other.
 */
export const isSameVariable = (one: string, other: string): boolean => {
  const { length } = one
  if (length !== other.length || one === other) return false
  for (let i = 0; i < length; i++) {
    const a = one.charCodeAt(i)
    const b = other.charCodeAt(i)
    if (a !== b && !(isJoint(a) && isJoint(b))) return false
  }
  return true
}

const isJoint = (code: number): boolean => code === HYPHEN || code === UNDERSCORE

const HYPHEN = 0x2d
const UNDERSCORE = 0x5f
