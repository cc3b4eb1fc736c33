import type { ConditionalForm } from './conditional-field.ts'

/**
 * Translates a policy that may be conditional. An entry that cannot be translated makes the whole policy unusable, since
 * the entries after it are meant for what it leaves over.
 */
export const conditionalPolicy = <Form extends object, Policy extends object>(
  form: ConditionalForm<Form>,
  translate: (form: Form) => Policy | undefined,
): Policy | { conditional: (Policy & { condition?: string })[] } | undefined => {
  const { conditional, ...own } = form
  if (conditional === undefined) return translate(own as unknown as Form)
  const entries: (Policy & { condition?: string })[] = []
  for (const { condition, policy } of conditional) {
    const translated = translate(policy)
    if (translated === undefined) return undefined
    entries.push({ ...translated, ...(condition === undefined ? {} : { condition }) })
  }
  return { conditional: entries }
}
