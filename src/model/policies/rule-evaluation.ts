/** Effect of a rule that matches: it allows, denies, or must match for any access. */
export type RuleMode = 'allow' | 'deny' | 'require'

/** One rule about a subject, such as an exchange or a connection. */
export interface Rule<S> {
  readonly mode: RuleMode
  /** Its index in the configured list, from 0. */
  readonly index: number
  /** Its source text. */
  readonly text: string
  /** Whether the rule applies to the subject; if not, it is ignored. Absent: it always applies. */
  readonly concerns?: ((subject: S) => boolean) | undefined
  /** Whether the rule matches; undefined if it cannot be evaluated. It never throws. */
  readonly test: (subject: S) => boolean | undefined
}

/** The decision about a subject, and the deciding rule: undefined for the default. */
export interface Ruling<S> {
  readonly allowed: boolean
  readonly by: Rule<S> | undefined
}

/** Called with each evaluated rule. */
export type RuleWitness<S> = (rule: Rule<S>, holds: boolean | undefined) => void

/**
 * Compiles rules: deny rules run first, then require rules, then allow rules until one matches. If there are allow
 * rules, one of them must match; without any, the default is to allow.
 *
 * A rule that cannot be evaluated counts against the subject: an allow rule does not allow, a deny rule denies and a
 * require rule refuses. Rules that do not apply are ignored, allow rules included. Evaluation allocates nothing.
 *
 * @example
 * const ruling = rulesAbout([{ mode: 'deny', index: 0, text: 'isLate', test: isLate }])
 * ruling(guest).allowed
 */
export const rulesAbout = <S>(
  rules: readonly Rule<S>[],
): ((subject: S, witness?: RuleWitness<S>) => Ruling<S>) => {
  const of = (mode: RuleMode, allowed: boolean): readonly Settled<S>[] =>
    rules.filter((rule) => rule.mode === mode).map((rule) => ({ rule, ruling: { allowed, by: rule } }))
  const denies = of('deny', false)
  const requires = of('require', false)
  const allows = of('allow', true)
  const passes: Ruling<S> = { allowed: true, by: undefined }
  const fails: Ruling<S> = { allowed: false, by: undefined }
  return (subject, witness) => {
    for (const { rule, ruling } of denies)
      if (isAbout(rule, subject) && evaluate(rule, subject, witness) !== false) return ruling
    for (const { rule, ruling } of requires)
      if (isAbout(rule, subject) && evaluate(rule, subject, witness) !== true) return ruling
    let otherwise = passes
    for (const { rule, ruling } of allows) {
      if (!isAbout(rule, subject)) continue
      if (evaluate(rule, subject, witness) === true) return ruling
      otherwise = fails
    }
    return otherwise
  }
}

/** A rule with the ruling that it results in. */
interface Settled<S> {
  readonly rule: Rule<S>
  readonly ruling: Ruling<S>
}

const isAbout = <S>({ concerns }: Rule<S>, subject: S): boolean => concerns === undefined || concerns(subject)

const evaluate = <S>(rule: Rule<S>, subject: S, witness: RuleWitness<S> | undefined): boolean | undefined => {
  const result = rule.test(subject)
  witness?.(rule, result)
  return result
}
