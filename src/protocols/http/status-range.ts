/** Parses HTTP statuses: one (`204`), a range (`200-299`), or a class (`2xx`). Undefined for other texts. */
export const parseStatusRange = (text: string): readonly [from: number, to: number] | undefined => {
  const [, hundred] = /^([2-5])xx$/i.exec(text) ?? []
  if (hundred !== undefined) return [Number(hundred) * 100, Number(hundred) * 100 + 99]
  const [, from, to = from] = /^([2-5]\d\d)(?:-([2-5]\d\d))?$/.exec(text) ?? []
  if (from === undefined || Number(from) > Number(to)) return undefined
  return [Number(from), Number(to)]
}
