/** The body of a token request, and what it is. */
export interface ParameterBody {
  readonly contentType: string
  readonly body: Buffer
}

/**
 * Writes the parameters of a token request, as a form or as a JSON object. Parameters that come more than once become a
 * list in JSON.
 */
export const parameterBody = (
  parameters: readonly (readonly [name: string, value: string])[],
  format: 'form' | 'json',
): ParameterBody => {
  if (format === 'form') {
    const form = new URLSearchParams()
    for (const [name, value] of parameters) form.append(name, value)
    return { contentType: 'application/x-www-form-urlencoded', body: Buffer.from(form.toString()) }
  }
  const object: Record<string, string | string[]> = {}
  for (const [name, value] of parameters) {
    const before = object[name]
    object[name] = before === undefined ? value : [before, value].flat()
  }
  return { contentType: 'application/json', body: Buffer.from(JSON.stringify(object)) }
}
