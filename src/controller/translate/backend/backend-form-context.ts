import { xdsResource } from '../../../config/xds/xds-resource.ts'
import type { BackendFormContext, BackendParts } from '../../schema/backend-form.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { objectFormContext, type PolicyHolder } from '../policy/object-form-context.ts'
import { type TranslatedForm, translateForms } from '../policy/translate-forms.ts'
import { proxyRefusal } from '../proxy-check.ts'
import { inlineCheck, inlinePolicies } from './inline-policies.ts'
import { selectedServices } from './selected-services.ts'

/** What the forms of the kinds of a ProxyBackend look up, and where what they find goes. */
export const backendFormContext = (
  reads: GraphReads,
  holder: PolicyHolder,
  {
    report,
    onForms,
    group,
    path,
  }: Pick<BackendFormContext, 'report' | 'group'> & {
    readonly onForms: (forms: readonly TranslatedForm[]) => void
    /** The name of the field. */
    readonly path: string
  },
): BackendFormContext => ({
  ...objectFormContext(reads, holder, report),
  policies: (forms, fields, part) => {
    const translated = translateForms(reads, forms, fields, `${path}.${part}`, holder, partCheck)
    onForms(translated)
    return inlinePolicies(translated)
  },
  services: (selector) => selectedServices(reads, holder.namespace, selector),
  refusal: (parts) => reads.query(refusalOfParts, JSON.stringify(parts)),
  group,
})

/**
 * Why proxies would refuse the parts of a backend, by the parts as JSON. Kept: many backends may select the same thousand
 * Services, and a check takes longer than all else about a server.
 */
const refusalOfParts: Query<string | undefined> = defineQuery('refusalOfParts', (_, json) =>
  proxyRefusal(xdsResource('backend', '', { name: 'backend', ...(JSON.parse(json) as BackendParts) })),
)

/** What proxies check does not depend on the part. */
const partCheck = inlineCheck({ host: 'host:80' })
