/** The message about a reference whose kind is none that it may have. */
export const unsupportedKind = (group: string, kind: string): string =>
  `References to ${group === '' ? '' : `${group}/`}${kind} are not supported`
