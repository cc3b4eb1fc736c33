/**
 * A rule of `x-kubernetes-validations`: an expression of CEL over `self`. The API server estimates what rules cost at
 * most, from the bounds of lists, maps and strings, and refuses definitions beyond its budget: state bounds everywhere.
 */
export interface ValidationRule {
  readonly rule: string
  /** What users are shown. Tests name rules by it. */
  readonly message: string
}

/** A rule. The message completes “must”, or is a sentence of its own. */
export const validationRule = (message: string, rule: string): ValidationRule => ({ rule, message })

/** One of the fields is set, and no more. */
export const exactlyOneOf = (...names: readonly string[]): ValidationRule =>
  validationRule(`exactly one of the fields in [${names.join(' ')}] must be set`, `${countOf(names)} == 1`)

/** One of the fields is set, or none. */
export const noneOrOneOf = (...names: readonly string[]): ValidationRule =>
  validationRule(`at most one of the fields in [${names.join(' ')}] may be set`, `${countOf(names)} <= 1`)

/** One of the fields is set, or several. */
export const atLeastOneOf = (...names: readonly string[]): ValidationRule =>
  validationRule(
    `at least one of the fields in [${names.join(' ')}] must be set`,
    names.map(hasField).join(' || '),
  )

/** `conditional` stands alone, since its entries are whole policies. */
export const conditionalAlone = (...others: readonly string[]): ValidationRule =>
  validationRule(
    'conditional cannot be set with any other field',
    `!has(self.conditional) || !(${others.map(hasField).join(' || ')})`,
  )

/** Whether a field is set, in CEL. Names that are words of CEL are escaped. */
export const hasField = (name: string): string => `has(self.${celName(name)})`

/** The name of a field in a rule. */
export const celName = (name: string): string => (reserved.has(name) ? `__${name}__` : name)

const countOf = (names: readonly string[]): string =>
  names.map((name) => `(${hasField(name)} ? 1 : 0)`).join(' + ')

/** Words that the API server escapes; `namespace` is one of them. */
const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)
