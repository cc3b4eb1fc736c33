import type { PolicyForm } from '../schema/policy-form.ts'
import { backendForms } from './backend-policies.ts'
import { frontendForms } from './frontend-policies.ts'
import { trafficForms } from './traffic-policies.ts'

/** A section of a ProxyPolicy. */
export type PolicySection = 'frontend' | 'traffic' | 'backend'

/** The forms of the policies of each section. Schemas and translation follow from them. */
export const policyForms: Readonly<Record<PolicySection, Readonly<Record<string, PolicyForm>>>> = {
  frontend: frontendForms,
  traffic: trafficForms,
  backend: backendForms,
}
