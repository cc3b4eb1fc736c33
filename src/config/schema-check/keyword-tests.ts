/** Returns the parameters of an error; undefined if the value is valid. */
type Test = (
  value: unknown,
  data: unknown,
  parent: Readonly<Record<string, unknown>>,
) => Record<string, unknown> | undefined

/** The tests of the custom keywords. Code that the build generates calls them by these names. */
export const keywordTests: Readonly<Record<string, Test>> = {
  deprecated: (on, _data, { description }) => (on === true ? { description } : undefined),
  'x-status': (status) => ({ status }),
  'x-notSupportedYet': (words, data) => ((words as readonly unknown[]).includes(data) ? {} : undefined),
  'x-exactlyOne': (names, data) => {
    const present = among(names as readonly string[], data)
    return present.length === 1 ? undefined : { present, names }
  },
  'x-within': (value, data) => {
    const { list, names } = value as { readonly list: string; readonly names: readonly string[] }
    const present = among(names, data)
    return present.length === 0 ? undefined : { list, present }
  },
  'x-atMostOneOf': (groups, data) => {
    for (const names of groups as readonly (readonly string[])[]) {
      const present = among(names, data)
      if (present.length > 1) return { present, names }
    }
    return undefined
  },
}

function among(names: readonly string[], data: unknown): readonly string[] {
  const object = data as Record<string, unknown>
  return names.filter((name) => Object.hasOwn(object, name))
}
