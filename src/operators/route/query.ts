/** The parameters of a query string (`?a=1&b=2`), form-decoded; of repeated names the last counts. */
export const decodeQuery = (query: string): ReadonlyMap<string, string> => {
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(query)) values.set(name, value)
  return values
}
