/**
 * Replaces the imports of modules of Node: an import reads every export, and some of these load further modules, such as
 * Node's own `fetch` for `node:http` (40 ms), or web cryptography for `node:crypto` (9 ms).
 *
 * Lines stay lines, and nothing else is on these, so that source maps stay right.
 */
export const withoutFacades = (code: string): string =>
  code.replaceAll(/^import (.+?) from "(node:[\w/]+)";$/gm, (all, bindings: string, name: string) => {
    const [, whole = '', named = ''] = /^(?:\* as )?([\w$]*)(?:, )?(\{.*\})?$/.exec(bindings) ?? []
    if (whole + named === '') throw new Error(`an import in a form that is not known here: ${all}`)
    const variables = [whole, named.replaceAll(' as ', ': ')].filter((text) => text !== '')
    // As early as an import, as far as the file itself is concerned.
    return `var ${variables.map((variable) => `${variable} = process.getBuiltinModule("${name}")`).join(', ')};`
  })
