/**
 * The field `model` of a form (RFC 7578), if it is in the part of the form that is there. Files may be before it or after it.
 *
 * @param type The content type, with the boundary.
 */
export const modelField = (form: Buffer, type: string): string | undefined => {
  const boundary = /boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/i.exec(type)
  const delimiter = boundary && `--${boundary[1] ?? boundary[2] ?? ''}`
  if (!delimiter) return undefined
  for (let at = form.indexOf(delimiter); at >= 0;) {
    const start = at + delimiter.length
    const next = form.indexOf(delimiter, start)
    const headEnd = form.indexOf('\r\n\r\n', start)
    if (headEnd < 0 || (next >= 0 && headEnd > next)) return undefined
    const head = form.toString('latin1', start, Math.min(headEnd, start + MAX_HEAD_BYTES))
    if (isModel.test(head)) {
      // A value without its end may go on in what has not come yet.
      return next < 0 ? undefined : form.toString('utf8', headEnd + 4, next - 2)
    }
    at = next
  }
  return undefined
}

const MAX_HEAD_BYTES = 4096
const isModel = /content-disposition:\s*form-data;[^\r\n]*\bname=(?:"model"|model)(?:;|\r|$)/i
