import type * as File from '../../../config/schema/file-types.gen.ts'
import type { HeaderFilter } from '../../kinds/http-route.ts'
import { checkedFormat } from './route-match.ts'
import type { RuleContext } from './rule-context.ts'

/** The changes of header filters, in their order. Of several actions for a name in a list, the first one counts. */
export const headerChanges = (
  filters: readonly HeaderFilter[],
  context: RuleContext,
): File.HeaderModifier => {
  const set = valuesByName(
    filters.flatMap((filter) => filter.set ?? []),
    context,
  )
  const add = valuesByName(
    filters.flatMap((filter) => filter.add ?? []),
    context,
  )
  const remove = filters
    .flatMap((filter) => filter.remove ?? [])
    .map((name) => checkedFormat('headerName', name, 'header name', context).toLowerCase())
  return {
    ...(Object.keys(set).length > 0 ? { set } : {}),
    ...(Object.keys(add).length > 0 ? { add } : {}),
    ...(remove.length > 0 ? { remove: [...new Set(remove)] } : {}),
  }
}

const valuesByName = (
  headers: readonly { readonly name: string; readonly value: string }[],
  context: RuleContext,
): Record<string, string> => {
  const values: Record<string, string> = Object.create(null) as Record<string, string>
  for (const { name, value } of headers) {
    const folded = checkedFormat('settableHeader', name, 'header name', context).toLowerCase()
    values[folded] ??= checkedFormat('headerValue', value, `value of header ${name}`, context)
  }
  return { ...values }
}
